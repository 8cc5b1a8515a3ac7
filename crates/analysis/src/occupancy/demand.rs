//! What a group of a kernel takes, and how many groups that leaves room for.

use serde::Serialize;

use crate::device::{
    Architecture, LARGEST_GROUP, MOST_REGISTERS, PARTS, REGISTERS, REGISTERS_PIECE, WARP,
};

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
pub struct Room {
    /// By the groups that it can tell apart.
    pub by_groups: u32,
    /// By its warps.
    pub by_items: u32,
    /// By its registers; none where their number is not known.
    pub by_registers: Option<u32>,
    /// By its local memory; none where the kernel uses none and the unit keeps none back.
    pub by_local: Option<u32>,
}

impl Demand {
    /// Warps of a group.
    pub fn warps(&self) -> u32 {
        self.group.div_ceil(WARP)
    }

    /// The groups of this kernel that a unit has room for.
    pub fn room(&self, of: &Architecture) -> Room {
        let warps = self.warps().max(1);
        let too_large = self.group > LARGEST_GROUP;
        Room {
            by_groups: of.groups,
            by_items: if too_large { 0 } else { of.warps / warps },
            by_registers: self.registers.map(|count| by_registers(count, warps)),
            by_local: self.by_local(of),
        }
    }

    /// Bytes of local memory that a group of it really takes.
    pub fn local_taken(&self, of: &Architecture) -> u64 {
        (self.local_bytes + of.local_kept).next_multiple_of(of.local_piece)
    }

    fn by_local(&self, of: &Architecture) -> Option<u32> {
        let taken = self.local_taken(of);
        let most = of.local_of_a_group + of.local_kept;
        match taken {
            0 => None,
            taken if taken > most => Some(0),
            taken => Some((of.local_bytes / taken) as u32),
        }
    }
}

/// Registers that a warp is given for so many of an item.
pub fn registers_of_warp(registers: u32) -> u32 {
    (registers * WARP).next_multiple_of(REGISTERS_PIECE)
}

/// Each part of the unit has registers for whole warps only.
fn by_registers(registers: u32, warps: u32) -> u32 {
    if registers > MOST_REGISTERS {
        return 0;
    }
    let of_warp = registers_of_warp(registers.max(1));
    let fits = of_warp * warps.next_multiple_of(PARTS) <= REGISTERS;
    let warps_of_unit = REGISTERS / PARTS / of_warp * PARTS;
    if fits { warps_of_unit / warps } else { 0 }
}

impl Room {
    /// The groups that it holds: the least of all.
    pub fn groups(&self) -> u32 {
        let known = [self.by_registers, self.by_local].into_iter().flatten();
        known.fold(self.by_groups.min(self.by_items), u32::min)
    }

    /// The resources that allow no more than that.
    pub fn binding(&self) -> Vec<&'static str> {
        let groups = self.groups();
        let all = [
            ("groups", Some(self.by_groups)),
            ("items", Some(self.by_items)),
            ("registers", self.by_registers),
            ("local memory", self.by_local),
        ];
        let binds = all.into_iter().filter(|(_, room)| *room == Some(groups));
        binds.map(|(name, _)| name).collect()
    }
}
