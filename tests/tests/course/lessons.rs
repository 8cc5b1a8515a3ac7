//! Every lesson with the flags of its readers: odd sizes, all types, both fills, timed.

use std::io::Write;
use std::process::Command;

use serde_json::Value;
use tests::{
    KERNEL_LESSONS, Outcome, Program, device, devices, kernel_of, kernels_of, lesson, or_note, ran,
};

/// One element; one column; sizes that divide by nothing; one more than powers of two.
const SIZES: [&str; 4] = ["1x1x1", "1x7x1", ODD, "129x65x257"];
/// Several groups, partial groups and partial tiles in each direction.
const ODD: &str = "37x91x53";

/// Lesson 2 works on vectors.
const LENGTHS: [&str; 3] = ["1", "7", "1303"];

/// Not every compiler has sub-groups.
const FOR_SUB_GROUPS: &str = "sum_sub_groups";
/// One only speaks to people, and some are for GPUs, of one vendor or all.
const ELSEWHERE: [&str; 4] = ["trace_tiles", FOR_SUB_GROUPS, "sum_shuffle", "product_tile"];

/// What a lesson is run at, and with which types.
fn sizes_and_types(number: u32) -> (&'static [&'static str], &'static [&'static str]) {
    match number {
        2 => (&LENGTHS, &["float"]),
        12 => (&["1x1x1", "1x7x1", "37x91x1", "129x65x1"], &["float"]),
        15 => (&["1x1x1", "1x7x1", ODD], &["float"]),
        _ if device()["limits"]["fp64"] == true => (&SIZES, &["float", "double", "int"]),
        _ => (&SIZES, &["float", "int"]),
    }
}

/// They are offered where C has few rows, or few columns.
const FOR_THIN: [&str; 4] =
    ["matmul_few_rows", "matmul_few_columns", "matmul_rows_by_lanes", "matmul_columns_by_lanes"];

/// Every kernel of a lesson has a part in these records.
pub fn all_ran(number: u32, records: &[Value], run: &Outcome) {
    let kernels = kernels_of(number);
    for kernel in kernels.iter().filter(|kernel| !ELSEWHERE.contains(&kernel.as_str())) {
        let has_part = records.iter().any(|record| ran(record, kernel));
        assert!(has_part, "{kernel} of lesson {number} is not in\n{run}");
    }
}

fn every_kernel_is_right(number: u32) {
    let (sizes, types) = sizes_and_types(number);
    // The text of a kernel is the same for all types.
    let sizes_of = |ty: &str| if ty == "float" { sizes } else { &[ODD][..] };
    for ty in types {
        every_kernel_is_right_with(number, ty, sizes_of(ty), |lesson| lesson);
    }
}

/// Floats have more shapes, in `.ci/everywhere`. What a type has of its own, such as the width of
/// its vectors, shows where groups and tiles are whole and partial, and where one is all there is.
#[test]
#[ignore = "a minute: kernels of double and int, optimised as learners have them"]
fn every_type_is_right_as_learners_have_it() {
    for number in KERNEL_LESSONS {
        let (_, types) = sizes_and_types(number);
        let sizes = &["1x7x1", "129x65x257"];
        for ty in types.iter().filter(|ty| **ty != "float") {
            every_kernel_is_right_with(number, ty, sizes, Program::optimised);
        }
    }
}

