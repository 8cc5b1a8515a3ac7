//! What NVIDIA's GPUs run, as `nvdisasm` and `cuobjdump` write it. Nothing but the tools
//! documents it: names begin with what they do, and hold widths between dots.
//! (NVIDIA, "CUDA Binary Utilities", instruction set reference.)

use std::collections::HashMap;

use crate::code::{Code, Flow, Instruction, Operation, Register, Space};

/// Names of the kernels in a disassembler's text.
pub fn kernels(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let line = line.trim();
        let of_nvdisasm = line.strip_prefix(".section\t.text.");
        let of_cuobjdump = line.strip_prefix("Function : ");
        let rest = of_nvdisasm.or(of_cuobjdump)?;
        rest.split(',').next().map(String::from)
    };
    text.lines().filter_map(name).collect()
}

/// One kernel of it.
pub fn read(text: &str, kernel: &str) -> Option<Code> {
    let begins = |line: &&str| kernels(line).iter().any(|name| name == kernel);
    let mut lines = text.lines().skip_while(|line| !begins(line));
    lines.next()?;
    let lines = lines.take_while(|line| kernels(line).is_empty());
    let mut instructions = Vec::new();
    let mut labels: HashMap<String, u64> = HashMap::new();
    let mut open_labels = Vec::new();
    let mut source_line = None;
    for line in lines.map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            open_labels.push(label.to_string());
        } else if let Some(place) = line.strip_prefix("//## File ") {
            source_line = place.split("line ").nth(1).and_then(first_number);
        } else if let Some((address, text)) = split(line) {
            labels.extend(open_labels.drain(..).map(|label| (label, address)));
            instructions.push(Instruction {
                line: source_line,
                ..instruction(address, text)
            });
        }
    }
    for one in &mut instructions {
        one.flow = flow(&one.text, &labels);
    }
    Some(Code {
        language: "SASS, the GPU's machine code".into(),
        instructions,
        ..Code::default()
    })
}

