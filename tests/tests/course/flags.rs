//! The flags that every lesson shares, and what goes where.

use std::process::Command;

use tests::{
    KERNEL_LESSONS, Outcome, clean, device, kernel_of, kernels_of, lesson, lesson_without_device,
    pocl, program, scratch, workspace,
};

/// One kernel, no times: quick.
const QUICK: &str = "--only matmul_private_sum --runs 0 --size 4";

/// Whether a text holds an escape sequence that sets a colour or a weight.
fn is_coloured(text: &str) -> bool {
    let sequences = text.split("\x1b[").skip(1);
    sequences
        .filter_map(|rest| rest.chars().find(|c| c.is_ascii_alphabetic()))
        .any(|end| end == 'm')
}

#[test]
fn output_into_a_pipe_has_no_colour_unless_it_is_asked_for() {
    let plain = lesson(5).args(QUICK).run().ends_with(0);
    assert!(!plain.stdout.contains('\x1b'), "{plain}");
    let coloured = lesson(5)
        .args(QUICK)
        .args("--color always")
        .run()
        .ends_with(0);
    assert!(is_coloured(&coloured.stdout), "{coloured}");
    let forced = lesson(5)
        .args(QUICK)
        .env("CLICOLOR_FORCE", "1")
        .run()
        .ends_with(0);
    assert!(is_coloured(&forced.stdout), "{forced}");
    let never = lesson(5)
        .args(QUICK)
        .args("--color never")
        .env("CLICOLOR_FORCE", "1")
        .run();
    assert!(!is_coloured(&never.ends_with(0).stdout));
}

