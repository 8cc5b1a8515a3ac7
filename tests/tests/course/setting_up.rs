//! Setting up tells the truth: the cause, and the one line that mends it; never to install
//! what is installed. What is broken is simulated by the environment.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tests::{
    Outcome, Program, device, lesson, lesson_without_device, pocl, program, scratch, scratch_folder,
};

/// Below a file nobody makes a folder, not even root.
fn no_folder(name: &str) -> PathBuf {
    scratch(name, "a file").join("below")
}

/// The loader told of PoCL alone, and PoCL of a folder that cannot be made.
fn pocl_without_a_folder(program: Program) -> Option<Program> {
    pocl()?;
    let vendors = scratch_folder("pocl-alone");
    std::fs::copy("/etc/OpenCL/vendors/pocl.icd", vendors.join("pocl.icd")).ok()?;
    let folder = no_folder("no-pocl-cache");
    Some(
        program
            .env("OCL_ICD_VENDORS", vendors)
            .env("POCL_CACHE_DIR", folder),
    )
}

/// `./setup --check`, which changes nothing.
pub fn setup_check() -> Program {
    // A program of ours, for its environment, and a shell in its place.
    program("course").in_shell("exec ./setup --check")
}

#[track_caller]
pub fn never_says(run: &Outcome, words: &[&str]) {
    for word in words {
        let said = run.stdout.contains(word) || run.stderr.contains(word);
        assert!(!said, "\"{word}\" in\n{run}");
    }
}

/// What `course doctor --json` finds bad, with what mends it.
fn bad(run: &Outcome) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let findings = run.records().into_iter();
    let bad = findings.filter(|finding| finding["verdict"] == "bad");
    bad.map(|finding| (text(&finding["what"]), text(&finding["next"])))
        .collect()
}

#[test]
fn pocl_without_a_folder_is_told_by_lessons() {
    for number in [1, 2, 5] {
        let Some(lesson) = pocl_without_a_folder(lesson_without_device(number)) else {
            return;
        };
        let run = lesson.run().fails(
            3,
            &[
                "PoCL has no device",
                "no-pocl-cache",
                "next: export POCL_CACHE_DIR=$(mktemp -d)",
            ],
        );
        never_says(&run, &["./setup"]);
    }
}

#[test]
fn pocl_without_a_folder_is_told_by_the_doctor_and_by_setup() {
    let doctor = program("course").args("doctor --json");
    let Some(doctor) = pocl_without_a_folder(doctor) else {
        return;
    };
    let run = doctor.run().ends_with(3);
    let bad = bad(&run);
    let mended = |what: &str| {
        let mut of_it = bad.iter().filter(|(name, _)| name.contains(what));
        of_it.any(|(_, mend)| mend.contains("POCL_CACHE_DIR"))
    };
    for what in ["POCL_CACHE_DIR", "platform Portable", "PoCL's cache"] {
        assert!(mended(what), "{what}: {bad:?}\n{run}");
    }
    assert!(
        bad.iter().all(|(_, mend)| !mend.contains("install")),
        "{bad:?}"
    );
    let words = program("course").args("doctor");
    let run = pocl_without_a_folder(words)
        .expect("is here")
        .run()
        .ends_with(3);
    run.says(&["Next: export POCL_CACHE_DIR"]);
    let run = pocl_without_a_folder(setup_check()).expect("is here").run();
    let run = run
        .ends_with(1)
        .says(&["PoCL is installed", "export POCL_CACHE_DIR"]);
    never_says(&run, &["install -y", "Next: ./setup"]);
}

#[test]
fn devices_of_pocl_that_are_chosen_away_are_told_with_the_variable() {
    pocl();
    let vendors = scratch_folder("pocl-chosen-away");
    let there = std::fs::copy("/etc/OpenCL/vendors/pocl.icd", vendors.join("pocl.icd"));
    if there.is_err() {
        return;
    }
    let run = lesson_without_device(5)
        .env("OCL_ICD_VENDORS", &vendors)
        .env("POCL_DEVICES", "nonsense")
        .run();
    never_says(
        &run.fails(3, &["POCL_DEVICES", "next: unset POCL_DEVICES"]),
        &["./setup"],
    );
}

