//! `course doctor` on machines with nothing, with broken parts, and with a device:
//! simulated by the environment. It never crashes, and names what mends it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::{
    Outcome, Program, device, entries, files_below, lesson, pocl, program, scratch_folder,
};

fn doctor() -> Program {
    program("course").arg("doctor")
}

/// A folder of ICD files with these names and contents.
fn vendors(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = scratch_folder("doctor").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    for (file, contents) in files {
        std::fs::write(folder.join(file), contents).expect("the folder can be written");
    }
    folder
}

/// The finding about something whose name ends like this.
#[track_caller]
fn finding(outcome: &Outcome, what: &str) -> Value {
    let mut findings = outcome.records().into_iter();
    let is_it = |finding: &Value| {
        finding["what"]
            .as_str()
            .is_some_and(|name| name.ends_with(what))
    };
    findings
        .find(is_it)
        .unwrap_or_else(|| panic!("nothing about {what} in\n{outcome}"))
}

#[track_caller]
fn is(finding: &Value, verdict: &str, says: &str) {
    let words = finding["says"].as_str().unwrap_or_default();
    assert!(
        finding["verdict"] == verdict && words.contains(says),
        "no {verdict}, \"{says}\": {finding}"
    );
}

#[test]
fn where_a_device_is_the_course_can_run_and_each_device_ran_a_kernel() {
    let name = device()["name"].as_str().unwrap_or_default();
    let run = doctor().run().ends_with(0);
    // Lines are broken where a device's name leaves no room.
    let said = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["The course can run here", name, "is right", "✓ good"] {
        assert!(said.contains(words), "no {words}: {run}");
    }
    let run = doctor().arg("--json").run().ends_with(0);
    let records = run.records();
    assert_eq!(
        records.last().map(|last| &last["usable"]),
        Some(&Value::Bool(true)),
        "{run}"
    );
    let plugin = finding(&run, "trace plugin");
    assert!(
        plugin["verdict"] == "good" || plugin["next"] == "./setup --full",
        "{plugin}"
    );
    let devices = records.iter().filter(|finding| {
        let says = finding["says"].as_str().unwrap_or_default();
        finding["part"] == "devices"
            && says.contains("A kernel was built")
            && says.contains("event times")
    });
    assert_eq!(devices.count(), tests::devices().len(), "{run}");
}

