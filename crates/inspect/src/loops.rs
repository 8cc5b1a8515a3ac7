//! The loops of a kernel, found by the edges that lead back in its control flow.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Flow, Instruction, Operation};

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
fn weight(body: &Body, instructions: &[Instruction]) -> (u64, usize, std::cmp::Reverse<usize>) {
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
    (
        operations().map(lanes).sum(),
        operations().filter(is_access).count(),
        std::cmp::Reverse(first),
    )
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
    let bodies = bodies.into_values();
    bodies.map(|bodies| inner(bodies, instructions)).collect()
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

/// Of the ways back to one head, which may be the ends of a loop or of a loop in a loop:
/// the shortest that does all the arithmetic of them together.
fn inner(mut bodies: Vec<Body>, instructions: &[Instruction]) -> Body {
    let all: Body = bodies.iter().flatten().copied().collect();
    let arithmetic = |body: &Body| weight(body, instructions).0;
    let most = arithmetic(&all);
    bodies.retain(|body| arithmetic(body) == most && most > 0);
    bodies.into_iter().min_by_key(Body::len).unwrap_or(all)
}

#[cfg(test)]
mod tests {
    use super::*;

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
