//! `course diff`: what changed between two kernels, and only that.

use tests::{Outcome, Program, program};

fn diff(words: &str) -> Program {
    program("course").arg("diff").args(words)
}

/// The changed lines: their sign and their text.
fn changes(run: &Outcome) -> Vec<String> {
    let lines = run.stdout.lines();
    let numbered = lines.filter_map(|line| line.trim_start().split_once(' '));
    numbered
        .filter(|(number, rest)| number.parse::<u32>().is_ok() && rest.starts_with(['+', '-']))
        .map(|(_, rest)| rest.to_string())
        .collect()
}

#[test]
fn two_kernels_differ_in_the_lines_that_changed_and_no_others() {
    let run = diff("matmul_global_sum matmul_private_sum")
        .run()
        .ends_with(0);
    assert_eq!(
        changes(&run),
        [
            "-     C[row * N + column] = 0;",
            "+     REAL sum = 0;",
            "-         C[row * N + column] += A[row * K + k] * B[k * N + column];",
            "+         sum += A[row * K + k] * B[k * N + column];",
            "+     C[row * N + column] = sum;",
        ],
        "{run}"
    );
    // matmul_global_sum is in lessons 3 and 5; the other is in lesson 5 alone.
    let run = run.says(&["kernels/05-private-memory.cl"]);
    assert!(!run.stdout.contains("03-naive"), "{run}");
    assert!(!run.stdout.contains('\x1b'), "plain text in a pipe\n{run}");
}

#[test]
fn one_kernel_is_compared_with_the_one_before_it() {
    let alone = diff("matmul_private_sum").run().ends_with(0);
    let both = diff("matmul_global_sum matmul_private_sum").run();
    assert_eq!(changes(&alone), changes(&both));
    diff("matmul_local_ids")
        .run()
        .ends_with(0)
        .says(&["nothing to compare"]);
}

#[test]
fn two_lessons_are_linked_by_the_kernels_that_are_most_alike() {
    let run = diff("4 5").run().ends_with(0);
    run.says(&[
        "From lesson 4 to lesson 5",
        "-> matmul_global_sum",
        "matmul_global_sum -> matmul_private_sum",
        "matmul_row_per_item -> matmul_row_private",
    ]);
    let run = diff("3 5").run().ends_with(0);
    run.says(&["matmul_global_sum -> matmul_global_sum"]);
    diff("4")
        .run()
        .ends_with(0)
        .says(&["copy_stride_vector -> copy_offset"]);
    diff("matmul_naive 4")
        .run()
        .ends_with(0)
        .says(&["matmul_naive -> matmul_id0_columns"]);
    diff("3 matmul_private_sum")
        .run()
        .ends_with(0)
        .says(&["the same, but for its name"]);
}

#[test]
fn on_a_terminal_the_changed_words_are_coloured() {
    let mut terminal = diff("matmul_global_sum matmul_private_sum").on_terminal(80, 40);
    terminal.ends_with(0);
    let raw = terminal.raw();
    assert!(
        raw.contains("\x1b[32m") && raw.contains("\x1b[31m"),
        "{raw}"
    );
    let mut plain = diff("matmul_private_sum")
        .env("NO_COLOR", "1")
        .on_terminal(80, 40);
    plain.ends_with(0);
    assert!(!plain.raw().contains("\x1b["), "{}", plain.raw());
}

#[test]
fn what_is_not_there_is_named_with_what_is_near() {
    let run = diff("matmul_niave").run();
    run.fails(
        2,
        &[
            "no lesson has a kernel matmul_niave",
            "did you mean matmul_naive?",
        ],
    );
    diff("1")
        .run()
        .fails(2, &["lesson 1 has no kernels", "lessons 2 to "]);
    diff("99 3").run().fails(2, &["lesson 99 has no kernels"]);
    diff("").run().ends_with(2);
}
