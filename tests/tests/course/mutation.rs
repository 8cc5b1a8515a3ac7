//! The check, measured: `cargo makers mutate` makes mistakes in a kernel, and finds them.

use std::fs;

use serde_json::{Value, json};
use tests::{KERNEL_LESSONS, Oclgrind, kernels_of, pocl, program, workspace};

#[test]
#[ignore = "a minute: every mistake in a kernel is built and run"]
fn the_mistakes_in_a_kernel_are_found() {
    let (Some(_), Some(_)) = (Oclgrind::find(), pocl()) else {
        return;
    };
    // The shortest of the kernels that have a barrier.
    let flags = "mutate --kernel transpose_tile";
    let run = program("makers").args(flags).run().ends_with(0);
    let records = run.records();
    assert_eq!(records.len(), 1, "{run}");
    let score = &records[0];
    assert_eq!(score["kernel"], "transpose_tile", "{run}");
    assert_eq!(score["survived"], 0, "{run}");
    let each = score["each"].as_array().expect("every mutant is told");
    assert_eq!(score["mutants"], each.len(), "{run}");
    let caught = |operator: &str, becomes: &str| -> &Value {
        let is_it = |told: &&Value| told["operator"] == operator && told["becomes"] == becomes;
        let told = each.iter().find(is_it);
        let told = told.unwrap_or_else(|| panic!("no {operator}: {becomes}\n{run}"));
        assert_eq!(told["fate"], "caught", "{told}");
        &told["by"]
    };
    let by = caught("barrier removed", ";");
    assert!(["races", "checker"].iter().any(|seen| by == seen), "{by}");
    let index = "out[(first_column + y) * rows + first_row + x] = tile[x + 1][y];";
    assert_eq!(caught("off by one", index), "checker");
}

/// The functions that have mutants, and each kernel, as `mutate --list` tells them.
fn listed() -> Vec<Value> {
    let run = program("makers").args("mutate --list").run();
    run.ends_with(0).records()
}

/// The lines of data/mutation/score.jsonl.
fn score() -> Vec<Value> {
    let path = workspace().join("data/mutation/score.jsonl");
    let text = fs::read_to_string(path).expect("the score is kept");
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

/// The lines of a function.
fn of<'v>(lines: &'v [Value], lesson: u64, name: &str) -> Vec<&'v Value> {
    let is_it = |line: &&Value| line["lesson"] == lesson && line["kernel"] == name;
    lines.iter().filter(is_it).collect()
}

#[test]
fn the_helpers_that_kernels_call_are_mutated_as_well() {
    let listed = listed();
    let through = |lesson, name| match of(&listed, lesson, name)[..] {
        [record] => &record["through"],
        _ => panic!("not one {name} in lesson {lesson}"),
    };
    assert_eq!(*through(7, "dot8"), json!(["matmul_dot8"]));
    assert_eq!(*through(11, "store_tile"), json!(["matmul_tunable_packed"]));
    assert_eq!(*through(10, "put_packed"), json!(["matmul_packed_tiles"]));
    assert_eq!(*through(7, "matmul_dot8"), Value::Null, "a kernel");
    // One has assembly and no other definition, the other's standard definition is empty.
    for left_out in ["copy_bulk", "prepare"] {
        assert!(
            listed.iter().all(|record| record["kernel"] != left_out),
            "{left_out}"
        );
    }
}

#[test]
fn the_score_that_is_kept_covers_every_function_and_no_mistake_survived() {
    let (mut listed, score) = (listed(), score());
    // Of the others what runs without a GPU is scored, where that takes minutes.
    let is_listed = |line: &Value| {
        let name = line["kernel"].as_str().unwrap_or_default();
        !of(&listed, line["lesson"].as_u64().unwrap_or_default(), name).is_empty()
    };
    let unknown = score.iter().filter(|line| !is_listed(line)).count();
    listed.retain(|record| {
        KERNEL_LESSONS
            .into_iter()
            .any(|lesson| record["lesson"] == lesson)
    });
    let mut faults = Vec::new();
    for lesson in KERNEL_LESSONS {
        for kernel in kernels_of(lesson) {
            if of(&listed, lesson.into(), &kernel).is_empty() {
                faults.push(format!("{kernel} is not listed"));
            }
        }
    }
    let name = |record: &Value| {
        Some((
            record["lesson"].as_u64()?,
            record["kernel"].as_str()?.to_string(),
        ))
    };
    for record in &listed {
        let (lesson, name) = name(record).expect("a lesson and a name");
        let [line] = of(&score, lesson, &name)[..] else {
            faults.push(format!(
                "{name}: cargo makers mutate --kernel {name} --write measures"
            ));
            continue;
        };
        let caught = line["caught"].as_object().into_iter().flatten();
        let caught: Option<u64> = caught.map(|(_, count)| count.as_u64()).sum();
        let counts = ["mutants", "equivalent", "survived"].map(|of| line[of].as_u64());
        match (caught, counts) {
            (Some(caught), [Some(all @ 1..), Some(equivalent), Some(0)])
                if caught + equivalent == all => {}
            _ => faults.push(format!(
                "something survived, or the counts do not add up: {line}"
            )),
        }
    }
    if unknown > 0 {
        faults.push("the score has lines of functions that are not there".into());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
