//! The texts that NVIDIA's tools write. PTX is an intermediate language, with one item's view of
//! the kernel; its registers are as many as it likes, and what the GPU runs is made of it later
//! (NVIDIA, "Parallel Thread Execution ISA"). SASS is what the GPU runs, as `nvdisasm` and
//! `cuobjdump` write it. Nothing but these tools documents it: names begin with what they do, and
//! hold widths between dots (NVIDIA, "CUDA Binary Utilities", instruction set reference).
//!
//! Both are statements of a name and operands, which a predicate may guard, with labels and lines
//! of the source between them.

use std::{collections::HashMap, str::Lines};

use common::Result;

use crate::code::{Code, Flow, Instruction, Operation, Space};

/// One kernel of PTX.
pub fn ptx(text: &str, kernel: &str) -> Result<Code> {
    let lines = behind(text, kernel, begins_ptx)?.skip_while(|line| line.trim() != "{").skip(1);
    let mut depth = 1;
    let lines = lines.map_while(|line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        depth += line.matches('{').count();
        depth -= line.matches('}').count().min(depth);
        (depth > 0).then_some(line)
    });
    let mut address = 0..;
    let lines = lines.filter_map(|line| {
        if let Some(label) = line.strip_suffix(':') {
            Some(Line::Label(label))
        } else if let Some(place) = line.strip_prefix(".loc") {
            let line = place.split_whitespace().nth(1);
            Some(Line::Source(line.and_then(|number| number.parse().ok())))
        } else {
            let statement = line.strip_suffix(';')?;
            let is_code = !statement.starts_with('.');
            is_code.then(|| Line::Statement(address.next().unwrap_or(0), statement))
        }
    });
    let language =
        "PTX, NVIDIA's intermediate language: one item's view, registers not yet given out";
    Ok(code(language, lines, |one| one.of_ptx()))
}

fn begins_ptx(line: &str) -> Option<&str> {
    let (_, name) = line.split_once(".entry")?;
    name.trim_start().split(['(', ' ', '\t']).next().filter(|name| !name.is_empty())
}

/// One kernel of SASS.
pub fn sass(text: &str, kernel: &str) -> Result<Code> {
    let lines = behind(text, kernel, begins_sass)?.take_while(|line| begins_sass(line).is_none());
    let lines = lines.map(str::trim).filter_map(|line| {
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
    Ok(code("SASS, the GPU's machine code", lines, |one| one.of_sass()))
}

fn begins_sass(line: &str) -> Option<&str> {
    let line = line.trim();
    let of_nvdisasm = line.strip_prefix(".section\t.text.");
    of_nvdisasm.or(line.strip_prefix("Function : "))?.split(',').next()
}

/// The lines behind the one that begins this kernel: `begins` tells of a line which one it does.
fn behind<'a>(text: &'a str, kernel: &str, begins: fn(&str) -> Option<&str>) -> Result<Lines<'a>> {
    let mut lines = text.lines();
    if lines.any(|line| begins(line) == Some(kernel)) {
        return Ok(lines);
    }
    Err(Code::missing(kernel, text.lines().filter_map(begins)))
}

/// A line of a kernel.
enum Line<'a> {
    Label(&'a str),
    /// What follows was made of this line of the source.
    Source(Option<u32>),
    /// A statement, and where it stands.
    Statement(u64, &'a str),
}

/// A statement in its parts.
struct Statement<'a> {
    is_guarded: bool,
    /// The parts of its name, between dots; the first says what it does.
    parts: Vec<&'a str>,
    operands: &'a str,
}

/// The statements of a language, in which each does these operations.
fn code<'a>(
    language: &str,
    lines: impl Iterator<Item = Line<'a>>,
    operations: fn(&Statement) -> Vec<Operation>,
) -> Code {
    let mut code = Code { language: language.into(), ..Code::default() };
    let mut labels: HashMap<&str, u64> = HashMap::new();
    let (mut open, mut source) = (Vec::new(), None);
    for line in lines {
        match line {
            Line::Label(label) => open.push(label),
            Line::Source(line) => source = line,
            Line::Statement(address, text) => {
                labels.extend(open.drain(..).map(|label| (label, address)));
                let text = Vec::from_iter(text.split_whitespace()).join(" ");
                code.instructions.push(Instruction {
                    address,
                    line: source,
                    operations: operations(&Statement::of(&text)),
                    text,
                    ..Instruction::default()
                });
            }
        }
    }
    for one in &mut code.instructions {
        one.flow = Statement::of(&one.text).flow(&labels);
    }
    code
}

