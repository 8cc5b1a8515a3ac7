//! The model: what a device does for items that ask for memory together. docs/tracing.md
//! says what it leaves out.
//!
//! Items with consecutive numbers in their group form warps. Where the items of a warp
//! execute an instruction for the same time since the last barrier, they make one *request*.
//! A request for global memory moves whole *sectors*. What one takes of local memory stands in
//! `banks`.

use std::collections::{BTreeSet, HashMap};

use super::accesses::Access;
use crate::device::Model;

/// The number of the array stands above these bits of an address.
const ARRAY_BITS: u32 = 48;
/// Bytes of one access that are looked at: of a longer one, a structure's copy, the rest is
/// left out.
const LONGEST: u64 = 1 << 16;

/// What one item of a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its number in the warp.
    pub item: u32,
    /// The first byte.
    pub address: u64,
    /// How many.
    pub bytes: u64,
}

/// What the items of a warp ask for at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The instruction, as in [`Access`].
    pub place: u32,
    /// The warp's number in its group.
    pub warp: u32,
    /// Barriers that the group has passed.
    pub phase: u32,
    /// Accesses that its first item has made since then: the order in time.
    pub step: u32,
    /// In the order of the items.
    pub lanes: Vec<Lane>,
}

/// When and where an item makes an access: all that its neighbours must share with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Together {
    phase: u32,
    warp: u32,
    place: u32,
    turn: u32,
    part: u32,
}

/// The requests of a group's accesses, warp by warp and place by place within each phase.
pub fn requests(group: &[Access], model: &Model) -> Vec<Request> {
    let mut all: Vec<(Together, Lane, u32)> = Vec::with_capacity(group.len());
    let mut turns: HashMap<(u32, u32), u32> = HashMap::new();
    let mut steps: HashMap<u32, u32> = HashMap::new();
    let mut phase = 0;
    for access in group {
        if access.place == 0 {
            phase += 1;
            turns.clear();
            steps.clear();
            continue;
        }
        let turn = turns.entry((access.place, access.item)).or_default();
        let together = Together {
            phase,
            warp: access.item / model.warp,
            place: access.place,
            turn: *turn,
            part: 0,
        };
        *turn += 1;
        let step = steps.entry(access.item).or_default();
        *step += 1;
        let item = access.item % model.warp;
        for (part, lane) in parts(item, access, model.widest).enumerate() {
            let part = part as u32;
            all.push((Together { part, ..together }, lane, *step));
        }
    }
    all.sort_by_key(|(together, lane, _)| (*together, lane.item));
    let same_time = all.chunk_by(|one, other| one.0 == other.0);
    let request = same_time.map(|chunk| Request {
        place: chunk[0].0.place,
        warp: chunk[0].0.warp,
        phase: chunk[0].0.phase,
        step: chunk[0].2,
        lanes: chunk.iter().map(|(_, lane, _)| *lane).collect(),
    });
    request.collect()
}

/// An access in pieces that an item can ask for at once.
fn parts(item: u32, access: &Access, widest: u64) -> impl Iterator<Item = Lane> {
    let bytes = u64::from(access.bytes).clamp(1, LONGEST);
    let address = access.address;
    (0..bytes.div_ceil(widest)).map(move |part| Lane {
        item,
        address: address.saturating_add(part * widest),
        bytes: (bytes - part * widest).min(widest),
    })
}

impl Request {
    /// Bytes that all items together ask for, each for itself.
    pub fn wanted(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.bytes).sum()
    }

    /// The sectors that hold what is asked for, by number.
    pub fn sectors(&self, model: &Model) -> BTreeSet<u64> {
        let touched = |lane: &Lane| touched(lane, model.sector);
        self.lanes.iter().flat_map(touched).collect()
    }

    /// The fewest sectors that could hold as many different bytes.
    pub fn fewest_sectors(&self, model: &Model) -> u64 {
        self.different_bytes().div_ceil(model.sector)
    }

    /// Bytes that are asked for by one item or by several.
    pub fn different_bytes(&self) -> u64 {
        let mut ranges: Vec<(u64, u64)> = self.lanes.iter().map(range).collect();
        ranges.sort_unstable();
        let mut end = 0;
        let mut bytes = 0;
        for (from, to) in ranges {
            bytes += to.saturating_sub(from.max(end));
            end = end.max(to);
        }
        bytes
    }
}

#[cfg(test)]
impl Request {
    /// Items 0 .. 31 of a warp ask for `bytes` each, where `at` says.
    pub fn of_warp(bytes: u64, at: impl Fn(u64) -> u64) -> Request {
        let lane = |item: u64| Lane {
            item: item as u32,
            address: at(item),
            bytes,
        };
        Request {
            place: 1,
            warp: 0,
            phase: 0,
            step: 1,
            lanes: (0..32).map(lane).collect(),
        }
    }
}

