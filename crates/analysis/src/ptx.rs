//! PTX, NVIDIA's intermediate language: a text, with one item's view of the kernel. Its
//! registers are as many as it likes; what the GPU runs is made of it later.
//! (NVIDIA, "Parallel Thread Execution ISA".)

use std::collections::HashMap;

use crate::code::{Code, Flow, Instruction, Operation, Space};

/// Names of the kernels in a text of PTX.
pub fn kernels(text: &str) -> Vec<String> {
    let after = text.split(".entry").skip(1);
    let name = |rest: &str| {
        let name = rest.trim_start().split(['(', ' ', '\t', '\n', '\r']);
        name.map(String::from)
            .next()
            .filter(|name| !name.is_empty())
    };
    after.filter_map(name).collect()
}

/// One kernel of it.
pub fn read(text: &str, kernel: &str) -> Option<Code> {
    let mut lines = text.lines();
    lines.find(|line| is_entry(line, kernel))?;
    let mut lines = lines.skip_while(|line| line.trim() != "{").skip(1);
    let mut instructions: Vec<Instruction> = Vec::new();
    let mut labels = HashMap::new();
    let mut jumps = Vec::new();
    let mut source_line = None;
    let mut depth = 1;
    for line in &mut lines {
        let line = line.split("//").next().unwrap_or_default().trim();
        depth += line.matches('{').count();
        depth -= line.matches('}').count().min(depth);
        if depth == 0 {
            break;
        }
        let address = instructions.len() as u64;
        if let Some(label) = line.strip_suffix(':') {
            labels.insert(label.to_string(), address);
        } else if let Some(place) = line.strip_prefix(".loc") {
            source_line = place.split_whitespace().nth(1).and_then(|n| n.parse().ok());
        } else if let Some(statement) = line.strip_suffix(';').filter(|s| !s.starts_with('.')) {
            let (one, target) = instruction(address, statement);
            jumps.extend(target.map(|label| (instructions.len(), label)));
            instructions.push(Instruction {
                line: source_line,
                ..one
            });
        }
    }
    for (at, label) in jumps {
        let Some(target) = labels.get(&label) else {
            continue;
        };
        instructions[at].flow = match instructions[at].flow {
            Flow::Jump(_) => Flow::Jump(*target),
            _ => Flow::Branch(*target),
        };
    }
    Some(Code {
        language: "PTX, NVIDIA's intermediate language: one item's view, registers not yet \
                   given out"
            .into(),
        instructions,
        ..Code::default()
    })
}

fn is_entry(line: &str, kernel: &str) -> bool {
    kernels(line).iter().any(|name| name == kernel)
}

/// A statement without its semicolon, and the label that it may go to.
fn instruction(address: u64, statement: &str) -> (Instruction, Option<String>) {
    let text = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut one = Instruction::new(address, &*text);
    let (is_guarded, rest) = match text.strip_prefix('@') {
        Some(rest) => (true, rest.split_once(' ').map_or("", |(_, rest)| rest)),
        None => (false, &*text),
    };
    let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let parts: Vec<&str> = name.split('.').collect();
    match parts[0] {
        "bra" if is_guarded => one.flow = Flow::Branch(address + 1),
        "bra" => one.flow = Flow::Jump(address),
        "ret" | "exit" | "trap" if !is_guarded => one.flow = Flow::Stop,
        _ => one.operations = operations(&parts, operands),
    }
    let target = (parts[0] == "bra").then(|| operands.trim().to_string());
    (one, target)
}

/// What an instruction with a name of these parts does.
fn operations(parts: &[&str], operands: &str) -> Vec<Operation> {
    let lanes = match *parts.last().unwrap_or(&"") {
        "f32" | "f64" | "f16" | "bf16" => 1,
        "f32x2" | "f16x2" | "bf16x2" => 2,
        _ => 0,
    };
    let (space, bytes) = (space(parts), bytes(parts));
    let operation = match parts[0] {
        "fma" | "mad" if lanes > 0 => Operation::MultiplyAdd { lanes },
        "mul" if lanes > 0 => Operation::Multiply { lanes },
        "add" | "sub" if lanes > 0 => Operation::Add { lanes },
        "ld" | "ldu" => Operation::Load { space, bytes },
        "st" => Operation::Store { space, bytes },
        "bar" | "barrier" => Operation::Barrier,
        "call" => Operation::Call,
        "shfl" => Operation::Shuffle,
        "cp" => return asynchronous_copy(operands),
        _ => return Vec::new(),
    };
    vec![operation]
}

/// `cp.async... [local], [global], bytes`: from global to local memory, past the registers.
fn asynchronous_copy(operands: &str) -> Vec<Operation> {
    let Some(bytes) = operands
        .split(',')
        .nth(2)
        .and_then(|n| n.trim().parse().ok())
    else {
        return Vec::new();
    };
    let (from, to) = (Space::Global, Space::Local);
    vec![
        Operation::Load { space: from, bytes },
        Operation::Store { space: to, bytes },
    ]
}

fn space(parts: &[&str]) -> Space {
    let known = parts
        .iter()
        .find_map(|part| match part.split("::").next()? {
            "global" => Some(Space::Global),
            "shared" => Some(Space::Local),
            "local" => Some(Space::Private),
            "const" | "param" => Some(Space::Constant),
            _ => None,
        });
    known.unwrap_or(Space::Unknown)
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
    use crate::loops::hottest;
    use crate::round::Round;

    const NAIVE: &str = include_str!("fixtures/naive.ptx");

    #[test]
    fn a_round_of_the_naive_product_is_one_multiply_add_and_two_loads() {
        assert_eq!(kernels(NAIVE), ["matmul_naive"]);
        let code = read(NAIVE, "matmul_naive").unwrap();
        let round = Round::of(hottest(&code.instructions).unwrap());
        assert_eq!((round.instructions, round.multiply_adds), (8, 1));
        let loads = round.loads[&Space::Global];
        assert_eq!((loads.instructions, loads.bytes), (2, 8));
        assert!(round.stores.is_empty());
        assert!(read(NAIVE, "matmul").is_none());
    }

    #[test]
    fn names_tell_spaces_widths_and_lanes() {
        let operations = |statement: &str| instruction(0, statement).0.operations;
        let local = Space::Local;
        let private = Space::Private;
        let bytes = 16;
        assert_eq!(
            operations("ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]"),
            [Operation::Load {
                space: local,
                bytes
            }]
        );
        assert_eq!(
            operations("st.local.v2.b64 [%rd1], {%rd2, %rd3}"),
            [Operation::Store {
                space: private,
                bytes
            }]
        );
        assert_eq!(
            operations("@%p1 fma.rn.f16x2 %r1, %r2, %r3, %r4"),
            [Operation::MultiplyAdd { lanes: 2 }]
        );
        assert_eq!(operations("mad.lo.s32 %r1, %r2, %r3, %r4"), []);
        let copy = operations("cp.async.cg.shared.global [%r1], [%rd1], 16");
        let load = Operation::Load {
            space: Space::Global,
            bytes,
        };
        assert_eq!(
            copy,
            [
                load,
                Operation::Store {
                    space: local,
                    bytes
                }
            ]
        );
        let width = |name: &str| super::bytes(&name.split('.').collect::<Vec<_>>());
        assert_eq!(width("ld.volatile.shared.v4.f32"), 16);
        assert_eq!(operations("bar.sync 0"), [Operation::Barrier]);
    }
}
