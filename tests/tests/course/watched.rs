//! What a kernel may not touch: its inputs, what is laid out for it, and what lies
//! beside every buffer. Whoever writes there is named, and nobody else is blamed.

use std::fs;
use std::path::PathBuf;

use tests::{Outcome, lesson, program, scratch, scratch_folder};

/// Lesson 3's kernels, with this as the body of `matmul_global_sum`, where `i` is the
/// element and `sum` what it must be.
fn with_body(name: &str, body: &str) -> PathBuf {
    let file = fs::read_to_string("../kernels/03-naive-matmul.cl").expect("is there");
    let at = file
        .find("kernel void matmul_global_sum")
        .expect("is there");
    let end = at + file[at..].find("\n}").expect("its end") + 2;
    let kernel = format!(
        "kernel void matmul_global_sum(int M, int N, int K, global REAL *A, global REAL *B,\n\
         global REAL *C)\n{{\n\
         int column = get_global_id(0), row = get_global_id(1);\n\
         int i = row * N + column;\n\
         REAL sum = 0;\n\
         for (int k = 0; k < K && row < M && column < N; k++)\n\
         sum += A[row * K + k] * B[k * N + column];\n\
         if (row < M && column < N) {{ {body} }}\n}}"
    );
    scratch(name, format!("{}{kernel}{}", &file[..at], &file[end..]))
}

/// What lesson 3 says of that kernel, and of one that is right.
fn said_of(name: &str, body: &str, flags: &str) -> Outcome {
    let file = with_body(name, body);
    let only = "--only matmul_global_sum --only matmul_naive --size 32 --source";
    let run = lesson(3).args(only).arg(file).args(flags).run();
    let naive = run.stdout.find("matmul_naive").expect("both are there");
    assert!(
        run.stdout[naive..].contains('✓'),
        "the other one is right\n{run}"
    );
    run
}

#[test]
fn a_kernel_that_writes_to_an_input_is_named_and_the_next_one_starts_clean() {
    for (name, body, flags, says) in [
        (
            "writes-b.cl",
            "C[i] = sum; if (i == M * N - 1) B[0] = 7;",
            "--runs 0",
            "B was written to",
        ),
        (
            "writes-a.cl",
            "C[i] = sum; if (i == 0) A[5] += 1;",
            "--runs 2",
            "first is A[5], now",
        ),
    ] {
        let run = said_of(name, body, flags).ends_with(1);
        run.says(&["✗ WRONG", says, "by the kernel: matmul_global_sum"]);
    }
}

#[test]
fn an_exercise_looks_at_its_inputs_too() {
    let solution = "../exercises/03-naive-matmul/1-both-edges/solution.cl";
    let text = fs::read_to_string(solution).expect("is there");
    let (before, after) = text.rsplit_once('}').expect("the kernel's end");
    let write = "if (row == 0) ((global float *)A)[K - 1] += 1;\n";
    let file = scratch_folder("watched/03-naive-matmul").join("1-both-edges.cl");
    fs::write(&file, format!("{before}{write}}}{after}")).expect("written");
    let run = program("course").args("exercise").arg(file);
    run.run().ends_with(1).says(&["A was written to", "A[63]"]);
}

#[test]
fn the_eleven_steps_look_at_their_inputs_too() {
    let signature = "kernel void saxpy(int n, float d, global float *A, global float *B,\n\
                     global float *C)\n";
    for (name, write, says) in [
        ("saxpy-writes-a.cl", "A[7] = i", "the first is A[7], now"),
        (
            "saxpy-writes-b.cl",
            "B[n - 1] *= 2",
            "the first is B[20], now",
        ),
    ] {
        let body = format!(
            "{{ int i = get_global_id(0); float c = i < n ? d * A[i] + B[i] : 0;\n\
             barrier(CLK_GLOBAL_MEM_FENCE);\n\
             if (i < n) C[i] = c; if (i == n - 1) {write}; }}\n"
        );
        let file = scratch(name, format!("{signature}{body}"));
        let run = lesson(2).args("--only saxpy --size 21 --runs 0 --source");
        let run = run.arg(file).run();
        let run = run.fails(1, &["1 kernel is wrong"]);
        run.says(&["was written to, which is only to be read", says]);
    }
}

