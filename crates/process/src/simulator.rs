//! Oclgrind, the simulator: it sees every access of a kernel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use common::device::icd::LIBRARY_VARIABLE;
use common::simulator::LOG_VARIABLE;

use crate::environment::LOG_IS_READ_VARIABLE;
use crate::finished::Finished;
use crate::scratch::Scratch;

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

/// What the simulator left behind.
pub struct Simulation {
    /// The lesson, with its own words and its end.
    pub child: Finished,
    /// What it has to say against the kernel.
    pub log: String,
}

/// The command in Oclgrind, which looks for everything that it can look for.
pub fn run(mut command: Command) -> Result<Simulation> {
    command
        .env("OCLGRIND_DATA_RACES", "1")
        .env("OCLGRIND_UNINITIALIZED", "1")
        .env("OCLGRIND_CHECK_API", "1")
        .env("OCLGRIND_MAX_ERRORS", "5000");
    run_plain(command)
}

/// The command in Oclgrind, which looks for what its environment says.
pub fn run_plain(mut command: Command) -> Result<Simulation> {
    let folder = Scratch::new()?;
    let log = folder.0.join("log");
    let child = Finished::of(as_written(&mut command, &log))?;
    let log = fs::read_to_string(&log).unwrap_or_default();
    Ok(Simulation { child, log })
}

/// Sends a command of the course to Oclgrind, which this library is. A race is one also where
/// both items write the same value.
pub fn aim<'c>(command: &'c mut Command, library: &Path) -> &'c mut Command {
    command
        .args(["--device", "oclgrind"])
        .env(LIBRARY_VARIABLE, library)
        .env("OCLGRIND_UNIFORM_WRITES", "1")
}

/// Has Oclgrind print how often each instruction ran. By one thread: each numbers the
/// functions in the order in which its groups call them, and version 21.10 adds the threads'
/// counts up by number.
pub fn count_instructions(command: &mut Command) -> &mut Command {
    command
        .env("OCLGRIND_INST_COUNTS", "1")
        .env("OCLGRIND_NUM_THREADS", "1")
}

/// Lets Oclgrind run kernels as written, not as optimised, so that it sees every access of
/// the source, and write its reports to this file.
pub fn as_written<'c>(command: &'c mut Command, log: &Path) -> &'c mut Command {
    command
        .env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable")
        .env(LOG_VARIABLE, log)
        .env(LOG_IS_READ_VARIABLE, "1")
}