#[test]
fn a_wrong_place_for_drivers_is_told_and_nothing_is_to_be_installed() {
    let empty = scratch_folder("no-icd-file");
    for (place, why) in [
        (Path::new("/nonexistent"), "does not exist"),
        (&empty, "no ICD file"),
    ] {
        let run = lesson_without_device(5).env("OCL_ICD_VENDORS", place).run();
        let run = run.fails(3, &["-1001", why, "next: unset OCL_ICD_VENDORS"]);
        never_says(&run, &["./setup", "is installed"]);
        let run = setup_check()
            .env("OCL_ICD_VENDORS", place)
            .run()
            .ends_with(1);
        let run = run.says(&["OCL_ICD_VENDORS", "Next: unset OCL_ICD_VENDORS"]);
        never_says(&run, &["install -y"]);
    }
}

/// ocl-icd takes for a library what is no folder and does not end in .icd.
#[test]
fn a_driver_that_is_named_without_a_file_is_told_as_one() {
    let Some(library) = pocls_library() else {
        return;
    };
    let place = |program: Program| program.env("OCL_ICD_VENDORS", library.trim());
    let run = place(lesson_without_device(1)).run().ends_with(0);
    run.says(&[library.trim(), "a library itself", "Portable Computing"]);
    let run = place(program("course").args("doctor --json"))
        .run()
        .ends_with(0);
    assert_eq!(bad(&run), [], "{run}");
    run.says(&["brings Portable Computing", "no other is loaded"]);
    // A file of the system's folder, by its name alone.
    let run = lesson_without_device(1).env("OCL_ICD_VENDORS", "pocl.icd");
    let run = run.run().ends_with(0);
    run.says(&["/etc/OpenCL/vendors/pocl.icd: ", "Portable Computing"]);
}

/// What PoCL's ICD file names.
fn pocls_library() -> Option<String> {
    pocl()?;
    std::fs::read_to_string("/etc/OpenCL/vendors/pocl.icd").ok()
}

#[test]
fn what_is_taken_for_a_driver_and_is_none_is_told_so() {
    let no_icd = scratch("no-icd.txt", "libpocl.so.2\n");
    for place in ["libno-such-driver.so", no_icd.to_str().expect("is UTF-8")] {
        let with = |program: Program| program.env("OCL_ICD_VENDORS", place).run();
        let words = [
            "-1001",
            "taken for a driver's library",
            "next: unset OCL_ICD_VENDORS",
        ];
        let run = with(lesson_without_device(5)).fails(3, &words);
        never_says(&run, &["does not exist", "./setup"]);
        let run = with(program("course").args("doctor --json")).ends_with(3);
        let bad = bad(&run);
        let of_it = ("unset OCL_ICD_VENDORS".to_string(), place);
        assert!(
            bad.iter()
                .any(|(what, mend)| (mend, what.as_str()) == (&of_it.0, of_it.1)),
            "{bad:?}"
        );
        never_says(&run, &["no ICD file", "\"rm "]);
        let run = with(setup_check()).ends_with(1);
        never_says(&run.says(&["Next: unset OCL_ICD_VENDORS"]), &["install -y"]);
    }
}

#[test]
fn too_few_files_are_no_missing_loader() {
    let few = |program: Program, files: u32| {
        program
            .in_shell(&format!("ulimit -n {files}; exec \"$0\" \"$@\""))
            .run()
    };
    // Not even a process can be started.
    let run = few(lesson_without_device(5), 5);
    never_says(&run.fails(2, &["ulimit -n 5"]), &["rebuilt"]);
    // The process that does the work, by itself.
    let events = scratch("few-files-events.jsonl", "");
    let child = lesson_without_device(5).env("OPENCL_COURSE_EVENTS", events);
    let run = few(child, 4);
    never_says(
        &run.fails(3, &["ulimit -n"]),
        &["no OpenCL loader", "./setup"],
    );
    let run = few(program("course").args("doctor"), 8).ends_with(3);
    never_says(&run.says(&["Next: ulimit -n 1024"]), &["install"]);
}

