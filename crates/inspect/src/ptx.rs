//! PTX, NVIDIA's intermediate language: a text, with one item's view of the kernel. Its
//! registers are as many as it likes; what the GPU runs is made of it later.
//! (NVIDIA, "Parallel Thread Execution ISA".)

use common::Result;

use crate::code::{Code, Operation, Space};
use crate::statement::{self, Line, Statement};

fn begins(line: &str) -> Option<&str> {
    let (_, name) = line.split_once(".entry")?;
    name.trim_start().split(['(', ' ', '\t']).next().filter(|name| !name.is_empty())
}

/// One kernel of it.
pub fn read(text: &str, kernel: &str) -> Result<Code> {
    let lines = statement::behind(text, kernel, begins)?;
    let lines = lines.skip_while(|line| line.trim() != "{").skip(1);
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
    Ok(Code {
        language: "PTX, NVIDIA's intermediate language: one item's view, registers not yet \
                   given out"
            .into(),
        instructions: statement::read(lines, operations),
        ..Code::default()
    })
}

fn operations(Statement { parts, operands, .. }: &Statement) -> Vec<Operation> {
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
    let (space, bytes) = (space.unwrap_or(Space::Unknown), bytes(parts));
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

/// What it moves: elements, by the bits of their type.
fn bytes(parts: &[&str]) -> u32 {
    let digits = |part: &str| -> Option<u32> { part.get(1..)?.parse().ok() };
    let bits = parts.last().and_then(|part| digits(part)).unwrap_or(0);
    // `volatile` begins like `v4`.
    let mut vectors = parts.iter().filter(|part| part.starts_with('v'));
    let elements = vectors.find_map(|part| digits(part)).unwrap_or(1);
    elements.saturating_mul(bits) / 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::{Counted, Round, hottest};

    const NAIVE: &str = include_str!("fixtures/naive.ptx");

    #[test]
    fn a_round_of_the_naive_product_is_one_multiply_add_and_two_loads() {
        assert_eq!(Vec::from_iter(NAIVE.lines().filter_map(begins)), ["matmul_naive"]);
        let code = read(NAIVE, "matmul_naive").unwrap();
        let round = Round::of(hottest(&code.instructions).unwrap());
        assert_eq!((round.instructions, round.multiply_adds), (8, 1));
        let load = Operation::Load { space: Space::Global, bytes: 4 };
        let fused = Operation::MultiplyAdd { lanes: 1 };
        let counted =
            [(fused, 1), (load, 2)].map(|(operation, count)| Counted { operation, count });
        assert_eq!(round.operations, counted);
        assert!(read(NAIVE, "matmul").is_err());
    }

    #[test]
    fn names_tell_spaces_widths_and_lanes() {
        let operations = |text: &str| operations(&Statement::of(text));
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
        assert_eq!(bytes(&Statement::of("ld.volatile.shared.v4.f32").parts), 16);
        assert_eq!(operations("bar.sync 0"), [Operation::Barrier]);
    }
}
