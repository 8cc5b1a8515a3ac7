//! A machine without OpenCL, simulated by the environment: each message names
//! the state, and what mends it. These tests need no device.

use tests::{Program, lesson_without_device, program, scratch_folder};

/// A loader that is told of no driver.
fn without_platform(program: Program) -> Program {
    program.env("OCL_ICD_VENDORS", scratch_folder("no-drivers"))
}

/// What mends it.
const MENDS: &str = "next: unset OCL_ICD_VENDORS";

/// The dynamic linker meets a file that is no library first, and gives up.
#[cfg(target_os = "linux")]
fn without_loader(program: Program) -> Program {
    let folder = scratch_folder("no-loader");
    std::fs::write(folder.join("libOpenCL.so.1"), "").expect("the folder can be written");
    let program = without_platform(program).env("LD_LIBRARY_PATH", folder);
    program.env("OPENCL_DYLIB_PATH", "no-such-library")
}

#[test]
fn a_loader_without_a_platform_is_named_with_what_mends_it() {
    for number in 1..=8 {
        let run = without_platform(lesson_without_device(number)).run();
        run.fails(
            3,
            &["no usable OpenCL device", "no platform", "-1001", MENDS],
        );
    }
    let run = without_platform(lesson_without_device(5))
        .arg("--all-devices")
        .run();
    run.fails(3, &["no platform", MENDS]);
    let oclcc = program("oclcc")
        .args("kernels/02-saxpy.cl -o")
        .arg(scratch_folder("files").join("saxpy.bin"));
    without_platform(oclcc)
        .run()
        .fails(3, &["no platform", MENDS]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_machine_without_a_loader_is_named_and_setup_recommended() {
    for number in 1..=8 {
        let run = without_loader(lesson_without_device(number)).run();
        run.fails(
            3,
            &[
                "no usable OpenCL device",
                "no OpenCL loader",
                "-2000",
                "./setup",
            ],
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_that_is_not_opencl_is_named_with_the_variable_that_chose_it() {
    for number in [1, 2, 3] {
        let run = without_platform(lesson_without_device(number))
            .env("OPENCL_DYLIB_PATH", "libc.so.6")
            .run();
        run.fails(3, &["is not one (-2001)", "next: unset OPENCL_DYLIB_PATH"]);
    }
}

#[test]
fn what_needs_no_device_works_without_one() {
    for number in 1..=8 {
        without_platform(lesson_without_device(number))
            .arg("--list")
            .run()
            .ends_with(0);
        without_platform(lesson_without_device(number))
            .arg("--help")
            .run()
            .ends_with(0);
    }
    without_platform(program("course")).run().ends_with(0);
    without_platform(lesson_without_device(5))
        .args("--size 0")
        .run()
        .fails(2, &["sizes start at 1"]);
}