fn every_kernel_is_right_with(number: u32, ty: &str, sizes: &[&str], set: fn(Program) -> Program) {
    let kernels = kernels_of(number);
    assert!(!kernels.is_empty());
    let words = format!("--type {ty} --runs 0 --json --size {}", sizes.join(","));
    let run = set(lesson(number).args(&words)).run().ends_with(0);
    let records = run.device_records();
    for record in &records {
        let known = kernels.iter().any(|kernel| kernel == kernel_of(record));
        assert!(known, "not in --list: {record}");
        match record["skipped"].as_str() {
            Some(reason) => assert!(may_be_skipped(record, reason), "skipped: {record}\n{run}"),
            None => assert_eq!(record["verified"], true, "{record}\n{run}"),
        }
    }
    for kernel in kernels.iter().filter(|kernel| !ELSEWHERE.contains(&kernel.as_str())) {
        let found = |size: &&&str| {
            let mut of_size = records.iter().filter(|record| is_of_size(record, size));
            of_size.any(|record| ran(record, kernel))
        };
        let count = sizes.iter().filter(found).count();
        let enough = if FOR_THIN.contains(&kernel.as_str()) { 1 } else { sizes.len() };
        assert!(count >= enough, "{kernel} at {count} sizes is in\n{run}");
    }
}

/// Whether a record is of this problem: a length, or MxNxK. Kernels that copy and
/// transpose choose a problem of their own.
fn is_of_size(record: &Value, size: &str) -> bool {
    let [m, n, k] = ["m", "n", "k"].map(|side| &record[side]);
    let shape = format!("{m}x{n}x{k}");
    shape == size || shape == format!("1x{size}x1") || shape == "0x0x0"
}

/// The reasons for which a kernel may not run. Nothing else is accepted.
fn may_be_skipped(record: &Value, reason: &str) -> bool {
    let has_small_limits = record["platform"] != "Portable Computing Language";
    let names_a_limit = ["CL_DEVICE_MAX_", "CL_DEVICE_LOCAL_MEM_SIZE", "CL_KERNEL_WORK_GROUP_SIZE"]
        .iter()
        .any(|limit| reason.contains(limit));
    match kernel_of(record) {
        "matmul_local_ids" => reason.starts_with("one group cannot hold"),
        FOR_SUB_GROUPS | "softmax_kept" => reason.starts_with("not every compiler can build"),
        "matmul_dot4" | "matmul_dot4_from_scalars" if record["type"] == "int" => {
            reason.contains("dot() exists for floating types only")
        }
        _ => has_small_limits && (names_a_limit || reason.starts_with("the driver refuses")),
    }
}

/// All fields that the issue promises, with values that agree with each other; and right
/// results for matrices that are filled by counting.
fn a_timed_run_tells_all(number: u32) {
    let less = match number {
        // Its copies are larger than any cache, whatever the size of the product.
        4 => "--only matmul_id0_rows --only matmul_id0_columns",
        // It searches before it times.
        11 => "--budget 1s",
        _ => "",
    };
    let run =
        lesson(number).args("--runs 2 --size 64 --fill count --json").args(less).run().ends_with(0);
    let records = run.device_records();
    assert!(!records.is_empty());
    for record in &records {
        assert_eq!(record["lesson"], number);
        let text = |name: &str| record[name].as_str().is_some_and(|text| !text.is_empty());
        let count = |name: &str| record[name].is_u64();
        let time = |name: &str| record[name].as_f64().is_some_and(|time| time >= 0.0);
        for told in [
            ["kernel", "platform", "device", "driver", "type"].iter().all(|name| text(name)),
            ["m", "n", "k", "seed", "runs"].iter().all(|name| count(name)),
            ["build_seconds", "queue_to_start_seconds"].iter().all(|name| time(name)),
            record["verified"].is_boolean() && record["seconds"].is_array(),
        ] {
            assert!(told, "{record}");
        }
        match record["skipped"].as_str() {
            Some(reason) => assert!(may_be_skipped(record, reason), "{record}"),
            None => {
                assert_eq!(record["verified"], true, "{record}\n{run}");
                the_times_agree(record);
            }
        }
    }
}

