//! The OpenCL implementations that the course is checked on, and which of them
//! this machine has.

use std::path::{Path, PathBuf};

use anyhow::Result;
use common::source::workspace;
use supervise::{self, LIBRARY_VARIABLE};

use crate::lessons::LESSONS;

/// An implementation that may or may not be here.
pub struct Implementation {
    /// What people call it.
    pub name: String,
    /// Environment that brings it into view.
    pub environment: Vec<(&'static str, String)>,
    /// What `--device` takes to choose it; none where it is not installed.
    pub selector: Option<String>,
    /// A simulator is slow: it gets the small shapes only.
    pub simulator: bool,
    /// Not one of the CPU implementations.
    pub gpu: bool,
}

/// PoCL, Oclgrind, rusticl, Intel's CPU runtime, then every GPU.
pub fn all() -> Result<Vec<Implementation>> {
    let mut all = vec![
        by_platform("PoCL", Vec::new(), "Portable Computing Language"),
        by_library("Oclgrind", oclgrind()),
        by_platform(
            "rusticl",
            vec![("RUSTICL_ENABLE", "llvmpipe".into())],
            "rusticl",
        ),
        by_library("Intel CPU", intel()),
    ];
    for implementation in &mut all {
        let devices = devices(&implementation.environment)?;
        let platform = implementation.selector.take().unwrap_or_default();
        let found = devices.iter().position(|label| label.contains(&platform));
        // Chosen by number: a part of a name could match another device, too.
        implementation.selector = found.map(|index| index.to_string());
    }
    all.extend(gpus(&devices(&[])?));
    Ok(all)
}

fn by_platform(
    name: &str,
    environment: Vec<(&'static str, String)>,
    platform: &str,
) -> Implementation {
    Implementation {
        name: name.into(),
        environment,
        selector: Some(platform.into()),
        simulator: false,
        gpu: false,
    }
}

/// A driver that is loaded by its path, past the loader. Where the file is
/// missing, a path that names nothing lets opencl3 fall back to the loader, so
/// the platform's name is asked for as well.
fn by_library(name: &str, library: Option<PathBuf>) -> Implementation {
    let environment = library.map(|path| (LIBRARY_VARIABLE, path.display().to_string()));
    let platform = match name {
        "Oclgrind" => "(Oclgrind)",
        _ => "(Intel(R) OpenCL)",
    };
    Implementation {
        name: name.into(),
        environment: environment.into_iter().collect(),
        selector: Some(platform.into()),
        simulator: name == "Oclgrind",
        gpu: false,
    }
}

/// Oclgrind as a library that is loaded at run time: its wrapper does not catch one.
/// The variable OCLGRIND_LIBRARY says where it lies, if it lies elsewhere.
pub fn oclgrind() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("OCLGRIND_LIBRARY") {
        return Some(PathBuf::from(path)).filter(|path| path.is_file());
    }
    [
        "/usr/lib/oclgrind",
        "/usr/local/lib/oclgrind",
        "/usr/local/lib",
    ]
    .into_iter()
    .map(|folder| Path::new(folder).join("liboclgrind-rt.so"))
    .find(|path| path.is_file())
}

fn intel() -> Option<PathBuf> {
    Some(workspace().join(".opencl/intel/libintelocl.so")).filter(|path| path.is_file())
}

/// Every device whose platform is none of the CPU implementations.
fn gpus(labels: &[String]) -> Vec<Implementation> {
    const CPUS: [&str; 4] = [
        "Portable Computing",
        "Oclgrind",
        "rusticl",
        "Intel(R) OpenCL)",
    ];
    let is_gpu = |label: &String| !CPUS.iter().any(|cpu| label.contains(cpu));
    let found: Vec<(usize, &String)> = labels
        .iter()
        .enumerate()
        .filter(|(_, label)| is_gpu(label))
        .collect();
    let gpu = |name: &str, selector| Implementation {
        name: name.into(),
        environment: Vec::new(),
        selector,
        simulator: false,
        gpu: true,
    };
    if found.is_empty() {
        return vec![gpu("a GPU", None)];
    }
    found
        .into_iter()
        .map(|(index, label)| {
            let name = label.split(" (").next().unwrap_or(label);
            gpu(name, Some(index.to_string()))
        })
        .collect()
}

/// The labels of the devices that a lesson sees in this environment.
fn devices(environment: &[(&'static str, String)]) -> Result<Vec<String>> {
    Ok(supervise::devices(&LESSONS[0].binary()?, environment))
}
