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
    let flags = "mutate --kernel transpose_tile --json";
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

#[test]
fn the_helpers_that_kernels_call_are_mutated_as_well() {
    let run = program("makers").args("mutate --list --json").run();
    let records = run.ends_with(0).records();
    let through = |lesson: u32, name: &str| -> &Value {
        let is_it = |record: &&Value| record["lesson"] == lesson && record["kernel"] == name;
        let record = records.iter().find(is_it);
        &record.unwrap_or_else(|| panic!("no {name} in lesson {lesson}"))["through"]
    };
    assert_eq!(*through(7, "dot8"), json!(["matmul_dot8"]));
    assert_eq!(*through(11, "store_tile"), json!(["matmul_tunable_packed"]));
    assert_eq!(*through(10, "ask"), json!(["matmul_group_copy"]));
    assert_eq!(*through(7, "matmul_dot8"), Value::Null, "a kernel");
    // One has assembly and no other definition, the other's standard definition is empty.
    for left_out in ["copy_bulk", "prepare"] {
        let is_it = |record: &Value| record["kernel"] == left_out;
        assert!(!records.iter().any(is_it), "{left_out}");
    }
}

/// The helper functions that have a mutant: the number of the lesson, and the name.
fn helpers() -> Vec<(u32, String)> {
    let run = program("makers").args("mutate --list --json").run();
    let mut records = run.ends_with(0).records();
    records.retain(|record| !record["through"].is_null());
    let named = |record: &Value| {
        let (lesson, name) = (record["lesson"].as_u64()?, record["kernel"].as_str()?);
        Some((u32::try_from(lesson).ok()?, name.to_string()))
    };
    let named = records.iter().map(named).collect::<Option<_>>();
    named.expect("every helper has a lesson and a name")
}

/// What is wrong with the line of a function, if anything is.
fn fault(line: &Value) -> Option<String> {
    let number = |name: &str| line[name].as_u64();
    let caught = line["caught"].as_object().into_iter().flatten();
    let caught: Option<u64> = caught.map(|(_, count)| count.as_u64()).sum();
    let counts = [
        number("mutants"),
        caught,
        number("equivalent"),
        number("survived"),
    ];
    match counts {
        [Some(1..), Some(_), Some(_), Some(survived @ 1..)] => Some(format!("{survived} survived")),
        [Some(mutants @ 1..), Some(caught), Some(equivalent), Some(0)]
            if caught + equivalent == mutants =>
        {
            None
        }
        _ => Some(format!("the counts do not add up: {line}")),
    }
}

/// The lines of data/mutation/score.jsonl.
fn score() -> Vec<Value> {
    let path = workspace().join("data/mutation/score.jsonl");
    let text = fs::read_to_string(path).expect("the score is kept");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect()
}

/// Every kernel of every lesson: the number of the lesson, and the name.
fn kernels() -> Vec<(u32, String)> {
    KERNEL_LESSONS
        .flat_map(|lesson| kernels_of(lesson).into_iter().map(move |k| (lesson, k)))
        .collect()
}

/// New, and not measured yet: docs/checking.md names them.
const NO_SCORE: [(u32, &str); 5] = [
    (9, "matmul_few_rows"),
    (9, "matmul_few_columns"),
    (9, "down"),
    (10, "matmul_rows_by_lanes"),
    (10, "matmul_columns_by_lanes"),
];

fn has_score(function: &(u32, String)) -> bool {
    let is_it = |(lesson, name): &(u32, &str)| function.0 == *lesson && function.1 == *name;
    !NO_SCORE.iter().any(is_it)
}

/// Whether the line is of this function.
fn is_of(line: &Value, (lesson, name): &(u32, String)) -> bool {
    line["lesson"] == *lesson && line["kernel"] == *name
}

#[track_caller]
fn must_be_measured(mut functions: Vec<(u32, String)>) {
    functions.retain(has_score);
    let lines = score();
    let is_wrong = |function: &&(u32, String)| !lines.iter().any(|line| is_of(line, function));
    let wrong: Vec<_> = functions.iter().filter(is_wrong).collect();
    assert!(
        wrong.is_empty(),
        "not measured: {wrong:?}\n\
         cargo makers mutate --kernel NAME --write measures"
    );
}

#[test]
fn the_score_that_is_kept_covers_every_kernel() {
    must_be_measured(kernels());
}

#[test]
fn the_score_that_is_kept_covers_every_helper() {
    must_be_measured(helpers());
}

#[test]
fn no_mistake_survived_in_what_is_kept() {
    let known: Vec<_> = kernels().into_iter().chain(helpers()).collect();
    let lines = score();
    let mut faults = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let wrong = match known.iter().find(|function| is_of(line, function)) {
            None => Some("no lesson has this function".to_string()),
            Some(its) if lines[..number].iter().any(|line| is_of(line, its)) => {
                Some("a second line of it".into())
            }
            Some(_) => fault(line),
        };
        faults.extend(wrong.map(|wrong| format!("line {}: {wrong}\n  {line}", number + 1)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
