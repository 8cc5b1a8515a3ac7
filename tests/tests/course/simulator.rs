//! Every kernel of every lesson under Oclgrind, which sees each access: no data
//! race, nothing out of bounds, nothing read that was never written, no call that
//! OpenCL forbids. Results alone cannot show this: PoCL hides races, and a read
//! behind a buffer that is multiplied by zero. The same run counts what each kernel
//! loads and stores.

use serde_json::Value;
use tests::{FAULTS, Oclgrind, Program, kernels_of, lesson, ran, scratch};

use crate::traffic;

/// Several groups in each dimension, none of the tiles full at the edges, and sums of more
/// than one tile: of a kernel with tiles of several depths in all but the deepest.
const SIZE: &str = "21x19x18";
/// The same for larger tiles.
const LARGE: &str = "37x21x19";
/// The same for vectors: three floats lie behind the last whole float4.
const LENGTH: &str = "1303";

/// Takes seconds: the simulator looks at each access by itself.
fn every_kernel_is_sound(number: u32) {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    let size = match number {
        2 => LENGTH,
        3..=7 => SIZE,
        _ => LARGE,
    };
    let program = lesson(number).args(&format!("--size {size} --runs 0 --json"));
    let (run, log) = oclgrind.run_and_count(&format!("lesson{number}"), program);
    let run = run.ends_with(0);
    assert_eq!(log, "", "{run}");
    let mut records: Vec<Value> = run.stdout.lines().filter_map(record).collect();
    records.retain(|record| record["platform"] != "host");
    for record in &records {
        assert_eq!(record["platform"], "Oclgrind", "{run}");
        assert_eq!(record["verified"], true, "{record}\n{run}");
    }
    // The kernel that prints has a test of its own.
    for kernel in kernels_of(number)
        .iter()
        .filter(|kernel| *kernel != "trace_tiles")
    {
        let found = records.iter().any(|record| ran(record, kernel));
        assert!(found, "{kernel} is not in\n{run}");
    }
    let least = match number {
        2 => 2,
        8 => 3,
        _ => 4,
    };
    traffic::is_as_the_formulas_say(&run, least);
}

/// The line's record, if it holds one: counts stand between the records.
fn record(line: &str) -> Option<Value> {
    let begins = line.starts_with('{');
    begins.then(|| serde_json::from_str(line).expect("a record"))
}

each! { every_kernel_is_sound:
    every_kernel_of_lesson_2_is_sound_and_moves_what_its_formulas_say 2
    every_kernel_of_lesson_3_is_sound_and_moves_what_its_formulas_say 3
    every_kernel_of_lesson_4_is_sound_and_moves_what_its_formulas_say 4
    every_kernel_of_lesson_5_is_sound_and_moves_what_its_formulas_say 5
    every_kernel_of_lesson_6_is_sound_and_moves_what_its_formulas_say 6
    every_kernel_of_lesson_7_is_sound_and_moves_what_its_formulas_say 7
    every_kernel_of_lesson_8_is_sound_and_moves_what_its_formulas_say 8
    every_kernel_of_lesson_9_is_sound_and_moves_what_its_formulas_say 9
    #[ignore = "a quarter of a minute: the simulator walks through five kernels of large tiles"]
    every_kernel_of_lesson_10_is_sound_and_moves_what_its_formulas_say 10
    every_kernel_of_lesson_11_is_sound_and_moves_what_its_formulas_say 11
}

#[test]
fn the_kernel_that_prints_is_sound() {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    let program = lesson(6).args("--only trace_tiles --runs 0 --size 8");
    let (run, log) = oclgrind.run("trace_tiles", program);
    let run = run.ends_with(0).says(&["item (0,0) copies", "✓ right"]);
    assert_eq!(log, "", "{run}");
}

/// Longer sums than a kernel keeps at a time: the second piece is seen, too. That takes
/// seconds.
#[test]
fn sums_that_are_taken_in_pieces_are_sound() {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    for (number, kernel, k) in [
        (5, "matmul_row_private", 1031),
        (6, "matmul_column_local", 1031),
        (7, "matmul_dot8", 1031),
        (9, "matmul_blocked", 2049),
    ] {
        let program =
            lesson(number).args(&format!("--only {kernel} --size 3x2x{k} --runs 0 --json"));
        let (run, log) = oclgrind.run(&format!("pieces-{number}"), program);
        let run = run.ends_with(0);
        assert_eq!(log, "", "{run}");
    }
}

