//! Everything that can be mistyped: a clear error, and the right exit status.

use tests::{device, lesson, lesson_without_device, program, scratch};

#[test]
fn a_size_that_is_none_is_refused_with_the_reason() {
    for (size, reason) in [
        ("0", "sizes start at 1"),
        ("3x0x3", "sizes start at 1"),
        ("-5", "negative"),
        ("abc", "not a whole number"),
        ("1.5", "not a whole number"),
        ("", "not a whole number"),
        ("3x4", "three as MxNxK"),
        ("1x2x3x4", "three as MxNxK"),
        ("2147483648", "too large"),
        ("99999999999999999999999", "too large"),
        ("46341", "square matrices end at 46340"),
        ("2147483647x2x1", "count them with int"),
    ] {
        lesson_without_device(3)
            .arg("--size")
            .arg(size)
            .run()
            .fails(2, &["error:", reason]);
    }
}

#[test]
fn lesson_2_takes_one_size() {
    lesson(2)
        .args("--size 3x4x5")
        .run()
        .fails(2, &["one number"]);
    let overflowing = lesson(2).args("--size 2147483648").run();
    overflowing.fails(2, &["too large"]);
}

/// Whatever this device's limits are, these exceed one of them, or the machine
/// is large enough to be trusted with them.
#[test]
fn a_device_that_does_not_exist_or_is_ambiguous_lists_what_there_is() {
    let name = device()["name"].as_str().unwrap_or_default();
    for number in [1, 2, 3] {
        for selector in ["no such device", "4711", ""] {
            let run = lesson(number).arg("--device").arg(selector).run();
            run.fails(2, &["no device matches", name]);
        }
    }
    lesson(3)
        .env("OPENCL_COURSE_DEVICE", "no such device")
        .run()
        .fails(2, &["no device matches", name]);
    // Ambiguous only where there are two: unit tests cover one-device machines.
    let kind = device()["kind"].as_str().unwrap_or_default();
    let alike = tests::devices()
        .iter()
        .filter(|device| device["device"]["kind"] == kind);
    if alike.count() > 1 {
        lesson(3)
            .arg("--device")
            .arg(kind)
            .run()
            .fails(2, &["say which by its number", name]);
    }
}

#[test]
fn an_unknown_kernel_is_answered_with_the_nearest_name() {
    let run = lesson_without_device(3).args("--only matmul_niave").run();
    run.fails(
        2,
        &[
            "no kernel matmul_niave",
            "did you mean matmul_naive?",
            "matmul_global_sum",
        ],
    );
    let run = lesson_without_device(2)
        .args("--only nothing_like_it")
        .run();
    run.fails(2, &["no kernel nothing_like_it", "there are: saxpy"]);
}

#[test]
fn an_unknown_flag_or_value_is_a_usage_error() {
    for flags in [
        "--nonsense",
        "--runs many",
        "--runs -1",
        "--type half",
        "--fill zero",
        "--color red",
        "--seed x",
        "--timeout soon",
        "operand",
    ] {
        lesson_without_device(5)
            .args(flags)
            .run()
            .fails(2, &["error:"]);
    }
    lesson(2).args("--type int").run().fails(2, &["--type"]);
}

#[test]
fn a_source_file_that_cannot_be_read_is_named_with_the_reason() {
    let empty = scratch("empty.cl", "");
    let blank = scratch("blank.cl", " \n\n");
    let zero = scratch("zero.cl", "kernel void \0");
    let folder = tests::scratch_folder("a-folder.cl");
    let missing = folder.join("missing.cl");
    for (file, reason) in [
        (missing, "No such file"),
        (folder, "directory"),
        (empty, "the file is empty"),
        (blank, "the file is empty"),
        (zero, "zero byte"),
    ] {
        let name = file.display().to_string();
        for number in [2, 3] {
            let run = lesson_without_device(number)
                .arg("--source")
                .arg(&file)
                .run();
            run.fails(2, &["cannot use", &name, reason]);
        }
    }
}

#[test]
fn a_letter_of_latin_1_in_a_comment_is_no_mistake_and_moves_no_place() {
    let text =
        b"// gr\xfcn\nkernel void matmul_naive(int M)\n{\n    /* \xe4\xf6 */ nosuch = 1;\n}\n";
    let run = lesson(3)
        .args("--only matmul_naive --size 4 --runs 0 --source")
        .arg(scratch("latin-1.cl", text))
        .run();
    let run = run.fails(4, &["nosuch", "latin-1.cl:4:14"]);
    assert!(!run.stderr.contains("more error"), "{run}");
}

