//! What would be if a kernel took a little more or less.

use serde::Serialize;

use super::demand::Demand;
use crate::device::{Architecture, MOST_REGISTERS};

/// What comes of another demand.
#[derive(Debug, PartialEq, Serialize)]
pub struct Change {
    /// In words.
    pub what: String,
    /// Groups of a unit.
    pub groups: u32,
    /// Items of a unit.
    pub items: u32,
}

impl Change {
    fn of(what: String, demand: Demand, of: &Architecture) -> Change {
        let groups = demand.room(of).groups();
        let items = groups * demand.group;
        Change {
            what,
            groups,
            items,
        }
    }
}

/// The numbers of registers at which the count of groups changes: the most with which a
/// unit still holds so many, the widest first.
pub fn by_registers(demand: Demand, of: &Architecture) -> Vec<Change> {
    let at = |registers| Demand {
        registers: Some(registers),
        ..demand
    };
    let groups = |registers| at(registers).room(of).groups();
    let steps = (1..MOST_REGISTERS).filter(|&registers| groups(registers) > groups(registers + 1));
    let last = Some(MOST_REGISTERS).filter(|&most| groups(most) > 0);
    let change = |most| Change::of(format!("up to {most} registers"), at(most), of);
    steps.chain(last).map(change).collect()
}

/// One register more for each item.
pub fn one_register_more(demand: Demand, of: &Architecture) -> Option<Change> {
    let registers = demand.registers? + 1;
    let more = Demand {
        registers: Some(registers),
        ..demand
    };
    Some(Change::of("one register more".into(), more, of))
}

/// Groups of other sizes, whose items take as much local memory each.
pub fn by_group(demand: Demand, of: &Architecture) -> Vec<Change> {
    let sizes = [32, 64, 128, 256, 512, 1024].into_iter();
    let others = sizes.filter(|size| *size != demand.group);
    let change = |group: u32| {
        let bytes = demand.local_bytes * u64::from(group) / u64::from(demand.group.max(1));
        let other = Demand {
            group,
            local_bytes: bytes,
            ..demand
        };
        Change::of(format!("groups of {group}"), other, of)
    };
    others.map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_register_that_costs_a_group_is_found() {
        let of = Architecture::named("9.0").unwrap();
        let demand = Demand {
            group: 256,
            registers: Some(32),
            local_bytes: 0,
        };
        assert_eq!(one_register_more(demand, of).unwrap().groups, 6);
        let steps = by_registers(demand, of);
        assert_eq!(
            (&*steps[0].what, steps[0].groups),
            ("up to 32 registers", 8)
        );
        assert_eq!(
            (&*steps[1].what, steps[1].groups),
            ("up to 40 registers", 6)
        );
        assert!(steps.iter().all(|step| step.groups > 0));
        let smaller = by_group(demand, of);
        assert_eq!((smaller[0].groups, smaller[0].items), (32, 1024));
    }
}
