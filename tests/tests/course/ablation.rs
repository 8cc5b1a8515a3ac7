//! `--ablate`: kernels with a part taken out are timed, and never taken for products.

use std::fs;

use serde_json::Value;
use tests::{lesson, scratch, workspace};

/// The parts of one kernel, by `--json`.
fn parts(lines: &[Value], kernel: &str) -> Vec<Value> {
    let of_it = lines.iter().filter(|line| line["ablation_of"] == kernel);
    of_it.cloned().collect()
}

/// The kernels of each lesson that have parts to take out, on every device.
const KERNELS: [(u32, &[&str]); 3] = [
    (
        8,
        &[
            "matmul_register_tile",
            "matmul_register_tile_vector PAD 0",
            "matmul_register_tile_vector PAD 4",
        ],
    ),
    (
        9,
        &["matmul_packed_b", "matmul_packed_ab", "matmul_blocked"],
    ),
    (
        10,
        &[
            "matmul_prefetch",
            "matmul_two_tiles lines",
            "matmul_fragments serpentine",
            "matmul_packed_tiles",
            "matmul_group_copy",
        ],
    ),
];

/// Every part is taken out of the kernel as it stands; what is left of it has no
/// rate and is no record.
fn every_part_is_taken_out(number: u32) {
    let run = lesson(number).args("--ablate --size 32 --runs 1 --json");
    let lines = run.run().ends_with(0).records();
    let of_lesson = KERNELS.iter().filter(|(lesson, _)| *lesson == number);
    for kernel in of_lesson.flat_map(|(_, kernels)| *kernels) {
        let parts = parts(&lines, kernel);
        assert!(parts.len() > 3, "{kernel}: {parts:?}");
        for part in parts {
            // A kernel file that was changed must take its ablations along.
            assert!(part["skipped"].is_null(), "{part}");
            assert!(part["seconds_median"].as_f64() > Some(0.0), "{part}");
            let edits = part["edits"].as_array().map_or(0, Vec::len);
            let is_whole = ["whole", "helpers only"]
                .iter()
                .any(|name| part["part"] == *name);
            assert_eq!(edits == 0, is_whole, "{part}");
        }
    }
    for line in lines {
        assert_eq!(line["product"], line["part"] == "whole", "{line}");
        for field in ["kernel", "gflops", "verified", "share_of_limit"] {
            assert!(line[field].is_null(), "{field} in {line}");
        }
    }
}

#[test]
fn every_part_of_lesson_8_is_taken_out_and_no_record() {
    every_part_is_taken_out(8);
}

#[test]
fn every_part_of_lesson_9_is_taken_out_and_no_record() {
    every_part_is_taken_out(9);
}

#[test]
#[ignore = "half a minute of building: each part is a program of its own"]
fn every_part_of_lesson_10_is_taken_out_and_no_record() {
    every_part_is_taken_out(10);
}

#[test]
fn the_table_of_parts_shows_times_and_no_rates() {
    let shown = lesson(8)
        .args("--ablate --size 64 --runs 1 --only matmul_register_tile")
        .run()
        .ends_with(0);
    let table = shown
        .stdout
        .split("Only whole kernels")
        .nth(1)
        .expect("a heading");
    assert!(
        !table.contains("GFLOP/s") && !table.contains('✓'),
        "{shown}"
    );
}

#[test]
fn an_edit_that_does_not_match_is_named_and_the_others_run() {
    let text = fs::read_to_string(workspace().join("kernels/08-tiling.cl")).expect("readable");
    let changed = text.replace(
        "sum[r][c] += a * b[c];",
        "sum[r][c] = sum[r][c] + a * b[c];",
    );
    let file = scratch("ablation.cl", changed);
    let run = lesson(8)
        .args("--ablate --size 64 --runs 1 --only matmul_register_tile --json --source")
        .arg(file)
        .run()
        .ends_with(0);
    let lines = run.records();
    let skipped = |line: &&Value| line["skipped"].to_string().contains("stands 0 times");
    assert_eq!(lines.iter().filter(skipped).count(), 2, "{run}");
    let timed = |line: &&Value| line["seconds_median"].is_f64();
    assert!(lines.iter().filter(timed).count() >= 3, "{run}");
}

#[test]
fn a_wrong_kernel_is_told_and_nothing_is_taken_out_of_it() {
    let text = fs::read_to_string(workspace().join("kernels/08-tiling.cl")).expect("readable");
    let wrong = text.replace("sum[r][c] += a * b[c];", "sum[r][c] += a - b[c];");
    let file = scratch("ablation-wrong.cl", wrong);
    let run = lesson(8)
        .args("--ablate --size 64 --runs 1 --only matmul_register_tile --source")
        .arg(file)
        .run();
    let run = run.fails(1, &["1 kernel is wrong"]).says(&["WRONG"]);
    assert!(!run.stdout.contains("arithmetic only"), "{run}");
}

#[test]
fn lessons_without_parts_and_runs_without_times_say_so() {
    lesson(3)
        .args("--ablate --size 16 --runs 1")
        .run()
        .fails(2, &["--ablate", "unexpected argument"]);
    lesson(8)
        .args("--ablate --size 64 --runs 0")
        .run()
        .fails(2, &["--ablate", "timed runs"]);
}