/// At the edge of C some tiles are computed without tiling, and counted where there are
/// no others: Oclgrind 21.10 corrupts its memory when it counts groups that call different
/// functions.
#[test]
#[ignore = "half a minute: the simulator walks through two products of whole tiles"]
fn thin_tiles_are_sound_and_move_what_their_formulas_say() {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    let thin = |size: &str| {
        let flags = format!("--only matmul_packed_tiles --size {size} --runs 0 --json");
        lesson(10).args(&flags)
    };
    let (few_rows, log) = oclgrind.run_and_count("thin-rows", thin("5x140x17"));
    assert_eq!(log, "", "{few_rows}");
    let (few_columns, log) = oclgrind.run("thin-columns", thin("129x3x17"));
    assert_eq!(log, "", "{few_columns}");
    for run in [&few_rows, &few_columns] {
        let run = run.clone().ends_with(0);
        run.says(&["matmul_packed_tiles thin"]);
    }
    traffic::is_as_the_formulas_say(&few_rows, 1);
}

/// An empty log must mean something. This kernel is right for the checker, and
/// for the simulator wrong in three ways; one of them is the value that it reads.
fn the_simulator_sees_a_race_an_uninitialised_read_and_one_behind(buffer: &str) {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    let text = std::fs::read_to_string("../kernels/05-private-memory.cl").expect("is there");
    let guard = "    if (row >= M || column >= N)\n        return;\n";
    let bad = "    local int seen[4];\n    int unset[2];\n    \
               if (row == 0 && column < 2) {\n        seen[0] = column;\n        \
               volatile REAL behind = BUFFER;\n        \
               if (unset[column]) behind = 0;\n    }\n";
    let bad = bad.replace("BUFFER", buffer);
    let at = text.find("matmul_private_sum(").expect("the kernel");
    let (before, after) = text.split_at(at);
    let text = format!(
        "{before}{}",
        after.replacen(guard, &format!("{bad}{guard}"), 1)
    );
    let file = scratch(&format!("unsound-{}.cl", &buffer[..1]), text);
    let program = lesson(5)
        .args("--only matmul_private_sum --size 17 --runs 0 --json --source")
        .arg(file);
    let (run, log) = oclgrind.run(&format!("unsound-{}", &buffer[..1]), program);
    for (fault, words) in FAULTS {
        assert!(log.contains(words), "no {fault} in\n{log}\n{run}");
    }
    let record = run.ends_with(1).records().remove(0);
    assert_eq!(record["verified"], false);
    let failed = record["failed"].as_str().unwrap_or_default();
    assert!(failed.contains("the result is right, and yet"), "{failed}");
}

/// Two kernels that are right, the first of which also writes before its buffer.
const STRAYS: &str = "kernel void matmul_global_sum(int M, int N, int K, global const float *A,
                              global const float *B, global float *C)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
    if (row + column == 0)
        C[-1] = 1; // this one
}
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}
";

/// As the pages recommend it, and with a log that the learner asked for.
#[test]
fn what_the_simulator_reports_fails_the_row_of_that_kernel_and_no_other() {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    let file = scratch("strays.cl", STRAYS);
    let program = || {
        let flags = "--only matmul_global_sum --only matmul_naive --size 5x7x3 --runs 0 --source";
        lesson(3).args(flags).arg(&file)
    };
    let simulated = |program: Program| program.env("OPENCL_DYLIB_PATH", oclgrind.library());
    let shown = simulated(program()).run().fails(1, &["1 kernel is wrong"]);
    shown.says(&[
        "✗ WRONG",
        "something is written outside of every array",
        "line 12: C[-1] = 1; // this one",
        "✓ right",
    ]);
    let json = simulated(program().args("--json")).run().ends_with(1);
    let (run, log) = oclgrind.run("strays", program().args("--json"));
    assert!(log.contains("Invalid write"), "{log}");
    for run in [json, run.ends_with(1)] {
        let records = run.device_records();
        let words = records[0]["failed"].as_str().unwrap_or_default();
        assert!(words.contains("line 12: "), "{run}");
        assert_eq!(records[0]["verified"], false, "{run}");
        assert_eq!(records[1]["verified"], true, "{run}");
    }
}

each! { the_simulator_sees_a_race_an_uninitialised_read_and_one_behind:
    the_simulator_sees_a_race_an_uninitialised_read_and_one_behind_a "A[M * K]"
    the_simulator_sees_a_race_an_uninitialised_read_and_one_behind_c "C[M * N]"
}