fn first_number(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// `/*0110*/  @!P0 BRA ... ;`: its address and its words.
fn split(line: &str) -> Option<(u64, &str)> {
    let (address, rest) = line.strip_prefix("/*")?.split_once("*/")?;
    let (text, _) = rest.split_once(';')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    Some((address, text.trim()))
}

/// Name and operands, without the predicate that guards it.
fn unguarded(text: &str) -> (bool, &str) {
    match text.strip_prefix('@') {
        Some(rest) => (
            true,
            rest.split_once(' ').map_or("", |(_, rest)| rest.trim()),
        ),
        None => (false, text),
    }
}

fn flow(text: &str, labels: &HashMap<String, u64>) -> Flow {
    let (is_guarded, text) = unguarded(text);
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    // A branch may name a predicate before its target.
    let target = operands.rsplit([' ', ',']).next().unwrap_or_default();
    let label = target.trim_start_matches("`(").trim_end_matches(')');
    let hexadecimal = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    let target = labels.get(label).copied().or_else(|| hexadecimal(label));
    match (name.split('.').next().unwrap_or_default(), target) {
        ("BRA", Some(to)) if is_guarded || operands.contains(' ') => Flow::Branch(to),
        ("BRA", Some(to)) => Flow::Jump(to),
        ("EXIT" | "RET" | "BRX" | "KILL", _) if !is_guarded => Flow::Stop,
        _ => Flow::Next,
    }
}

fn instruction(address: u64, text: &str) -> Instruction {
    let (_, unguarded) = unguarded(text);
    let (name, operands) = unguarded.split_once(' ').unwrap_or((unguarded, ""));
    Instruction {
        operations: operations(name, operands),
        registers: registers(operands),
        ..Instruction::new(address, text)
    }
}

fn operations(name: &str, operands: &str) -> Vec<Operation> {
    let parts: Vec<&str> = name.split('.').collect();
    let bytes = bytes(&parts);
    let load = |space| vec![Operation::Load { space, bytes }];
    let store = |space| vec![Operation::Store { space, bytes }];
    match parts[0] {
        "FFMA" | "DFMA" => vec![Operation::MultiplyAdd { lanes: 1 }],
        // With the register that is always zero it moves a constant.
        "HFMA2" if !operands.contains("RZ, RZ") => vec![Operation::MultiplyAdd { lanes: 2 }],
        "FFMA2" => vec![Operation::MultiplyAdd { lanes: 2 }],
        "FMUL" | "DMUL" => vec![Operation::Multiply { lanes: 1 }],
        "FADD" | "DADD" => vec![Operation::Add { lanes: 1 }],
        "LDG" => load(Space::Global),
        "STG" => store(Space::Global),
        "LDS" => load(Space::Local),
        "STS" => store(Space::Local),
        "LDL" => load(Space::Private),
        "STL" => store(Space::Private),
        "LDC" | "ULDC" | "LDCU" => load(Space::Constant),
        "LD" => load(Space::Unknown),
        "ST" => store(Space::Unknown),
        "LDGSTS" => [load(Space::Global), store(Space::Local)].concat(),
        "ATOM" | "ATOMG" | "RED" | "REDG" => [load(Space::Global), store(Space::Global)].concat(),
        "ATOMS" => [load(Space::Local), store(Space::Local)].concat(),
        "BAR" => vec![Operation::Barrier],
        "SHFL" | "PRMT" => vec![Operation::Shuffle],
        "CALL" => vec![Operation::Call],
        _ => Vec::new(),
    }
}

/// Without a width it is a word.
fn bytes(parts: &[&str]) -> u32 {
    let width = parts.iter().find_map(|part| match *part {
        "128" => Some(16),
        "64" => Some(8),
        "U16" | "S16" | "16" => Some(2),
        "U8" | "S8" | "8" => Some(1),
        _ => None,
    });
    width.unwrap_or(4)
}

/// The registers that its operands name; of several that follow each other, the first.
fn registers(operands: &str) -> Vec<Register> {
    let words = operands.split(|c: char| !c.is_ascii_alphanumeric());
    let number = |word: &str, prefix: char| word.strip_prefix(prefix)?.parse().ok();
    let known = words.filter_map(|word| {
        let mask = || number(word, 'P').map(Register::Mask);
        number(word, 'R').map(Register::General).or_else(mask)
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::hottest;
    use crate::round::Round;

    const NAIVE: &str = include_str!("fixtures/naive.sass");

    #[test]
    fn the_assembler_unrolled_the_naive_loop_four_times() {
        assert_eq!(kernels(NAIVE), ["matmul_naive"]);
        let code = read(NAIVE, "matmul_naive").unwrap();
        assert_eq!(
            code.instructions.first().unwrap().text,
            "LDC R1, c[0x0][0x28]"
        );
        let round = Round::of(hottest(&code.instructions).unwrap());
        assert_eq!((round.instructions, round.multiply_adds), (23, 4));
        assert_eq!(round.loads[&Space::Global].instructions, 8);
        assert_eq!(round.loads[&Space::Global].bytes, 32);
        assert_eq!(round.stores.len(), 0);
    }

    #[test]
    fn the_other_tools_text_is_read_as_well() {
        let text = "\tcode for sm_90\n\t\tFunction : f\n\
                    \x20       /*0000*/  LDS.128 R4, [R2+UR4] ;  /* 0x1 */\n\
                    \x20                                         /* 0x2 */\n\
                    \x20       /*0010*/  FFMA R0, R4, R5, R0 ;\n\
                    \x20       /*0020*/  @P0 BRA 0x0 ;\n\
                    \x20       /*0030*/  EXIT ;\n";
        let code = read(text, "f").unwrap();
        assert_eq!(code.instructions.len(), 4);
        assert_eq!(code.instructions[2].flow, Flow::Branch(0));
        assert_eq!(code.instructions[3].flow, Flow::Stop);
        let space = Space::Local;
        assert_eq!(
            code.instructions[0].operations,
            [Operation::Load { space, bytes: 16 }]
        );
    }
}
