//! What NVIDIA's GPUs run, as `nvdisasm` and `cuobjdump` write it. Nothing but the tools
//! documents it: names begin with what they do, and hold widths between dots.
//! (NVIDIA, "CUDA Binary Utilities", instruction set reference.)

use common::Result;

use crate::code::{Code, Operation, Space};
use crate::statement::{self, Line, Statement};

fn begins(line: &str) -> Option<&str> {
    let line = line.trim();
    let of_nvdisasm = line.strip_prefix(".section\t.text.");
    of_nvdisasm.or(line.strip_prefix("Function : "))?.split(',').next()
}

/// One kernel of it.
pub fn read(text: &str, kernel: &str) -> Result<Code> {
    let lines = statement::behind(text, kernel, begins)?;
    let lines = lines.take_while(|line| begins(line).is_none()).map(str::trim);
    let lines = lines.filter_map(|line| {
        if let Some(label) = line.strip_suffix(':') {
            Some(Line::Label(label))
        } else if let Some(place) = line.strip_prefix("//## File ") {
            let digits = place.split("line ").nth(1);
            let digits = digits.and_then(|text| text.split(|c: char| !c.is_ascii_digit()).next());
            Some(Line::Source(digits.and_then(|digits| digits.parse().ok())))
        } else {
            // `/*0110*/  @!P0 BRA ... ;`
            let (address, rest) = line.strip_prefix("/*")?.split_once("*/")?;
            let (text, _) = rest.split_once(';')?;
            Some(Line::Statement(u64::from_str_radix(address, 16).ok()?, text))
        }
    });
    Ok(Code {
        language: "SASS, the GPU's machine code".into(),
        instructions: statement::read(lines, operations),
        ..Code::default()
    })
}

fn operations(Statement { parts, operands, .. }: &Statement) -> Vec<Operation> {
    let width = parts.iter().find_map(|part| match *part {
        "128" => Some(16),
        "64" => Some(8),
        "U16" | "S16" | "16" => Some(2),
        "U8" | "S8" | "8" => Some(1),
        _ => None,
    });
    // Without one it is a word.
    let bytes = width.unwrap_or(4);
    let load = |space| Operation::Load { space, bytes };
    let store = |space| Operation::Store { space, bytes };
    let both = |from, to| vec![load(from), store(to)];
    vec![match parts[0] {
        "FFMA" | "DFMA" => Operation::MultiplyAdd { lanes: 1 },
        // With the register that is always zero it moves a constant.
        "HFMA2" if operands.contains("RZ, RZ") => return Vec::new(),
        "HFMA2" | "FFMA2" => Operation::MultiplyAdd { lanes: 2 },
        "FMUL" | "DMUL" => Operation::Multiply { lanes: 1 },
        "FADD" | "DADD" => Operation::Add { lanes: 1 },
        "LDG" => load(Space::Global),
        "STG" => store(Space::Global),
        "LDS" => load(Space::Local),
        "STS" => store(Space::Local),
        "LDL" => load(Space::Private),
        "STL" => store(Space::Private),
        "LDC" | "ULDC" | "LDCU" => load(Space::Constant),
        "LD" => load(Space::Unknown),
        "ST" => store(Space::Unknown),
        "LDGSTS" => return both(Space::Global, Space::Local),
        "ATOM" | "ATOMG" | "RED" | "REDG" => return both(Space::Global, Space::Global),
        "ATOMS" => return both(Space::Local, Space::Local),
        "BAR" => Operation::Barrier,
        "SHFL" | "PRMT" => Operation::Shuffle,
        "CALL" => Operation::Call,
        _ => return Vec::new(),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Flow;
    use crate::round::{Counted, Round, hottest};

    const NAIVE: &str = include_str!("fixtures/naive.sass");

    #[test]
    fn the_assembler_unrolled_the_naive_loop_four_times() {
        assert_eq!(Vec::from_iter(NAIVE.lines().filter_map(begins)), ["matmul_naive"]);
        let code = read(NAIVE, "matmul_naive").unwrap();
        assert_eq!(code.instructions[0].text, "LDC R1, c[0x0][0x28]");
        let round = Round::of(hottest(&code.instructions).unwrap());
        assert_eq!((round.instructions, round.multiply_adds), (23, 4));
        let load = Operation::Load { space: Space::Global, bytes: 4 };
        let fused = Operation::MultiplyAdd { lanes: 1 };
        let counted =
            [(fused, 4), (load, 8)].map(|(operation, count)| Counted { operation, count });
        assert_eq!(round.operations, counted);
    }

    #[test]
    fn the_other_tools_text_is_read_as_well() {
        let text = "\tcode for sm_90\n\t\tFunction : f\n\
                    \x20       /*0000*/  LDS.128 R4, [R2+UR4] ;  /* 0x1 */\n\
                    \x20                                         /* 0x2 */\n\
                    \x20       /*0010*/  FFMA R0, R4, R5, R0 ;\n\
                    \x20       /*0020*/  @P0 BRA 0x0 ;\n\
                    \x20       /*0030*/  EXIT ;\n";
        let code = read(text, "f").unwrap().instructions;
        assert_eq!(code.len(), 4);
        assert_eq!([code[2].flow, code[3].flow], [Flow::Branch(0), Flow::Stop]);
        let (space, bytes) = (Space::Local, 16);
        assert_eq!(code[0].operations, [Operation::Load { space, bytes }]);
    }
}