fn range(lane: &Lane) -> (u64, u64) {
    (lane.address, lane.address.saturating_add(lane.bytes))
}

/// Numbers of the blocks of this many bytes that an item touches.
pub fn touched(lane: &Lane, size: u64) -> impl Iterator<Item = u64> + use<> {
    let (from, to) = range(lane);
    from / size..=to.saturating_sub(1).max(from) / size
}

/// Where an address lies in its array.
pub fn offset(address: u64) -> u64 {
    address & ((1 << ARRAY_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sectors(bytes: u64, at: impl Fn(u64) -> u64) -> [u64; 2] {
        let request = Request::of_warp(bytes, at);
        let model = Model::default();
        let moved = request.sectors(&model).len() as u64;
        [moved, request.fewest_sectors(&model)]
    }

    #[test]
    fn neighbours_share_sectors_and_strides_do_not() {
        assert_eq!(sectors(4, |i| 4 * i), [4, 4]);
        assert_eq!(
            sectors(4, |i| 4 * i + 4),
            [5, 4],
            "not from a sector's begin"
        );
        assert_eq!(sectors(4, |i| 8 * i), [8, 4]);
        assert_eq!(sectors(4, |i| 2048 * i), [32, 4]);
        assert_eq!(sectors(4, |_| 64), [1, 1], "one for all");
        assert_eq!(sectors(16, |i| 16 * i), [16, 16]);
        assert_eq!(sectors(1, |i| i), [1, 1]);
    }

    #[test]
    fn the_naive_pair_in_groups_of_16x16_has_8_and_a_half_and_2_sectors() {
        // 16 rows in a warp, two columns; K = N = 512.
        assert_eq!(sectors(4, |i| i % 16 * 2048)[0], 16);
        assert_eq!(sectors(4, |i| i / 16 * 4)[0], 1);
        assert_eq!(sectors(4, |i| i / 16 * 2048)[0], 2);
        assert_eq!(sectors(4, |i| i % 16 * 4)[0], 2);
    }

    fn access(place: u32, item: u32, address: u64, bytes: u32) -> Access {
        Access {
            address,
            place,
            bytes,
            group: 0,
            item,
        }
    }

    #[test]
    fn the_items_of_a_warp_ask_together_for_the_same_time() {
        let mut group = Vec::new();
        for item in 0..64 {
            for turn in 0..3 {
                group.push(access(1, item, u64::from(turn * 256 + item * 4), 4));
            }
        }
        let all = requests(&group, &Model::default());
        assert_eq!(all.len(), 6);
        assert!(all.iter().all(|one| one.lanes.len() == 32));
        assert_eq!(all[1].lanes[5].address, 256 + 20);
    }

    #[test]
    fn a_branch_leaves_items_out_and_a_barrier_begins_anew() {
        let load = |item: u32| access(1, item, u64::from(item) * 4, 4);
        // Items 8 .. 15 come once before the barrier, all of them once after it.
        let mut group: Vec<Access> = (8..16).map(load).collect();
        group.push(access(0, 0, 0, 0));
        group.extend((0..32).map(load));
        let all = requests(&group, &Model::default());
        let lanes: Vec<usize> = all.iter().map(|one| one.lanes.len()).collect();
        assert_eq!(lanes, [8, 32]);
        assert_eq!(all[1].phase, 1);
    }

    #[test]
    fn what_is_wider_than_16_bytes_is_asked_for_in_pieces() {
        let group: Vec<Access> = (0..32)
            .map(|i| access(1, i, u64::from(i) * 64, 64))
            .collect();
        let all = requests(&group, &Model::default());
        assert_eq!(all.len(), 4);
        let model = Model::default();
        assert!(all.iter().all(|one| one.sectors(&model).len() == 32));
        let odd = requests(&[access(1, 0, 0, 20)], &model);
        assert_eq!([odd[0].wanted(), odd[1].wanted()], [16, 4]);
    }

    #[test]
    fn absurd_accesses_do_no_harm() {
        let model = Model {
            warp: 1,
            sector: 1,
            banks: 1,
            widest: 16,
        };
        let group = [access(1, u32::MAX, u64::MAX, u32::MAX), access(2, 0, 0, 0)];
        for request in requests(&group, &model) {
            assert!(request.sectors(&model).len() <= 17);
            assert!(request.passes(&model).len() <= 5);
            assert!(request.fewest_sectors(&model) <= 17);
            assert!(request.fewest_passes(&model) <= 5);
        }
    }
}
