//! Every kernel on every OpenCL implementation that is here: one command.

use serde_json::Value;
use tests::{KERNEL_LESSONS, kernels_of, or_note, program, ran, scratch_folder};

/// The CPU implementations that `./setup --full` installs from the system's
/// packages, and one that it downloads where it can.
const PACKAGED: [&str; 3] = ["PoCL", "Oclgrind", "rusticl"];
const DOWNLOADED: &str = "Intel CPU";

#[test]
fn every_kernel_is_right_on_every_implementation_that_is_here() {
    let run = program("course").args("check --json").run().ends_with(0);
    let lines = run.records();
    for name in PACKAGED.into_iter().chain([DOWNLOADED]) {
        let of_it = || lines.iter().filter(|line| line["implementation"] == name);
        // A missing implementation is named as missing, never counted as passed.
        let missing = of_it().all(|line| line["verdict"] == "missing");
        if missing && (name == DOWNLOADED || or_note(None::<()>, name).is_none()) {
            continue;
        }
        for line in of_it() {
            let skipped = line["verdict"] == "skipped" && line["reason"].is_string();
            assert!(skipped || line["verdict"] == "verified", "{line}");
        }
        for number in KERNEL_LESSONS {
            let verified: Vec<&Value> = of_it()
                .filter(|line| line["lesson"] == number && line["verdict"] == "verified")
                .collect();
            // The kernel that prints belongs to no table.
            let kernels = kernels_of(number).into_iter();
            for kernel in kernels.filter(|kernel| kernel != "trace_tiles") {
                assert!(
                    verified.iter().any(|line| ran(line, &kernel)),
                    "{name} has not verified {kernel} of lesson {number}\n{run}"
                );
            }
        }
    }
}

#[test]
fn a_check_of_nothing_fails() {
    program("course")
        .args("check --on no-such-implementation")
        .run()
        .fails(2, &["no such implementation", "PoCL", "Oclgrind"]);
    // One that the course knows, where there is none: nothing is proven.
    program("course")
        .args("check --on PoCL")
        .env("OCL_ICD_VENDORS", scratch_folder("no-drivers"))
        .run()
        .fails(1, &["nothing was checked", "./setup --full"]);
}
