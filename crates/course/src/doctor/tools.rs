//! This system, its tools and folders: what the course and its drivers use besides OpenCL.

use common::command;
use common::device::pocl::can_write;
use inspect::trace::plugin_path;
use watchdog::machine::{self, on_path};
use watchdog::packages::{self, install};
use watchdog::simulator::oclgrind;

use super::finding::{Finding, Topic};

/// The machine itself, and the folder that lessons and compilers write to at every run.
pub fn system() -> [Finding; 2] {
    let manager = packages::manager().unwrap_or("no package manager that ./setup knows");
    let system = format!("{}, {manager}, {}", std::env::consts::OS, machine::host());
    let folder = std::env::temp_dir();
    let what = format!("temporary folder {}", folder.display());
    let is_named = std::env::var_os("TMPDIR").is_some();
    let mend = ["export TMPDIR=$HOME", "unset TMPDIR"][usize::from(is_named)];
    let folder = match can_write(&folder) {
        Ok(()) => Topic::System.good(what, "can be written"),
        Err(error) => {
            let says = format!("cannot be written ({error}); lessons and compilers need it");
            Topic::System.bad(what, says).next(mend.to_string())
        }
    };
    [Topic::System.good("system", system), folder]
}

/// Commands that something of the course uses.
pub fn optional() -> [Finding; 4] {
    #[rustfmt::skip]
    let tools = [
        ("linker", on_path("ld"), true, install("linker"), "ld is not here; PoCL calls it for every kernel, and aborts without it"),
        ("Oclgrind", oclgrind(), false, install("oclgrind"), "not here; it simulates a device: names races, accesses out of bounds, values never written"),
        // No package has it.
        ("trace plugin", Some(plugin_path()).filter(|path| path.is_file()), false, Some(command::setup("--full")), "not built; by it Oclgrind counts what a kernel asks of memory"),
        ("clinfo", on_path("clinfo"), false, install("clinfo"), "not here; it lists every property of every device"),
    ];
    tools.map(|(name, place, is_needed, mend, why)| match place {
        Some(place) => Topic::Tools.good(name, place.display().to_string()),
        None if is_needed => Topic::Tools.bad(name, why).next(mend),
        None => Topic::Tools.note(name, why).next(mend),
    })
}
