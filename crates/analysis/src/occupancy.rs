//! How many groups a unit of a GPU holds at once, and which of its resources binds. The
//! rules are those of NVIDIA's occupancy calculator (`cuda_occupancy.h` of its CUDA
//! toolkit); a test holds them against what that calculates.

mod changes;
mod demand;
pub mod screen;

pub use demand::{Demand, Room};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Architecture;

    /// Each line: capability, group, registers, local bytes, groups of a unit.
    const CALCULATED: &str = include_str!("fixtures/occupancy.txt");

    #[test]
    fn the_vendors_calculator_says_the_same() {
        let mut held = 0;
        for line in CALCULATED.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<u32>().unwrap();
            let of = Architecture::named(words[0]).unwrap();
            let demand = Demand {
                group: number(1),
                registers: Some(number(2)),
                local_bytes: number(3).into(),
            };
            assert_eq!(demand.room(of).groups(), number(4), "{line}");
            held += 1;
        }
        assert!(held > 100, "{held}");
    }

    #[test]
    fn what_is_not_known_does_not_bind() {
        let of = Architecture::named("9.0").unwrap();
        let demand = Demand {
            group: 256,
            registers: None,
            local_bytes: 40 << 10,
        };
        let room = demand.room(of);
        assert_eq!((room.groups(), room.binding()), (5, vec!["local memory"]));
        let huge = Demand {
            group: 2048,
            ..demand
        };
        assert_eq!(huge.room(of).groups(), 0);
    }
}
