use std::fs;

use common::file::workspace;
use serde_json::Value;

use super::*;

impl Request {
    /// Items 0 .. 31 of a warp ask for `bytes` each, where `at` says.
    pub fn of_warp(bytes: u64, at: impl Fn(u64) -> u64) -> Request {
        let lane = |item: u64| Lane { item: item as u32, address: at(item), bytes };
        Request { place: 1, lanes: (0..32).map(lane).collect() }
    }
}

fn sectors(bytes: u64, at: impl Fn(u64) -> u64) -> [u64; 2] {
    let request = Request::of_warp(bytes, at);
    let model = Model::default();
    let moved = request.sectors(&model).len() as u64;
    [moved, request.fewest(model.sector)]
}

#[test]
fn neighbours_share_sectors_and_strides_do_not() {
    assert_eq!(sectors(4, |i| 4 * i), [4, 4]);
    assert_eq!(sectors(4, |i| 4 * i + 4), [5, 4], "not from a sector's begin");
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
    Access { address, place, bytes, group: 0, item }
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
}

#[test]
fn what_is_wider_than_16_bytes_is_asked_for_in_pieces() {
    let group: Vec<Access> = (0..32).map(|i| access(1, i, u64::from(i) * 64, 64)).collect();
    let all = requests(&group, &Model::default());
    assert_eq!(all.len(), 4);
    let model = Model::default();
    assert!(all.iter().all(|one| one.sectors(&model).len() == 32));
    let odd = requests(&[access(1, 0, 0, 20)], &model);
    assert_eq!([odd[0].lanes[0].bytes, odd[1].lanes[0].bytes], [16, 4]);
}

#[test]
fn absurd_accesses_do_no_harm() {
    let model = Model { warp: 1, sector: 1, banks: 1, widest: 16 };
    let group = [access(1, u32::MAX, u64::MAX, u32::MAX), access(2, 0, 0, 0)];
    for request in requests(&group, &model) {
        assert!(request.sectors(&model).len() <= 17);
        assert!(request.passes(&model).len() <= 5);
        assert!(request.fewest(model.sector) <= 17);
        assert!(request.fewest(model.banks * WORD) <= 5);
    }
}

fn passes(bytes: u64, at: impl Fn(u64) -> u64) -> [u64; 2] {
    let request = Request::of_warp(bytes, at);
    let model = Model::default();
    let taken = request.passes(&model).len() as u64;
    [taken, request.fewest(model.banks * WORD)]
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
            let counted = passes(4 * floats, |i| 4 * length * i)[0];
            assert_eq!(counted, number("passes"), "{case}");
            held += 1;
        }
    }
    assert!(held > 100, "{held}");
}
