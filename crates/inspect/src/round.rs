//! The innermost loop of a kernel, found by the edges that lead back in its control flow; and what
//! one round of it does, counted, and in words.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use verify::numbers::{self, significant};

use crate::code::{Code, Flow, Instruction, Operation, Space};

/// The counts of one round.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Round {
    /// Instructions, whatever they do.
    pub instructions: usize,
    /// Lanes that multiply and add: all of those that do it in one instruction, and as many
    /// of the products as there are sums.
    pub multiply_adds: u64,
    pub operations: Vec<Counted>,
    /// Different registers that it names, by their kind.
    registers: BTreeMap<&'static str, usize>,
}

/// How often something is done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Counted {
    pub operation: Operation,
    pub count: usize,
}

impl Round {
    /// Counts what these instructions do.
    pub fn of<'a>(instructions: impl IntoIterator<Item = &'a Instruction>) -> Round {
        let mut round = Round::default();
        let (mut operations, mut registers) = (BTreeMap::new(), BTreeSet::new());
        for one in instructions {
            round.instructions += 1;
            registers.extend(&one.registers);
            for operation in &one.operations {
                *operations.entry(*operation).or_default() += 1;
            }
        }
        for (kind, _) in registers {
            *round.registers.entry(kind).or_default() += 1;
        }
        let counted = |(operation, count)| Counted { operation, count };
        round.operations = operations.into_iter().map(counted).collect();
        let lanes = |of: &str| -> u64 {
            let each = round.operations.iter().filter_map(|one| {
                let (kind, lanes) = one.operation.arithmetic()?;
                (kind == of).then_some(u64::from(lanes) * one.count as u64)
            });
            each.sum()
        };
        round.multiply_adds = lanes("") + lanes("products ").min(lanes("sums "));
        round
    }

    /// Instructions for each multiply-add of a lane; none where there is none.
    pub fn instructions_per_multiply_add(&self) -> Option<f64> {
        let some = self.multiply_adds > 0;
        some.then(|| self.instructions as f64 / self.multiply_adds as f64)
    }

    /// Loads and stores of what had no room in registers.
    pub fn spills(&self) -> usize {
        use Operation::{Load, Store};
        let spilled = self.operations.iter().filter(|one| match one.operation {
            Load { space, .. } | Store { space, .. } => {
                matches!(space, Space::Stack | Space::Private)
            }
            _ => false,
        });
        spilled.map(|one| one.count).sum()
    }

    /// A name and what is counted, for each kind that there is.
    pub fn rows(&self, code: &Code) -> Vec<(&'static str, String)> {
        let mut rows = vec![("multiply-adds", self.arithmetic())];
        if let Some(share) = self.instructions_per_multiply_add() {
            let (count, share) = (self.instructions, significant(share));
            let each = format!("{count}, {share} for each multiply-add");
            rows.push(("instructions", each));
        }
        rows.extend(self.moved());
        rows.extend(self.operations.iter().filter_map(Counted::row));
        let mut spills = match self.spills() {
            0 => "none".to_string(),
            count => format!("{count} loads and stores of what has no register"),
        };
        if let Some(bytes) = code.resources.spilled_bytes.filter(|bytes| *bytes > 0) {
            spills += &format!("; {bytes} bytes an item in the whole kernel");
        }
        rows.push(("spills", spills));
        let kinds = ["vector", "general", "mask"].into_iter();
        let kinds = kinds.filter_map(|kind| Some(format!("{} {kind}", self.registers.get(kind)?)));
        let told = code.resources.registers;
        let told = told.map(|count| format!("{count} for each item, says the assembler"));
        let registers = told.unwrap_or_else(|| kinds.collect::<Vec<_>>().join(", "));
        if !registers.is_empty() {
            rows.push(("registers", registers));
        }
        rows
    }

    fn moved(&self) -> impl Iterator<Item = (&'static str, String)> {
        let mut moved: BTreeMap<(&str, Space), (usize, u64)> = BTreeMap::new();
        for Counted { operation, count } in &self.operations {
            let (name, space, bytes) = match *operation {
                Operation::Load { space, bytes } => ("loads", space, bytes),
                Operation::Store { space, bytes } => ("stores", space, bytes),
                _ => continue,
            };
            let sum = moved.entry((name, space)).or_default();
            *sum = (sum.0 + count, sum.1 + u64::from(bytes) * *count as u64);
        }
        moved.into_iter().map(|((name, space), (count, bytes))| {
            (name, format!("{count}, {bytes} bytes, {}", space.words()))
        })
    }

    /// "16: 2 of 8 lanes", "4: products 2 of 4 lanes, sums 4 of 1 lane"
    fn arithmetic(&self) -> String {
        let parts = self.operations.iter().filter_map(|one| {
            let (kind, lanes) = one.operation.arithmetic()?;
            let lanes = numbers::count(lanes as usize, "lane");
            Some(format!("{kind}{} of {lanes}", one.count))
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        match self.multiply_adds {
            0 if parts.is_empty() => "none".into(),
            0 => format!("none: {parts}"),
            count => format!("{count}: {parts}"),
        }
    }
}

impl Counted {
    /// Its row; arithmetic and what is moved have others together.
    fn row(&self) -> Option<(&'static str, String)> {
        let (name, says) = match self.operation {
            Operation::Gather => ("gathers", "loads from a place of its own for each lane"),
            Operation::Scatter => ("scatters", "stores to a place of its own for each lane"),
            Operation::Broadcast => ("broadcasts", "one element to all lanes"),
            Operation::Shuffle => ("shuffles", "lanes moved to other places"),
            Operation::Masked => ("masked", "for some lanes only"),
            Operation::Barrier => ("barriers", "of the group"),
            Operation::Call => ("calls", "of other functions"),
            _ => return None,
        };
        Some((name, format!("{}, {says}", self.count)))
    }
}

impl Space {
    fn words(self) -> &'static str {
        match self {
            Space::Global => "global memory",
            Space::Local => "local memory",
            Space::Private => "private memory, past the registers",
            Space::Stack => "the stack, at a fixed place",
            Space::StackArray => "arrays on the stack",
            Space::Constant => "constants",
            Space::Unknown => "memory: the code does not tell which",
        }
    }
}

