//! What one round of a loop does, counted, and in words.

use std::collections::{BTreeMap, BTreeSet};

use common::numbers::significant;
use serde::Serialize;

use crate::code::{Code, Instruction, Operation, Register, Space};

/// Instructions by their lanes.
type ByLanes = BTreeMap<u32, usize>;

/// The counts of one round.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Round {
    /// Instructions, whatever they do.
    pub instructions: usize,
    /// Lanes that multiply and add: all of those that do it in one instruction, and as many
    /// of the products as there are sums.
    pub multiply_adds: u64,
    pub fused: ByLanes,
    pub products: ByLanes,
    pub sums: ByLanes,
    pub loads: BTreeMap<Space, Moved>,
    pub stores: BTreeMap<Space, Moved>,
    pub gathers: usize,
    pub scatters: usize,
    pub broadcasts: usize,
    pub shuffles: usize,
    pub masked: usize,
    pub barriers: usize,
    pub calls: usize,
    /// Different registers that it names.
    pub registers: Registers,
}

/// Instructions that load or store, and the bytes that they move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Moved {
    pub instructions: usize,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Registers {
    general: usize,
    vector: usize,
    mask: usize,
}

impl Round {
    /// Counts what these instructions do.
    pub fn of<'a>(instructions: impl IntoIterator<Item = &'a Instruction>) -> Round {
        let mut round = Round::default();
        let mut registers = BTreeSet::new();
        for one in instructions {
            round.instructions += 1;
            registers.extend(&one.registers);
            for operation in &one.operations {
                round.count(*operation);
            }
        }
        let lanes = |by_lanes: &ByLanes| -> u64 {
            let each = by_lanes.iter();
            each.map(|(&lanes, &count)| u64::from(lanes) * count as u64)
                .sum()
        };
        let [fused, products, sums] = [&round.fused, &round.products, &round.sums].map(lanes);
        round.multiply_adds = fused + products.min(sums);
        let of_kind = |kind| registers.iter().filter(|(of, _)| *of == kind).count();
        round.registers = Registers {
            general: of_kind(Register::General),
            vector: of_kind(Register::Vector),
            mask: of_kind(Register::Mask),
        };
        round
    }

    fn count(&mut self, operation: Operation) {
        let moved = |to: &mut BTreeMap<Space, Moved>, space, bytes: u32| {
            let moved = to.entry(space).or_default();
            moved.instructions += 1;
            moved.bytes += u64::from(bytes);
        };
        match operation {
            Operation::MultiplyAdd { lanes } => *self.fused.entry(lanes).or_default() += 1,
            Operation::Multiply { lanes } => *self.products.entry(lanes).or_default() += 1,
            Operation::Add { lanes } => *self.sums.entry(lanes).or_default() += 1,
            Operation::Load { space, bytes } => moved(&mut self.loads, space, bytes),
            Operation::Store { space, bytes } => moved(&mut self.stores, space, bytes),
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
        let all = self.loads.iter().chain(&self.stores);
        let spilled = all.filter(|(space, _)| matches!(space, Space::Stack | Space::Private));
        spilled.map(|(_, moved)| moved.instructions).sum()
    }

    /// A name and what is counted, for each kind that there is.
    pub fn rows(&self, code: &Code) -> Vec<(&'static str, String)> {
        let mut rows = vec![("multiply-adds", self.arithmetic())];
        if let Some(share) = self.instructions_per_multiply_add() {
            let (count, share) = (self.instructions, significant(share));
            rows.push((
                "instructions",
                format!("{count}, {share} for each multiply-add"),
            ));
        }
        let loads = self.loads.iter().map(|one| ("loads", one));
        let stores = self.stores.iter().map(|one| ("stores", one));
        rows.extend(loads.chain(stores).map(|(name, (space, moved))| {
            let Moved {
                instructions,
                bytes,
            } = moved;
            (
                name,
                format!("{instructions}, {bytes} bytes, {}", space.words()),
            )
        }));
        #[rustfmt::skip]
        let counts = [
            ("gathers", self.gathers, "loads from a place of its own for each lane"),
            ("scatters", self.scatters, "stores to a place of its own for each lane"),
            ("broadcasts", self.broadcasts, "one element to all lanes"),
            ("shuffles", self.shuffles, "lanes moved to other places"),
            ("masked", self.masked, "for some lanes only"),
            ("barriers", self.barriers, "of the group"),
            ("calls", self.calls, "of other functions"),
        ];
        let some = counts.into_iter().filter(|(_, count, _)| *count > 0);
        rows.extend(some.map(|(name, count, says)| (name, format!("{count}, {says}"))));
        let mut spills = match self.spills() {
            0 => "none".to_string(),
            count => format!("{count} loads and stores of what has no register"),
        };
        if let Some(bytes) = code.resources.spilled_bytes.filter(|bytes| *bytes > 0) {
            spills += &format!("; {bytes} bytes an item in the whole kernel");
        }
        rows.extend([
            ("spills", spills),
            ("registers", self.registers.words(code)),
        ]);
        rows
    }

    /// "16: 2 of 8 lanes", "4: products 2 of 4 lanes, sums 4 of 1 lane"
    fn arithmetic(&self) -> String {
        let kinds = [
            ("", &self.fused),
            ("products ", &self.products),
            ("sums ", &self.sums),
        ];
        let some = kinds.iter().filter(|(_, by_lanes)| !by_lanes.is_empty());
        let parts = some.map(|(kind, by_lanes)| {
            let each = by_lanes.iter().map(|(lanes, count)| {
                format!(
                    "{count} of {}",
                    common::numbers::count(*lanes as usize, "lane")
                )
            });
            format!("{kind}{}", each.collect::<Vec<_>>().join(", "))
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        match self.multiply_adds {
            0 if parts.is_empty() => "none".into(),
            0 => format!("none: {parts}"),
            count => format!("{count}: {parts}"),
        }
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

impl Registers {
    fn words(&self, code: &Code) -> String {
        if let Some(registers) = code.resources.registers {
            return format!("{registers} for each item, says the assembler");
        }
        let kinds = [
            (self.vector, "vector"),
            (self.general, "general"),
            (self.mask, "mask"),
        ];
        let some = kinds.into_iter().filter(|(count, _)| *count > 0);
        let some = some.map(|(count, kind)| format!("{count} {kind}"));
        match some.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "not told".into(),
            some => some,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(operations: &[Operation]) -> Round {
        Round::of([&Instruction {
            operations: operations.to_vec(),
            ..Instruction::default()
        }])
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
        assert_eq!(counted.instructions_per_multiply_add(), Some(1.0 / 16.0));
        assert_eq!(
            round(&[Operation::Barrier]).instructions_per_multiply_add(),
            None
        );
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
        assert_eq!(counted.stores[&Space::Stack].bytes, 32);
    }
}
