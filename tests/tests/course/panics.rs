//! Nothing that a system refuses makes a command panic, or changes its status: full disks,
//! closed streams, no threads.

use tests::{Program, lesson, lesson_without_device, program, scratch, scratch_folder};

type Commands = Vec<(&'static str, fn() -> Program)>;

/// Commands that end with an error, and some that do not, each of which says something on
/// standard error, and none of which takes long.
fn commands() -> Commands {
    vec![
        ("unknown kernel", || {
            lesson_without_device(3).args("--only nosuch")
        }),
        ("unknown flag", || lesson_without_device(3).args("--nosuch")),
        ("unknown device", || lesson(3).args("--device nosuch")),
        ("all devices", || lesson(1).args("--all-devices")),
        ("a wrong result", || {
            let text = "kernel void matmul_naive(int M, int N, int K, global const float *A,\n    \
                        global const float *B, global float *C)\n{\n}\n";
            let source = scratch("panics.cl", text);
            lesson(3)
                .args("--size 4 --runs 0 --only matmul_naive --source")
                .arg(source)
        }),
        ("a right result", || {
            lesson(3).args("--size 4 --runs 0 --only matmul_naive")
        }),
        ("lesson 11", || {
            lesson_without_device(10).args("--only nosuch")
        }),
        ("the map", || program("course")),
        ("exercise", || program("course").args("exercise 99.9")),
        ("diagnose", || program("course").args("diagnose 99")),
        ("report", || {
            program("course")
                .args("report --from /nonexistent --out")
                .arg(scratch_folder("panics"))
        }),
        ("compare", || {
            program("course").args("report --compare /nonexistent /nonexistent")
        }),
        ("diff", || program("course").args("diff nosuch")),
        ("start", || program("course").args("start /proc/nosuch")),
        ("check", || program("makers").args("check --on nosuch")),
        ("oclcc", || program("oclcc").args("/nonexistent")),
        ("makers", || program("makers").args("pages /nonexistent.md")),
    ]
}

/// Every command by this line of shell ends as it does without, and nothing panics.
fn end_as_ever(line: &str, extra: fn(Program) -> Program) {
    for (name, command) in commands() {
        let status = command().run_once().status;
        let run = extra(command()).in_shell(line).run();
        // Rust's own status of a panic, which no error of the course has.
        assert!(
            run.status.is_some_and(|status| status != 101),
            "{name}\n{run}"
        );
        assert_eq!(run.status, status, "{name}\n{run}");
    }
}

fn as_it_is(program: Program) -> Program {
    program
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_changes_no_status() {
    end_as_ever("exec \"$0\" \"$@\" 2>/dev/full", as_it_is);
}

/// What is to be read cannot be said: that is told, with a status that no result has.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_told_as_an_error() {
    for (name, command) in commands() {
        let usual = command().run_once();
        let line = "exec \"$0\" \"$@\" >/dev/full";
        let run = command().in_shell(line).run();
        if usual.stdout.is_empty() {
            assert_eq!(run.status, usual.status, "{name}\n{run}");
        } else {
            run.fails(5, &["No space left on device", "next: make room"]);
        }
    }
}

#[test]
fn a_reader_that_has_gone_away_changes_no_status() {
    // What is written into it fails, once nobody holds the other end.
    end_as_ever("exec 3> >(:); sleep 0.1; exec \"$0\" \"$@\" 2>&3", as_it_is);
}

#[test]
fn closed_streams_change_no_status() {
    end_as_ever("exec \"$0\" \"$@\" 2>&- <&-", as_it_is);
}

/// The standard library asks for stacks of a petabyte, which no system gives: so none of
/// its threads can be started, as under `ulimit -u`, which does not bind root.
#[cfg(target_os = "linux")]
#[test]
fn without_threads_no_command_panics_or_ends_otherwise() {
    end_as_ever("exec \"$0\" \"$@\"", |program| {
        program.env("RUST_MIN_STACK", (1u64 << 50).to_string())
    });
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_without_threads_there_is_no_sign_of_life_and_no_panic() {
    let lesson = lesson(3).args("--size 4 --runs 0 --only matmul_naive");
    let lesson = lesson.env("RUST_MIN_STACK", (1u64 << 50).to_string());
    let mut terminal = lesson.on_terminal(80, 24);
    terminal.ends_with(0);
    assert!(
        !terminal.transcript().contains("panicked"),
        "{}",
        terminal.transcript()
    );
}

/// With fewer processes than a driver wants it gives up, here or there; whatever ends, it
/// is told, and nothing of ours panics. `ulimit -u` does not bind root, so somebody else
/// runs it then.
#[cfg(target_os = "linux")]
#[test]
fn with_few_processes_nothing_of_ours_panics() {
    for limit in [1, 3, 8] {
        let limited = format!("ulimit -u {limit}; exec \"$0\" \"$@\"");
        let nobody = "exec setpriv --reuid=65534 --clear-groups";
        let line = format!("[ $UID = 0 ] && {nobody} bash -c '{limited}' \"$0\" \"$@\"; {limited}");
        for (name, command) in commands() {
            let run = command().in_shell(&line).run();
            assert_ne!(run.status, Some(101), "{name}\n{run}");
        }
    }
}

/// The learner may edit the file; a hint more than the largest number is the last one.
#[test]
fn no_number_of_hints_is_too_large() {
    let folder = scratch_folder("many-hints");
    let notes = "3.1 hints 18446744073709551615\n7 hints 18446744073709551615\n";
    for words in ["exercise 3.1 --hint", "diagnose 7 --hint"] {
        std::fs::write(folder.join("progress.txt"), notes).expect("the folder can be written");
        let course = program("course").env("OPENCL_COURSE_EXERCISES", &folder);
        course.args(words).run().ends_with(0).says(&["Hint 3"]);
    }
}
