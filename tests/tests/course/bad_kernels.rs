//! Kernels that build, and should not have been launched: with other arguments,
//! too large a group, no end, or a crash. The lesson survives each and names it.

use std::path::PathBuf;
use std::process::Stdio;

use tests::{device, lesson, pocl, scratch};

const SIGNATURE: &str = "kernel void matmul_naive(int M, int N, int K, global const float *A, \
                         global const float *B, global float *C)";

/// One kernel of lesson 3, from a file.
const ONLY: &str = "--only matmul_naive --size 4 --runs 0 --json --source";

fn matmul_naive(name: &str, body: &str) -> PathBuf {
    scratch(name, format!("{SIGNATURE}\n{{\n{body}\n}}\n"))
}

#[test]
fn a_kernel_with_other_arguments_is_refused_before_the_launch() {
    let one_less = SIGNATURE.replace("int K, ", "");
    let other_type = SIGNATURE.replace("global const float *A", "global const int *A");
    for (name, signature, words) in [
        ("one-less.cl", one_less, "has 5 arguments, not 6"),
        (
            "other-type.cl",
            other_type,
            "has argument 3 of type int*, not float*",
        ),
    ] {
        let file = scratch(name, format!("{signature} {{ C[0] = 1; }}\n"));
        let run = lesson(3).args(ONLY).arg(file).run();
        run.fails(
            4,
            &[
                name,
                words,
                "the lesson launches it as matmul_naive(int, int, int,",
            ],
        );
    }
}

#[test]
fn of_a_failed_build_the_drivers_own_count_is_not_told() {
    let file = matmul_naive("counted.cl", "none = 1;");
    let run = lesson(3).args(ONLY).arg(file).run().fails(4, &["'none'"]);
    assert!(!run.stderr.contains("generated."), "{run}");
}

#[test]
fn a_type_by_another_name_is_what_it_is() {
    device();
    let renamed = SIGNATURE
        .replace("int ", "idx ")
        .replace("float", "DATA_TYPE");
    let body = "idx i = get_global_id(0); idx j = get_global_id(1); DATA_TYPE sum = 0;\n\
                for (idx k = 0; k < K; k++) sum += A[j * K + k] * B[k * N + i];\n\
                if (i < N && j < M) C[j * N + i] = sum;";
    let names = "#define WORD int\ntypedef WORD idx;\n";
    let file = scratch(
        "renamed-types.cl",
        format!("{names}typedef REAL DATA_TYPE;\n{renamed}\n{{\n{body}\n}}\n"),
    );
    let run = lesson(3).args(ONLY).arg(file).args("--type float").run();
    run.ends_with(0);
    let other = scratch(
        "renamed-other.cl",
        format!("{names}typedef short DATA_TYPE;\n{renamed} {{ C[0] = 1; }}\n"),
    );
    let run = lesson(3).args(ONLY).arg(other).run();
    run.fails(4, &["type DATA_TYPE* (which is short*), not float*"]);
    let saxpy = "typedef float real; kernel void saxpy(int n, real d, global const real *A, \
                 global const real *B, global real *C)\n\
                 { int i = get_global_id(0); if (i < n) C[i] = d * A[i] + B[i]; }\n";
    let saxpy = scratch("saxpy-renamed.cl", saxpy);
    let run = lesson(2).args("--size 64 --runs 0 --source").arg(saxpy);
    run.run().ends_with(0);
}

#[test]
fn saxpy_with_other_arguments_is_refused_before_the_launch() {
    for (name, arguments) in [
        (
            "saxpy-one-less.cl",
            "float d, global const float *A, global const float *B, global float *C",
        ),
        (
            "saxpy-other-type.cl",
            "int n, int d, global const float *A, global const float *B, global float *C",
        ),
    ] {
        let file = scratch(
            name,
            format!("kernel void saxpy({arguments}) {{ C[0] = d * A[0] + B[0]; }}\n"),
        );
        let run = lesson(2)
            .args("--size 64 --runs 0 --source")
            .arg(file)
            .run();
        run.fails(4, &["kernel saxpy has", "saxpy(int, float, float*"]);
    }
}

#[test]
fn a_group_that_the_kernel_or_the_device_does_not_allow_is_skipped_with_the_reason() {
    let attribute = "__attribute__((reqd_work_group_size(7, 3, 1)))";
    let required = scratch(
        "required-group.cl",
        format!("{attribute}\n{SIGNATURE}\n{{ C[0] = 1; }}\n"),
    );
    let too_much = 4 * device()["limits"]["local_mem_bytes"].as_u64().unwrap_or(0) / 4;
    let body =
        format!("local float x[{too_much}]; x[M] = 1; barrier(CLK_LOCAL_MEM_FENCE); C[0] = x[M];");
    let memory = matmul_naive("too-much-local-memory.cl", &body);
    // One group over the whole of C: no device has groups of 16384 items.
    for (flags, file, words) in [
        (ONLY, Some(required), "16"),
        (ONLY, Some(memory), "local memory"),
        (
            "--only matmul_local_ids --size 128 --runs 0 --json",
            None,
            "one group cannot hold 16384 items",
        ),
    ] {
        let mut program = lesson(3).args(flags);
        if let Some(file) = file {
            program = program.arg(file);
        }
        // Nothing was checked, which is no success.
        let run = program.run().ends_with(2);
        let skipped = run.records()[0]["skipped"]
            .as_str()
            .map(String::from)
            .unwrap_or_default();
        assert!(skipped.contains(words), "no \"{words}\" in\n{run}");
    }
}

#[test]
fn a_kernel_that_crashes_the_driver_is_named_with_the_signal() {
    // A GPU may be driving this machine's display.
    let Some(pocl) = pocl() else { return };
    let wild = "for (long i = 0; i < 1L << 40; i += 1 << 20) C[i] = 1;";
    let file = matmul_naive("crash.cl", wild);
    let run = lesson(3).args(&pocl).args(ONLY).arg(file).run();
    run.fails(5, &["signal 11, SIGSEGV", "running matmul_naive", "next:"]);
}

#[test]
fn one_devices_crash_leaves_the_table_of_all_devices() {
    let Some(_) = pocl() else { return };
    if tests::devices().len() > 1 {
        return; // What the same kernel does to a GPU's driver is not for a test to try.
    }
    let file = matmul_naive(
        "crash-everywhere.cl",
        "for (long i = 0; i < 1L << 40; i += 1 << 20) C[i] = 1;",
    );
    let run = lesson(3)
        .args("--all-devices --only matmul_naive --size 4 --runs 0 --source")
        .arg(file)
        .run();
    run.fails(5, &["SIGSEGV"])
        .says(&["All devices side by side"]);
}

#[test]
fn output_that_nobody_reads_any_more_is_no_error() {
    for (number, flags) in [
        (1, ""),
        (2, "--size 64"),
        (3, "--size 16 --runs 0"),
        (6, "--size 16 --runs 0 --json"),
        (3, "--list"),
    ] {
        let mut command = lesson(number).args(flags).command();
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("a program of ours starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(0),
            "lesson {number} {flags}: {stderr}"
        );
        assert!(
            !stderr.contains("panicked") && !stderr.contains("error"),
            "{stderr}"
        );
    }
}

#[test]
fn the_course_map_into_a_closed_pipe_is_no_error() {
    let mut child = tests::program("course")
        .command()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
