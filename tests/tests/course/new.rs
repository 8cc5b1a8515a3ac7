//! Programs of the learner's own: the examples, and the packages that `course new` makes of them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tests::{clean, device, library, or_note, program, scratch_folder, workspace};

/// These ask the system's loader, as programs do that are not the course's.
fn driver_of_the_system() -> Option<()> {
    let vendors = std::env::var_os("OCL_ICD_VENDORS").unwrap_or("/etc/OpenCL/vendors".into());
    let named = fs::read_dir(Path::new(&vendors)).is_ok_and(|mut files| files.next().is_some());
    or_note(named.then_some(()), "a driver for every program")
}

fn is_right(example: &str, flags: &str, says: &str) {
    device();
    if driver_of_the_system().is_some() {
        let run = program(example).args(flags).run().ends_with(0);
        run.says(&[says]);
    }
}

#[test]
fn the_examples_are_right() {
    is_right("saxpy", "", "1000000 elements right, in ");
    is_right("matmul", "70 130 33", "70 x 130 from 33: right");
    is_right("matmul", "", "right");
    is_right("reduction", "", "of 16000003 numbers is right");
    is_right("pipeline", "3 1 8", "3 chunks right");
    is_right("embedded", "", "100000 numbers right; from its source");
}

#[test]
fn an_example_prints_the_code_of_a_call_that_fails() {
    let nobody = scratch_folder("no-vendors");
    for example in ["saxpy", "matmul", "reduction", "pipeline", "embedded"] {
        let run = program(example).env("OCL_ICD_VENDORS", &nobody).run();
        run.fails(1, &["OpenCL answers -", "CL_"]);
    }
}

/// The package needs no network, and nothing of the course; a binary of `oclcc` that is put
/// into it is taken, and one of another device is not.
#[test]
fn a_new_package_is_built_alone_and_embeds_a_binary() {
    device();
    let folder = std::env::temp_dir().join(format!("opencl-course-new-{}", std::process::id()));
    let package = folder.join("My package");
    let made = program("course").args("new embedded").arg(&package).run();
    made.ends_with(0)
        .says(&["is a package of your own", "cargo run"]);
    let again = program("course").args("new saxpy").arg(&package).run();
    again.fails(2, &["next: name a folder"]);
    let binary = package.join("src/kernel.bin");
    fs::write(&binary, "no binary").expect("it can be written");
    let run = |says: &str| {
        let mut cargo = Command::new("cargo");
        clean(cargo.args(["run", "--quiet", "--offline"])).current_dir(&package);
        let run = cargo
            .env("CARGO_TARGET_DIR", scratch_folder("new"))
            .output();
        let run = run.expect("cargo runs");
        let printed = String::from_utf8_lossy(&run.stdout);
        if driver_of_the_system().is_some() {
            assert!(run.status.success() && printed.contains(says), "{run:?}");
        }
        String::from_utf8_lossy(&run.stderr).into_owned()
    };
    let complains = run("right; from its source");
    assert!(
        complains.contains("the binary does not fit here: -"),
        "{complains}"
    );
    let built = program("oclcc").arg(package.join("src/kernel.cl"));
    built.arg("-o").arg(&binary).run().ends_with(0);
    run("right; from the binary");
    fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn new_refuses_what_cannot_be() {
    let new = |words: &str| program("course").args(words).run();
    new("new sapxy /tmp/x").fails(2, &["there is no example sapxy", "saxpy"]);
    new("new saxpy target/x").fails(2, &["lies in the clone"]);
    new("new saxpy /tmp/1+1").fails(2, &["cannot be a package's name"]);
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

/// Each of the three mistakes shows what the page says, and without them the program is right.
#[test]
fn the_broken_program_fails_as_the_page_says_and_is_right_when_mended() {
    device();
    let profiling = "(&context, opencl3::command_queue::CL_QUEUE_PROFILING_ENABLE)";
    let mistakes = [
        ("no-times", "(&context, 0)", profiling),
        ("too-early", "&c, CL_NON_BLOCKING", "&c, CL_BLOCKING"),
        (
            "last-elements",
            "N / GROUP * GROUP",
            "N.next_multiple_of(GROUP)",
        ),
    ];
    let folder = scratch_folder("broken-host");
    let course = workspace().join("lessons/02-saxpy/broken");
    let text = fs::read_to_string(course.join("src/main.rs")).expect("it is there");
    let driver = driver_of_the_system();
    // With this mistake alone, or none.
    let run = |left: &str| {
        let mut text = text.clone();
        for (name, wrong, right) in mistakes {
            assert_eq!(text.matches(wrong).count(), 1, "{name}");
            if name != left {
                text = text.replace(wrong, right);
            }
        }
        let source = folder.join(format!("{left}.rs"));
        fs::write(&source, text).expect("the folder can be written");
        let program = source.with_extension("");
        compiled(&source, &program);
        driver.map(|()| run(&program))
    };
    let (mended, lost, no_times) = (run("mended"), run("last-elements"), run("no-times"));
    // What a read that nobody waits for leaves behind is chance.
    run("too-early");
    for (run, says) in [(mended, "right"), (lost, "1000003 elements WRONG")] {
        let says_it = |run: &Output| String::from_utf8_lossy(&run.stdout).contains(says);
        assert!(run.as_ref().is_none_or(says_it), "{run:?}");
    }
    let fails = |run: &Output| String::from_utf8_lossy(&run.stderr).contains("answers -7");
    assert!(no_times.as_ref().is_none_or(fails), "{no_times:?}");
    // The package names the version that was taken here.
    let [ours, its] = [workspace(), &course].map(|folder| {
        let text = fs::read_to_string(folder.join("Cargo.toml")).expect("it is there");
        let line = text.lines().find(|line| line.starts_with("opencl3 = "));
        line.expect("it uses opencl3").to_string()
    });
    assert_eq!(ours, its);
}
