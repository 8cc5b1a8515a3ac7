//! The model of local memory: a request takes as many *passes* as its busiest bank has
//! different words, and wide accesses go by parts of a warp.

use std::collections::{BTreeMap, BTreeSet};

use super::request::{Lane, Request, touched};
use crate::device::Model;

/// Bytes of a word of a bank.
const WORD: u64 = 4;

impl Request {
    /// For each pass over the banks the items that it serves. Items ask by parts of a warp:
    /// all at once for 4 bytes, half of them for 8, a quarter of them for 16; twice as many
    /// where items share what they ask for. The items of a part that want the same word
    /// share it.
    pub fn passes(&self, model: &Model) -> Vec<Vec<u32>> {
        let words = self
            .lanes
            .iter()
            .map(|lane| lane.bytes.div_ceil(WORD))
            .max();
        let words = words.unwrap_or(1).next_power_of_two() as u32;
        let words = if self.is_shared() {
            words.div_ceil(2)
        } else {
            words
        };
        let part = (model.warp / words).max(1);
        let mut passes = Vec::new();
        for lanes in self.lanes.chunk_by(|a, b| a.item / part == b.item / part) {
            passes.extend(passes_of(lanes, model));
        }
        passes
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
mod tests {
    use std::fs;

    use common::source::workspace;
    use serde_json::Value;

    use super::*;

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
