//! Machine code as the course reads it: what each instruction does, and where it goes on.

use serde::Serialize;

/// What a compiler made of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// What kind of code it is, and who decoded it.
    pub language: String,
    /// In the order of their addresses.
    pub instructions: Vec<Instruction>,
    /// What its maker says that it takes.
    pub resources: Resources,
    /// What could not be read, why, and what would help.
    pub notes: Vec<String>,
}

/// What a kernel takes of a unit, as far as its compiler tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Resources {
    /// Registers of one item, of 32 bits each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Bytes that one item stores for want of registers, as the code stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spilled_bytes: Option<u32>,
    /// Bytes of local memory of one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_bytes: Option<u64>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instruction {
    /// Where it stands: bytes from the beginning of its file, or its number in a text.
    pub address: u64,
    /// As its disassembler writes it.
    pub text: String,
    /// Line of the kernel file that it was made of, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Where the next one stands.
    #[serde(skip)]
    pub flow: Flow,
    /// What it does that the course counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
    /// Registers that it reads or writes, by kind.
    #[serde(skip)]
    pub registers: Vec<Register>,
}

impl Instruction {
    /// One that does nothing that is counted.
    pub fn new(address: u64, text: impl Into<String>) -> Instruction {
        Instruction {
            address,
            text: text.into(),
            line: None,
            flow: Flow::Next,
            operations: Vec::new(),
            registers: Vec::new(),
        }
    }
}

/// Where the code goes on after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At the next one.
    Next,
    /// At this address.
    Jump(u64),
    /// At this address or at the next one.
    Branch(u64),
    /// Nowhere: the kernel ends, or goes where the code does not tell.
    Stop,
}

/// What an instruction does. Lanes are elements that it works on at once, for one item on
/// a GPU, and for several items or elements on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
#[rustfmt::skip]
pub enum Operation {
    /// A multiplication and an addition in one.
    MultiplyAdd { lanes: u32 },
    /// A multiplication of floating-point numbers.
    Multiply { lanes: u32 },
    /// Their addition or subtraction.
    Add { lanes: u32 },
    Load { space: Space, bytes: u32 },
    Store { space: Space, bytes: u32 },
    /// A load from a place of its own for each lane.
    Gather,
    /// A store to a place of its own for each lane.
    Scatter,
    /// One element to all lanes.
    Broadcast,
    /// Lanes moved to other places.
    Shuffle,
    /// Some lanes only, as a mask says.
    Masked,
    /// A barrier of the group.
    Barrier,
    Call,
}

/// Memory, as far as an instruction tells which. The names are OpenCL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Global.
    Global,
    /// Local, of the group.
    Local,
    /// Private, of an item, and not in registers: it was spilled.
    Private,
    /// The stack of a CPU's thread at a fixed place: what had no room in registers.
    Stack,
    /// The same at a place that a register says: an array.
    StackArray,
    /// Constant, arguments included.
    Constant,
    /// The instruction does not tell.
    Unknown,
}

/// Which kind of register, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Register {
    General(u32),
    Vector(u32),
    Mask(u32),
}
