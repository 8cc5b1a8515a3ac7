//! The course beside a library: it is checked before it is timed, a missing one is named,
//! and cuBLAS is called as its headers say, on a stand-in for CUDA.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tests::{or_note, pocl, program, scratch_folder, workspace};

/// cuBLAS, from this folder, beside the course on PoCL: its lines.
fn cublas(sizes: &str, folder: &Path) -> Option<Vec<Value>> {
    let pocl = pocl()?;
    let words = format!("libraries {pocl} --library cublas --rounds 1 --runs 3 --size {sizes}");
    let run = program("xtask").args(&words).env("LD_LIBRARY_PATH", folder).run();
    let mut lines = run.ends_with(0).records();
    lines.retain(|line| line["library"] == "cuBLAS");
    Some(lines)
}

/// A folder with CUDA's runtime and cuBLAS, as `libraries/cuda.c` has them.
fn stand_in(name: &str, flags: &[&str]) -> PathBuf {
    let folder = scratch_folder(name);
    let source = workspace().join("tests/tests/course/libraries/cuda.c");
    let library = folder.join("libcublas.so.13");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library);
    let status = compiler.args(flags).arg(source).status();
    assert!(status.is_ok_and(|status| status.success()), "cc works");
    fs::copy(&library, folder.join("libcudart.so.13")).expect("it can be written");
    folder
}

/// A folder with files of OpenBLAS's names that cannot be loaded: it stands before those of
/// the system.
fn without_openblas() -> PathBuf {
    let folder = scratch_folder("libraries-none");
    for library in ["libopenblasp.so.0", "libopenblas.so.0", "libopenblas.so"] {
        fs::write(folder.join(library), "this is no library").expect("it can be written");
    }
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn cublas_is_called_as_its_headers_say_and_timed_by_events() {
    let Some(lines) = cublas("37x91x53,1x64x5", &stand_in("libraries-cuda", &[])) else {
        return;
    };
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert!(line["gflops"].as_f64() > Some(0.0), "{line}");
        assert_eq!((&line["clock"], &line["runs"]), (&"event".into(), &3.into()), "{line}");
        let version = line["version"].as_str().unwrap_or_default();
        assert!(version.starts_with("13.0.2") && version.contains("no TF32"), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_whose_result_is_wrong_is_not_timed() {
    let Some(lines) = cublas("37x91x53", &stand_in("libraries-wrong", &["-DWRONG"])) else {
        return;
    };
    assert_eq!(lines.len(), 1);
    assert!(lines[0]["gflops"].is_null() && lines[0]["runs"] == 0, "{}", lines[0]);
    assert!(lines[0]["why"].to_string().contains("wrong"), "{}", lines[0]);
}

#[test]
fn the_chosen_kernel_stands_beside_the_library_at_each_size() {
    let Some(pocl) = pocl() else {
        return;
    };
    let words = format!("libraries {pocl} --size 64,37x91x53 --rounds 2 --runs 3");
    let missing = without_openblas();
    let without = program("xtask").args(&words).env("LD_LIBRARY_PATH", missing);
    without.run().fails(2, &["OpenBLAS is not installed; next: "]);
    let run = program("xtask").args(&words).run();
    let lines = run.records();
    let here = lines.iter().any(|line| line["library"] == "OpenBLAS");
    if or_note(here.then_some(()), "openblas").is_none() {
        return;
    }
    run.ends_with(0);
    for field in ["command", "date", "device", "platform", "driver", "host"] {
        assert!(lines[0][field].is_string(), "{field}: {}", lines[0]);
    }
    for library in ["ours", "OpenBLAS"] {
        let of = lines.iter().filter(|line| line["library"] == library);
        let of = Vec::from_iter(of);
        assert_eq!(of.len(), 2, "{lines:?}");
        for line in of {
            // On a CPU both are timed by the same clock.
            assert_eq!((&line["clock"], &line["runs"]), (&"wall".into(), &6.into()), "{line}");
            let [q1, median, q3] = ["q1", "gflops", "q3"].map(|name| line[name].as_f64());
            assert!(Some(0.0) < q1 && q1 <= median && median <= q3, "{line}");
            assert!(line["version"].is_string(), "{line}");
            assert_eq!(line["kernel"].is_string(), library == "ours", "{line}");
        }
    }
}
