//! OpenCL implementations that some work needs by name, where this machine has them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use common::device::icd::LIBRARY_VARIABLE;

use crate::environment::{self, Environment};
use crate::lessons::LESSONS;

/// An implementation that is here.
pub struct Implementation {
    /// What people call it.
    pub name: String,
    /// Environment that brings it into view.
    environment: Environment,
    /// What `--device` takes then: a number, since a part of a name could match another device.
    pub device: String,
}

impl Implementation {
    /// Makes a child work on this implementation.
    pub fn choose<'c>(&self, child: &'c mut Command) -> &'c mut Command {
        child
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .args(["--device", &self.device])
    }
}

/// PoCL, the CPU implementation of most machines.
pub fn pocl() -> Result<Option<Implementation>> {
    seen("PoCL", Environment::new(), |label| {
        label.contains("(Portable Computing Language)")
    })
}

/// The simulator. It is loaded by its path, past the loader; where that fails, opencl3 falls back
/// to the loader, and the platform's name says that it is another.
pub fn simulator() -> Result<Option<Implementation>> {
    let library = oclgrind().map(|path| (LIBRARY_VARIABLE, path.into()));
    let environment = Vec::from_iter(library);
    seen("Oclgrind", environment, |label| {
        label.contains("(Oclgrind)")
    })
}

/// The first GPU.
pub fn gpu() -> Result<Option<Implementation>> {
    let cpus = [
        "(Portable Computing Language)",
        "(Oclgrind)",
        "rusticl",
        "Intel(R) OpenCL)",
    ];
    let is_gpu = |label: &str| cpus.iter().all(|cpu| !label.contains(cpu));
    seen("the GPU", Environment::new(), is_gpu)
}

/// The device that a lesson sees in this environment and whose label is of this kind.
fn seen(
    name: &str,
    environment: Environment,
    is_it: impl Fn(&str) -> bool,
) -> Result<Option<Implementation>> {
    let labels = environment::devices(&LESSONS[0].binary()?, &environment).unwrap_or_default();
    let device = labels.iter().position(|label| is_it(label));
    Ok(device.map(|device| Implementation {
        name: name.into(),
        environment,
        device: device.to_string(),
    }))
}

/// Oclgrind as a library that is loaded at run time: its wrapper does not catch one.
/// The variable OCLGRIND_LIBRARY says where it lies, if it lies elsewhere.
pub fn oclgrind() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("OCLGRIND_LIBRARY") {
        return Some(PathBuf::from(path)).filter(|path| path.is_file());
    }
    let folders = ["lib/oclgrind", "local/lib/oclgrind", "local/lib"];
    let mut paths = folders
        .map(|one| Path::new("/usr").join(one).join("liboclgrind-rt.so"))
        .into_iter();
    paths.find(|path| path.is_file())
}
