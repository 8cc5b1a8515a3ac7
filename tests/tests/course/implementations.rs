//! Every kernel on every OpenCL implementation that is here: one command.

use std::collections::BTreeSet;

use tests::{KERNEL_LESSONS, kernels_of, or_note, program};

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
        let verified: BTreeSet<String> = of_it()
            .filter(|line| line["verdict"] == "verified")
            .filter_map(|line| line["kernel"].as_str())
            .filter_map(|kernel| kernel.split(' ').next())
            .map(String::from)
            .collect();
        for kernel in KERNEL_LESSONS.flat_map(kernels_of) {
            // The kernel that prints belongs to no table, and those that lay operands
            // out are right if the product that reads them is.
            let expected = kernel != "trace_tiles" && !kernel.starts_with("pack_");
            assert!(
                !expected || verified.contains(&kernel),
                "{name} has not verified {kernel}\n{run}"
            );
        }
    }
}

#[test]
fn a_check_of_nothing_fails() {
    program("course")
        .args("check --on no-such-implementation")
        .run()
        .fails(1, &["nothing was checked", "./setup --full"]);
}
