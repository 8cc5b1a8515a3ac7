//! What comes from outside, a driver's or a file's: no terminal obeys it, and no library is
//! loaded by it.

use std::path::Path;
use std::process::Command;

use tests::{lesson, lesson_without_device, pocl, program, scratch, scratch_folder};

use crate::setting_up::{never_says, setup_check};

#[test]
fn what_an_icd_file_says_reaches_no_terminal_as_a_command() {
    let vendors = scratch_folder("loud-icd");
    let text = "\x1b]0;title\x07\x1b[31mnot a library\n";
    std::fs::write(vendors.join("loud.icd"), text).expect("the folder can be written");
    for program in [
        program("course").arg("doctor"),
        lesson_without_device(1),
        setup_check(),
    ] {
        let run = program.env("OCL_ICD_VENDORS", &vendors).run();
        assert!(run.stdout.contains("not a library"), "{run}");
        never_says(&run, &["\x1b", "\x07"]);
    }
}

#[test]
fn what_a_kernel_file_says_reaches_no_terminal_as_a_command() {
    let text =
        "kernel void matmul_private_sum(int M)\n{\n    nosuch = 1; // \x1b]0;title\x07\u{9b}m\n}\n";
    let file = scratch("loud\x1b[31m.cl", text);
    let run = lesson(5).args("--size 4 --runs 0 --source").arg(file).run();
    let run = run.fails(4, &["nosuch = 1", "undeclared"]);
    never_says(&run, &["\x1b", "\x07", "\u{9b}"]);
    let missing = "no-such-\x1b[31mfile.cl";
    let run = lesson_without_device(5).arg("--source").arg(missing).run();
    never_says(&run.fails(2, &["no-such-file.cl"]), &["\x1b"]);
}

#[test]
fn what_a_kernel_prints_reaches_no_terminal_as_a_command_and_a_cut_is_told() {
    let Some(pocl) = pocl() else { return };
    let text = |prints: &str| {
        format!(
            "kernel void matmul_naive(int M, int N, int K, global const float *A,\n\
             global const float *B, global float *C)\n{{\n{prints}\n}}\n"
        )
    };
    let run = |file: &Path| {
        let flags = "--only matmul_naive --size 4 --runs 0 --source";
        let lesson = lesson(3).args(&pocl).args(flags);
        lesson.arg(file).run()
    };
    let loud = text(r#"if (get_global_id(0) == 0) printf("said \x1b]0;title\x07\x1b[31mred");"#);
    let said = run(&scratch("loud-print.cl", loud)).fails(1, &[]);
    assert!(said.stdout.contains("said red\n"), "{said}");
    never_says(&said, &["\x1b", "\x07"]);
    assert!(!said.stderr.contains("was cut"), "{said}");
    let long = r#"for (int i = 0; i < 100000; i++) printf("%064d\n", i);"#;
    let mut cut = run(&scratch("long-print.cl", text(long)));
    cut.stdout.truncate(1000);
    cut.fails(1, &["was cut by PoCL, which keeps 16 MiB"]);
}

#[test]
fn what_a_report_says_reaches_no_terminal_as_a_command() {
    let survey = serde_json::json!({
        "begun": "\u{1b}[2Jnow", "host": "here", "commit": null,
        "settings": { "lessons": [8], "sizes": [], "runs": null, "peers": false, "kernels": 0 },
        "devices": [{ "index": 0, "name": "loud\u{1b}]0;title\u{7}", "platform": "one\rtwo",
                      "driver": "\u{9b}31m", "kind": "cpu", "compute_units": 1 }],
        "planned": [], "done": [],
    });
    let file = scratch("loud-report.json", survey.to_string());
    let out = scratch_folder("loud-report");
    let run = program("course")
        .args("report --from")
        .arg(&file)
        .arg("--out")
        .arg(&out)
        .run();
    let page =
        run.ends_with(0).stdout + &std::fs::read_to_string(out.join("index.html")).expect("a page");
    let compared = program("course")
        .args("report --compare")
        .arg(&file)
        .arg(&file)
        .run();
    let shown = page + &compared.ends_with(0).stdout;
    assert!(
        shown.contains("loud") && !shown.contains(['\x1b', '\x07', '\r', '\u{9b}']),
        "{shown}"
    );
}

/// A library that leaves a file behind when anybody opens it.
fn library_that_tells(folder: &Path, trace: &Path) {
    let source = folder.join("tell.c");
    let text = format!(
        "#include <stdio.h>\n__attribute__((constructor)) void now(void) {{ fclose(fopen(\"{}\", \"w\")); }}\n",
        trace.display()
    );
    std::fs::write(&source, text).expect("the folder can be written");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"])
        .arg(folder.join("libintelocl.so"))
        .arg(&source);
    assert!(
        cc.status().is_ok_and(|status| status.success()),
        "cc builds a library"
    );
}

#[test]
fn no_driver_is_loaded_from_a_folder_above_the_current_one() {
    let foreign = scratch_folder("foreign");
    for name in ["kernels", "lessons", ".opencl/intel"] {
        std::fs::create_dir_all(foreign.join(name)).expect("the folder can be written");
    }
    let trace = foreign.join("loaded");
    let _ = std::fs::remove_file(&trace);
    library_that_tells(&foreign.join(".opencl/intel"), &trace);
    // Without a loader a lesson looks for the driver that ./setup has put into the course.
    let no_loader = scratch_folder("foreign-no-loader");
    std::fs::write(no_loader.join("libOpenCL.so.1"), "").expect("the folder can be written");
    let lesson = lesson_without_device(1).env("LD_LIBRARY_PATH", no_loader);
    let mut command = lesson.command();
    let run = command.current_dir(&foreign).output().expect("it starts");
    assert!(!trace.exists(), "{run:?}");
}

#[test]
fn a_copied_clone_that_is_called_from_outside_has_kernels_of_its_own() {
    let copy = scratch_folder("copied-clone");
    let _ = std::fs::remove_dir_all(&copy);
    for folder in ["kernels", "lessons", "target/debug"] {
        std::fs::create_dir_all(copy.join(folder)).expect("the folder can be written");
    }
    let lesson = lesson_without_device(5).args("--list").command();
    let copied = copy.join("target/debug/lesson05");
    std::fs::copy(lesson.get_program(), &copied).expect("a program of ours");
    let kernel = "kernel void its_own(int M)\n{\n}\n";
    std::fs::write(copy.join("kernels/05-private-memory.cl"), kernel).expect("written");
    let run = Command::new(copied).arg("--list").current_dir("/").output();
    let run = run.expect("it starts");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "its_own\n", "{run:?}");
}
