//! The commands of the course on a terminal of 80 columns, with a device and without
//! a driver: each comes to its end, no row is broken, the terminal is in order.

use tests::{Program, lesson, program, scratch_folder};

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
        course("").in_shell("\"$0\" </dev/null"),
        80,
        0,
        &["many elements per item", "cargo course start"],
    );
    shows(course("doctor"), 80, 0, &["The course can run here"]);
    let list = course("diagnose --list");
    shows(list, 80, 0, &["0 of 28", "cargo course start"]);
    shows(course("report --help"), 80, 0, &["--peers"]);
    shows(course("diff 4 5"), 80, 0, &["matmul_"]);
    let two = "diff matmul_global_sum matmul_private_sum";
    shows(course(two), 60, 0, &["matmul_private_sum"]);
}

#[test]
fn without_a_driver_they_fit_too_and_name_what_to_do() {
    let course = |words: &str| course(words).env("OCL_ICD_VENDORS", scratch_folder("no-drivers"));
    shows(
        course("").in_shell("\"$0\" </dev/null"),
        80,
        0,
        &["./setup"],
    );
    shows(course("doctor"), 80, 3, &["Next: unset OCL_ICD_VENDORS"]);
    shows(course("diff 4 5"), 80, 0, &["matmul_"]);
    shows(course("check-all"), 80, 2, &["cargo course start"]);
    let learner = Learner::started("driverless");
    let diagnose = learner.types("diagnose 1");
    let diagnose = diagnose.env("OCL_ICD_VENDORS", scratch_folder("no-drivers"));
    shows(diagnose, 80, 3, &["did not run", "course -- doctor"]);
}

#[test]
fn what_is_longer_than_the_screen_goes_through_a_pager_and_what_is_piped_does_not() {
    let pager = "sed 's/^/page: /'";
    let mut long = course("diff 4 5").env("PAGER", pager).on_terminal(100, 24);
    long.ends_with(0);
    let shown = long.transcript();
    assert!(
        shown
            .lines()
            .all(|line| line.is_empty() || line.starts_with("page:")),
        "{shown}"
    );
    assert!(long.raw().contains("\x1b[32m"), "colours stay: {shown}");
    let piped = course("diff 4 5").env("PAGER", pager).run().ends_with(0);
    assert!(!piped.stdout.contains("page: "), "{piped}");
    // A reader who leaves early, and a pager that is not there.
    for (pager, status) in [("head -n 3", 0), ("no-such-pager", 0)] {
        let mut left = course("diff 4 5").env("PAGER", pager).on_terminal(80, 24);
        left.ends_with(status);
    }
}

#[test]
fn less_shows_one_screen_at_a_time_and_gives_the_terminal_back() {
    let mut long = program("course")
        .args("diff 4 5")
        .in_shell("unset PAGER LESS; exec \"$0\" \"$@\"");
    long = long.env("TERM", "xterm");
    let mut terminal = long.on_terminal(80, 24);
    terminal
        .waits_for("matmul_")
        .reads_keys()
        .press("q")
        .ends_with(0);
    assert!(terminal.is_in_order());
}

#[test]
fn a_terminal_of_ascii_is_told_so_and_a_pipe_gets_everything() {
    let right = || lesson(5).args("--only matmul_private_sum --size 4 --runs 3");
    let mut ascii = right().env("LC_ALL", "C").on_terminal(80, 24);
    ascii.ends_with(0);
    let raw = ascii.raw();
    assert!(
        raw.is_ascii() && ascii.transcript().contains(" % v"),
        "{raw}"
    );
    let piped = right().env("LC_ALL", "C").run().ends_with(0);
    assert!(piped.stdout.contains('✓'), "{piped}");
}

#[test]
fn no_sign_of_life_stands_among_rows_that_another_program_passes_on() {
    let lesson = lesson(5).args("--only matmul_private_sum --size 4 --runs 3");
    let mut terminal = lesson.in_shell("\"$0\" \"$@\" | cat").on_terminal(80, 24);
    terminal.ends_with(0);
    let raw = terminal.raw();
    assert!(raw.contains('✓') && !raw.contains("timing"), "{raw}");
}