#[test]
fn a_missing_temporary_folder_is_no_drivers_fault() {
    device();
    let missing = no_folder("no-tmp");
    let run = program("course")
        .args("doctor --json")
        .env("TMPDIR", &missing)
        .run();
    let bad = bad(&run.ends_with(3));
    let [(what, mend)] = &bad[..] else {
        panic!("one fault: {bad:?}");
    };
    assert!(what.contains("no-tmp/below"), "{what}");
    assert_eq!(mend, "unset TMPDIR");
    let run = program("course")
        .args("doctor")
        .env("TMPDIR", &missing)
        .run();
    run.ends_with(3)
        .says(&["cannot run yet. Next: unset TMPDIR"]);
    let run = setup_check().env("TMPDIR", &missing).run().ends_with(1);
    run.says(&["no-tmp/below", "unset TMPDIR"]);
}

#[test]
fn a_full_folder_for_temporary_files_is_named() {
    // Files may not grow, which is told as an error, as on a full disk.
    let full = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let run = lesson_without_device(5).in_shell(full).run();
    run.fails(2, &["cannot use /", "events.jsonl", "next: export TMPDIR"]);
}

const VARIABLE: &str = "OPENCL_COURSE_DEVICE";

#[test]
fn a_variable_that_chooses_no_device_is_named() {
    let name = device()["name"].as_str().unwrap_or_default();
    let not_text = OsStr::from_bytes(b"pocl\xff");
    for (value, why) in [
        (OsStr::new("no such device"), "no device matches"),
        (OsStr::new("4711"), "no device matches"),
        (not_text, "not UTF-8"),
    ] {
        let oclcc = program("oclcc").args("kernels/02-saxpy.cl -o");
        let oclcc = oclcc.arg(scratch_folder("files").join("stale.bin"));
        let lessons = [1, 2, 3].map(lesson);
        for program in lessons.into_iter().chain([oclcc]) {
            let run = program.env(VARIABLE, value).run();
            run.fails(2, &[why, VARIABLE, "next: unset OPENCL_COURSE_DEVICE"]);
        }
    }
    let run = lesson(5).args("--size 4 --runs 0").env(VARIABLE, "").run();
    run.ends_with(0).says(&[name]);
}

/// Lessons set it for the process that does the work; a person may set it, too.
#[cfg(target_os = "linux")]
#[test]
fn what_holds_no_events_is_neither_waited_for_nor_read_without_end() {
    let pipe = scratch_folder("no-events").join("pipe");
    let _ = std::fs::remove_file(&pipe);
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let large = scratch_folder("no-events").join("large");
    let file = std::fs::File::create(&large).expect("can be written");
    file.set_len(100 << 20).expect("takes no room");
    for (path, why) in [
        (pipe.as_path(), "a pipe"),
        (Path::new("/dev/full"), "a device"),
        (Path::new("/dev/zero"), "a device"),
        (&scratch_folder("no-events"), "a directory"),
        (&large, "larger than 64"),
    ] {
        let lesson = lesson_without_device(3).args("--only matmul_naive --size 4 --runs 0");
        let run = lesson.env("OPENCL_COURSE_EVENTS", path).within_gib(8).run();
        let run = run.fails(2, &[why, "next: unset OPENCL_COURSE_EVENTS"]);
        never_says(&run, &["TMPDIR"]);
    }
}

#[test]
fn the_doctor_sees_a_variable_that_chooses_no_device() {
    device();
    let run = program("course")
        .args("doctor --json")
        .env(VARIABLE, "no such device")
        .run();
    let bad = bad(&run.ends_with(0));
    let stale = (VARIABLE.to_string(), format!("unset {VARIABLE}"));
    assert!(bad.contains(&stale), "{bad:?}");
}
