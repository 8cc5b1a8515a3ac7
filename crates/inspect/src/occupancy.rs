//! How many groups a unit of a GPU holds at once, which of its resources binds, and what would
//! change that. The rules are those of NVIDIA's occupancy calculator (`cuda_occupancy.h` of its
//! CUDA toolkit); a test holds them against what that calculates.

#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use colored::Colorize;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use verify::numbers::{bytes, count};

/// Items of the largest group.
pub const LARGEST_GROUP: u32 = 1024;

/// One unit of a GPU. Source of NVIDIA's: "CUDA C++ Programming Guide", table "Technical
/// Specifications per Compute Capability"; allocation of local memory, and what is kept back of it:
/// `cuda_occupancy.h` and the tuning guides. Others name theirs.
#[derive(Debug, Deserialize, PartialEq)]
pub struct Architecture {
    /// NVIDIA's compute capability, or what compilers call it.
    pub(crate) capability: String,
    /// What its maker calls it.
    pub(crate) name: String,
    /// Groups at once.
    pub(crate) groups: u32,
    /// Items that work in step: a warp.
    pub(crate) warp: u32,
    /// Warps at once.
    pub(crate) warps: u32,
    /// Registers of 32 bits.
    pub(crate) registers: u32,
    /// Registers are given out to a warp in pieces of so many.
    pub(crate) registers_piece: u32,
    /// Registers that one item may have.
    pub(crate) most_registers: u32,
    /// Its parts, among which its registers are divided.
    pub(crate) parts: u32,
    /// Bytes of local memory, as much as the unit can have of it.
    pub(crate) local_bytes: u64,
    /// As much of it as a group may have, where that is not all.
    pub(crate) local_most: Option<u64>,
    /// Local memory is given out in pieces of so many bytes.
    pub(crate) local_piece: u64,
    /// Or in one of these sizes, in ascending order.
    #[serde(default)]
    pub(crate) local_sizes: Vec<u64>,
    /// Bytes that are kept back for each group.
    pub(crate) local_kept: u64,
    /// GPUs that have it, a word of each one's name, in lower case.
    models: String,
    /// Where that stands, of a unit on which the course has never measured.
    pub source: Option<String>,
}

/// Those that the course knows.
static ARCHITECTURES: LazyLock<Vec<Architecture>> = LazyLock::new(|| {
    let read = |row| serde_json::from_str(row).expect("it describes a unit");
    include_str!("architectures.jsonl").lines().map(read).collect()
});

impl Architecture {
    /// By compute capability ("9.0", "sm_90") or by a GPU's name ("H200", "NVIDIA A100-PCIE").
    pub fn named(text: &str) -> Option<&'static Architecture> {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '.');
        ARCHITECTURES.iter().find(|one| {
            text == one.capability
                || text == format!("sm_{}", one.capability.replace('.', ""))
                || one.models.split(", ").any(|model| words.clone().any(|word| word == model))
        })
    }

    /// The same, or all that can be named.
    pub fn asked(text: &str) -> Result<&'static Architecture, String> {
        Architecture::named(text).ok_or_else(|| {
            let told =
                |one: &Architecture| format!("{} ({}: {})", one.capability, one.name, one.models);
            let known = Vec::from_iter(ARCHITECTURES.iter().map(told)).join("; ");
            format!("no table of a GPU called {text}; there are {known}")
        })
    }
}

/// What one group of a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Demand {
    /// Items of a group.
    pub group: u32,
    /// Registers of an item; none where nobody knows.
    pub registers: Option<u32>,
    /// Bytes of local memory of a group.
    pub local_bytes: u64,
}

/// A resource of a unit.
struct Resource {
    name: &'static str,
    /// Groups that it has room for: none where nobody knows what they take, or they take nothing.
    room: Option<u32>,
    /// What a group takes, and all that the unit has.
    each: u64,
    of: u64,
}

impl Demand {
    /// What a unit shares among groups; its items are counted in warps.
    fn resources(&self, of: &Architecture) -> [Resource; 4] {
        let warps = self.group.div_ceil(of.warp).max(1);
        let by_items = if self.group > LARGEST_GROUP { 0 } else { of.warps / warps };
        let of_warp = |registers: u32| (registers * of.warp).next_multiple_of(of.registers_piece);
        // Each part of the unit has registers for whole warps only.
        let by_registers = self.registers.map(|registers| {
            let of_warp = of_warp(registers.clamp(1, of.most_registers));
            let fits = of_warp * warps.next_multiple_of(of.parts) <= of.registers;
            let warps_of_unit = of.registers / of.parts / of_warp * of.parts;
            if fits && registers <= of.most_registers { warps_of_unit / warps } else { 0 }
        });
        let registers = of_warp(self.registers.unwrap_or(0)) * warps;
        let local = (self.local_bytes + of.local_kept).next_multiple_of(of.local_piece);
        let local = of.local_sizes.iter().copied().find(|size| *size >= local).unwrap_or(local);
        let too_much = of.local_most.is_some_and(|most| self.local_bytes > most);
        let by_local = if too_much { Some(0) } else { of.local_bytes.checked_div(local) };
        let resource = |name, room, each, of| Resource { name, room, each, of };
        [
            resource("groups", Some(of.groups), 1, of.groups.into()),
            resource("items", Some(by_items), warps.into(), of.warps.into()),
            resource("registers", by_registers, registers.into(), of.registers.into()),
            resource("local memory", by_local.map(|room| room as u32), local, of.local_bytes),
        ]
    }

    /// Groups of a unit at once.
    fn groups(&self, of: &Architecture) -> u32 {
        self.resources(of).iter().filter_map(|one| one.room).min().unwrap_or(0)
    }
}

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

