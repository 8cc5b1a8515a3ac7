//! AArch64, decoded by binutils: no decoder of it is small.

use common::{Error, Result};

use crate::code::{Code, Flow, Instruction, Operation, Space};
use crate::statement::{Language, Line, Statement};
use crate::tools;

const AARCH64: Language = Language {
    operations,
    flow,
    registers: |_| Vec::new(),
};

/// One function of a library.
pub fn disassemble(library: &[u8], function: &str) -> Result<Code> {
    let choice = format!("--disassemble={function}");
    let words = ["-d", "--no-show-raw-insn", &choice];
    let text = tools::output("objdump", &words, library).map_err(|why| {
        Error::Build(format!(
            "AArch64 code is read by binutils, which did not do it: {why}\n  \
             next: apt install binutils, or what brings `objdump` here"
        ))
    })?;
    Ok(Code {
        language: "AArch64".into(),
        instructions: read(&text),
        ..Code::default()
    })
}

/// What objdump prints: `  1000:\tfmla\tv0.4s, v1.4s, v2.4s`
pub fn read(text: &str) -> Vec<Instruction> {
    AARCH64.read(text.lines().filter_map(|line| {
        let (address, rest) = line.trim().split_once(":\t")?;
        let address = u64::from_str_radix(address, 16).ok()?;
        Some(Line::Statement(address, rest.split("//").next()?))
    }))
}

fn flow(statement: &Statement, target: Option<u64>) -> Flow {
    match (&statement.parts[..], target) {
        (["ret" | "br"], _) => Flow::Stop,
        (["b"], Some(to)) => Flow::Jump(to),
        (["b", _] | ["cbz" | "cbnz" | "tbz" | "tbnz"], Some(to)) => Flow::Branch(to),
        _ => Flow::Next,
    }
}

fn operations(
    Statement {
        parts, operands, ..
    }: &Statement,
) -> Vec<Operation> {
    let name = parts[0];
    let (lanes, space, bytes) = (lanes(operands), space(operands), bytes(name, operands));
    vec![match name {
        "fmla" | "fmls" | "fmadd" | "fmsub" | "fnmadd" | "fnmsub" => {
            Operation::MultiplyAdd { lanes }
        }
        "fmul" => Operation::Multiply { lanes },
        "fadd" | "fsub" => Operation::Add { lanes },
        "dup" => Operation::Broadcast,
        "bl" | "blr" => Operation::Call,
        "zip1" | "zip2" | "uzp1" | "uzp2" | "trn1" | "trn2" | "ext" | "tbl" => Operation::Shuffle,
        _ if name.starts_with("ld") => Operation::Load { space, bytes },
        _ if name.starts_with("st") => Operation::Store { space, bytes },
        _ => return Vec::new(),
    }]
}

/// Of the first operand: `v0.4s` has four.
fn lanes(operands: &str) -> u32 {
    let first = operands.split(',').next().unwrap_or_default();
    let shape = first.split('.').nth(1).unwrap_or_default();
    let digits = shape.split(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(1)
}

fn space(operands: &str) -> Space {
    let place = operands.split('[').nth(1).unwrap_or_default();
    match place.contains(", x") || place.contains(", w") {
        _ if !place.starts_with("sp") => Space::Unknown,
        true => Space::StackArray,
        false => Space::Stack,
    }
}

/// By the kind of register, twice for a pair.
fn bytes(name: &str, operands: &str) -> u32 {
    let first = operands.trim_start_matches(['{', ' ']).chars().next();
    let one = match first {
        Some('q' | 'v') => 16,
        Some('x' | 'd') => 8,
        Some('h') => 2,
        Some('b') => 1,
        _ => 4,
    };
    let is_pair = name.starts_with("ldp") || name.starts_with("stp");
    if is_pair { 2 * one } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_binutils_writes_is_understood() {
        let code = read(
            "0000000000001000 <f>:\n\
             \x20   1000:\tldp\tq2, q3, [x0], #32\n\
             \x20   1004:\tfmla\tv0.4s, v2.4s, v1.s[0]\n\
             \x20   1008:\tstr\ts0, [sp, #16]\n\
             \x20   100c:\tb.ne\t1000 <f>  // b.any\n\
             \x20   1010:\tret\n",
        );
        assert_eq!(code.len(), 5);
        let (space, bytes) = (Space::Unknown, 32);
        assert_eq!(code[0].operations, [Operation::Load { space, bytes }]);
        assert_eq!(code[1].operations, [Operation::MultiplyAdd { lanes: 4 }]);
        let (space, bytes) = (Space::Stack, 4);
        assert_eq!(code[2].operations, [Operation::Store { space, bytes }]);
        assert_eq!(
            [code[3].flow, code[4].flow],
            [Flow::Branch(0x1000), Flow::Stop]
        );
    }
}