impl Statement<'_> {
    fn of(text: &str) -> Statement<'_> {
        let guarded = text.strip_prefix('@');
        let rest = guarded.map(|rest| rest.split_once(' ').map_or("", |(_, rest)| rest));
        let text = rest.unwrap_or(text);
        let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
        Statement { is_guarded: guarded.is_some(), parts: name.split('.').collect(), operands }
    }

    /// Where the code goes on: its last operand may be a label or an address, with a symbol in
    /// angle brackets behind it.
    fn flow(&self, labels: &HashMap<&str, u64>) -> Flow {
        let words = self.operands.split([' ', ',']);
        let mut words = words.filter(|word| !word.is_empty() && !word.starts_with('<'));
        let word = words.next_back().unwrap_or_default();
        let word = word.trim_start_matches("`(").trim_end_matches(')');
        let address = || u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
        // A branch of SASS may name a predicate before its target.
        let may_go_on = self.is_guarded || self.operands.contains(' ');
        match (self.parts[0], labels.get(word).copied().or_else(address)) {
            ("bra" | "BRA", Some(to)) if may_go_on => Flow::Branch(to),
            ("bra" | "BRA", Some(to)) => Flow::Jump(to),
            ("ret" | "exit" | "trap" | "EXIT" | "RET" | "BRX" | "KILL", _) if !self.is_guarded => {
                Flow::Stop
            }
            _ => Flow::Next,
        }
    }

    /// What a statement of PTX does.
    fn of_ptx(&self) -> Vec<Operation> {
        let Statement { parts, operands, .. } = self;
        let lanes = match parts.last() {
            Some(&("f32" | "f64" | "f16" | "bf16")) => 1,
            Some(&("f32x2" | "f16x2" | "bf16x2")) => 2,
            _ => 0,
        };
        let space = parts.iter().find_map(|part| match part.split("::").next()? {
            "global" => Some(Space::Global),
            "shared" => Some(Space::Local),
            "local" => Some(Space::Private),
            "const" | "param" => Some(Space::Constant),
            _ => None,
        });
        let space = space.unwrap_or(Space::Unknown);
        // What it moves: elements, by the bits of their type. `volatile` begins like `v4`.
        let digits = |part: &str| -> Option<u32> { part.get(1..)?.parse().ok() };
        let bits = parts.last().and_then(|part| digits(part)).unwrap_or(0);
        let mut vectors = parts.iter().filter(|part| part.starts_with('v'));
        let elements = vectors.find_map(|part| digits(part)).unwrap_or(1);
        let bytes = elements.saturating_mul(bits) / 8;
        vec![match parts[0] {
            "fma" | "mad" if lanes > 0 => Operation::MultiplyAdd { lanes },
            "mul" if lanes > 0 => Operation::Multiply { lanes },
            "add" | "sub" if lanes > 0 => Operation::Add { lanes },
            "ld" | "ldu" => Operation::Load { space, bytes },
            "st" => Operation::Store { space, bytes },
            "bar" | "barrier" => Operation::Barrier,
            "call" => Operation::Call,
            "shfl" => Operation::Shuffle,
            // `cp.async... [local], [global], bytes`: past the registers.
            "cp" => {
                let bytes = operands.split(',').nth(2).and_then(|bytes| bytes.trim().parse().ok());
                let load = |bytes| Operation::Load { space: Space::Global, bytes };
                let store = |bytes| Operation::Store { space: Space::Local, bytes };
                return bytes.map_or(Vec::new(), |bytes| vec![load(bytes), store(bytes)]);
            }
            _ => return Vec::new(),
        }]
    }

    /// What a statement of SASS does.
    fn of_sass(&self) -> Vec<Operation> {
        let Statement { parts, operands, .. } = self;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::{Counted, Round, hottest};

    const PTX: &str = include_str!("fixtures/naive.ptx");

    #[test]
    fn a_round_of_the_naive_product_is_one_multiply_add_and_two_loads() {
        assert_eq!(Vec::from_iter(PTX.lines().filter_map(begins_ptx)), ["matmul_naive"]);
        let code = ptx(PTX, "matmul_naive").unwrap();
        let round = Round::of(hottest(&code.instructions).unwrap());
        assert_eq!((round.instructions, round.multiply_adds), (8, 1));
        let load = Operation::Load { space: Space::Global, bytes: 4 };
        let fused = Operation::MultiplyAdd { lanes: 1 };
        let counted =
            [(fused, 1), (load, 2)].map(|(operation, count)| Counted { operation, count });
        assert_eq!(round.operations, counted);
        assert!(ptx(PTX, "matmul").is_err());
    }

    #[test]
    fn names_tell_spaces_widths_and_lanes() {
        let operations = |text: &str| Statement::of(text).of_ptx();
        let load = |space| Operation::Load { space, bytes: 16 };
        let store = |space| Operation::Store { space, bytes: 16 };
        let wide = "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]";
        assert_eq!(operations(wide), [load(Space::Local)]);
        assert_eq!(operations("st.local.v2.b64 [%rd1], {%rd2, %rd3}"), [store(Space::Private)]);
        let fused = [Operation::MultiplyAdd { lanes: 2 }];
        assert_eq!(operations("@%p1 fma.rn.f16x2 %r1, %r2, %r3, %r4"), fused);
        assert_eq!(operations("mad.lo.s32 %r1, %r2, %r3, %r4"), []);
        let copy = operations("cp.async.cg.shared.global [%r1], [%rd1], 16");
        assert_eq!(copy, [load(Space::Global), store(Space::Local)]);
        assert_eq!(operations("ld.volatile.shared.v4.f32"), [load(Space::Local)]);
        assert_eq!(operations("bar.sync 0"), [Operation::Barrier]);
    }

    const SASS: &str = include_str!("fixtures/naive.sass");

    #[test]
    fn the_assembler_unrolled_the_naive_loop_four_times() {
        assert_eq!(Vec::from_iter(SASS.lines().filter_map(begins_sass)), ["matmul_naive"]);
        let code = sass(SASS, "matmul_naive").unwrap();
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
        let code = sass(text, "f").unwrap().instructions;
        assert_eq!(code.len(), 4);
        assert_eq!([code[2].flow, code[3].flow], [Flow::Branch(0), Flow::Stop]);
        let (space, bytes) = (Space::Local, 16);
        assert_eq!(code[0].operations, [Operation::Load { space, bytes }]);
    }
}