/// Numbers of instructions, of a loop mostly.
type Body = BTreeSet<usize>;

/// The innermost loop that multiplies and adds most in a round; where none does, the one
/// that loads and stores most. None where there is no loop.
pub fn hottest(instructions: &[Instruction]) -> Option<Vec<&Instruction>> {
    let loops = natural_loops(instructions);
    let is_innermost = |body: &&Body| {
        let inside = |other: &Body| other.len() < body.len() && other.is_subset(body);
        !loops.iter().any(inside)
    };
    let innermost = loops.iter().filter(is_innermost);
    let hottest = innermost.max_by_key(|body| weight(body, instructions))?;
    Some(hottest.iter().map(|at| &instructions[*at]).collect())
}

/// Multiply-adds, then accesses to memory; of two that are the same, the earlier one.
fn weight(body: &Body, instructions: &[Instruction]) -> (u64, usize, Reverse<usize>) {
    let operations = || body.iter().flat_map(|at| &instructions[*at].operations);
    let lanes = |operation: &Operation| match operation.arithmetic() {
        Some(("", lanes)) => 2 * u64::from(lanes),
        Some((_, lanes)) => u64::from(lanes),
        None => 0,
    };
    let is_access = |operation: &&Operation| {
        use Operation::{Gather, Load, Scatter, Store};
        matches!(operation, Load { .. } | Store { .. } | Gather | Scatter)
    };
    let first = body.first().copied().unwrap_or(0);
    (operations().map(lanes).sum(), operations().filter(is_access).count(), Reverse(first))
}

