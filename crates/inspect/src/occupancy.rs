//! How many groups a unit of a GPU holds at once, which of its resources binds, and what would
//! change that. The rules are those of NVIDIA's occupancy calculator (`cuda_occupancy.h` of its
//! CUDA toolkit); a test holds them against what that calculates.

#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use colored::Colorize;
use diagnostics::terminal::wrap::beside;
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

/// Groups that a unit has room for, as far as each of its resources goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Room {
    /// By the groups that it can tell apart.
    by_groups: u32,
    by_items: u32,
    /// None where their number is not known.
    by_registers: Option<u32>,
    /// None where the kernel uses none and the unit keeps none back.
    by_local: Option<u32>,
}

impl Demand {
    fn warps(&self, of: &Architecture) -> u32 {
        self.group.div_ceil(of.warp)
    }

    fn room(&self, of: &Architecture) -> Room {
        let warps = self.warps(of).max(1);
        let too_large = self.group > LARGEST_GROUP;
        // Each part of the unit has registers for whole warps only.
        let by_registers = |registers: u32| {
            let of_warp = registers_of_warp(of, registers.clamp(1, of.most_registers));
            let fits = of_warp * warps.next_multiple_of(of.parts) <= of.registers;
            let warps_of_unit = of.registers / of.parts / of_warp * of.parts;
            if fits && registers <= of.most_registers { warps_of_unit / warps } else { 0 }
        };
        let local = self.local_taken(of);
        let has_none = of.local_most.is_some_and(|most| self.local_bytes > most);
        let by_local = if has_none { 0 } else { of.local_bytes };
        Room {
            by_groups: of.groups,
            by_items: if too_large { 0 } else { of.warps / warps },
            by_registers: self.registers.map(by_registers),
            by_local: (local > 0).then(|| (by_local / local) as u32),
        }
    }

    /// Bytes of local memory that a group of it really takes.
    fn local_taken(&self, of: &Architecture) -> u64 {
        let taken = (self.local_bytes + of.local_kept).next_multiple_of(of.local_piece);
        let mut sizes = of.local_sizes.iter().copied();
        sizes.find(|size| *size >= taken).unwrap_or(taken)
    }
}

/// Registers that a warp is given for so many of an item.
fn registers_of_warp(of: &Architecture, registers: u32) -> u32 {
    (registers * of.warp).next_multiple_of(of.registers_piece)
}

impl Room {
    /// By each resource, by its name, as far as it is known.
    fn by_resource(&self) -> impl Iterator<Item = (&'static str, u32)> + use<> {
        let all = [
            ("groups", Some(self.by_groups)),
            ("items", Some(self.by_items)),
            ("registers", self.by_registers),
            ("local memory", self.by_local),
        ];
        all.into_iter().filter_map(|(name, room)| Some((name, room?)))
    }

    fn groups(&self) -> u32 {
        self.by_resource().map(|(_, room)| room).min().unwrap_or(0)
    }

    /// The resources that allow no more than that.
    fn binding(&self) -> Vec<&'static str> {
        let binds = self.by_resource().filter(|(_, room)| *room == self.groups());
        binds.map(|(name, _)| name).collect()
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
    fn taken(&self, groups: u32) -> Vec<Taken> {
        let Occupancy { demand, of, .. } = self;
        let counted = |name: &str, taken: u32, of: u32| Taken {
            name: name.into(),
            taken: taken.into(),
            of: of.into(),
            shown: format!("{taken} of {of}"),
        };
        let warps = groups * demand.warps(of);
        let registers = demand.registers.map(|count| registers_of_warp(of, count) * warps);
        let (taken, has) = (u64::from(groups) * demand.local_taken(of), of.local_bytes);
        let local = Taken {
            name: "local memory".into(),
            taken,
            of: has,
            shown: format!("{} of {}", bytes(taken), bytes(has)),
        };
        let mut all = vec![
            counted("groups", groups, of.groups),
            counted(&format!("warps of {}", of.warp), warps, of.warps),
        ];
        all.extend(registers.map(|taken| counted("registers", taken, of.registers)));
        all.push(local);
        all
    }

    /// One register more for each item; the numbers of registers at which the count of groups
    /// changes, the most with which a unit still holds so many, the widest first; groups of
    /// other sizes, whose items take as much local memory each.
    fn changes(&self) -> [Vec<Change>; 3] {
        let Occupancy { demand, of, .. } = self;
        let change = |what: String, demand: Demand| {
            let groups = demand.room(of).groups();
            let items = groups * demand.group;
            Change { what, groups, items }
        };
        let with = |count| Demand { registers: Some(count), ..*demand };
        let more = demand.registers.map(|count| with(count + 1));
        let more = more.map(|more| change("one register more".into(), more));
        // Of more than an item may have there are no groups.
        let groups = |count| with(count).room(of).groups();
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
        let warps = self.demand.room(self.of).groups() * self.demand.warps(self.of);
        f64::from(warps) / f64::from(self.of.warps)
    }

    /// Groups and items of a unit, what is taken of each resource, and what would change that.
    pub fn json(&self) -> Value {
        let Occupancy { demand, of, .. } = self;
        let room = demand.room(of);
        let [more, by_registers, by_group] = self.changes();
        json!({
            "kernel": self.name,
            "capability": of.capability,
            "architecture": of.name,
            "sources": self.sources,
            "demand": demand,
            "room": room,
            "groups": room.groups(),
            "items": room.groups() * demand.group,
            "of_items": of.warps * of.warp,
            "resources": self.taken(room.groups()),
            "occupancy": self.share(),
            "binding": room.binding(),
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
        let (room, name) = (demand.room(of), self.name.bold());
        // By a number only NVIDIA's are called.
        let is_number = of.capability.starts_with(|c: char| c.is_ascii_digit());
        let what = if is_number { "compute capability " } else { "" };
        writeln!(f, "{name} on a unit of {what}{} ({})", of.capability, of.name)?;
        for source in &self.sources {
            writeln!(f, "  {}", beside(source, 4).dimmed())?;
        }
        let groups = room.groups();
        writeln!(
            f,
            "\n  {} of {} items at once: {} of {} items, {:.0} %\n  what binds: {}\n",
            count(groups as usize, "group"),
            demand.group,
            groups * demand.group,
            of.warps * of.warp,
            100.0 * self.share(),
            room.binding().join(", ")
        )?;
        for one in self.taken(groups) {
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
