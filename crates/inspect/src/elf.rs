//! A library for a CPU, as PoCL keeps one for each kernel: the function's bytes are decoded by
//! iced-x86, and get the lines of the source where there is a line table.

use std::{borrow::Cow, collections::BTreeMap};

use common::{Error, Result};
use iced_x86::{FlowControl, Instruction as Decoded, Mnemonic, OpKind, Register as Named};
use object::{Architecture, Object, ObjectSection, ObjectSymbol};

use crate::code::{Code, Flow, Instruction, Operation, Space};
use crate::round::{Round, hottest};

/// Whether these bytes begin as an ELF file does.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// The kernel's function in a library.
///
/// # Errors
/// [`Error::Build`] where the library is damaged, has no such function, or is for
/// processors that the course does not read.
pub fn read(bytes: &[u8], kernel: &str) -> Result<Code> {
    // Intel's runtime wraps an object file in what has the same beginning.
    let wrapped = || {
        let behind = bytes.get(1..)?;
        behind.get(behind.windows(4).position(is_elf)?..)
    };
    let inner = |error| wrapped().map_or(Err(error), object::File::parse);
    let file = object::File::parse(bytes).or_else(inner);
    let file = file.map_err(|error| Error::build(format!("a damaged library: {error}")))?;
    if file.architecture() != Architecture::X86_64 {
        let why = format!("code for {:?}: the course reads x86-64", file.architecture());
        return Err(Error::build(why));
    }
    // What runs stands first. PoCL calls one that has the kernel's own function in it, but no
    // lines.
    let names = [
        format!("_pocl_kernel_{kernel}_workgroup"),
        format!("_pocl_kernel_{kernel}"),
        kernel.to_string(),
    ];
    let mut copies = Vec::from_iter(names.iter().filter_map(|name| function(&file, name)));
    if copies.is_empty() {
        let names = file.symbols().filter_map(|one| one.name().ok());
        return Err(Code::missing(kernel, names.filter(|name| !name.is_empty())));
    }
    // Another one is as good where its loop does the same, and better where it alone has lines.
    let counts = |code: &Code| Some(Round::of(hottest(&code.instructions)?).operations);
    let has_lines = |code: &Code| code.instructions.iter().any(|one| one.line.is_some());
    let first = copies.first().and_then(counts);
    let best = copies.iter().position(|code| has_lines(code) && counts(code) == first);
    Ok(copies.swap_remove(best.unwrap_or(0)))
}

/// The kernel's function of this name, if it is there.
fn function(file: &object::File, name: &str) -> Option<Code> {
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    let symbol = symbols.find(|one| one.name() == Ok(name) && one.size() > 0)?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let address = symbol.address();
    let bytes = section.data_range(address, symbol.size()).ok()??;
    let (mut instructions, lines) = (decode(bytes, address), lines(file).unwrap_or_default());
    for one in &mut instructions {
        one.line = lines.range(..=one.address).next_back().and_then(|(_, line)| *line);
    }
    Some(Code { language: "x86-64".into(), instructions, ..Code::default() })
}

/// The line from each address on; none behind the end of a sequence. Empty where the library
/// has no line table. (DWARF Debugging Information Format 5, section 6.2.)
fn lines(file: &object::File) -> gimli::Result<BTreeMap<u64, Option<u32>>> {
    let sections = gimli::DwarfSections::load(|id| -> gimli::Result<Cow<[u8]>> {
        let section = file.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok());
        Ok(data.unwrap_or_default())
    })?;
    let dwarf = sections.borrow(|section| gimli::EndianSlice::new(section, gimli::LittleEndian));
    let mut table = BTreeMap::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let program = dwarf.unit(header)?.line_program;
        let Some(mut rows) = program.map(|program| program.rows()) else { continue };
        while let Some((_, row)) = rows.next_row()? {
            let line = row.line().filter(|_| !row.end_sequence());
            let line = line.and_then(|line| u32::try_from(line.get()).ok());
            // Code that no line was noted for belongs to what stands before it.
            if line.is_some() || row.end_sequence() {
                table.insert(row.address(), line);
            }
        }
    }
    Ok(table)
}

/// The instructions of a function whose bytes begin at `address`.
pub fn decode(bytes: &[u8], address: u64) -> Vec<Instruction> {
    let decoder = iced_x86::Decoder::with_ip(64, bytes, address, iced_x86::DecoderOptions::NONE);
    let decoded: Vec<Decoded> = decoder.into_iter().collect();
    // `mov rbp, rsp`: from there on rbp points to the stack, too.
    let has_frame = decoded.iter().any(|one| {
        let operands = (one.op0_register(), one.op1_register());
        one.mnemonic() == Mnemonic::Mov && operands == (Named::RBP, Named::RSP)
    });
    let mut formatter = iced_x86::FastFormatter::new();
    let options = formatter.options_mut();
    options.set_space_after_operand_separator(true);
    options.set_use_hex_prefix(true);
    options.set_uppercase_hex(false);
    let mut factory = iced_x86::InstructionInfoFactory::new();
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

fn operations(one: &Decoded, info: &iced_x86::InstructionInfo, has_frame: bool) -> Vec<Operation> {
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
fn access(memory: &iced_x86::UsedMemory, has_frame: bool) -> impl Iterator<Item = Operation> {
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
    use iced_x86::OpAccess::{CondRead, CondWrite, Read, ReadCondWrite, ReadWrite, Write};
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

    #[test]
    fn a_library_that_is_none_or_lacks_the_kernel_is_refused() {
        assert!(read(b"\x7fELF", "f").is_err());
        let this = std::fs::read("/proc/self/exe").unwrap_or_default();
        if is_elf(&this) {
            let error = read(&this, "no_such_kernel").unwrap_err();
            assert!(error.to_string().contains("no_such_kernel"), "{error}");
        }
    }

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