/// Loops, each by its head: what a jump leads back to, and through which every way from
/// the kernel's beginning into the loop goes (Aho, Lam, Sethi, Ullman, "Compilers", 9.6.6).
fn natural_loops(instructions: &[Instruction]) -> Vec<Body> {
    let places = instructions.iter().zip(0..);
    let places: BTreeMap<u64, usize> = places.map(|(one, at)| (one.address, at)).collect();
    let count = instructions.len();
    let (mut after, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    let mut targets = Body::new();
    for (at, one) in instructions.iter().enumerate() {
        let next = Some(at + 1).filter(|next| *next < count);
        let (jump, next) = match one.flow {
            Flow::Next => (None, next),
            Flow::Jump(to) => (places.get(&to).copied(), None),
            Flow::Branch(to) => (places.get(&to).copied(), next),
            Flow::Stop => (None, None),
        };
        targets.extend(jump);
        for to in jump.into_iter().chain(next) {
            after[at].push(to);
            before[to].push(at);
        }
    }
    let mut bodies: BTreeMap<usize, Vec<Body>> = BTreeMap::new();
    for from in search(Body::new(), vec![0; count.min(1)], &after) {
        for &head in after[from].iter().filter(|head| targets.contains(head)) {
            let body = search(Body::from([head]), vec![from], &before);
            // Where the beginning is in it, another way leads into it.
            if head == 0 || !body.contains(&0) {
                bodies.entry(head).or_default().push(body);
            }
        }
    }
    // Of the ways back to one head, which may be the ends of a loop or of a loop in a loop: the
    // shortest that does all the arithmetic of them together.
    let arithmetic = |body: &Body| weight(body, instructions).0;
    let inner = |mut bodies: Vec<Body>| {
        let all: Body = bodies.iter().flatten().copied().collect();
        let most = arithmetic(&all);
        bodies.retain(|body| arithmetic(body) == most && most > 0);
        bodies.into_iter().min_by_key(Body::len).unwrap_or(all)
    };
    bodies.into_values().map(inner).collect()
}

/// What is known, and all that can be come to from these places without passing it.
fn search(mut known: Body, mut open: Vec<usize>, next: &[Vec<usize>]) -> Body {
    while let Some(at) = open.pop() {
        if known.insert(at) {
            open.extend(&next[at]);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(operations: &[Operation]) -> Round {
        Round::of([&Instruction { operations: operations.to_vec(), ..Instruction::default() }])
    }

    #[test]
    fn a_product_and_a_sum_are_a_multiply_add() {
        let counted = round(&[
            Operation::MultiplyAdd { lanes: 8 },
            Operation::Multiply { lanes: 8 },
            Operation::Add { lanes: 8 },
            Operation::Add { lanes: 1 },
        ]);
        assert_eq!(counted.multiply_adds, 16);
        let words = "16: 1 of 8 lanes, products 1 of 8 lanes, sums 1 of 1 lane, sums 1 of 8 lanes";
        assert_eq!(counted.arithmetic(), words);
        assert_eq!(counted.instructions_per_multiply_add(), Some(1.0 / 16.0));
        assert_eq!(round(&[Operation::Barrier]).instructions_per_multiply_add(), None);
    }

    #[test]
    fn what_lies_on_the_stack_at_a_fixed_place_is_spilled() {
        let load = |space| Operation::Load { space, bytes: 4 };
        let (space, bytes) = (Space::Stack, 32);
        let counted = round(&[
            load(Space::Stack),
            load(Space::StackArray),
            load(Space::Private),
            Operation::Store { space, bytes },
        ]);
        assert_eq!(counted.spills(), 3);
        let store = counted.moved().last().unwrap();
        assert_eq!(store.1, "1, 32 bytes, the stack, at a fixed place");
    }

    /// A word for each instruction: what it does, or where it goes.
    fn code(words: &str) -> Vec<Instruction> {
        let one = |(at, word): (usize, &str)| {
            let mut one = Instruction { address: at as u64, ..Instruction::default() };
            let target = |word: &str| word[1..].parse().unwrap();
            match word.chars().next() {
                Some('f') => {
                    one.operations.push(Operation::MultiplyAdd { lanes: target(word) as u32 })
                }
                Some('b') => one.flow = Flow::Branch(target(word)),
                Some('j') => one.flow = Flow::Jump(target(word)),
                Some('s') => one.flow = Flow::Stop,
                _ => {}
            }
            one
        };
        words.split(' ').enumerate().map(one).collect()
    }

    /// In this code addresses are numbers.
    fn hottest_of(words: &str) -> Option<Vec<u64>> {
        let code = code(words);
        Some(hottest(&code)?.iter().map(|one| one.address).collect())
    }

    #[test]
    fn the_innermost_loop_with_most_multiply_adds_is_found() {
        assert_eq!(hottest_of("x f1 x s"), None);
        assert_eq!(hottest_of("x f1 b1 s"), Some(vec![1, 2]));
        // A loop in a loop: the outer one has more of them and is not innermost.
        assert_eq!(hottest_of("x f8 x f1 b3 b1 s"), Some(vec![3, 4]));
        // A wide loop and the one for what is left.
        assert_eq!(hottest_of("x f8 b1 f1 b3 s"), Some(vec![1, 2]));
    }

    #[test]
    fn a_loop_that_is_tested_at_its_beginning_and_one_with_two_ends() {
        assert_eq!(hottest_of("x b4 f1 j1 s"), Some(vec![1, 2, 3]));
        assert_eq!(hottest_of("x x b1 f1 b1 s"), Some(vec![1, 2, 3, 4]));
        // The outer of two loops that begin at the same place only counts.
        assert_eq!(hottest_of("x f1 b1 x b1 s"), Some(vec![1, 2]));
    }

    #[test]
    fn what_nothing_leads_to_is_no_loop() {
        assert_eq!(hottest_of("x s j2"), None);
        // The third only fills up the space before the loop.
        assert_eq!(hottest_of("x j3 x f1 x b3 s"), Some(vec![3, 4, 5]));
    }

    #[test]
    fn a_jump_back_to_code_that_no_loop_passes_is_none() {
        // Both ways lead into 2 and 3: neither is a head.
        assert_eq!(hottest_of("b3 x x f1 b2 s"), None);
    }
}