fn the_times_agree(record: &Value) {
    let number = |name: &str| record[name].as_f64();
    let samples: Vec<f64> =
        record["seconds"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!((samples.len(), number("runs")), (2, Some(2.0)), "{record}");
    assert!(samples.iter().all(|seconds| *seconds > 0.0), "{record}");
    let median = number("seconds_median").expect("a timed record has a median");
    for part in record["helpers"].as_array().into_iter().flatten() {
        match part["seconds_median"].as_f64() {
            Some(seconds) => assert!(0.0 < seconds && seconds < median, "{record}"),
            None => assert_eq!(record["clock"], "wall", "{record}"),
        }
    }
    let (least, most) = (samples[0].min(samples[1]), samples[0].max(samples[1]));
    assert!(least <= median && median <= most, "{record}");
    match (number("gflops"), number("gbytes_per_second")) {
        (Some(gflops), None) => {
            let flop = 2.0 * 64.0 * 64.0 * 64.0;
            let share = gflops * 1e9 * median / flop;
            assert!((share - 1.0).abs() < 1e-9, "{record}");
        }
        // What a copy moves is not in the record; it is a whole number of floats.
        (None, Some(rate)) => {
            let floats = rate * 1e9 * median / 4.0;
            assert!(floats > 1.0 && (floats / floats.round() - 1.0).abs() < 1e-9, "{record}");
        }
        _ => panic!("one rate, not none or two: {record}"),
    }
}

// What takes long is building each kernel for the first time.
each! { every_kernel_is_right:
    every_kernel_of_lesson_2_is_right 2
    every_kernel_of_lesson_3_is_right 3
    every_kernel_of_lesson_4_is_right 4
    every_kernel_of_lesson_5_is_right 5
    every_kernel_of_lesson_6_is_right 6
    every_kernel_of_lesson_7_is_right 7
    every_kernel_of_lesson_8_is_right 8
    every_kernel_of_lesson_9_is_right 9
    every_kernel_of_lesson_10_is_right 10
    every_kernel_of_lesson_11_is_right 11
    every_kernel_of_lesson_12_is_right 12
    every_kernel_of_lesson_15_is_right 15
}

each! { a_timed_run_tells_all on a day of 3:
    a_timed_run_of_lesson_2_tells_all 2
    a_timed_run_of_lesson_3_tells_all 3
    a_timed_run_of_lesson_4_tells_all 4
    a_timed_run_of_lesson_5_tells_all 5
    a_timed_run_of_lesson_6_tells_all 6
    a_timed_run_of_lesson_7_tells_all 7
    a_timed_run_of_lesson_8_tells_all 8
    a_timed_run_of_lesson_9_tells_all 9
    a_timed_run_of_lesson_10_tells_all 10
    a_timed_run_of_lesson_11_tells_all 11
    a_timed_run_of_lesson_12_tells_all 12
}

#[test]
fn lesson_1_agrees_with_clinfo() {
    let output = Command::new("clinfo").arg("--raw").output().ok();
    let Some(output) = or_note(output.filter(|output| output.status.success()), "clinfo") else {
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let values = |property: &str| -> Vec<String> {
        let values = text.lines().filter_map(|line| line.split_once(property));
        values
            .filter(|(_, value)| value.starts_with(' '))
            .map(|(_, value)| value.trim().to_string())
            .collect()
    };
    let names = values("CL_DEVICE_NAME");
    // A driver that only the course knows (./setup without root), or one that
    // only this shell's OPENCL_DYLIB_PATH names, is nothing to compare.
    if names.is_empty() || std::env::var_os("OPENCL_DYLIB_PATH").is_some() {
        // Not by the test harness's own printing, which it keeps to itself.
        let _ =
            writeln!(std::io::stderr(), "NOT RUN: clinfo and the course look at different drivers");
        return;
    }
    let ours = |pointer: &str| -> Vec<String> {
        let values = devices().iter().filter_map(|device| device.pointer(pointer));
        values.map(|value| value.as_str().map_or(value.to_string(), String::from)).collect()
    };
    assert_eq!(ours("/device/name"), names);
    assert_eq!(ours("/device/limits/compute_units"), values("CL_DEVICE_MAX_COMPUTE_UNITS"));
    assert_eq!(ours("/device/limits/max_work_group_size"), values("CL_DEVICE_MAX_WORK_GROUP_SIZE"));
}