#[test]
fn a_write_beside_a_buffer_is_seen_64_kib_away() {
    for (name, at, says) in [
        (
            "behind-c.cl",
            "C[M * N + 16384]",
            "behind the end of C, 65536 bytes from it",
        ),
        (
            "before-c.cl",
            "C[-16384]",
            "65536 bytes before the beginning of C",
        ),
        (
            "behind-a.cl",
            "A[M * K]",
            "behind the end of A, 0 bytes from it",
        ),
        ("before-b.cl", "B[-1]", "4 bytes before the beginning of B"),
    ] {
        let body = format!("C[i] = sum; if (i == 0) {at} = 1;");
        let run = said_of(name, &body, "--runs 0").ends_with(1);
        run.says(&["✗ WRONG", says]);
    }
}

#[test]
fn a_kernel_that_takes_nan_for_nothing_is_seen_over_a_number() {
    let body = "C[i] = isnan(C[i]) ? sum : C[i] + sum;";
    let run = said_of("over-nan.cl", body, "--runs 0").ends_with(1);
    run.says(&[
        "wrong where it held a number",
        "C is read before it is written",
    ]);
}

/// Local memory that is taken to be 0 is 0 the first time that one of a driver's threads
/// uses it, so such a kernel is right in some runs, whatever C held. Several times: which
/// thread comes next is chance.
#[test]
fn local_memory_that_nobody_set_is_not_taken_for_c() {
    for _ in 0..12 {
        let flags = "--only matmul_naive --size 5x7x3 --runs 0 --source";
        let run = lesson(3).args(flags);
        let run = run.arg("tests/wrong/local-sum-taken-for-zero.cl").run();
        assert!(!run.stdout.contains("C is read"), "{run}");
    }
}

/// As where a driver's event times are wrong: lesson 3 is told that its device can do next
/// to nothing.
#[test]
fn a_rate_above_the_limit_is_a_finding_and_nothing_is_called_the_best() {
    let limits = r#"{"gflops":1e-6,"gbytes_per_second":1e-6}"#;
    let lesson = || lesson(3).env("OPENCL_COURSE_LIMITS", limits);
    let run = lesson().args("--size 16 --runs 1").run().ends_with(0);
    let run = run.says(&["do not believe it", "driver's times are wrong"]);
    assert!(!run.stdout.contains("against the host"), "{run}");
}

/// An item begins its sum in the middle if the opposite element is there already, which
/// depends on the groups' order: whatever comes of it is right.
#[test]
fn a_sum_whose_order_varies_is_right() {
    let body = "int from = isnan(C[(i + M * N / 2) % (M * N)]) ? 0 : K / 2; REAL other = 0;\n\
                for (int k = from; k < from + K; k++)\n\
                other += A[row * K + k % K] * B[k % K * N + column];\n\
                C[i] = other;";
    said_of("varies.cl", body, "--runs 5").ends_with(0);
}

/// What lesson 9 says of `matmul_packed_b` with this change to its file.
fn said_of_packed(name: &str, was: &str, becomes: &str) -> Outcome {
    let text = fs::read_to_string("../kernels/09-tiling-for-a-cpu.cl").expect("is there");
    let changed = text.replacen(was, becomes, 1);
    assert_ne!(text, changed, "{was} is in the file");
    let flags = "--only matmul_packed_b --size 21x37x35 --runs 2 --source";
    lesson(9).args(flags).arg(scratch(name, changed)).run()
}

#[test]
fn a_packing_that_writes_to_what_it_packs_is_named() {
    let was = "    if (column0 + PANEL <= N)";
    let write = "    if (panel == 0 && k == 0) ((global REAL *)B)[3] += 1;\n";
    let run = said_of_packed("pack-writes-b.cl", was, &format!("{write}{was}"));
    let words = ["B was written to", "B[3]", "by the kernel: pack_b"];
    run.ends_with(1).says(&words);
}

#[test]
fn a_product_that_writes_to_what_was_packed_for_it_is_named() {
    let was = "    // The item's panel of B: [K][VECTORS].";
    let write = "    if (row0 + ROWS >= M) ((global REAL *)B)[(panel + 1) * K * PANEL - 1] = 0;\n";
    let run = said_of_packed("product-writes-b.cl", was, &format!("{write}{was}"));
    let words = [
        "B as pack_b laid it out was written to",
        "by the kernel: matmul_packed_b",
    ];
    run.ends_with(1).says(&words);
}

#[test]
fn a_packing_that_packs_only_what_is_still_poison_is_found_wrong() {
    let was = "    if (column0 + PANEL <= N)";
    let once = "    if (!isnan(to[0])) return;\n";
    let run = said_of_packed("packs-once.cl", was, &format!("{once}{was}"));
    run.ends_with(1)
        .says(&["✗ WRONG", "wrong where it held a number"]);
}
