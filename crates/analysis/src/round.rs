//! What one round of a loop does, counted.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::code::{Instruction, Operation, Register, Space};

/// The counts of one round.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Round {
    /// Instructions, whatever they do.
    pub instructions: usize,
    /// Lanes that multiply and add: all of those that do it in one instruction, and as many
    /// of the products as there are sums.
    pub multiply_adds: u64,
    /// Instructions that multiply and add in one, by their lanes.
    pub fused: BTreeMap<u32, usize>,
    /// Those that only multiply, by their lanes.
    pub products: BTreeMap<u32, usize>,
    /// Those that only add, by their lanes.
    pub sums: BTreeMap<u32, usize>,
    /// By memory.
    pub loads: BTreeMap<Space, Moved>,
    /// By memory.
    pub stores: BTreeMap<Space, Moved>,
    /// Loads from a place of its own for each lane.
    pub gathers: usize,
    /// Stores to a place of its own for each lane.
    pub scatters: usize,
    /// Elements that go to all lanes.
    pub broadcasts: usize,
    /// Instructions that move lanes to other places.
    pub shuffles: usize,
    /// Instructions for some lanes only.
    pub masked: usize,
    /// Barriers.
    pub barriers: usize,
    /// Calls.
    pub calls: usize,
    /// Different registers that it names.
    pub registers: Registers,
}

/// Instructions that load or store, and the bytes that they move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Moved {
    pub instructions: usize,
    pub bytes: u64,
}

/// Different registers, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Registers {
    pub general: usize,
    pub vector: usize,
    pub mask: usize,
}

impl Round {
    /// Counts what these instructions do.
    pub fn of<'a>(instructions: impl IntoIterator<Item = &'a Instruction>) -> Round {
        let mut round = Round::default();
        let mut registers = BTreeSet::new();
        for one in instructions {
            round.instructions += 1;
            registers.extend(&one.registers);
            one.operations
                .iter()
                .for_each(|operation| round.count(*operation));
        }
        let [fused, products, sums] = [&round.fused, &round.products, &round.sums].map(lanes);
        round.multiply_adds = fused + products.min(sums);
        for register in registers {
            *round.registers.of_kind(register) += 1;
        }
        round
    }

    fn count(&mut self, operation: Operation) {
        match operation {
            Operation::MultiplyAdd { lanes } => *self.fused.entry(lanes).or_default() += 1,
            Operation::Multiply { lanes } => *self.products.entry(lanes).or_default() += 1,
            Operation::Add { lanes } => *self.sums.entry(lanes).or_default() += 1,
            Operation::Load { space, bytes } => self.loads.entry(space).or_default().add(bytes),
            Operation::Store { space, bytes } => self.stores.entry(space).or_default().add(bytes),
            Operation::Gather => self.gathers += 1,
            Operation::Scatter => self.scatters += 1,
            Operation::Broadcast => self.broadcasts += 1,
            Operation::Shuffle => self.shuffles += 1,
            Operation::Masked => self.masked += 1,
            Operation::Barrier => self.barriers += 1,
            Operation::Call => self.calls += 1,
        }
    }

    /// Instructions for each multiply-add of a lane; none where there is none.
    pub fn instructions_per_multiply_add(&self) -> Option<f64> {
        let some = self.multiply_adds > 0;
        some.then(|| self.instructions as f64 / self.multiply_adds as f64)
    }

    /// Loads and stores of what had no room in registers.
    pub fn spills(&self) -> usize {
        let spilled = [Space::Stack, Space::Private];
        let count = |moved: &BTreeMap<Space, Moved>| -> usize {
            let known = spilled.iter().filter_map(|space| moved.get(space));
            known.map(|moved| moved.instructions).sum()
        };
        count(&self.loads) + count(&self.stores)
    }
}

/// Of all these instructions together.
fn lanes(by_lanes: &BTreeMap<u32, usize>) -> u64 {
    let each = by_lanes
        .iter()
        .map(|(lanes, count)| u64::from(*lanes) * *count as u64);
    each.sum()
}

impl Moved {
    fn add(&mut self, bytes: u32) {
        self.instructions += 1;
        self.bytes += u64::from(bytes);
    }
}

impl Registers {
    fn of_kind(&mut self, register: Register) -> &mut usize {
        match register {
            Register::General(_) => &mut self.general,
            Register::Vector(_) => &mut self.vector,
            Register::Mask(_) => &mut self.mask,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(operations: &[Operation]) -> Round {
        let one = |operation: &Operation| Instruction {
            operations: vec![*operation],
            ..Instruction::new(0, "")
        };
        Round::of(&operations.iter().map(one).collect::<Vec<_>>())
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
        assert_eq!(counted.fused, BTreeMap::from([(8, 1)]));
        assert_eq!(counted.sums, BTreeMap::from([(1, 1), (8, 1)]));
        assert_eq!(counted.instructions_per_multiply_add(), Some(0.25));
        assert_eq!(
            round(&[Operation::Barrier]).instructions_per_multiply_add(),
            None
        );
    }

    #[test]
    fn what_lies_on_the_stack_at_a_fixed_place_is_spilled() {
        let load = |space| Operation::Load { space, bytes: 4 };
        let counted = round(&[
            load(Space::Stack),
            load(Space::StackArray),
            load(Space::Private),
            Operation::Store {
                space: Space::Stack,
                bytes: 32,
            },
        ]);
        assert_eq!(counted.spills(), 3);
        assert_eq!(counted.stores[&Space::Stack].bytes, 32);
    }
}
