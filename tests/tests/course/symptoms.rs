//! What a wrong result "looks like" names its cause or says nothing: over the kernels of
//! tests/wrong/, whose first lines say what is wrong with them.

use std::fs;

use serde_json::Value;
use tests::{entries, lesson, program, workspace};

/// The names of the wrong kernels.
fn corpus() -> Vec<String> {
    let files = entries(&workspace().join("tests/wrong"));
    let kernels = files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "cl"));
    let names = kernels.filter_map(|path| path.file_stem());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
    names.sort();
    names
}

/// The lines of data/symptoms/score.jsonl, without the first, which says how it was made.
fn score() -> Vec<Value> {
    let path = workspace().join("data/symptoms/score.jsonl");
    let text = fs::read_to_string(path).expect("the score is kept");
    let lines = text.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect()
}

fn sum(score: &[Value], name: &str) -> u64 {
    score.iter().filter_map(|line| line[name].as_u64()).sum()
}

#[track_caller]
fn must_be_good(score: &[Value]) {
    let [named, silent, wrongly] = ["named", "silent", "wrongly"].map(|name| sum(score, name));
    assert_eq!(wrongly, 0, "none is named wrongly");
    let all = named + silent;
    assert!(10 * named >= 7 * all, "{named} of {all} are named rightly");
}

#[test]
fn the_score_that_is_kept_covers_every_wrong_kernel_and_is_good() {
    let (score, corpus) = (score(), corpus());
    assert!(corpus.len() >= 60);
    let kernels: Vec<&str> = score
        .iter()
        .filter_map(|line| line["kernel"].as_str())
        .collect();
    assert_eq!(kernels, corpus, "cargo makers symptoms --write");
    must_be_good(&score);
}

#[test]
fn some_causes_are_named() {
    let flags = "symptoms --kernel k-in-whole-sixteens --kernel c-transposed";
    let run = program("makers").args(flags).optimised().run().ends_with(0);
    let score = run.records();
    assert_eq!(score.len(), 2, "{run}");
    must_be_good(&score);
    assert_eq!(sum(&score, "silent"), 0, "{run}");
}

#[test]
#[ignore = "minutes: every wrong kernel is built, and run at six sizes"]
fn every_cause_is_named_or_nothing_is_said() {
    let program = program("makers").args("symptoms").optimised();
    let run = program.run().ends_with(0);
    let score = run.records();
    assert_eq!(score.len(), corpus().len(), "{run}");
    must_be_good(&score);
}

#[test]
fn the_last_tile_is_named_at_every_size() {
    for size in ["5x7x3", "37x91x53", "20x19x40"] {
        let run = lesson(6)
            .args("--only matmul_tiled --runs 0 --json --size")
            .arg(size)
            .args("--source kernels/broken/last-tile-skipped.cl")
            .run();
        for record in run.device_records() {
            let depth = record["group"][0].as_u64().expect("a group");
            let is_right = record["k"].as_u64().is_some_and(|k| k % depth == 0);
            let told = record["failed"].as_str().unwrap_or_default();
            assert!(is_right || told.contains("last tile"), "{record}");
        }
    }
}