#[test]
fn without_a_driver_the_status_is_3_and_the_cure_is_named() {
    let run = doctor()
        .env("OCL_ICD_VENDORS", vendors("nothing", &[]))
        .run();
    run.ends_with(3).says(&[
        "no ICD file",
        "-1001",
        "next: unset OCL_ICD_VENDORS",
        "Next: unset OCL_ICD_VENDORS",
    ]);
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_loader_the_status_is_3_and_the_cure_is_named() {
    let folder = vendors("no-loader", &[("libOpenCL.so.1", b"")]);
    // The variable keeps lessons from looking for a driver of the workspace.
    let run = doctor()
        .env("LD_LIBRARY_PATH", &folder)
        .env("OCL_ICD_VENDORS", &folder)
        .arg("--json")
        .run()
        .ends_with(3);
    let loader = finding(&run, "loader");
    is(&loader, "bad", "no OpenCL loader");
    assert!(loader["next"].is_string(), "{loader}");
}

#[cfg(target_os = "linux")]
#[test]
fn each_broken_icd_file_is_named_with_what_is_wrong() {
    let files: [(&str, &[u8]); 5] = [
        ("missing.icd", b"libno-such-driver.so.1\n"),
        ("text.icd", b"This is a text.\nIt names no library.\n"),
        ("empty.icd", b""),
        ("noise.icd", b"\xff\xfe\x00\x9f"),
        ("other.icd", b"libc.so.6\n"),
    ];
    let folder = vendors("broken", &files);
    let run = doctor()
        .env("OCL_ICD_VENDORS", &folder)
        .arg("--json")
        .run()
        .ends_with(3);
    is(&finding(&run, "missing.icd"), "bad", "does not open");
    is(&finding(&run, "text.icd"), "bad", "no library's name");
    is(&finding(&run, "empty.icd"), "bad", "is empty");
    is(&finding(&run, "noise.icd"), "bad", "not text");
    is(&finding(&run, "other.icd"), "note", "brings no platform");
    let mend = finding(&run, "missing.icd")["next"].to_string();
    assert!(
        mend.contains("rm ") && mend.contains("missing.icd"),
        "{mend}"
    );
}

/// A driver that does this as soon as anybody opens it.
#[cfg(target_os = "linux")]
fn driver(folder: &Path, body: &str) -> PathBuf {
    let source = folder.join("driver.c");
    let library = folder.join("libdriver.so");
    let text = format!(
        "#include <stdlib.h>\n#include <unistd.h>\n\
         __attribute__((constructor)) void now(void) {{ {body} }}\n"
    );
    std::fs::write(&source, text).expect("the folder can be written");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"])
        .args([&library, &source]);
    assert!(
        cc.status().is_ok_and(|status| status.success()),
        "cc, which cargo links with, builds a library"
    );
    library
}

#[cfg(target_os = "linux")]
#[test]
fn a_driver_that_crashes_when_it_is_opened_is_a_finding() {
    let folder = vendors("crash", &[]);
    let library = driver(&folder, "abort();");
    std::fs::write(
        folder.join("crash.icd"),
        library.to_str().expect("is UTF-8"),
    )
    .expect("written");
    let run = doctor()
        .env("OCL_ICD_VENDORS", &folder)
        .arg("--json")
        .run()
        .ends_with(3);
    is(&finding(&run, "crash.icd"), "bad", "died");
    is(&finding(&run, "loader"), "bad", "fails");
    let named = doctor()
        .env("OPENCL_DYLIB_PATH", &library)
        .arg("--json")
        .run()
        .ends_with(3);
    is(&finding(&named, "OPENCL_DYLIB_PATH"), "bad", "died");
}

#[test]
fn a_path_to_nowhere_is_a_finding_although_the_course_runs() {
    device();
    let run = doctor()
        .env("OPENCL_DYLIB_PATH", "/nowhere/libOpenCL.so")
        .arg("--json")
        .run()
        .ends_with(0);
    let path = finding(&run, "OPENCL_DYLIB_PATH");
    is(&path, "bad", "the system's loader is taken");
    assert_eq!(path["next"], "unset OPENCL_DYLIB_PATH");
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_that_is_not_opencl_is_a_finding() {
    let run = doctor()
        .env("OPENCL_DYLIB_PATH", "libc.so.6")
        .arg("--json")
        .run()
        .ends_with(3);
    is(&finding(&run, "loader"), "bad", "-2001");
    assert_eq!(finding(&run, "loader")["next"], "unset OPENCL_DYLIB_PATH");
}

#[test]
fn a_damaged_cache_and_a_folder_that_cannot_be_written_are_findings() {
    let Some(_) = pocl() else { return };
    let cache = vendors("cache", &[]);
    let run = |tmpdir: &Path| {
        let doctor = doctor().env("POCL_CACHE_DIR", &cache);
        doctor.env("TMPDIR", tmpdir).arg("--json").run()
    };
    let in_order = run(&std::env::temp_dir()).ends_with(0);
    is(
        &finding(&in_order, "doctor/cache"),
        "good",
        "can be written",
    );
    for file in files_below(&cache, "so") {
        std::fs::write(file, "").expect("the cache can be written");
    }
    let damaged = finding(&run(&std::env::temp_dir()), "(Portable Computing Language)");
    is(&damaged, "bad", "only without its cache");
    assert!(damaged["next"].to_string().contains("rm -r"), "{damaged}");
    // Below a file nobody makes a folder, not even root.
    std::fs::write(cache.join("file"), "").expect("the cache can be written");
    let below_a_file = run(&cache.join("file").join("tmp"));
    is(
        &finding(&below_a_file, "file/tmp"),
        "bad",
        "cannot be written",
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_driver_that_fails_when_it_is_loaded_is_left_out_and_the_others_are_used() {
    device();
    for (name, body) in [("crash", "abort();"), ("hang", "for (;;) pause();")] {
        let folder = vendors(&format!("left-out-{name}"), &[]);
        let library = driver(&folder, body);
        let text = library.to_str().expect("is UTF-8");
        std::fs::write(folder.join("broken.icd"), text).expect("written");
        for file in entries(Path::new("/etc/OpenCL/vendors")) {
            let copy = folder.join(file.file_name().expect("a name"));
            std::fs::copy(file, copy).expect("written");
        }
        let begin = Instant::now();
        let run = lesson(5)
            .args("--size 4 --runs 0")
            .env("OCL_ICD_VENDORS", &folder);
        run.run().fails(0, &["broken.icd is left out", "doctor"]);
        assert!(begin.elapsed() < Duration::from_secs(120), "{name}");
        if name == "crash" {
            let all = lesson(3).args("--size 4 --runs 0 --only matmul_naive --all-devices");
            let all = all.env("OCL_ICD_VENDORS", &folder).run();
            all.fails(0, &["broken.icd is left out"]);
            let run = doctor().env("OCL_ICD_VENDORS", &folder).arg("--json").run();
            is(&finding(&run.ends_with(0), "broken.icd"), "bad", "died");
        }
    }
}

#[test]
fn the_screen_fits_80_columns_but_for_commands_and_paths() {
    let run = doctor().run();
    let is_long = |line: &&str| line.chars().count() > 80;
    let cannot_be_broken =
        |line: &&str| line.contains("next:") || line.split_whitespace().count() < 3;
    let long: Vec<&str> = run
        .stdout
        .lines()
        .filter(is_long)
        .filter(|line| !cannot_be_broken(line))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}
