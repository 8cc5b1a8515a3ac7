//! The commands of the course on a terminal of 80 columns, with a device and without
//! a driver: each comes to its end, no row is broken, the terminal is in order.

use tests::{Program, program, scratch_folder};

use crate::game::Learner;

/// Runs the command on a terminal, and looks for these words.
#[track_caller]
fn shows(program: Program, columns: u16, status: i32, words: &[&str]) {
    let mut terminal = program.on_terminal(columns, 24);
    terminal.ends_with(status);
    let shown = terminal.transcript();
    for word in words {
        assert!(shown.contains(word), "no {word:?} in\n{shown}");
    }
    assert_eq!(terminal.broken_rows(), [""; 0], "{shown}");
    assert!(terminal.is_in_order(), "{shown}");
}

/// The course for somebody who has no exercises yet.
fn course(words: &str) -> Program {
    let nowhere = scratch_folder("terminal").join("nowhere");
    program("course")
        .args(words)
        .env("OPENCL_COURSE_EXERCISES", nowhere)
}

#[test]
fn the_commands_fit_a_terminal() {
    shows(
        course("map"),
        80,
        0,
        &["many elements per item", "cargo course start"],
    );
    shows(course("doctor"), 80, 0, &["The course can run here"]);
    let list = course("diagnose --list");
    shows(list, 80, 0, &["0 of 28", "cargo course start"]);
    shows(course("report --help"), 80, 0, &["--peers"]);
    // Code is not wrapped; these kernels' longest line and the margin want 96.
    shows(course("diff 4 5"), 96, 0, &["matmul_"]);
    let two = "diff matmul_global_sum matmul_private_sum";
    shows(course(two), 96, 0, &["matmul_private_sum"]);
}

#[test]
fn without_a_driver_they_fit_too_and_name_what_to_do() {
    let course = |words: &str| course(words).env("OCL_ICD_VENDORS", scratch_folder("no-drivers"));
    shows(course("map"), 80, 0, &["./setup"]);
    shows(course("doctor"), 80, 3, &["Next: unset OCL_ICD_VENDORS"]);
    shows(course("diff 4 5"), 96, 0, &["matmul_"]);
    shows(course("check-all"), 80, 2, &["cargo course start"]);
    let learner = Learner::started("driverless");
    let diagnose = learner.types("diagnose 1");
    let diagnose = diagnose.env("OCL_ICD_VENDORS", scratch_folder("no-drivers"));
    shows(diagnose, 80, 3, &["did not run", "course -- doctor"]);
}
