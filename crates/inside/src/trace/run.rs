//! Runs a lesson's kernel in the simulator, with the plugin that writes down each access.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use common::Error;
use common::shape::Shape;
use common::source::own_workspace;
use supervise::{LIBRARY_VARIABLE, LOG_IS_READ_VARIABLE};
use toolbox::implementations::oclgrind;
use toolbox::lessons;
use toolbox::scratch::Scratch;

use super::accesses::Trace;
use crate::launched::{Launched, Refused, Wanted};

/// Accesses of a launch after which no further group begins: some seconds.
const BUDGET: u64 = 500_000;
/// Accesses of a launch after which it is given up.
const MOST: u64 = 4_000_000;
/// The plugin, below the root of the workspace: `./setup --full` puts it there.
const PLUGIN: &str = ".opencl/oclgrind/libtrace.so";

/// A kernel that ran in the simulator, and what was written down.
pub struct Traced {
    /// How its lesson launches it.
    pub launched: Launched,
    /// Everything that was traced.
    pub trace: Trace,
    /// Where the accesses are.
    pub folder: Scratch,
}

/// Launches the kernel by `program`, a lesson or what takes a lesson's flags.
///
/// # Errors
/// [`Error::NoDevice`] without simulator or plugin, [`Error::Usage`] where there is nothing
/// to trace. What the program itself refuses is the inner error.
pub fn trace(wanted: &Wanted, mut program: Command) -> Result<Result<Traced, Refused>> {
    let (library, plugin) = (simulator()?, plugin()?);
    let folder = Scratch::new()?;
    program
        .env(LIBRARY_VARIABLE, library)
        .env("OCLGRIND_PLUGINS", plugin)
        // As written, not as optimised: every access of the source is seen.
        .env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable")
        .env("OCLGRIND_LOG", folder.0.join("log"))
        .env(LOG_IS_READ_VARIABLE, "1")
        .env("COURSE_TRACE_KERNEL", &wanted.kernel)
        .env("COURSE_TRACE_FOLDER", &folder.0)
        .env("COURSE_TRACE_BUDGET", BUDGET.to_string())
        .env("COURSE_TRACE_MOST", MOST.to_string());
    let wanted = Wanted {
        device: Some("oclgrind".into()),
        size: wanted.size.or(Some(Shape::cube(small(&wanted.kernel)))),
        ..wanted.clone()
    };
    let launched = match wanted.launch(program)? {
        Ok(launched) => launched,
        Err(refused) => return Ok(Err(refused)),
    };
    let nothing = || {
        let record = &launched.record;
        let why = record.died.as_ref().or(record.failed.as_ref());
        let why = why.map_or(
            "the simulator could not write to the folder for temporary files",
            |why| why.as_str(),
        );
        Error::Died(format!("{} left no trace: {why}", launched.name))
    };
    let trace = Trace::read(&folder.0)?.ok_or_else(nothing)?;
    if trace.launch.is_cut && trace.launch.groups[0] == 0 {
        let why = format!(
            "a single group of {} makes more than {MOST} accesses, too many to trace: take a \
             smaller --size, or look for a loop that does not end",
            launched.name
        );
        return Err(Error::Usage(why).into());
    }
    Ok(Ok(Traced {
        launched,
        trace,
        folder,
    }))
}

/// Several groups; for vectors some thousand items.
fn small(kernel: &str) -> usize {
    match lessons::with_kernel(kernel).ok().flatten() {
        Some(lesson) if lesson.number == 2 => 4096,
        _ => 64,
    }
}

fn simulator() -> Result<PathBuf> {
    Ok(oclgrind().ok_or_else(|| missing("Oclgrind, the simulator,"))?)
}

/// Where the plugin lies, once it is built.
pub fn plugin_path() -> PathBuf {
    own_workspace().join(PLUGIN)
}

fn plugin() -> Result<PathBuf> {
    let path = plugin_path();
    let is_there = path.is_file();
    Ok(is_there
        .then_some(path)
        .ok_or_else(|| missing("the plugin with which Oclgrind writes down accesses"))?)
}

fn missing(what: &str) -> Error {
    Error::NoDevice {
        state: format!("{what} is not on this machine; a trace is made by it, on any device"),
        mend: Some("./setup --full".into()),
    }
}
