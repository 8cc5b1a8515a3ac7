//! Machine code as the course reads it: what each instruction does, and where it goes on.

use common::Error;
use serde::Serialize;

/// What a compiler made of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// What kind of code it is, and who decoded it.
    pub(crate) language: String,
    /// In the order of their addresses.
    pub(crate) instructions: Vec<Instruction>,
    /// What its maker says that it takes.
    pub resources: Resources,
    /// What could not be read, why, and what would help.
    pub(crate) notes: Vec<String>,
}

impl Code {
    /// That no kernel of this name is among these.
    pub(crate) fn missing<'a>(kernel: &str, names: impl Iterator<Item = &'a str>) -> Error {
        let names = Vec::from_iter(names.map(String::from));
        let hint = diagnostics::near::did_you_mean(kernel, &names);
        Error::build(format!("the code has no kernel {kernel}; {hint}"))
    }
}

/// What a kernel takes of a unit, as far as its compiler tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Resources {
    /// Registers of one item, of 32 bits each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Bytes that one item stores for want of registers, as the code stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spilled_bytes: Option<u32>,
    /// Bytes of local memory of one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) local_bytes: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Instruction {
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
    /// Registers of a CPU that it reads or writes, each with its kind.
    #[serde(skip)]
    pub registers: Vec<(&'static str, u32)>,
}

/// Where the code goes on after an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flow {
    #[default]
    Next,
    /// At this address.
    Jump(u64),
    /// At this address or at the next one.
    Branch(u64),
    /// Nowhere: the kernel ends, or goes where the code does not tell.
    Stop,
}

/// What an instruction does, to numbers of floating point where it computes. Lanes are elements
/// that it works on at once, for one item on a GPU, and for several items or elements on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[rustfmt::skip]
pub(crate) enum Operation {
    MultiplyAdd { lanes: u32 },
    Multiply { lanes: u32 },
    Add { lanes: u32 },
    Load { space: Space, bytes: u32 },
    Store { space: Space, bytes: u32 },
    Gather,
    Scatter,
    Broadcast,
    Shuffle,
    Masked,
    Barrier,
    Call,
}

impl Operation {
    /// Which arithmetic it is, and its lanes.
    pub fn arithmetic(self) -> Option<(&'static str, u32)> {
        match self {
            Operation::MultiplyAdd { lanes } => Some(("", lanes)),
            Operation::Multiply { lanes } => Some(("products ", lanes)),
            Operation::Add { lanes } => Some(("sums ", lanes)),
            _ => None,
        }
    }
}

/// Memory, as far as an instruction tells which. The names are OpenCL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Space {
    Global,
    Local,
    /// An item's, and not in registers: it was spilled.
    Private,
    /// The stack of a CPU's thread at a fixed place: what had no room in registers.
    Stack,
    /// The same at a place that a register says: an array.
    StackArray,
    Constant,
    Unknown,
}