/// On a terminal, which util-linux's `script` makes.
#[cfg(target_os = "linux")]
#[test]
fn output_on_a_terminal_has_colour_unless_no_color_is_set() {
    let on_a_terminal = |variable: &str| {
        let lesson = lesson(5)
            .command()
            .get_program()
            .to_string_lossy()
            .into_owned();
        let line = format!("'{lesson}' {QUICK} 2>/dev/null");
        let mut command = Command::new("script");
        clean(&mut command)
            .args(["-qec", &line, "/dev/null"])
            .env("TERM", "xterm");
        let output = command.env(variable, "1").output().ok();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let terminal = tests::or_note(on_a_terminal("NOTHING"), "script (util-linux)");
    let Some((with, without)) = terminal.zip(on_a_terminal("NO_COLOR")) else {
        return;
    };
    assert!(with.contains("right") && is_coloured(&with), "{with}");
    assert!(
        without.contains("right") && !is_coloured(&without),
        "{without}"
    );
}

#[test]
fn json_mode_prints_nothing_but_json() {
    let run = lesson(5).args(QUICK).arg("--json").run().ends_with(0);
    assert_eq!(run.records().len(), 1, "{run}");
    assert_eq!(kernel_of(&run.records()[0]), "matmul_private_sum");
}

#[test]
fn what_a_kernel_prints_does_not_stand_between_the_json() {
    let Some(pocl) = pocl() else { return };
    let text = "kernel void matmul_naive(int M, int N, int K, global const float *A,\n    \
                global const float *B, global float *C)\n{\n    printf(\"here\\n\");\n    \
                C[0] = A[0] * B[0];\n}\n";
    let source = scratch("prints.cl", text);
    let flags = "--json --size 1 --runs 0 --only matmul_naive --source";
    let run = lesson(3)
        .args(&pocl)
        .args(flags)
        .arg(source)
        .run()
        .ends_with(0);
    assert_eq!(run.device_records().len(), 1, "{run}");
    assert!(run.stderr.contains("here"), "{run}");
}

#[test]
fn list_names_the_kernels_of_the_lessons_file_in_order() {
    let files = tests::kernel_files("");
    for number in KERNEL_LESSONS {
        let begins = format!("{number:02}-");
        let file = files.iter().find(|file| {
            let name = file.file_name().unwrap_or_default();
            name.to_string_lossy().starts_with(&begins)
        });
        let file = file.unwrap_or_else(|| panic!("lesson {number} has a kernel file"));
        let text = std::fs::read_to_string(file).expect("kernel files are text");
        let (_, names) = tests::with_empty_bodies(&text);
        let kernels: Vec<&str> = names
            .into_iter()
            .filter(|name| text.contains(&format!(" {name}(int ")))
            .collect();
        assert_eq!(kernels_of(number), kernels, "{}", file.display());
    }
    lesson_without_device(1).args("--list").run().ends_with(0);
}

#[test]
fn only_runs_the_kernels_that_are_named() {
    let flags = "--runs 0 --size 5 --json --only matmul_private_sum --only matmul_global_sum";
    let run = lesson(5).args(flags).run().ends_with(0);
    let records = run.records();
    let ran: Vec<&str> = records.iter().map(kernel_of).collect();
    assert_eq!(ran, ["matmul_global_sum", "matmul_private_sum"]);
}

#[test]
fn show_prints_matrices_that_can_be_followed_by_hand() {
    lesson(5)
        .args("--size 3x4x2 --fill count --show --runs 0 --only matmul_private_sum")
        .run()
        .ends_with(0)
        .says(&["A (3 x 2)", "B (2 x 4)", "C by matmul_private_sum (3 x 4)"])
        .says(&["11  14  17  20", "23  30  37  44", "35  46  57  68"]);
    lesson(5)
        .args("--only matmul_private_sum --runs 0 --size 17 --show")
        .run()
        .ends_with(0)
        .says(&["too large to print"]);
}

/// The table that `--all-devices` ends with.
fn side_by_side(run: &Outcome) -> &str {
    let table = run.stdout.split_once("All devices side by side");
    table.expect("a table").1
}

#[test]
fn all_devices_end_in_one_table() {
    let names = tests::devices()
        .iter()
        .filter_map(|device| device.pointer("/device/name"));
    let run = lesson(5)
        .args(QUICK)
        .arg("--all-devices")
        .run()
        .ends_with(0);
    let table = side_by_side(&run);
    assert!(table.contains("matmul_private_sum"), "{run}");
    for name in names {
        let name = name.as_str().unwrap_or_default();
        assert!(table.contains(name), "{name} is not in\n{run}");
    }
    assert!(run.stdout.contains("device 0 of all "), "{run}");
}

#[test]
fn a_table_of_which_nothing_is_wanted_has_no_head() {
    let run = lesson(5)
        .args("--only matmul_row_private --size 4 --runs 0")
        .run()
        .ends_with(0);
    assert_eq!(run.stdout.matches("median").count(), 1, "{run}");
}

#[test]
fn json_tells_of_a_build_that_failed() {
    let file = scratch(
        "json-build.cl",
        "kernel void matmul_private_sum(int M) { none = 1; }\n",
    );
    let run = lesson(5)
        .args(QUICK)
        .args("--json --source")
        .arg(file)
        .run()
        .ends_with(4);
    let records = run.records();
    let last = records.last().expect("an object");
    let error = last["error"].as_str().unwrap_or_default();
    assert!(
        error.contains("does not build") && error.contains("undeclared"),
        "{run}"
    );
    assert_eq!(last["status"], 4, "{run}");
}

#[test]
fn a_kernel_that_prints_runs_once() {
    let text = std::fs::read_to_string(workspace().join("kernels/05-private-memory.cl"));
    let text = text.expect("a file of the course").replacen(
        "REAL sum = 0;",
        "REAL sum = 0; if (row + column == 0) printf(\"hello\\n\");",
        1,
    );
    let file = scratch("prints.cl", text);
    let printing = || {
        let lesson = lesson(5).args("--only matmul_private_sum --size 4 --source");
        lesson.arg(&file)
    };
    let run = printing().run().ends_with(0);
    let run = run.says(&["calls printf", "right, not timed"]);
    assert_eq!(run.stdout.matches("hello").count(), 1, "{run}");
    // Nor does it write into the progress line.
    let mut terminal = printing().on_terminal(80, 24);
    terminal.ends_with(0);
    let left = terminal.transcript();
    assert!(
        left.contains("\nhello\n") && !left.contains("running matmul"),
        "{left}"
    );
}

#[test]
fn a_device_is_chosen_by_number_by_name_and_by_the_environment() {
    let (index, name) = (
        &device()["index"],
        device()["name"].as_str().unwrap_or_default(),
    );
    let flagged = lesson(5)
        .args(QUICK)
        .args(&format!("--device {index}"))
        .run()
        .ends_with(0);
    flagged.says(&[name, &format!("matches --device {index}")]);
    let set = lesson(5)
        .args(QUICK)
        .env("OPENCL_COURSE_DEVICE", index.to_string())
        .run();
    set.ends_with(0).says(&[name, "matches"]);
    let both = lesson(5).args(QUICK).args(&format!("--device {index}"));
    both.env("OPENCL_COURSE_DEVICE", "no such device")
        .run()
        .ends_with(0);
}

#[test]
fn a_learners_file_may_hold_some_of_the_kernels_only() {
    let text = std::fs::read_to_string("../kernels/05-private-memory.cl").expect("is there");
    let first = text
        .split("// The sum lives in a private")
        .next()
        .unwrap_or_default();
    let file = tests::scratch("some-kernels.cl", first);
    let run = lesson(5)
        .args("--size 9 --runs 0 --json --source")
        .arg(file)
        .run()
        .ends_with(0);
    for record in run.records() {
        match kernel_of(&record) {
            "matmul_global_sum" => assert_eq!(record["verified"], true, "{run}"),
            _ => assert!(
                record["skipped"]
                    .as_str()
                    .is_some_and(|why| why.contains("not in"))
            ),
        }
    }
}

#[test]
fn help_names_every_flag_of_the_chapter_on_using_the_course() {
    let chapter = std::fs::read_to_string("../docs/reference.md").expect("is there");
    let help = program("lesson05").arg("--help").run().ends_with(0);
    let (_, chapter) = chapter.split_once("\n## Flags\n").expect("is there");
    let (chapter, _) = chapter.split_once("\n## ").expect("others follow");
    let flags = chapter
        .lines()
        .filter_map(|line| line.strip_prefix("| `--"));
    let flags: Vec<String> = flags
        .filter_map(|rest| rest.split([' ', '`']).next())
        .map(|flag| format!("--{flag}"))
        .collect();
    assert!(flags.len() > 10, "{flags:?}");
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    help.says(&flags);
}

#[test]
fn the_course_map_names_every_lesson_and_the_command_for_the_first() {
    // Whoever runs the tests may have a folder of exercises, and so another next step.
    let map = |words| {
        let program = program("course").args(words);
        program.env("OPENCL_COURSE_EXERCISES", "/nowhere").run()
    };
    let shown = map("").ends_with(0).says(&["cargo run -p lesson01"]);
    for number in std::iter::once(1).chain(KERNEL_LESSONS) {
        let begins = format!("  {number:>2}  ");
        let named = shown.stdout.lines().any(|line| line.starts_with(&begins));
        assert!(named, "lesson {number} is not on\n{shown}");
    }
    map("map").fails(2, &["unrecognized subcommand"]);
}

#[test]
fn several_sizes_are_worked_on_one_after_another() {
    let run = lesson(5)
        .args("--only matmul_private_sum --runs 0 --json --size 4,5x6x7,1")
        .run()
        .ends_with(0);
    let records = run.device_records();
    let shapes: Vec<_> = records
        .iter()
        .map(|record| [&record["m"], &record["n"], &record["k"]])
        .collect();
    assert_eq!(shapes, [[4, 4, 4], [5, 6, 7], [1, 1, 1]], "{run}");
}

#[test]
fn the_table_of_all_devices_shows_what_was_timed_at_each_size() {
    // Lesson 3 shows its kernels by hand, untimed, before it times them.
    let run = lesson(3)
        .args("--all-devices --size 16,20 --runs 1 --only matmul_naive")
        .with_limits_of_its_own()
        .run()
        .ends_with(0);
    let table = side_by_side(&run);
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.contains("matmul_naive 1") || line.contains("matmul_naive 2"))
        .collect();
    assert_eq!(rows.len(), 2, "{run}");
    assert!(rows.iter().all(|row| row.contains("GFLOP/s")), "{run}");
}

#[test]
fn the_help_of_each_lesson_begins_with_its_name() {
    for number in 1..=11 {
        let run = lesson(number).args("--help").run().ends_with(0);
        let first = format!("Lesson {number}: ");
        assert!(run.stdout.starts_with(&first), "{run}");
    }
}
