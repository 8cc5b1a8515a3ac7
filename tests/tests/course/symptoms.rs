//! What a wrong result "looks like" names its cause or says nothing: over the kernels of
//! tests/wrong/, whose fault is known and stands in their first line:
//!
//! ```text
//! // Cause: last terms missing, zero: K is rounded down to whole tiles of 16
//! ```
//!
//! Before the second colon stand the kinds that name the fault, any of them: at one size
//! it may look other than at the next. What no kind names is `unknown`.

use std::fs;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::{Builder, available_parallelism, current, scope};

use tests::{entries, lesson, workspace};

/// Smaller than a tile; partial tiles; whole ones; long sums; too large for the terms of all
/// wrong elements to be looked at.
const SIZES: [&str; 6] = ["5x7x3", "37x91x53", "64", "130x70x33", "19x24x300", "328"];

/// How many wrong results were named rightly, not at all, and wrongly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Score {
    named: usize,
    silent: usize,
    wrongly: usize,
}

/// Runs the kernels on all cores, and prints what was not named, and the score.
fn score(kernels: Vec<PathBuf>) -> Score {
    let (left, sum) = (Mutex::new(kernels), Mutex::new(Score::default()));
    let work = || {
        loop {
            let kernel = left.lock().expect("no thread fails").pop();
            let Some(kernel) = kernel else { break };
            let one = score_of(&kernel);
            let mut sum = sum.lock().expect("no thread fails");
            sum.named += one.named;
            sum.silent += one.silent;
            sum.wrongly += one.wrongly;
        }
    };
    // What they cost is noted by the test's name.
    let test = current().name().unwrap_or_default().to_string();
    scope(|threads| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            let thread = Builder::new().name(test.clone());
            thread.spawn_scoped(threads, work).expect("a thread");
        }
    });
    let sum = *sum.lock().expect("no thread fails");
    // Not by println!, which the test harness keeps to itself.
    let _ = writeln!(stderr(), "{sum:?}");
    sum
}

fn score_of(kernel: &Path) -> Score {
    let text = fs::read_to_string(kernel).expect("a kernel");
    let (kinds, cause) = cause(&text).unwrap_or_else(|| panic!("no cause: {}", kernel.display()));
    let run = lesson(3)
        .args("--only matmul_naive --runs 0 --json --size")
        .arg(SIZES.join(","))
        .arg("--source")
        .arg(kernel)
        .optimised()
        .run();
    let records = run.records();
    assert_eq!(records.len(), SIZES.len(), "{run}");
    let mut score = Score::default();
    for (size, record) in SIZES.iter().zip(&records) {
        let Some(failed) = record["failed"].as_str() else {
            continue;
        };
        let looks = looks(failed);
        let mut told = looks.iter().filter_map(|look| look.split(':').next());
        match (looks.is_empty(), told.all(|kind| kinds.contains(&kind))) {
            (false, true) => {
                score.named += 1;
                continue;
            }
            (true, _) => score.silent += 1,
            (false, false) => score.wrongly += 1,
        }
        let name = kernel.file_stem().unwrap_or_default().display();
        let _ = writeln!(stderr(), "{name} at {size}, {cause}: {looks:?}");
    }
    score
}

/// The kinds and the words of the first line.
fn cause(text: &str) -> Option<(Vec<&str>, &str)> {
    let line = text.lines().next()?.strip_prefix("// Cause: ")?;
    let (kinds, words) = line.split_once(": ")?;
    Some((kinds.split(", ").collect(), words))
}

/// What is said of a wrong result: what it looks like, and what was written where nobody may,
/// which is told before.
fn looks(failed: &str) -> Vec<&str> {
    let lines = failed.lines().map(str::trim);
    let looks = lines.filter_map(|line| match line.strip_prefix("looks like: ") {
        Some("nothing known") => None,
        Some(look) => Some(look),
        None => line.starts_with("overrun: ").then_some(line),
    });
    looks.collect()
}

fn corpus() -> Vec<PathBuf> {
    let mut files = entries(&workspace().join("tests/wrong"));
    files.retain(|path| path.extension().is_some_and(|end| end == "cl"));
    files
}

#[test]
fn some_causes_are_named() {
    let mut kernels = corpus();
    let some = ["c-transposed", "k-in-whole-sixteens"];
    kernels.retain(|path| some.iter().any(|name| path.file_stem() == Some(name.as_ref())));
    let score = score(kernels);
    assert!(score.named >= 10, "{score:?}");
    assert_eq!((score.silent, score.wrongly), (0, 0));
}

#[test]
#[ignore = "minutes: every wrong kernel is built, and run at six sizes"]
fn every_cause_is_named_or_nothing_is_said() {
    let kernels = corpus();
    assert!(kernels.len() >= 150);
    let score = score(kernels);
    assert_eq!(score.wrongly, 0, "none is named wrongly");
    let all = score.named + score.silent;
    assert!(3 * score.named >= 2 * all, "{score:?}");
}

#[test]
fn the_last_tile_is_named_at_every_size() {
    for size in ["5x7x3", "37x91x53", "20x19x40"] {
        let run = lesson(6)
            .args("--only matmul_tiled --runs 0 --json --size")
            .arg(size)
            .args("--source exercises/broken/last-tile-skipped.cl")
            .run();
        for record in run.device_records() {
            let depth = record["group"][0].as_u64().expect("a group");
            let is_right = record["k"].as_u64().is_some_and(|k| k % depth == 0);
            let told = record["failed"].as_str().unwrap_or_default();
            assert!(is_right || told.contains("last tile"), "{record}");
        }
    }
}
