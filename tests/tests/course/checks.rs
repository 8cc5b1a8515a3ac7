//! The checks must be able to fail: a kernel that does nothing is never right.

use std::fs;

use tests::{kernel_files, kernels_of, lesson, ran, scratch, with_empty_bodies};

/// Lesson `number` with the bodies of all its kernels taken away: each is found
/// wrong by itself, in all its variants.
fn every_empty_kernel_is_found_wrong(number: u32) {
    let (file, kernels) = emptied(number, "all");
    let size = if number == 2 { "1000" } else { "37x21x35" };
    // The check of integers is the same for every kernel.
    let types: &[&str] = if number == 3 {
        &["float", "int"]
    } else {
        &["float"]
    };
    for ty in types {
        let flags = format!("--size {size} --type {ty} --runs 0 --json --source");
        let run = lesson(number).args(&flags).arg(&file).run().fails(1, &[]);
        let records = run.device_records();
        for record in records.iter().filter(|record| record["skipped"].is_null()) {
            assert_eq!(record["verified"], false, "{record}");
            assert!(
                record["failed"].as_str().is_some_and(|why| !why.is_empty()),
                "{record}"
            );
        }
        for kernel in kernels.iter().filter(|kernel| *kernel != "trace_tiles") {
            assert!(
                records.iter().any(|record| ran(record, kernel)),
                "{kernel} is not in\n{run}"
            );
        }
    }
}

/// A copy of the lesson's kernel file without bodies, for one test; the kernels in it.
fn emptied(number: u32, test: &str) -> (std::path::PathBuf, Vec<String>) {
    let files = kernel_files("");
    let begins = format!("{number:02}-");
    let name = |path: &std::path::Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let file = files
        .iter()
        .find(|file| name(file).starts_with(&begins))
        .expect("a kernel file");
    let text = fs::read_to_string(file).expect("kernel files are text");
    let (text, _) = with_empty_bodies(&text);
    let kernels = kernels_of(number);
    for kernel in &kernels {
        let after = text.split(&format!("{kernel}(")).nth(1).unwrap_or_default();
        let body = after.split_once("\n{").map(|(_, body)| body);
        assert!(
            body.is_some_and(|body| body.starts_with("\n}\n")),
            "{kernel} is not empty"
        );
    }
    (
        scratch(&format!("{test}-empty-{}", name(file)), text),
        kernels,
    )
}

each! { every_empty_kernel_is_found_wrong:
    every_empty_kernel_of_lesson_2_is_found_wrong 2
    every_empty_kernel_of_lesson_3_is_found_wrong 3
    every_empty_kernel_of_lesson_4_is_found_wrong 4
    every_empty_kernel_of_lesson_5_is_found_wrong 5
    every_empty_kernel_of_lesson_6_is_found_wrong 6
    every_empty_kernel_of_lesson_7_is_found_wrong 7
    every_empty_kernel_of_lesson_8_is_found_wrong 8
    every_empty_kernel_of_lesson_9_is_found_wrong 9
    every_empty_kernel_of_lesson_10_is_found_wrong 10
}

#[test]
fn an_empty_kernel_that_prints_is_found_wrong() {
    let (file, _) = emptied(6, "printing");
    let run = lesson(6)
        .args("--only trace_tiles --runs 0 --size 8 --source")
        .arg(file)
        .run();
    run.ends_with(1)
        .says(&["✗ WRONG", "the kernel wrote nothing"]);
}

/// Right in every element, and one more is written.
const SAXPY_OVERRUN: &str = "kernel void saxpy(int n, float d, global const float *A,
                  global const float *B, global float *C)
{
    const int i = get_global_id(0);
    if (i <= n)
        C[i] = i < n ? d * A[i] + B[i] : 1;
}
";

/// The last vector is stored as a whole, whatever the vectors' length.
const VECTOR_OVERRUN: &str = "kernel void saxpy_vector(int n, float d, global const float4 *A,
                         global const float4 *B, global float4 *C)
{
    const int i = get_global_id(0);
    if (4 * i < n)
        C[i] = d * A[i] + B[i];
}
";