/// A pipe that nobody writes into.
#[cfg(unix)]
fn pipe(name: &str) -> std::path::PathBuf {
    let pipe = tests::scratch_folder("files").join(name);
    // Of a run before this one.
    let _ = std::fs::remove_file(&pipe);
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    pipe
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_refused_at_once() {
    for (file, what) in [
        ("/dev/zero".into(), "a device"),
        (pipe("source-pipe.cl"), "a pipe"),
    ] {
        let name = file.display().to_string();
        let source = |program: tests::Program| program.arg("--source").arg(&file).run();
        let words = ["cannot use", &name, what];
        source(lesson_without_device(3)).fails(2, &words);
        source(lesson_without_device(3).args("--watch")).fails(2, &words);
        program("oclcc").arg(&file).run().fails(2, &words);
        let report = program("course")
            .args("report --out")
            .arg(tests::scratch_folder("no-end"));
        report.arg("--from").arg(&file).run().fails(2, &words);
    }
}

#[cfg(unix)]
#[test]
fn an_exercise_that_is_no_file_is_told_what_it_is() {
    let folder = tests::scratch_folder("no-exercises");
    let exercise = |folder: &std::path::Path, word: &str| {
        let course = program("course").env("OPENCL_COURSE_EXERCISES", folder);
        course.args("exercise").arg(word).run()
    };
    let place = tests::scratch_folder("no-exercises/03-naive-matmul");
    std::fs::create_dir_all(place.join("1-both-edges.cl")).expect("the folder can be written");
    exercise(&folder, "3.1").fails(2, &["1-both-edges.cl is a directory", "next:"]);
    let pipe = pipe("1-both-edges.cl");
    std::fs::rename(&pipe, place.join("2-whose-width.cl")).expect("the same disk");
    exercise(&folder, "3.2").fails(2, &["2-whose-width.cl is a pipe", "next:"]);
    let file = scratch("no-folder", "");
    exercise(&file, "3.1").fails(2, &["no-folder", "folder of exercises", "next:"]);
}

#[test]
fn a_source_file_without_the_kernel_names_what_it_has() {
    let other = scratch(
        "other-kernel.cl",
        "kernel void other(global float *C) { C[0] = 1; }\n",
    );
    let run = lesson_without_device(3).arg("--source").arg(&other).run();
    run.fails(
        4,
        &[
            "other-kernel.cl",
            "none of this lesson's kernels",
            "matmul_naive",
        ],
    );
    let run = lesson_without_device(3)
        .args("--only matmul_naive --source")
        .arg(&other)
        .run();
    run.fails(4, &["no kernel matmul_naive", "there are: other"]);
    let no_kernel = scratch("no-kernel.cl", "// kernel void matmul_naive(int M)\n");
    let run = lesson_without_device(3)
        .args("--only matmul_naive --source")
        .arg(no_kernel)
        .run();
    run.fails(4, &["no kernel matmul_naive", "it defines none"]);
}

fn a_syntax_error_is_shown(number: u32, file: &str) {
    let text = std::fs::read_to_string(format!("../kernels/{file}")).expect("is there");
    // Two lines further down, so that a line counted from elsewhere is noticed.
    let text = format!(
        "//\n//\n{}",
        text.replace("get_global_id(0)", "get_globl_id(0)")
    );
    let at = text.lines().position(|line| line.contains("get_globl_id"));
    let name = format!("syntax-error-{number}.cl");
    let place = format!("{name}:{}:", 1 + at.expect("the kernel asks for its id"));
    let path = scratch(&name, &text);
    let wrong = || lesson(number).args("--size 4 --runs 0 --source").arg(&path);
    let run = wrong().run();
    run.fails(
        4,
        &[
            "does not build",
            &place,
            "get_globl_id(0)",
            "^^^^^^^^^^^^",
            "--raw-log",
        ],
    );
    let raw = wrong().arg("--raw-log").run();
    let raw = raw.fails(4, &["does not build", "get_globl_id"]);
    assert!(
        !raw.stderr.contains("^^^^^^^^^^^^"),
        "the driver's own words\n{raw}"
    );
}

#[test]
fn a_syntax_error_is_shown_in_the_file_with_line_and_caret() {
    a_syntax_error_is_shown(5, "05-private-memory.cl");
}

#[test]
fn a_syntax_error_of_the_lesson_without_help_is_shown_as_well() {
    a_syntax_error_is_shown(2, "02-saxpy.cl");
}

#[test]
fn what_the_course_cannot_do_with_a_value_is_said_before_it_begins() {
    let course = |words: &str| program("course").args(words).run();
    for name in ["Pocll", "", " "] {
        let check = program("makers").args("check --on").arg(name).run();
        check.fails(2, &["--on", "no such implementation", "PoCL", "rusticl"]);
    }
    for timeout in ["0", "soon", "99999999999999999999"] {
        course(&format!("diagnose 1 --timeout {timeout}")).fails(2, &["--timeout"]);
    }
}

#[test]
fn a_recording_goes_nowhere_but_into_a_folder_of_its_own() {
    for name in ["../../evil", "", ".", "..", "a/b", "/tmp"] {
        let record = program("makers").arg("record").arg(name);
        // Of a lesson that is not there: whatever the name, nothing is recorded.
        let run = record.args("--lesson 99").run();
        run.fails(2, &["no name of a folder below data/"]);
    }
}

#[test]
fn a_folder_for_temporary_files_that_is_not_there_is_named() {
    let run = lesson(5)
        .args("--size 8 --runs 0")
        .env("TMPDIR", "/nowhere")
        .run();
    run.fails(2, &["/nowhere", "next: export TMPDIR"]);
}
