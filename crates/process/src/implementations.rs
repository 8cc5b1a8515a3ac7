//! The OpenCL implementations that the course is checked on, and which of them
//! this machine has.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use common::device::icd::LIBRARY_VARIABLE;
use common::source::own_workspace;

use crate::environment::{self, Environment};
use crate::lessons::LESSONS;

/// An implementation that may or may not be here.
pub struct Implementation {
    /// What people call it.
    pub name: String,
    /// Environment that brings it into view.
    pub environment: Environment,
    /// What `--device` takes to choose it; none where it is not installed.
    pub selector: Option<String>,
    /// A simulator is slow: it gets the small shapes only.
    pub simulator: bool,
    /// Not one of the CPU implementations.
    pub gpu: bool,
}

impl Implementation {
    /// Makes a child work on this implementation.
    pub fn choose<'c>(&self, child: &'c mut Command) -> &'c mut Command {
        child
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .args(["--device", self.selector.as_deref().unwrap_or("0")])
    }
}

/// The CPU implementations, and what only their platforms' names hold.
const CPUS: [(&str, &str); 4] = [
    ("PoCL", "(Portable Computing Language)"),
    ("Oclgrind", "(Oclgrind)"),
    ("rusticl", "rusticl"),
    ("Intel CPU", "Intel(R) OpenCL)"),
];

/// PoCL, Oclgrind, rusticl, Intel's CPU runtime, then every GPU.
pub fn all() -> Result<Vec<Implementation>> {
    let cpus = CPUS.iter().map(|(name, platform)| cpu(name, platform));
    let mut all = cpus.collect::<Result<Vec<_>>>()?;
    let gpu = |name: &str, selector| Implementation {
        name: name.into(),
        environment: Environment::new(),
        selector,
        simulator: false,
        gpu: true,
    };
    for (index, label) in devices(&Environment::new())?.iter().enumerate() {
        if CPUS.iter().all(|(_, cpu)| !label.contains(cpu)) {
            let name = label.split(" (").next().unwrap_or(label);
            all.push(gpu(name, Some(index.to_string())));
        }
    }
    if all.len() == CPUS.len() {
        all.push(gpu("a GPU", None));
    }
    Ok(all)
}

/// One of the CPU implementations, where it is here. The others are not asked: that takes
/// most of a second.
pub fn find(wanted: &str) -> Result<Option<Implementation>> {
    let known = CPUS.iter().find(|(name, _)| *name == wanted);
    let found = known
        .map(|(name, platform)| cpu(name, platform))
        .transpose()?;
    Ok(found.filter(|one| one.selector.is_some()))
}

fn cpu(name: &str, platform: &str) -> Result<Implementation> {
    let environment = Vec::from_iter(environment(name));
    let devices = devices(&environment)?;
    let found = devices.iter().position(|label| label.contains(platform));
    Ok(Implementation {
        name: name.into(),
        environment,
        // Chosen by number: a part of a name could match another device, too.
        selector: found.map(|index| index.to_string()),
        simulator: name == "Oclgrind",
        gpu: false,
    })
}

/// What brings a CPU implementation into view. Some drivers are loaded by their path,
/// past the loader; where the file is missing, opencl3 falls back to the loader, and
/// the platform's name says that it is another.
fn environment(name: &str) -> Option<(&'static str, OsString)> {
    let library = match name {
        "Oclgrind" => oclgrind(),
        "Intel CPU" => Some(own_workspace().join(".opencl/intel/libintelocl.so")),
        "rusticl" => return Some(("RUSTICL_ENABLE", "llvmpipe".into())),
        _ => None,
    };
    let library = library.filter(|path| path.is_file())?;
    Some((LIBRARY_VARIABLE, library.into()))
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

/// The labels of the devices that a lesson sees in this environment.
fn devices(environment: &Environment) -> Result<Vec<String>> {
    Ok(environment::devices(&LESSONS[0].binary()?, environment).unwrap_or_default())
}
