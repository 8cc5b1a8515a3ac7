//! One kernel is chosen before the run, marked, and run alone with `--chosen`.

use std::fs;

use serde_json::{Value, json};
use tests::{Program, lesson, or_note, pocl, scratch_folder};

/// The records of lesson 9 on a CPU, or none where there is no PoCL.
fn on_a_cpu(flags: &str) -> Option<Vec<Value>> {
    let device = or_note(pocl(), "PoCL")?;
    let run = lesson(9).args(&device);
    let run = run.args("--runs 0 --json").args(flags).run();
    Some(run.ends_with(0).device_records())
}

fn chosen(records: &[Value]) -> Vec<&Value> {
    let is_chosen = |one: &&Value| one["chosen"] == true;
    records.iter().filter(is_chosen).collect()
}

#[test]
fn exactly_one_kernel_is_chosen_and_runs_alone() {
    for flags in ["--size 40x50x60", "--size 7x100x9 --type int"] {
        let Some(all) = on_a_cpu(flags) else { return };
        let [one] = chosen(&all)[..] else {
            panic!("{flags}: {all:?}");
        };
        assert!(all.len() > 3 && one["verified"] == true, "{one}");
        let alone = on_a_cpu(&format!("{flags} --chosen")).unwrap_or_default();
        let [same] = &alone[..] else {
            panic!("{flags}: {alone:?}");
        };
        assert_eq!(same["kernel"], one["kernel"]);
        assert!(same["verified"] == true && same["chosen"] == true, "{same}");
    }
}

#[test]
fn the_table_marks_it_and_says_what_the_mark_means() {
    let Some(device) = or_note(pocl(), "PoCL") else {
        return;
    };
    let run = lesson(9).args(&device);
    let run = run.args("--runs 1 --size 48").run().ends_with(0);
    let marked: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.contains('▸'))
        .collect();
    let [row, legend] = marked[..] else {
        panic!("{run}");
    };
    assert!(row.starts_with("▸ matmul_"), "{row}");
    assert!(legend.starts_with("  ▸ chosen before the run"), "{legend}");
    assert!(legend.ends_with("of the best"), "{legend}");
}

#[test]
fn a_lesson_for_gpus_chooses_nothing_on_a_cpu() {
    let Some(device) = or_note(pocl(), "PoCL") else {
        return;
    };
    let on_a_cpu = |flags| lesson(10).args(flags).args(&device).run();
    let run = on_a_cpu("--size 16 --runs 0 --json --only matmul_packed_tiles");
    assert!(chosen(&run.ends_with(0).device_records()).is_empty());
    on_a_cpu("--size 16 --chosen").fails(2, &["lesson 9 chooses for CPUs, lesson 10 for GPUs"]);
    on_a_cpu("--chosen --only matmul_packed_tiles").fails(2, &["--chosen", "--only"]);
}

/// What lesson 11 measured on this device comes before what the course brings.
#[test]
fn the_candidates_that_were_measured_decide_from_then_on() {
    let Some(device) = or_note(pocl(), "PoCL") else {
        return;
    };
    let cache = scratch_folder("choice-candidates");
    let own = |program: Program| program.env("OPENCL_COURSE_CACHE", &cache).args(&device);
    let run = own(lesson(11)).args("--candidates --size 5x40x30 --runs 1");
    run.run().ends_with(0).says(&["5x40x30", "kept", "choice"]);
    let file = fs::read_dir(cache.join("choice"))
        .expect("it is kept")
        .next();
    let path = file.expect("a file").expect("readable").path();
    let text = fs::read_to_string(&path).expect("text");
    let kept: Value = serde_json::from_str(&text).expect("JSON");
    let (few, packed) = ("matmul_few_rows", "matmul_packed_b");
    assert!(kept["seconds"][few].is_f64() && kept["seconds"][packed].is_f64());
    for (fast, slow) in [(few, packed), (packed, few)] {
        let seconds = json!({ fast: 1e-9, slow: 1.0 });
        let line = json!({ "m": 5, "n": 40, "k": 30, "seconds": seconds });
        fs::write(&path, format!("damaged\n{line}\n")).expect("written");
        let run = own(lesson(9)).args("--size 7x30x40 --runs 0 --json").run();
        let records = run.ends_with(0).device_records();
        assert_eq!(chosen(&records)[0]["kernel"], fast);
    }
}
