//! Lesson 2's plain program: an example of the lesson, and a program of one's own.

use std::fs;
use std::path::Path;
use std::process::Command;

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

/// Built with what the workspace has compiled already, as far as the features agree.
#[test]
fn the_plain_program_runs_in_an_empty_package_with_opencl3_alone() {
    device();
    let folder = scratch_folder("empty-package");
    let course = |file: &str| workspace().join(file);
    let all = fs::read_to_string(course("Cargo.toml")).expect("it is there");
    let opencl3 = all.lines().find(|line| line.starts_with("opencl3 = "));
    let opencl3 = opencl3.expect("the workspace uses opencl3");
    // It lies below the course's workspace, of which it is no member.
    let manifest = format!(
        "[package]\nname = \"empty-package\"\nedition = \"2024\"\n\n[dependencies]\n{opencl3}\n\n\
         [workspace]\n\n[profile.dev.package.\"*\"]\ndebug = false\n"
    );
    fs::create_dir_all(folder.join("src")).expect("the folder can be written");
    fs::write(folder.join("Cargo.toml"), manifest).expect("the folder can be written");
    // The same versions, which are on this machine.
    for (from, to) in [("Cargo.lock", "Cargo.lock"), (PROGRAM, "src/main.rs")] {
        fs::copy(course(from), folder.join(to)).expect("the folder can be written");
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    let build = clean(&mut build)
        .args(["build", "--offline", "--quiet", "--target-dir"])
        .arg(programs_folder().parent().expect("the target folder"))
        .current_dir(&folder);
    let built = build.output().expect("cargo runs");
    assert!(built.status.success(), "{built:?}");
    if driver_of_the_system().is_some() {
        let run = Command::new(programs_folder().join("empty-package")).output();
        let run = run.expect("it starts");
        assert!(run.status.success(), "{run:?}");
    }
}
