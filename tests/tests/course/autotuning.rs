//! Lesson 11 as its readers run it: what a candidate may do without winning, and
//! what is known the next time.

use std::fs;
use std::path::{Path, PathBuf};

use tests::{Outcome, Program, lesson, pocl, scratch, scratch_folder};

/// A space of nine candidates, which differ in ROWS alone.
const FEW: &str = "--only matmul_tunable_private --limit LANES=4 --limit VECTORS=1 \
                   --limit GROUP_X=1 --limit GROUP_Y=1 --limit UNROLL=1 --runs 1 --size 33";

/// Lesson 11 with a folder for its results that is the test's own.
fn tuner(cache: &Path) -> Program {
    lesson(11).env("OPENCL_COURSE_CACHE", cache)
}

/// An empty folder of this name.
fn empty(name: &str) -> PathBuf {
    let folder = scratch_folder(name);
    fs::remove_dir_all(&folder).expect("is ours");
    scratch_folder(name)
}

/// The one log in the folder.
fn log(cache: &Path) -> PathBuf {
    let files = fs::read_dir(cache.join("autotuning")).expect("results are kept");
    let mut logs = files
        .map(|file| file.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let log = logs.next().expect("a log");
    assert_eq!(logs.next(), None);
    log
}

/// The lesson's kernels, with something else for some values of ROWS; none of them
/// is a default.
fn hostile() -> PathBuf {
    let text = fs::read_to_string("../kernels/11-autotuning.cl").expect("is there");
    let at = text
        .find("    const int vector0")
        .expect("the second kernel's body");
    let (before, after) = text.split_at(at);
    let traps = "
#if ROWS == 2
#error this one does not build
#elif ROWS == 6
    C[0] = 1;
    return;
#elif ROWS == 10
    for (long i = 0; i < 1L << 40; i += 1 << 20) C[i] = 1;
#elif ROWS == 12
    volatile int go = 1;
    while (go);
#endif
";
    scratch("hostile.cl", format!("{before}{traps}{after}"))
}

/// Takes long: a candidate without an end has a tenth of the budget.
#[test]
fn candidates_that_fail_in_any_way_are_survived_and_never_win() {
    // A GPU may be driving this machine's display.
    let Some(pocl) = pocl() else { return };
    let cache = empty("autotuning-hostile");
    let file = hostile();
    let search = |flags: &str| -> Outcome {
        let program = tuner(&cache).on_one_core();
        let program = program.args(&pocl).args("--size 33 --source");
        program.arg(&file).args(flags).run().ends_with(0)
    };
    let few = FEW.replace("--size 33", "--budget 50s --limit ROWS=1,2,6,10,12");
    let run = search(&few).says(&[
        "tried    6 (6 in this run)",
        "2 right, 1 wrong, 1 not built, 1 crashed, 1 too slow",
        "crashed (signal 11, SIGSEGV",
        "too slow (no end after ",
        "wrong (1089 of 1089 elements are wrong)",
    ]);
    // What is measured again, and what is told as the best, was right.
    let (_, table) = run.stdout.split_once("GFLOP/s   step").expect("a table");
    let best = search("--show-best").says(&["-D ROWS="]);
    for rows in [2, 6, 10, 12] {
        assert!(!table.contains(&format!("ROWS={rows} ")), "{run}");
        assert!(!best.stdout.contains(&format!("ROWS={rows} ")), "{best}");
    }
    // None of them is tried again.
    search(&few).says(&["tried    6 (0 in this run)", "2 right"]);
}

#[test]
fn what_was_found_is_kept_used_and_forgotten_by_reset() {
    let cache = empty("autotuning-kept");
    let before = tuner(&cache).args("--show-best --size 33").run();
    before.fails(
        2,
        &["nothing is known about 33x33x33", "next: run the lesson"],
    );
    let search = |flags: &str| {
        let few = FEW.replace("UNROLL=1", "UNROLL=1 --budget 60s --limit ROWS=1,4");
        tuner(&cache).args(&few).args(flags).run().ends_with(0)
    };
    search("").says(&["tried    3 (3 in this run)", "3 right", "winner", "picture"]);
    search("").says(&[
        "3 candidates are known from earlier runs",
        "(0 in this run)",
    ]);
    let best = tuner(&cache)
        .args("--show-best --size 33")
        .run()
        .ends_with(0);
    best.says(&[
        "best     matmul_tunable_private",
        "-D REAL=float -D LANES=",
        "global [",
        "local [",
    ]);
    let json = tuner(&cache)
        .args("--show-best --size 33 --json")
        .run()
        .ends_with(0);
    let best = &json.records()[0];
    assert!(
        best["options"]
            .as_str()
            .is_some_and(|o| o.contains("-D ROWS=")),
        "{json}"
    );
    assert_eq!(best["tried"], 3, "{json}");
    // Other types and sizes are other problems.
    let other = tuner(&cache).args("--show-best --size 34").run();
    other.fails(2, &["known are: 33x33x33"]);
    let other = tuner(&cache).args("--show-best --size 33 --type int").run();
    other.fails(2, &["nothing is known"]);
    search("--reset").says(&["tried    3 (3 in this run)"]);
}

#[test]
fn a_damaged_log_is_said_and_survived() {
    let cache = empty("autotuning-damaged");
    let search = |flags: &str| {
        let few = FEW.replace("UNROLL=1", "UNROLL=1 --budget 60s --limit ROWS=4");
        tuner(&cache).args(&few).args(flags).run().ends_with(0)
    };
    search("");
    let whole = fs::read(log(&cache)).expect("is there");
    let truncated = &whole[..whole.len() - 20];
    let damaged = [b"\xff\0 no JSON\n".as_slice(), truncated].concat();
    fs::write(log(&cache), damaged).expect("written");
    let run = search("");
    assert!(
        run.stderr
            .contains("2 line(s) of the results of earlier runs cannot be read"),
        "{run}"
    );
    run.says(&["2 candidates are known", "winner"]);
    fs::write(log(&cache), "").expect("written");
    search("").says(&["tried    2 (2 in this run)"]);
}

#[test]
fn flags_that_cannot_be_are_refused_with_the_reason() {
    for (flags, words) in [
        ("--budget soon", "--budget"),
        ("--budget 60", "a number and its unit: 20s"),
        (
            "--limit ROWS=1000",
            "the values of ROWS are whole numbers: 1, 2, 4,",
        ),
        ("--limit ROWS", "NAME=VALUE"),
        (
            "--limit ROW=4",
            "there is no parameter ROW; there are: TM, TN",
        ),
        ("--limit ROWS=four", "whole numbers"),
        ("--show-best --reset", "cannot be used with"),
    ] {
        tuner(&empty("autotuning-flags"))
            .args(flags)
            .run()
            .fails(2, &[words]);
    }
    // The flags are this lesson's alone.
    lesson(8)
        .args("--budget 1s")
        .run()
        .fails(2, &["unexpected argument"]);
}

#[test]
fn limits_that_nothing_meets_leave_the_defaults() {
    let run = tuner(&empty("autotuning-none"))
        .args("--only matmul_tunable_private --limit LANES=16 --limit VECTORS=6 --limit ROWS=14 --size 9 --runs 1")
        .run()
        .ends_with(0);
    run.says(&[
        "space    0 of",
        "none of them is of matmul_tunable_private",
        "winner",
        "no candidate was faster",
    ]);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let file = scratch("autotuning-no-folder", "a file");
    let run = lesson(11)
        .env("OPENCL_COURSE_CACHE", &file)
        .args("--size 9");
    run.run()
        .fails(2, &["autotuning-no-folder", "OPENCL_COURSE_CACHE"]);
}

#[test]
fn a_search_into_a_pipe_prints_plain_text() {
    let cache = empty("autotuning-plain");
    let run = tuner(&cache)
        .args(FEW)
        .args("--budget 1s")
        .run()
        .ends_with(0);
    assert!(
        !run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'),
        "{run}"
    );
    assert_eq!(run.stderr, "", "{run}");
    let svg = log(&cache).with_extension("");
    let svg = PathBuf::from(format!("{}-33x33x33.svg", svg.display()));
    let svg = fs::read_to_string(svg).expect("the picture lies beside the log");
    assert!(svg.starts_with("<svg") && svg.contains("matmul_tunable_private"));
}
