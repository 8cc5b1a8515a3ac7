//! Every kernel on the OpenCL implementations on which no other test runs it: rusticl and
//! Intel's CPU runtime. PoCL's turn is in lessons.rs, Oclgrind's in simulator.rs. `.ci/everywhere`
//! runs all of them over many shapes, which takes minutes.

use serde_json::Value;
use tests::{Program, lesson_without_device, or_note, workspace};

use crate::lessons::all_ran;

/// Partial groups and tiles in each direction.
const SIZE: &str = "37x91x53";
/// And one element, for kernels of a single group; a sum that lessons 5 to 7 take in two
/// pieces. Later lessons build their kernels anew for other sizes.
const SIZES: &str = "37x91x53,1x1x1,5x6x1030";
/// The same for lesson 5, whose kernel of 128 sums takes 130 iterations of loops for each
/// k where nothing is unrolled: rusticl's llvmpipe ends a kernel's loops after 65,535.
const SHORT_SIZES: &str = "37x91x53,1x1x1,5x6x430";
/// Lesson 2 works on vectors.
const LENGTHS: &str = "1,1303";

/// A lesson that may run on rusticl, which offers no device unless it is told to.
fn with_rusticl(number: u32) -> Program {
    lesson_without_device(number).env("RUSTICL_ENABLE", "llvmpipe")
}

/// A lesson that is given Intel's runtime, where `./setup` has put it.
fn with_intel(number: u32) -> Program {
    let library = workspace().join(".opencl/intel/libintelocl.so");
    lesson_without_device(number).env("OPENCL_DYLIB_PATH", library)
}

/// The number of the device whose platform's name holds this, among those that lesson 1
/// finds.
fn number_of(lesson_1: Program, platform: &str) -> Option<u64> {
    let listed = lesson_1.arg("--json").run_once().records();
    let name = |device: &Value| device["platform"]["name"].as_str().map(String::from);
    let mut devices = listed.iter().map(|listed| &listed["device"]);
    devices.find(|device| name(device).is_some_and(|name| name.contains(platform)))?["index"]
        .as_u64()
}

fn every_kernel_is_right_on_rusticl(number: u32) {
    let device = number_of(with_rusticl(1), "rusticl");
    every_kernel_is_right(number, with_rusticl(number), or_note(device, "rusticl"));
}

fn every_kernel_is_right_on_intels_runtime(number: u32) {
    let device = number_of(with_intel(1), "Intel(R) OpenCL");
    let device = or_note(device, "Intel's CPU runtime");
    every_kernel_is_right(number, with_intel(number), device);
}

fn every_kernel_is_right(number: u32, lesson: Program, device: Option<u64>) {
    let Some(device) = device else { return };
    let sizes = match number {
        2 => LENGTHS,
        5 => SHORT_SIZES,
        3..=7 => SIZES,
        _ => SIZE,
    };
    let flags = format!("--device {device} --size {sizes} --runs 0 --json");
    let run = lesson.args(&flags).run().ends_with(0);
    let is_right = |record: &Value| record["skipped"].is_string() || record["verified"] == true;
    // rusticl counts local memory twice, so that the tile that was chosen may not fit.
    let may_lack_room = |record: &Value| {
        let skipped = record["skipped"].as_str().unwrap_or_default();
        record["platform"] == "rusticl" && skipped.contains("CL_DEVICE_LOCAL_MEM_SIZE")
    };
    let mut records = run.device_records();
    assert!(records.iter().all(is_right), "{run}");
    records.retain(|record| record["verified"] == true || may_lack_room(record));
    all_ran(number, &records, &run);
}

each! { every_kernel_is_right_on_rusticl:
    every_kernel_of_lesson_2_is_right_on_rusticl 2
    every_kernel_of_lesson_3_is_right_on_rusticl 3
    every_kernel_of_lesson_4_is_right_on_rusticl 4
    every_kernel_of_lesson_5_is_right_on_rusticl 5
    every_kernel_of_lesson_6_is_right_on_rusticl 6
    every_kernel_of_lesson_7_is_right_on_rusticl 7
    every_kernel_of_lesson_8_is_right_on_rusticl 8
    every_kernel_of_lesson_9_is_right_on_rusticl 9
    every_kernel_of_lesson_10_is_right_on_rusticl 10
    every_kernel_of_lesson_11_is_right_on_rusticl 11
}

each! { every_kernel_is_right_on_intels_runtime:
    every_kernel_of_lesson_2_is_right_on_intels_runtime 2
    every_kernel_of_lesson_3_is_right_on_intels_runtime 3
    every_kernel_of_lesson_4_is_right_on_intels_runtime 4
    every_kernel_of_lesson_5_is_right_on_intels_runtime 5
    every_kernel_of_lesson_6_is_right_on_intels_runtime 6
    every_kernel_of_lesson_7_is_right_on_intels_runtime 7
    every_kernel_of_lesson_8_is_right_on_intels_runtime 8
    every_kernel_of_lesson_9_is_right_on_intels_runtime 9
    every_kernel_of_lesson_10_is_right_on_intels_runtime 10
    #[ignore = "ten seconds: Intel's compiler takes them for what the tuner makes of three"]
    every_kernel_of_lesson_11_is_right_on_intels_runtime 11
}
