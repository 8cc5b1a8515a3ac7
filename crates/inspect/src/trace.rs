//! Every access to memory of a kernel that ran in the simulator, counted as a device would
//! serve it: requests of whole warps, sectors, passes over banks.
//!
//! # Layout
//!
//! In the order in which to read them: `plugin.cpp` is loaded by Oclgrind and writes down
//! each access; [`trace`] launches a kernel with it; `accesses` reads what it wrote. `request` is
//! the model; `operand` names what an instruction works on; [`figures`] sums up; `screen`
//! is all of that as JSON, with the first request of the worst line drawn.

pub mod accesses;
pub mod figures;
mod operand;
mod request;
mod screen;

pub use request::Model;

use std::path::PathBuf;

use anyhow::Result;
use common::{Error, command, failure::Told, file::own_workspace, source::Source};
use watchdog::simulator::{self, oclgrind};
use watchdog::{scratch::Scratch, worker::Work};

use crate::launched::{Launched, Wanted};
use accesses::{Launch, Trace};
use figures::Figures;

/// Accesses of a launch after which no further group begins: some seconds.
const BUDGET: u64 = 500_000;
/// Accesses of a launch after which it is given up.
const MOST: u64 = 4_000_000;

/// A kernel that ran in the simulator, and its traffic.
pub struct Traced {
    /// How its lesson launches it.
    pub launched: Launched,
    /// The launch that was traced.
    pub launch: Launch,
    /// What was counted, and how.
    pub figures: Figures,
    pub(crate) model: Model,
    pub(crate) source: Source,
}

/// Launches the kernel by this worker, a lesson or what takes a lesson's flags, and counts its
/// accesses as this hardware serves them.
///
/// # Errors
/// [`Error::NoDevice`] without simulator or plugin, [`Error::Usage`] where there is nothing
/// to trace; those of [`Wanted::launch`].
pub fn trace(wanted: &Wanted, mut work: Work, model: Model) -> Result<Traced> {
    let missing = |what: &str| {
        let says = format!("{what} is not on this machine; a trace is made by it, on any device");
        Error::NoDevice(Told::new(says, Some(&command::setup("--full"))))
    };
    let library = oclgrind().ok_or_else(|| missing("Oclgrind, the simulator,"))?;
    let plugin = plugin_path();
    if !plugin.is_file() {
        return Err(missing("the plugin with which Oclgrind writes down accesses").into());
    }
    let folder = Scratch::new()?;
    simulator::as_written(&mut work, &library);
    work.env("OCLGRIND_PLUGINS", plugin)
        .env("COURSE_TRACE_KERNEL", &wanted.kernel)
        .env("COURSE_TRACE_FOLDER", &folder.0)
        .env("COURSE_TRACE_BUDGET", BUDGET.to_string())
        .env("COURSE_TRACE_MOST", MOST.to_string());
    let wanted = Wanted {
        device: Some("oclgrind".into()),
        // Several groups; of vectors some thousand items.
        size: Some(wanted.size_or(64, 4096)),
        ..wanted.clone()
    };
    let launched = wanted.launch(work)?;
    let nothing = || {
        let no_room = "the simulator could not write to the folder for temporary files";
        let why = launched.record.why().unwrap_or_else(|| no_room.into());
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
    let source = Source::read(&wanted.file()?)?;
    Ok(Traced {
        launched,
        figures: Figures::of(&trace, &folder.0, &source, &model)?,
        launch: trace.launch,
        model,
        source,
    })
}

/// Where the plugin lies, once `./setup --full` has built it.
pub fn plugin_path() -> PathBuf {
    own_workspace().join(".opencl/oclgrind/libtrace.so")
}
