//! Lesson 14: several queues, several devices. What MPI does is run by `.ci/run`, since that
//! needs one.

use std::fs;

use tests::{Oclgrind, lesson, scratch_folder, this_test_has_its_day, workspace};

/// Sizes that fill no tile, so that every edge is met.
const ODD: &str = "--size 150x101x67 --runs 0";

#[test]
fn every_order_of_transfers_and_every_split_is_right() {
    let run = lesson(14).args(ODD).run().ends_with(0);
    assert!(run.stdout.matches("right, not timed").count() >= 6, "{run}");
    lesson(14).args("--overlap --size 64 --runs 1 --json").run().ends_with(0);
    let run = lesson(14).args("--split --size 150x101x67 --runs 1").run().ends_with(0);
    run.says(&["together: ", "kernels", "downloads"]);
    // A kernel that is wrong is found, whoever runs it.
    let text = fs::read_to_string(workspace().join("kernels/14-several-devices.cl"));
    let text = text.expect("it is there");
    let wrong = scratch_folder("lesson14").join("wrong.cl");
    fs::write(&wrong, text.replace("a * b0", "a * b1")).expect("it can be written");
    let run = lesson(14).args("--overlap --runs 0 --size 64 --source");
    run.arg(&wrong).run().fails(1, &["C is wrong"]);
}

#[test]
fn a_device_that_fails_or_hangs_costs_no_result() {
    for (flag, words) in
        [("--fail 1", "it failed, as --fail asks"), ("--hang 0", "it did not come back")]
    {
        let words = &["with a mishap", words][..];
        lesson(14)
            .args(&format!("--split --runs 0 --size 220 {flag}"))
            .run()
            .ends_with(0)
            .says(words);
    }
}

#[test]
fn what_cannot_be_is_said() {
    for (flags, words) in [
        ("--split --devices 99", "no device matches \"99\""),
        ("--split --fail 7", "name one of 2 devices"),
        ("--mpi", "next: "),
        ("--ranks 2", "./setup --mpi"),
        ("--size 8 --type int", "this lesson computes with floats"),
    ] {
        lesson(14).args(flags).run().fails(2, &[words]);
    }
}

/// A GPU's kernel has a tile and barriers that a CPU's has not; the simulator runs it.
#[test]
fn its_kernel_is_sound_in_the_simulator() {
    let Some(oclgrind) = Oclgrind::find().filter(|_| this_test_has_its_day(3)) else {
        return;
    };
    let program = lesson(14).args("--runs 0 --size 37x141x19");
    let (run, log) = oclgrind.run("lesson14", program);
    run.ends_with(0);
    let log: String = log.chars().take(1000).collect();
    assert_eq!(log, "");
}