const MATMUL_OVERRUN: &str = "kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < K && row < M && column < N; k++)
        sum += A[row * K + k] * B[k * N + column];
    if ((row < M && column < N) || (row == M && column == 0))
        C[row * N + column] = sum;
}
";

#[test]
fn a_saxpy_that_writes_behind_its_result_is_found_wrong() {
    let file = scratch("saxpy-overrun.cl", SAXPY_OVERRUN);
    let run = lesson(2)
        .args("--size 21 --runs 0 --source")
        .arg(file)
        .run();
    run.ends_with(1);
}

#[test]
fn a_vector_that_sticks_out_over_the_end_is_found_wrong() {
    let file = scratch("vector-overrun.cl", VECTOR_OVERRUN);
    // The buffers end where the floats do, and what lies behind them is nobody's: the
    // canary of C takes what is computed from it.
    let flags = "--only saxpy_vector --runs 0 --fill count --source";
    let run = lesson(2).args("--size 21").args(flags).arg(&file).run();
    run.ends_with(1).says(&["✗ WRONG", "overrun"]);
    // Where nothing sticks out it is right.
    let run = lesson(2).args("--size 24").args(flags).arg(&file).run();
    run.ends_with(0).says(&["✓ right"]);
}

#[test]
fn a_product_that_writes_behind_its_result_is_found_wrong() {
    let file = scratch("matmul-overrun.cl", MATMUL_OVERRUN);
    let flags = "--only matmul_naive --size 21 --runs 0 --source";
    let run = lesson(3).args(flags).arg(file).run();
    run.ends_with(1).says(&["✗ WRONG", "overrun"]);
}

/// Right at the size at which rows and columns, M, N and K are the same, wrong at
/// any other: the reason why lessons.rs uses three different, odd sizes.
#[test]
fn a_product_that_is_right_for_square_matrices_only_is_found_wrong() {
    let text = fs::read_to_string("../kernels/03-naive-matmul.cl").expect("is there");
    let text = text.replace("C[row * N + column] = sum;", "C[row * K + column] = sum;");
    let file = scratch("square-only.cl", text);
    let flags = "--only matmul_naive --runs 0 --source";
    let square = lesson(3).args(flags).arg(&file).args("--size 21").run();
    square.ends_with(0);
    let other = lesson(3)
        .args(flags)
        .arg(&file)
        .args("--size 21x37x35")
        .run();
    other.ends_with(1).says(&["✗ WRONG"]);
}

/// Lesson 9's kernels, with a part of `pack_b` changed.
fn with_packing(name: &str, was: &str, becomes: &str) -> std::path::PathBuf {
    let text = fs::read_to_string("../kernels/09-tiling-for-a-cpu.cl").expect("is there");
    let changed = text.replacen(was, becomes, 1);
    assert_ne!(text, changed, "{was} is in the file");
    scratch(name, changed)
}

/// What a helper is to write holds poison, not what the buffer held before.
#[test]
fn a_packing_that_leaves_something_out_is_found_wrong() {
    let file = with_packing(
        "packs-too-little.cl",
        "if (column0 >= N || k >= K)",
        "if (column0 >= N || k >= K - 1)",
    );
    let flags = "--only matmul_packed_b --size 21x37x35 --runs 0 --source";
    let run = lesson(9).args(flags).arg(file).run();
    run.ends_with(1).says(&["✗ WRONG"]);
}

#[test]
fn a_packing_that_writes_behind_its_result_is_found_wrong() {
    let last = "if (column0 + PANEL <= N)";
    let beyond = "if (column0 + PANEL >= N && k == K - 1) to[PANEL] = 0;\n    ";
    let file = with_packing("packs-too-much.cl", last, &format!("{beyond}{last}"));
    let flags = "--only matmul_packed_b --size 21x37x35 --runs 0 --source";
    let run = lesson(9).args(flags).arg(file).run();
    run.ends_with(1).says(&[
        "✗ WRONG",
        "behind the end of B laid out",
        "by the kernel: pack_b",
    ]);
}
