//! The model: what a device does for items that ask for memory together. docs/tracing.md
//! says what it leaves out.
//!
//! Items with consecutive numbers in their group form warps. Where the items of a warp
//! execute an instruction for the same time since the last barrier, they make one *request*.
//! A request for global memory moves whole *sectors*; one for local memory takes as many
//! *passes* as its busiest bank has different words, and wide accesses go by parts of a warp.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::accesses::Access;

/// How a device serves items that ask for memory together: as NVIDIA's GPUs by default.
#[derive(clap::Args, Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Model {
    /// Items that ask for memory together: 32 on NVIDIA's GPUs, 32 or 64 on AMD's
    #[arg(long, value_name = "N", default_value_t = Model::default().warp, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub warp: u32,
    /// Bytes that move together
    #[arg(long, value_name = "BYTES", default_value_t = Model::default().sector, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub sector: u64,
    /// Banks of local memory, each 4 bytes wide
    #[arg(long, value_name = "N", default_value_t = Model::default().banks, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub banks: u64,
    /// Bytes that an item asks for at once, at most; wider accesses are several.
    #[arg(skip = Model::default().widest)]
    pub widest: u64,
}

impl Default for Model {
    fn default() -> Model {
        Model { warp: 32, sector: 32, banks: 32, widest: 16 }
    }
}

/// Bytes of one access that are looked at: of a longer one, a structure's copy, the rest is
/// left out.
const LONGEST: u64 = 1 << 16;
/// Bytes of a word of a bank.
pub(crate) const WORD: u64 = 4;

/// What one item of a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    /// Its number in the warp.
    pub item: u32,
    /// The first byte.
    pub address: u64,
    pub bytes: u64,
}

/// What the items of a warp ask for at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The instruction, as in [`Access`].
    pub place: u32,
    /// In the order of the items.
    pub lanes: Vec<Lane>,
}

/// The requests of a group's accesses, warp by warp and place by place within each phase.
pub(crate) fn requests(group: &[Access], model: &Model) -> Vec<Request> {
    // Items of one request share phase, warp, place, the turn of each and the part of it.
    let mut all: Vec<([u32; 5], Lane)> = Vec::with_capacity(group.len());
    let mut turns: HashMap<(u32, u32), u32> = HashMap::new();
    let mut phase = 0;
    for access in group {
        if access.place == 0 {
            phase += 1;
            turns.clear();
            continue;
        }
        let turn = turns.entry((access.place, access.item)).or_default();
        let (warp, item) = (access.item / model.warp, access.item % model.warp);
        let bytes = u64::from(access.bytes).clamp(1, LONGEST);
        // In pieces that an item can ask for at once.
        for (part, from) in (0..).zip((0..bytes).step_by(model.widest as usize)) {
            let address = access.address.saturating_add(from);
            let lane = Lane { item, address, bytes: (bytes - from).min(model.widest) };
            all.push(([phase, warp, access.place, *turn, part], lane));
        }
        *turn += 1;
    }
    all.sort_by_key(|(together, lane)| (*together, lane.item));
    let same_time = all.chunk_by(|one, other| one.0 == other.0);
    let request = same_time.map(|chunk| {
        let ([_, _, place, ..], _) = chunk[0];
        let lanes = chunk.iter().map(|(_, lane)| *lane).collect();
        Request { place, lanes }
    });
    request.collect()
}

impl Lane {
    /// The byte behind its last.
    fn end(&self) -> u64 {
        self.address.saturating_add(self.bytes)
    }

    /// Numbers of the blocks of this many bytes that it touches.
    fn blocks(&self, size: u64) -> impl Iterator<Item = u64> + use<> {
        self.address / size..=self.end().saturating_sub(1).max(self.address) / size
    }
}

impl Request {
    /// The sectors that hold what is asked for, by number, each with the items that it serves.
    pub fn sectors(&self, model: &Model) -> BTreeMap<u64, Vec<u32>> {
        let mut sectors = BTreeMap::<u64, Vec<u32>>::new();
        for lane in &self.lanes {
            for sector in lane.blocks(model.sector) {
                sectors.entry(sector).or_default().push(lane.item);
            }
        }
        sectors
    }

    /// The fewest blocks of this many bytes, a sector's or a pass's, that could hold as many
    /// different bytes.
    pub fn fewest(&self, block: u64) -> u64 {
        let mut ranges: Vec<_> = self.lanes.iter().map(|lane| (lane.address, lane.end())).collect();
        ranges.sort_unstable();
        let (mut end, mut bytes) = (0, 0);
        for (from, to) in ranges {
            bytes += to.saturating_sub(from.max(end));
            end = end.max(to);
        }
        bytes.div_ceil(block)
    }

    /// For each pass over the banks the items that it serves. Items ask by parts of a warp:
    /// all at once for 4 bytes, half of them for 8, a quarter of them for 16; twice as many
    /// where items share what they ask for. The items of a part that want the same word
    /// share it.
    pub fn passes(&self, model: &Model) -> Vec<Vec<u32>> {
        let words = self.lanes.iter().map(|lane| lane.bytes.div_ceil(WORD));
        let words = words.max().unwrap_or(1).next_power_of_two() as u32;
        // An H200 was seen to put two parts together where each item asks for the same as its
        // neighbour, or each as the one after that: items i and i ^ 1, or i and i ^ 2.
        let is_shared = [1, 2].iter().any(|bit| {
            self.lanes.iter().all(|lane| {
                let partner = lane.item ^ bit;
                let found = self.lanes.binary_search_by_key(&partner, |one| one.item);
                found.is_ok_and(|at| self.lanes[at].address == lane.address)
            })
        });
        let part = (model.warp / words.div_ceil(if is_shared { 2 } else { 1 })).max(1);
        let parts = self.lanes.chunk_by(|a, b| a.item / part == b.item / part);
        let mut all = Vec::new();
        for lanes in parts {
            // Each bank gives one word a pass; a word goes to all who want it.
            let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for word in lanes.iter().flat_map(|lane| lane.blocks(WORD)) {
                banks.entry(word % model.banks).or_default().insert(word);
            }
            let begin = all.len();
            for lane in lanes {
                // An item is served once all of its words have come.
                let before = |word| banks[&(word % model.banks)].range(..word).count();
                let pass = begin + lane.blocks(WORD).map(before).max().unwrap_or(0);
                all.resize(all.len().max(pass + 1), Vec::new());
                all[pass].push(lane.item);
            }
        }
        all
    }
}
