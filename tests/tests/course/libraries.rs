//! The course beside libraries: each is checked before it is timed, a missing one is named,
//! and cuBLAS is called as its headers say, on a stand-in for CUDA.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tests::{device, or_note, pocl, program, scratch_folder, workspace};

/// Libraries of the host that every system may have, and CLBlast.
const LIBRARIES: [&str; 5] = ["clblast", "openblas", "blis", "onemkl", "matrixmultiply"];

/// The records that a library's child prints.
fn peer(name: &str, sizes: &str, library_path: Option<&Path>) -> Vec<Value> {
    device();
    let mut child = program("course").args(&format!("peer {name} --size {sizes} --runs 3"));
    if let Some(path) = library_path {
        child = child.env("LD_LIBRARY_PATH", path);
    }
    child.run().ends_with(0).records()
}

/// A folder with libraries of these names that cannot be loaded: it stands before those of
/// the system.
fn without(name: &str, libraries: &[&str]) -> PathBuf {
    let folder = scratch_folder(name);
    for library in libraries {
        fs::write(folder.join(library), "this is no library").expect("it can be written");
    }
    folder
}

/// A folder with CUDA's runtime and cuBLAS, as `peers/cuda.c` has them.
fn stand_in(name: &str, flags: &[&str]) -> PathBuf {
    let folder = scratch_folder(name);
    let source = workspace().join("tests/tests/course/peers/cuda.c");
    let library = folder.join("libcublas.so.13");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(&library);
    let status = compiler.args(flags).arg(source).status();
    assert!(status.is_ok_and(|status| status.success()), "cc works");
    fs::copy(&library, folder.join("libcudart.so.13")).expect("it can be written");
    folder
}

#[test]
fn a_missing_library_is_named_with_its_package() {
    #[rustfmt::skip]
    let none = ["libclblast.so.1", "libopenblas.so.0", "libopenblas.so", "libopenblasp.so.0"];
    let folder = without("peers-no-libraries", &none);
    for name in ["clblast", "openblas"] {
        let records = peer(name, "37x91x53", Some(&folder));
        let skipped = records[0]["skipped"].to_string();
        // Each package manager's package has the library's name in its own.
        assert!(
            skipped.contains("missing") && skipped.contains(name),
            "{skipped}"
        );
    }
}

#[test]
fn libraries_that_are_here_are_verified_before_they_are_timed() {
    for name in LIBRARIES {
        let records = peer(name, "37x91x53,8", None);
        let here = records[0]["skipped"].is_null().then_some(());
        // These come with `./setup --peers`, which downloads much.
        let is_extra = ["blis", "onemkl"].contains(&name);
        if here.is_none() && is_extra || or_note(here, name).is_none() {
            continue;
        }
        for (record, elements) in records.iter().zip([37 * 91, 8 * 8]) {
            assert_eq!(record["verified"], true, "{record}");
            assert_eq!(record["elements_compared"], elements, "{record}");
            let rate = record["gflops"].as_f64();
            assert!(rate.is_some_and(|rate| rate > 0.0), "{record}");
            assert!(
                !record["version"].as_str().unwrap_or_default().is_empty(),
                "{record}"
            );
        }
        let threads = records[0]["threads"].as_u64().unwrap_or_default();
        assert_eq!(threads > 0, name != "clblast", "{}", records[0]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn cublas_is_called_as_its_headers_say_and_timed_by_events() {
    let folder = stand_in("peers-cuda", &[]);
    let records = peer("cublas", "37x91x53,1x64x5", Some(&folder));
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!(record["verified"], true, "{record}");
        assert_eq!(record["clock"], "event", "{record}");
        let version = record["version"].as_str().unwrap_or_default();
        assert!(
            version.starts_with("13.0.2") && version.contains("no TF32"),
            "{record}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_whose_result_is_wrong_is_not_timed() {
    let folder = stand_in("peers-wrong", &["-DWRONG"]);
    let records = peer("cublas", "37x91x53", Some(&folder));
    let record = &records[0];
    assert_eq!(record["verified"], false, "{record}");
    assert!(
        record["gflops"].is_null() && record["seconds"] == Value::Array(vec![]),
        "{record}"
    );
    let failed = record["failed"].as_str().unwrap_or_default();
    assert!(failed.contains("last terms missing"), "{record}");
}

#[test]
fn the_chosen_kernel_stands_beside_each_library_at_each_size() {
    let Some(pocl) = pocl() else {
        return;
    };
    let wrong = stand_in("peers-beside", &["-DWRONG"]);
    for blis in ["libblis.so.4", "libblis-mt.so", "libblis.so"] {
        fs::write(wrong.join(blis), "this is no library").expect("it can be written");
    }
    let words = format!(
        "peers {pocl} --size 64,37x91x53 --rounds 2 --runs 3 --only matrixmultiply,cublas,blis"
    );
    let peers = || {
        program("course")
            .args(&words)
            .env("LD_LIBRARY_PATH", &wrong)
    };
    let lines = peers().args("--json").run().ends_with(0).records();
    for field in ["command", "date", "device", "platform", "driver", "host"] {
        assert!(lines[0][field].is_string(), "{field}: {}", lines[0]);
    }
    let of = |library| lines.iter().filter(move |line| line["library"] == library);
    for library in ["ours", "matrixmultiply"] {
        assert_eq!(of(library).count(), 2, "{lines:?}");
        for line in of(library) {
            // On a CPU all are timed by the same clock.
            assert_eq!(line["clock"], "wall", "{line}");
            assert_eq!(
                (&line["rounds"], &line["runs"]),
                (&2.into(), &6.into()),
                "{line}"
            );
            assert_eq!(line["by_round"].as_array().map(Vec::len), Some(2), "{line}");
            let [q1, median, q3] = ["q1", "gflops", "q3"].map(|name| line[name].as_f64());
            assert!(Some(0.0) < q1 && q1 <= median && median <= q3, "{line}");
            assert!(
                line["threads"].is_u64() && line["version"].is_string(),
                "{line}"
            );
            assert_eq!(line["kernel"].is_string(), library == "ours", "{line}");
        }
    }
    for line in of("cuBLAS") {
        assert!(line["gflops"].is_null(), "{line}");
        assert!(line["why"].to_string().contains("wrong"), "{line}");
    }
    let missing = of("BLIS").next().map(|line| line["missing"].to_string());
    assert!(
        missing.is_some_and(|missing| missing.contains("next: ")),
        "{lines:?}"
    );
    peers().run().ends_with(0).says(&[
        "ours",
        "matrixmultiply",
        "of 2 sizes, quartiles ",
        "timed by the wall clock",
        "cuBLAS at 64:",
    ]);
}
