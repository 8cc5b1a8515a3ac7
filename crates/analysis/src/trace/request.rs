//! The model: what a device does for items that ask for memory together. docs/tracing.md
//! says what it leaves out.
//!
//! Items with consecutive numbers in their group form warps. Where the items of a warp
//! execute an instruction for the same time since the last barrier, they make one *request*.
//! A request for global memory moves whole *sectors*; one for local memory takes as many
//! *passes* as its busiest bank has different words, and wide accesses go by parts of a warp.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::accesses::Access;
use crate::device::Model;

/// The number of the array stands above these bits of an address.
const ARRAY_BITS: u32 = 48;
/// Bytes of one access that are looked at: of a longer one, a structure's copy, the rest is
/// left out.
const LONGEST: u64 = 1 << 16;
/// Bytes of a word of a bank.
const WORD: u64 = 4;

/// What one item of a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    /// Its number in the warp.
    pub item: u32,
    /// The first byte.
    pub address: u64,
    /// How many.
    pub bytes: u64,
}

/// What the items of a warp ask for at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
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

/// The requests of a group's accesses, warp by warp and place by place within each phase.
pub(crate) fn requests(group: &[Access], model: &Model) -> Vec<Request> {
    // Items of one request share phase, warp, place, the turn of each and the part of it.
    let mut all: Vec<([u32; 5], Lane, u32)> = Vec::with_capacity(group.len());
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
        let step = steps.entry(access.item).or_default();
        *step += 1;
        let (warp, item) = (access.item / model.warp, access.item % model.warp);
        for (part, lane) in (0..).zip(parts(item, access, model.widest)) {
            all.push(([phase, warp, access.place, *turn, part], lane, *step));
        }
        *turn += 1;
    }
    all.sort_by_key(|(together, lane, _)| (*together, lane.item));
    let same_time = all.chunk_by(|one, other| one.0 == other.0);
    let request = same_time.map(|chunk| {
        let ([phase, warp, place, ..], _, step) = chunk[0];
        Request {
            place,
            warp,
            phase,
            step,
            lanes: chunk.iter().map(|(_, lane, _)| *lane).collect(),
        }
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

    /// For each pass over the banks the items that it serves. Items ask by parts of a warp:
    /// all at once for 4 bytes, half of them for 8, a quarter of them for 16; twice as many
    /// where items share what they ask for. The items of a part that want the same word
    /// share it.
    pub fn passes(&self, model: &Model) -> Vec<Vec<u32>> {
        let words = self.lanes.iter().map(|lane| lane.bytes.div_ceil(WORD));
        let words = words.max().unwrap_or(1).next_power_of_two() as u32;
        let words = words.div_ceil(if self.is_shared() { 2 } else { 1 });
        let part = (model.warp / words).max(1);
        let parts = self.lanes.chunk_by(|a, b| a.item / part == b.item / part);
        parts.flat_map(|lanes| passes_of(lanes, model)).collect()
    }

    /// Whether each item asks for the same as its neighbour, or each as the one after that:
    /// items i and i ^ 1, or i and i ^ 2. An H200 was seen to put two parts together then.
    fn is_shared(&self) -> bool {
        [1, 2].iter().any(|bit| {
            self.lanes.iter().all(|lane| {
                let partner = lane.item ^ bit;
                let found = self.lanes.binary_search_by_key(&partner, |one| one.item);
                found.is_ok_and(|at| self.lanes[at].address == lane.address)
            })
        })
    }

    /// The fewest passes that could bring as many different bytes.
    pub fn fewest_passes(&self, model: &Model) -> u64 {
        self.different_bytes().div_ceil(model.banks * WORD)
    }
}

/// Each bank gives one word a pass; a word goes to all who want it.
fn passes_of(lanes: &[Lane], model: &Model) -> Vec<Vec<u32>> {
    let mut words: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for word in lanes.iter().flat_map(|lane| touched(lane, WORD)) {
        words.entry(word % model.banks).or_default().insert(word);
    }
    let count = words.values().map(BTreeSet::len).max().unwrap_or(0);
    let mut passes = vec![Vec::new(); count];
    for lane in lanes {
        // An item is served once all of its words have come.
        let last = touched(lane, WORD).filter_map(|word| {
            let bank = words.get(&(word % model.banks))?;
            bank.iter().position(|one| *one == word)
        });
        if let Some(pass) = last.max() {
            passes[pass].push(lane.item);
        }
    }
    passes
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
fn touched(lane: &Lane, size: u64) -> impl Iterator<Item = u64> + use<> {
    let (from, to) = range(lane);
    from / size..=to.saturating_sub(1).max(from) / size
}

/// Where an address lies in its array.
pub(crate) fn offset(address: u64) -> u64 {
    address & ((1 << ARRAY_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use common::source::workspace;
    use serde_json::Value;

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

    fn passes(bytes: u64, at: impl Fn(u64) -> u64) -> [u64; 2] {
        let request = Request::of_warp(bytes, at);
        let model = Model::default();
        let taken = request.passes(&model).len() as u64;
        [taken, request.fewest_passes(&model)]
    }

    #[test]
    fn banks_serve_one_word_a_pass_to_all_who_want_it() {
        assert_eq!(passes(4, |i| 4 * i), [1, 1]);
        assert_eq!(passes(4, |i| 8 * i), [2, 1]);
        assert_eq!(passes(4, |i| 128 * i), [32, 1], "a column of a tile of 32");
        assert_eq!(passes(4, |i| 132 * i), [1, 1], "and of one that is padded");
        assert_eq!(passes(4, |_| 4), [1, 1]);
        assert_eq!(passes(1, |i| i), [1, 1]);
        // A column of a tile of 16 x 17, two warps' rows: x is i % 16, y is i / 16.
        assert_eq!(passes(4, |i| 4 * (i % 16 * 17 + i / 16))[0], 2);
    }

    #[test]
    fn wide_accesses_go_by_halves_and_quarters() {
        assert_eq!(passes(8, |i| 8 * i), [2, 2]);
        assert_eq!(passes(16, |i| 16 * i), [4, 4]);
        assert_eq!(passes(16, |i| 32 * i), [8, 4]);
        assert_eq!(passes(8, |i| 128 * i), [32, 2]);
        assert_eq!(passes(12, |i| 12 * i), [4, 3]);
    }

    /// As an H200 counted them in kernels made for it.
    #[test]
    fn items_that_share_an_address_go_by_larger_parts() {
        assert_eq!(passes(8, |i| i % 16 * 8)[0], 2, "halves that are alike");
        assert_eq!(passes(8, |i| i % 4 * 8)[0], 2);
        assert_eq!(passes(8, |i| i % 2 * 8)[0], 1);
        assert_eq!(passes(8, |i| i / 2 * 8)[0], 1);
        assert_eq!(passes(8, |i| i / 8 * 128)[0], 4);
        assert_eq!(passes(16, |i| i % 4 * 16)[0], 4);
        assert_eq!(passes(16, |i| i % 2 * 16)[0], 2);
        assert_eq!(passes(16, |_| 0)[0], 2);
        assert_eq!(passes(16, |i| i / 2 * 16)[0], 2);
        assert_eq!(passes(16, |i| i / 4 * 128)[0], 8);
        assert_eq!(passes(16, |i| i / 16 * 128)[0], 2);
    }

    #[test]
    fn each_pass_names_the_items_that_it_serves() {
        let passes = Request::of_warp(4, |i| 8 * i).passes(&Model::default());
        assert_eq!(passes[0], Vec::from_iter(0..16));
        assert_eq!(passes[1], Vec::from_iter(16..32));
    }

    /// The book's script and its figures count by themselves. Vectors that begin between
    /// multiples of their size are no single access: hardware takes them apart.
    #[test]
    fn what_the_book_counts_of_banks_is_counted_here_as_well() {
        let file = workspace().join("tests/book/cases.json");
        let cases: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let mut held = 0;
        for case in cases["banks"].as_array().unwrap() {
            let number = |name: &str| case[name].as_u64().unwrap();
            let (length, floats) = (number("row") + number("padding"), number("floats"));
            if length.is_multiple_of(floats) {
                let turns = passes(4 * floats, |i| 4 * length * i)[0];
                assert_eq!(turns, number("turns"), "{case}");
                held += 1;
            }
        }
        assert!(held > 100, "{held}");
    }
}
