//! x86-64, decoded by iced-x86.

use iced_x86::{
    Decoder, DecoderOptions, FastFormatter, FlowControl, Instruction as Decoded, InstructionInfo,
    InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register as Named, UsedMemory,
};

use crate::code::{Flow, Instruction, Operation, Space};

/// The instructions of a function whose bytes begin at `address`.
pub fn decode(bytes: &[u8], address: u64) -> Vec<Instruction> {
    let decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let decoded: Vec<Decoded> = decoder.into_iter().collect();
    // `mov rbp, rsp`: from there on rbp points to the stack, too.
    let has_frame = decoded.iter().any(|one| {
        let operands = (one.op0_register(), one.op1_register());
        one.mnemonic() == Mnemonic::Mov && operands == (Named::RBP, Named::RSP)
    });
    let mut formatter = FastFormatter::new();
    let options = formatter.options_mut();
    options.set_space_after_operand_separator(true);
    options.set_use_hex_prefix(true);
    options.set_uppercase_hex(false);
    let mut factory = InstructionInfoFactory::new();
    let instruction = |one: &Decoded| {
        let mut text = String::new();
        formatter.format(one, &mut text);
        let info = factory.info(one);
        let registers = info.used_registers().iter().filter_map(|used| {
            let kind = match used.register() {
                vector if vector.is_vector_register() => "vector",
                general if general.is_gpr() => "general",
                mask if mask.is_k() => "mask",
                _ => return None,
            };
            Some((kind, used.register().number() as u32))
        });
        Instruction {
            address: one.ip(),
            text,
            line: None,
            flow: match one.flow_control() {
                FlowControl::UnconditionalBranch => Flow::Jump(one.near_branch_target()),
                FlowControl::ConditionalBranch => Flow::Branch(one.near_branch_target()),
                FlowControl::Return | FlowControl::IndirectBranch | FlowControl::Exception => {
                    Flow::Stop
                }
                _ => Flow::Next,
            },
            operations: operations(one, info, has_frame),
            registers: registers.collect(),
        }
    };
    decoded.iter().map(instruction).collect()
}

fn operations(one: &Decoded, info: &InstructionInfo, has_frame: bool) -> Vec<Operation> {
    const SHUFFLES: [&str; 7] =
        ["perm", "shuf", "unpck", "vinsert", "vextract", "pinsr", "vpblend"];
    let name = format!("{:?}", one.mnemonic()).to_lowercase();
    let mut operations = Vec::from_iter(arithmetic(one, &name));
    if name.contains("gather") {
        operations.push(Operation::Gather);
    } else if name.contains("scatter") {
        operations.push(Operation::Scatter);
    } else if !one.is_stack_instruction()
        && one.mnemonic() != Mnemonic::Lea
        && !name.contains("prefetch")
        && !name.contains("nop")
    {
        let accesses = info.used_memory().iter();
        operations.extend(accesses.flat_map(|memory| access(memory, has_frame)));
    }
    if name.contains("broadcast") || one.is_broadcast() {
        operations.push(Operation::Broadcast);
    } else if SHUFFLES.iter().any(|word| name.contains(word)) {
        operations.push(Operation::Shuffle);
    }
    if one.op_mask() != Named::None || name.contains("maskmov") {
        operations.push(Operation::Masked);
    }
    if one.flow_control() == FlowControl::Call {
        operations.push(Operation::Call);
    }
    operations
}

/// Floating-point numbers that are multiplied, added, or both.
fn arithmetic(one: &Decoded, name: &str) -> Option<Operation> {
    let width = || one.op0_register().size() as u32;
    let lanes = match name.get(name.len().checked_sub(2)?..)? {
        "ss" | "sd" => 1,
        "ps" if one.op0_kind() == OpKind::Register => width() / 4,
        "pd" if one.op0_kind() == OpKind::Register => width() / 8,
        _ => return None,
    };
    let name = name.strip_prefix('v').unwrap_or(name);
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    if begins(&["fmadd", "fnmadd", "fmsub", "fnmsub"]) {
        Some(Operation::MultiplyAdd { lanes })
    } else if begins(&["mul"]) {
        Some(Operation::Multiply { lanes })
    } else {
        begins(&["add", "sub"]).then_some(Operation::Add { lanes })
    }
}

/// What an access to memory is. Where a call or its return takes an address from, and what a
/// push keeps, is asked for by nobody's source.
fn access(memory: &UsedMemory, has_frame: bool) -> impl Iterator<Item = Operation> {
    let bytes = memory.memory_size().info().size() as u32;
    let on_stack = |register| register == Named::RSP || register == Named::RBP && has_frame;
    let space = if memory.base() == Named::RIP || memory.base() == Named::EIP {
        Space::Constant
    } else if on_stack(memory.base()) && memory.index() == Named::None {
        Space::Stack
    } else if on_stack(memory.base()) || on_stack(memory.index()) {
        Space::StackArray
    } else {
        Space::Unknown
    };
    use OpAccess::{CondRead, CondWrite, Read, ReadCondWrite, ReadWrite, Write};
    let access = memory.access();
    let reads = matches!(access, Read | CondRead | ReadWrite | ReadCondWrite);
    let writes = matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite);
    let load = reads.then_some(Operation::Load { space, bytes });
    let store = writes.then_some(Operation::Store { space, bytes });
    load.into_iter().chain(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations_of(bytes: &[u8]) -> Vec<Operation> {
        let decoded = decode(bytes, 0);
        assert_eq!(decoded.len(), 1, "{decoded:?}");
        decoded[0].operations.clone()
    }

    fn load(space: Space, bytes: u32) -> Operation {
        Operation::Load { space, bytes }
    }

    #[test]
    fn what_an_instruction_does_is_told_by_its_bytes() {
        use Operation::{Broadcast, Gather, Masked};
        let fused = |lanes| Operation::MultiplyAdd { lanes };
        // vfmadd231ps ymm0, ymm1, [rax + 4*rcx]
        let all = operations_of(b"\xc4\xe2\x75\xb8\x04\x88");
        assert_eq!(all, [fused(8), load(Space::Unknown, 32)]);
        // vfmadd231ps zmm0, zmm1, [rax]{1to16}
        let all = operations_of(b"\x62\xf2\x75\x58\xb8\x00");
        assert_eq!(all, [fused(16), load(Space::Unknown, 4), Broadcast]);
        // vmovups zmm0{k1}{z}, [rax]
        assert_eq!(operations_of(b"\x62\xf1\x7c\xc9\x10\x00").last(), Some(&Masked));
        // vgatherdps ymm0, [rax + 4*ymm1], ymm2
        assert_eq!(operations_of(b"\xc4\xe2\x6d\x92\x04\x88"), [Gather]);
    }

    #[test]
    fn a_fixed_place_on_the_stack_is_told_from_an_array() {
        // movss xmm0, [rsp + 16]; movss [rsp + 4*rax], xmm0
        let fixed = operations_of(b"\xf3\x0f\x10\x44\x24\x10");
        assert_eq!(fixed, [load(Space::Stack, 4)]);
        // ret; push r14
        assert_eq!(operations_of(b"\xc3"), []);
        assert_eq!(operations_of(b"\x41\x56"), []);
        let (space, bytes) = (Space::StackArray, 4);
        let array = operations_of(b"\xf3\x0f\x11\x04\x84");
        assert_eq!(array, [Operation::Store { space, bytes }]);
    }
}
