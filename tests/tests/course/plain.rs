//! Lesson 2's plain program: an example of the lesson, and a program of one's own.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tests::{clean, device, library, or_note, program, scratch_folder, workspace};

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

/// Compiles a program as in a package of its own, with what the workspace has compiled
/// already: of all crates it is given opencl3.
fn compiled(source: &Path, program: &Path) {
    let opencl3 = library("opencl3");
    let beside = opencl3.parent().expect("a file in a folder");
    let built = Command::new("rustc")
        .args(["--edition", "2024", "-o"])
        .args([program, source])
        .arg(format!("-Ldependency={}", beside.display()))
        .arg(format!("--extern=opencl3={}", opencl3.display()))
        .output()
        .expect("rustc runs");
    assert!(built.status.success(), "{built:?}");
}

/// What such a program prints.
fn run(program: &Path) -> Output {
    clean(&mut Command::new(program))
        .output()
        .expect("it starts")
}

#[test]
fn the_plain_program_needs_opencl3_alone() {
    device();
    let alone = scratch_folder("plain").join("alone");
    compiled(&workspace().join(PROGRAM), &alone);
    if driver_of_the_system().is_some() {
        let run = run(&alone);
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
    let course = workspace().join("lessons/02-saxpy/broken");
    for (name, wrong, right) in mistakes {
        let file = course.join(format!("src/bin/{name}.rs"));
        let text = fs::read_to_string(&file).expect("it is there");
        assert_eq!(text.matches(wrong).count(), 1, "{name}");
        let mended = folder.join("mended.rs");
        fs::write(&mended, text.replace(wrong, right)).expect("the folder can be written");
        compiled(&file, &folder.join(name));
        compiled(&mended, &folder.join(format!("{name}-mended")));
    }
    // The package names the version that was taken here.
    let opencl3 = |manifest: &Path| -> String {
        let text = fs::read_to_string(manifest).expect("it is there");
        let line = text.lines().find(|line| line.starts_with("opencl3 = "));
        line.expect("it uses opencl3").into()
    };
    let [ours, its] = [workspace(), &course].map(|folder| opencl3(&folder.join("Cargo.toml")));
    assert_eq!(ours, its);
    if driver_of_the_system().is_none() {
        return;
    }
    let run = |name: &str| run(&folder.join(name));
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
