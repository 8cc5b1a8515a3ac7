//! An occupancy for people, in 80 columns, and as one JSON object.

use colored::Colorize;
use common::numbers::{bytes, count};
use serde_json::{Value, json};
use text::wrap::folded;

use super::changes;
use super::demand::{Demand, registers_of_warp};
use crate::device::{Architecture, REGISTERS, WARP};

/// Characters of a full bar.
const BAR: u64 = 24;

/// What a kernel takes, of what.
pub struct Occupancy<'a> {
    /// The kernel with its variant, or what stands for it.
    pub name: String,
    /// What its groups take.
    pub demand: Demand,
    /// Where the figures come from, a line each.
    pub sources: Vec<String>,
    /// What a unit has.
    pub of: &'a Architecture,
}

impl Occupancy<'_> {
    /// Groups and items of a unit, a bar for each resource, and what would change them.
    pub fn text(&self) -> String {
        let Occupancy { demand, of, .. } = self;
        let room = demand.room(of);
        let groups = room.groups();
        let mut out = format!(
            "{} on a unit of compute capability {} ({})\n",
            self.name.bold(),
            of.capability,
            of.name
        );
        for source in &self.sources {
            out += &format!("  {}\n", folded(source, 76, "    ").dimmed());
        }
        let most = of.warps * WARP;
        let items = groups * demand.group;
        let share = 100.0 * f64::from(groups * demand.warps()) / f64::from(of.warps);
        out += &format!(
            "\n  {} of {} items at once: {items} of {most} items, {share:.0} %\n",
            count(groups as usize, "group"),
            demand.group
        );
        out += &format!("  what binds: {}\n\n", room.binding().join(", "));
        for (name, taken, of, shown) in self.resources() {
            out += &format!("  {name:<13} {} {shown}\n", bar(taken, of).cyan());
        }
        if demand.registers.is_none() {
            out += "  registers     not known: nobody tells how many an item takes; --registers N does\n";
        }
        out + &self.changes()
    }

    /// How much is taken of each resource of a unit, in numbers and as it is shown.
    fn resources(&self) -> Vec<(&'static str, u64, u64, String)> {
        let Occupancy { demand, of, .. } = self;
        let groups = demand.room(of).groups();
        let counted =
            |name, taken: u32, of: u32| (name, taken.into(), of.into(), format!("{taken} of {of}"));
        let mut all = vec![
            counted("groups", groups, of.groups),
            counted("warps of 32", groups * demand.warps(), of.warps),
        ];
        all.extend(demand.registers.map(|count| {
            let of_group = registers_of_warp(count) * demand.warps();
            counted("registers", groups * of_group, REGISTERS)
        }));
        let local = u64::from(groups) * demand.local_taken(of);
        let shown = format!("{} of {}", bytes(local), bytes(of.local_bytes));
        all.push(("local memory", local, of.local_bytes, shown));
        all
    }

    fn changes(&self) -> String {
        let Occupancy { demand, of, .. } = self;
        let mut out = format!("\n{}\n", "What would change it".bold());
        let line = |change: &changes::Change| {
            let groups = count(change.groups as usize, "group");
            format!(
                "  {:<20} {groups:>10}, {:>4} items\n",
                change.what, change.items
            )
        };
        let more = changes::one_register_more(*demand, of);
        out.extend(more.iter().map(line));
        out.extend(changes::by_registers(*demand, of).iter().map(line));
        out.extend(changes::by_group(*demand, of).iter().map(line));
        if demand.local_bytes > 0 {
            out += "  (other groups with as much local memory for each item)\n";
        }
        out
    }

    /// All of it.
    pub fn json(&self) -> Value {
        let Occupancy { demand, of, .. } = self;
        let room = demand.room(of);
        json!({
            "kernel": self.name,
            "capability": of.capability,
            "architecture": of.name,
            "sources": self.sources,
            "demand": demand,
            "room": room,
            "groups": room.groups(),
            "items": room.groups() * demand.group,
            "occupancy": f64::from(room.groups() * demand.warps()) / f64::from(of.warps),
            "binding": room.binding(),
            "one_register_more": changes::one_register_more(*demand, of),
            "by_registers": changes::by_registers(*demand, of),
            "by_group": changes::by_group(*demand, of),
        })
    }
}

fn bar(taken: u64, of: u64) -> String {
    let full = (BAR * taken).checked_div(of).unwrap_or(0).min(BAR);
    ["█".repeat(full as usize), "░".repeat((BAR - full) as usize)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binding_resource_is_named_and_its_bar_is_full() {
        colored::control::set_override(false);
        let occupancy = Occupancy {
            name: "f".into(),
            demand: Demand {
                group: 256,
                registers: Some(64),
                local_bytes: 8192,
            },
            sources: vec!["by hand".into()],
            of: Architecture::named("h200").unwrap(),
        };
        let text = occupancy.text();
        assert!(
            text.contains("4 groups of 256 items at once: 1024 of 2048 items, 50 %"),
            "{text}"
        );
        assert!(text.contains("what binds: registers\n"), "{text}");
        assert!(
            text.contains("████████████████████████ 65536 of 65536"),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        assert_eq!(occupancy.json()["groups"], 4);
    }
}
