//! Lesson 2's plain program: an example of the lesson, and a program of one's own.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tests::{clean, device, or_note, program, programs_folder, scratch_folder, workspace};

const PROGRAM: &str = "lessons/02-saxpy/examples/plain.rs";

/// The plain program asks the system's loader, as programs do that are not the course's.
fn driver_of_the_system() -> Option<()> {
    let vendors = std::env::var_os("OCL_ICD_VENDORS").unwrap_or("/etc/OpenCL/vendors".into());
    let named = fs::read_dir(Path::new(&vendors)).is_ok_and(|mut files| files.next().is_some());
    or_note(named.then_some(()), "a driver for every program")
}

#[test]
fn the_plain_program_is_right() {
    device();
    if driver_of_the_system().is_some() {
        let run = program("plain").run().ends_with(0);
        run.says(&["1000000 elements right, in "]);
    }
}

#[test]
fn the_plain_program_prints_the_code_of_a_call_that_fails() {
    let nobody = scratch_folder("no-vendors");
    let run = program("plain").env("OCL_ICD_VENDORS", nobody).run();
    run.fails(1, &["OpenCL answers -", "CL_"]);
}

/// Builds a package as the course's user would, below the course's workspace, of which it
/// is no member: with what the workspace has compiled already, as far as the features agree.
fn built(folder: &Path, manifest: &str) {
    let manifest = format!("{manifest}\n[profile.dev.package.\"*\"]\ndebug = false\n");
    fs::write(folder.join("Cargo.toml"), manifest).expect("the folder can be written");
    // The same versions, which are on this machine.
    let lock = workspace().join("Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("the folder can be written");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    let build = clean(&mut build)
        .args(["build", "--offline", "--quiet", "--target-dir"])
        .arg(programs_folder().parent().expect("the target folder"))
        .current_dir(folder);
    let built = build.output().expect("cargo runs");
    assert!(built.status.success(), "{built:?}");
}

/// What a program of such a package prints.
fn run(program: &str) -> Output {
    let run = Command::new(programs_folder().join(program)).output();
    run.expect("it starts")
}

#[test]
fn the_plain_program_runs_in_an_empty_package_with_opencl3_alone() {
    device();
    let folder = scratch_folder("empty-package");
    let all = fs::read_to_string(workspace().join("Cargo.toml")).expect("it is there");
    let opencl3 = all.lines().find(|line| line.starts_with("opencl3 = "));
    let opencl3 = opencl3.expect("the workspace uses opencl3");
    let manifest = format!(
        "[package]\nname = \"empty-package\"\nedition = \"2024\"\n\n\
         [dependencies]\n{opencl3}\n\n[workspace]\n"
    );
    fs::create_dir_all(folder.join("src")).expect("the folder can be written");
    fs::copy(workspace().join(PROGRAM), folder.join("src/main.rs")).expect("it is there");
    built(&folder, &manifest);
    if driver_of_the_system().is_some() {
        let run = run("empty-package");
        assert!(run.status.success(), "{run:?}");
    }
}

/// Each broken program differs from the plain one in its mistake, shows what the page
/// says, and is right once the mistake is mended.
#[test]
fn the_broken_programs_fail_as_the_page_says_and_are_right_when_mended() {
    device();
    let mistakes = [
        (
            "last-elements",
            "N / GROUP * GROUP",
            "N.next_multiple_of(GROUP)",
        ),
        ("too-early", "&c, CL_NON_BLOCKING", "&c, CL_BLOCKING"),
        (
            "no-times",
            "(&context, 0)",
            "(&context, opencl3::command_queue::CL_QUEUE_PROFILING_ENABLE)",
        ),
    ];
    let folder = scratch_folder("broken-hosts");
    fs::create_dir_all(folder.join("src/bin")).expect("the folder can be written");
    let course = workspace().join("lessons/02-saxpy/broken");
    for (name, wrong, right) in mistakes {
        let file = format!("src/bin/{name}.rs");
        let text = fs::read_to_string(course.join(&file)).expect("it is there");
        assert_eq!(text.matches(wrong).count(), 1, "{name}");
        let mended = folder.join(format!("src/bin/{name}-mended.rs"));
        fs::write(mended, text.replace(wrong, right)).expect("the folder can be written");
        fs::write(folder.join(file), text).expect("the folder can be written");
    }
    let manifest = fs::read_to_string(course.join("Cargo.toml")).expect("it is there");
    built(&folder, &manifest);
    if driver_of_the_system().is_none() {
        return;
    }
    for (name, ..) in mistakes {
        let run = run(&format!("{name}-mended"));
        assert!(run.status.success(), "{run:?}");
    }
    let lost = run("last-elements");
    assert!(
        String::from_utf8_lossy(&lost.stdout).contains("1000003 elements WRONG"),
        "{lost:?}"
    );
    let no_times = run("no-times");
    assert!(
        String::from_utf8_lossy(&no_times.stderr).contains("answers -7"),
        "{no_times:?}"
    );
    // What a read that nobody waits for leaves behind is chance.
}