/// What is taken of a resource of a unit, in numbers and as it is shown.
#[derive(Serialize)]
struct Taken {
    name: String,
    taken: u64,
    of: u64,
    shown: String,
}

#[derive(Serialize)]
struct Change {
    what: String,
    groups: u32,
    items: u32,
}

impl Occupancy<'_> {
    /// How much is taken of each resource of a unit.
    fn taken(&self) -> Vec<Taken> {
        let Occupancy { demand, of, .. } = self;
        let groups = u64::from(demand.groups(of));
        let is_known = |one: &Resource| one.name != "registers" || demand.registers.is_some();
        let taken = |Resource { name, each, of: has, .. }: Resource| {
            let taken = groups * each;
            let shown = match name {
                "local memory" => format!("{} of {}", bytes(taken), bytes(has)),
                _ => format!("{taken} of {has}"),
            };
            let name = if name == "items" { format!("warps of {}", of.warp) } else { name.into() };
            Taken { name, taken, of: has, shown }
        };
        demand.resources(of).into_iter().filter(is_known).map(taken).collect()
    }

    /// The resources that have room for no more groups.
    fn binding(&self) -> Vec<&'static str> {
        let groups = self.demand.groups(self.of);
        let binds = |one: &Resource| one.room == Some(groups);
        self.demand.resources(self.of).into_iter().filter(binds).map(|one| one.name).collect()
    }

    /// One register more for each item; the numbers of registers at which the count of groups
    /// changes, the most with which a unit still holds so many, the widest first; groups of
    /// other sizes, whose items take as much local memory each.
    fn changes(&self) -> [Vec<Change>; 3] {
        let Occupancy { demand, of, .. } = self;
        let change = |what: String, demand: Demand| {
            let groups = demand.groups(of);
            Change { what, groups, items: groups * demand.group }
        };
        let with = |count| Demand { registers: Some(count), ..*demand };
        let more = demand.registers.map(|count| with(count + 1));
        let more = more.map(|more| change("one register more".into(), more));
        // Of more than an item may have there are no groups.
        let groups = |count| with(count).groups(of);
        let steps = (1..=of.most_registers).filter(|&most| groups(most) > groups(most + 1));
        let steps = steps.map(|most| change(format!("up to {most} registers"), with(most)));
        let sizes = [32, 64, 128, 256, 512, 1024].into_iter();
        let by_group = sizes.filter(|size| *size != demand.group).map(|group| {
            let share = u64::from(group) * demand.local_bytes;
            let local_bytes = share / u64::from(demand.group.max(1));
            let other = Demand { group, local_bytes, ..*demand };
            change(format!("groups of {group}"), other)
        });
        [more.into_iter().collect(), steps.collect(), by_group.collect()]
    }

    /// Warps at once, of all that a unit can hold.
    fn share(&self) -> f64 {
        let [_, items, ..] = self.demand.resources(self.of);
        f64::from(self.demand.groups(self.of)) * items.each as f64 / items.of as f64
    }

    /// Groups and items of a unit, what is taken of each resource, and what would change that.
    pub fn json(&self) -> Value {
        let Occupancy { demand, of, .. } = self;
        let groups = demand.groups(of);
        let room = demand.resources(of).map(|one| one.room);
        let [more, by_registers, by_group] = self.changes();
        json!({
            "kernel": self.name,
            "capability": of.capability,
            "architecture": of.name,
            "sources": self.sources,
            "demand": demand,
            "room": {
                "by_groups": room[0],
                "by_items": room[1],
                "by_registers": room[2],
                "by_local": room[3],
            },
            "groups": groups,
            "items": groups * demand.group,
            "of_items": of.warps * of.warp,
            "resources": self.taken(),
            "occupancy": self.share(),
            "binding": self.binding(),
            "one_register_more": more.first(),
            "by_registers": by_registers,
            "by_group": by_group,
        })
    }
}

impl Display for Occupancy<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        const BAR: u64 = 24;
        let Occupancy { demand, of, .. } = self;
        let (groups, name) = (demand.groups(of), self.name.bold());
        // By a number only NVIDIA's are called.
        let is_number = of.capability.starts_with(|c: char| c.is_ascii_digit());
        let what = if is_number { "compute capability " } else { "" };
        writeln!(f, "{name} on a unit of {what}{} ({})", of.capability, of.name)?;
        for source in &self.sources {
            writeln!(f, "  {}", diagnostics::terminal::wrap::beside(source, 4).dimmed())?;
        }
        writeln!(
            f,
            "\n  {} of {} items at once: {} of {} items, {:.0} %\n  what binds: {}\n",
            count(groups as usize, "group"),
            demand.group,
            groups * demand.group,
            of.warps * of.warp,
            100.0 * self.share(),
            self.binding().join(", ")
        )?;
        for one in self.taken() {
            let full = (BAR * one.taken / one.of).min(BAR) as usize;
            let bar = "█".repeat(full) + &"░".repeat(BAR as usize - full);
            writeln!(f, "  {:<13} {} {}", one.name, bar.cyan(), one.shown)?;
        }
        if demand.registers.is_none() {
            let says = "not known: the driver does not report them; --registers N gives them";
            writeln!(f, "  registers     {says}")?;
        }
        writeln!(f, "\n{}", "What would change it".bold())?;
        for one in self.changes().iter().flatten() {
            let groups = count(one.groups as usize, "group");
            writeln!(f, "  {:<20} {groups:>10}, {:>4} items", one.what, one.items)?;
        }
        if demand.local_bytes > 0 {
            writeln!(f, "  (other groups with as much local memory for each item)")?;
        }
        Ok(())
    }
}
