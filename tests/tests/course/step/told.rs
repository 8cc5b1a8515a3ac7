//! What is told, and that nobody is waited for where there is nobody.

use tests::{KERNEL_LESSONS, lesson_without_device, scratch_folder};

use super::*;

/// What every lesson on kernels does, in this order.
const CALLS: [&str; 15] = [
    "clGetPlatformIDs(",
    "clGetDeviceIDs(",
    "clCreateContext(",
    "clCreateCommandQueue(",
    "CL_QUEUE_PROFILING_ENABLE",
    "clBuildProgram(",
    "clCreateKernel(",
    "clCreateBuffer(",
    "clEnqueueWriteBuffer(",
    "clSetKernelArg(",
    "clEnqueueNDRangeKernel(",
    "clWaitForEvents(",
    "clGetEventProfilingInfo(",
    "QUEUED 0, SUBMIT +",
    "clEnqueueReadBuffer(",
];

#[test]
fn without_a_terminal_everything_is_told_and_nobody_is_waited_for() {
    let run = two_kernels("--step").run().ends_with(0);
    let mut rest = run.stderr.as_str();
    for call in CALLS {
        let at = rest.find(call);
        rest = &rest[at.unwrap_or_else(|| panic!("no {call} in its place\n{run}"))..];
    }
    for told in [
        "65536 bytes) -> A",
        "0, 4 bytes, int M = 64)",
        "3, 8 bytes, float*A = A)",
        "2D, global = 64x64, local",
        "|c - ref| <= 6 u |a_i||b_j|",
        "4096 elements compared: right",
        "matmul_private_sum  █",
    ] {
        let told = told.replace("65536", &(64 * 64 * 4).to_string());
        assert!(run.stderr.contains(&told), "no {told}\n{run}");
    }
    let every_byte = format!("{}{}", run.stdout, run.stderr);
    assert!(!every_byte.contains('\x1b'), "no escape codes\n{run}");
    assert!(!run.stderr.contains("q quit"), "no keys\n{run}");
    for line in run.stderr.lines() {
        assert!(line.chars().count() <= 80, "too long: {line}");
    }
}

#[test]
fn half_a_terminal_is_none() {
    for redirected in ["</dev/null", "2>/dev/null"] {
        let shell = format!("\"$0\" \"$@\" {redirected}");
        let mut terminal = two_kernels("--step").in_shell(&shell).on_terminal(80, 24);
        terminal.ends_with(0);
        assert!(!terminal.transcript().contains("q quit"), "{redirected}");
    }
}

#[test]
fn every_lesson_tells_its_calls() {
    for number in KERNEL_LESSONS {
        let size = if number == 2 { "1000" } else { "17x18x19" };
        let run = lesson(number)
            .args("--step --runs 0 --size")
            .arg(size)
            .run()
            .ends_with(0);
        for call in CALLS {
            assert!(run.stderr.contains(call), "no {call}\n{run}");
        }
    }
    let run = lesson(1).arg("--step").run().ends_with(0);
    for call in [
        "clGetPlatformIDs(",
        "clGetDeviceIDs(",
        "CL_DEVICE_MAX_COMPUTE_UNITS) ->",
    ] {
        assert!(run.stderr.contains(call), "no {call}\n{run}");
    }
}

#[test]
fn results_for_programs_are_not_disturbed() {
    let told = two_kernels("--step --json").run().ends_with(0);
    let plain = two_kernels("--json").run().ends_with(0);
    let kernels = |run: &tests::Outcome| -> Vec<String> {
        let records = run.records();
        records
            .iter()
            .map(|record| record["kernel"].to_string())
            .collect()
    };
    assert_eq!(kernels(&told), kernels(&plain));
    assert!(!plain.stderr.contains("clCreateBuffer"));
}

#[test]
fn without_a_driver_the_error_is_the_ordinary_one() {
    for number in 1..=5 {
        let mut terminal = lesson_without_device(number)
            .arg("--step")
            .env("OCL_ICD_VENDORS", scratch_folder("no-drivers"))
            .on_terminal(80, 24);
        // Lesson 1 tells of the drivers before it looks for devices.
        if number == 1 {
            terminal.waits_for("q quit").reads_keys().press(key::ENTER);
        }
        terminal
            .waits_for("no usable OpenCL device")
            .waits_for("unset OCL_ICD_VENDORS")
            .ends_with(3);
        assert!(terminal.is_in_order());
    }
}

#[test]
fn what_cannot_be_told_step_by_step_is_refused() {
    for flags in ["--step --all-devices", "--present --watch"] {
        lesson(5)
            .args(flags)
            .run()
            .fails(2, &["cannot be used with"]);
    }
}
