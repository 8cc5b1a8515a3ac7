//! Programs of the learner's own: the examples, and the packages that `course new` makes of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use tests::{clean, device, or_note, program, scratch_folder};

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
    made.ends_with(0).says(&["is a package of your own", "cargo run"]);
    let again = program("course").args("new saxpy").arg(&package).run();
    again.fails(2, &["next: name a folder"]);
    let binary = package.join("src/kernel.bin");
    fs::write(&binary, "no binary").expect("it can be written");
    let run = |says: &str| {
        let mut cargo = Command::new("cargo");
        clean(cargo.args(["run", "--quiet", "--offline"])).current_dir(&package);
        let run = cargo.env("CARGO_TARGET_DIR", scratch_folder("new")).output();
        let run = run.expect("cargo runs");
        let printed = String::from_utf8_lossy(&run.stdout);
        if driver_of_the_system().is_some() {
            assert!(run.status.success() && printed.contains(says), "{run:?}");
        }
        String::from_utf8_lossy(&run.stderr).into_owned()
    };
    let complains = run("right; from its source");
    assert!(complains.contains("the binary does not fit here: -"), "{complains}");
    let built = program("oclcc").arg(package.join("src/kernel.cl"));
    built.arg("-o").arg(&binary).run().ends_with(0);
    run("right; from the binary");
    fs::remove_dir_all(&folder).expect("it is there");
}
