//! An occupancy for people, in 80 columns, and as one JSON object.

use colored::Colorize;
use common::numbers::{bytes, count};
use serde_json::{Value, json};
use text::wrap::folded;

use super::architecture::Architecture;
use super::changes;
use super::demand::{Demand, REGISTERS, WARP, registers_of_warp};

/// Characters of a full bar.
const BAR: u32 = 24;

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

/// One resource of a unit: how much of it is taken.
struct Resource {
    name: &'static str,
    taken: u64,
    of: u64,
    shown: String,
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
        for resource in self.resources() {
            out += &resource.line();
        }
        if demand.registers.is_none() {
            out += "  registers     not known: nobody tells how many an item takes; --registers N does\n";
        }
        out + &self.changes()
    }

    fn resources(&self) -> Vec<Resource> {
        let Occupancy { demand, of, .. } = self;
        let groups = demand.room(of).groups();
        let of_group = demand
            .registers
            .map(|count| registers_of_warp(count) * demand.warps());
        let counted = |name, taken: u32, of: u32| Resource {
            name,
            taken: taken.into(),
            of: of.into(),
            shown: format!("{taken} of {of}"),
        };
        let local = u64::from(groups) * demand.local_taken(of);
        let mut all = vec![
            counted("groups", groups, of.groups),
            counted("warps of 32", groups * demand.warps(), of.warps),
        ];
        all.extend(of_group.map(|each| counted("registers", groups * each, REGISTERS)));
        all.push(Resource {
            name: "local memory",
            taken: local,
            of: of.local_bytes,
            shown: format!("{} of {}", bytes(local), bytes(of.local_bytes)),
        });
        all
    }

    fn changes(&self) -> String {
        let Occupancy { demand, of, .. } = self;
        let mut out = format!("\n{}\n", "What would change it".bold());
        let line = |change: &changes::Change| {
            let changes::Change {
                what,
                groups,
                items,
            } = change;
            let groups = count(*groups as usize, "group");
            format!("  {what:<20} {groups:>10}, {items:>4} items\n")
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

impl Resource {
    fn line(&self) -> String {
        let full = (u64::from(BAR) * self.taken)
            .checked_div(self.of)
            .unwrap_or(0) as usize;
        let full = full.min(BAR as usize);
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR as usize - full));
        format!("  {:<13} {} {}\n", self.name, bar.cyan(), self.shown)
    }
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
