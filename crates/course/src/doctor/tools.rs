//! This system, its tools and folders: what the course and its drivers use besides OpenCL.

use common::command;
use common::device::pocl::can_write;
use inspect::trace::run::plugin_path;
use watchdog::simulator::oclgrind;

use super::finding::{Finding, Topic};
use watchdog::machine::{self, on_path};
use watchdog::packages::{self, install};

/// What there is to say about the machine itself.
pub fn system() -> [Finding; 2] {
    let manager = packages::manager().unwrap_or("no package manager that ./setup knows");
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let mut lines = release.lines();
    let name = lines.find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.unwrap_or(std::env::consts::OS).trim_matches('"');
    let system = format!("{name}, {}, {manager}", std::env::consts::ARCH);
    [
        Topic::System.good("system", system),
        Topic::System.good("CPU", machine::host()),
    ]
}

/// Commands that something of the course uses.
pub fn optional() -> Vec<Finding> {
    #[rustfmt::skip]
    let tools = [
        ("linker", on_path("ld"), true, install("linker"), "ld is not here; PoCL calls it for every kernel, and aborts without it"),
        ("Oclgrind", oclgrind(), false, install("oclgrind"), "not here; it simulates a device: names races, accesses out of bounds, values never written"),
        // No package has it.
        ("trace plugin", Some(plugin_path()).filter(|path| path.is_file()), false, Some(command::setup("--full")), "not built; by it Oclgrind counts what a kernel asks of memory"),
        ("clinfo", on_path("clinfo"), false, install("clinfo"), "not here; it lists every property of every device"),
    ];
    let found = tools.map(|(name, place, is_needed, mend, why)| match place {
        Some(place) => Topic::Tools.good(name, place.display().to_string()),
        None if is_needed => Topic::Tools.bad(name, why).next(mend),
        None => Topic::Tools.note(name, why).next(mend),
    });
    found.into()
}

/// The folder that lessons and compilers write to at every run.
pub fn temporary_folder() -> Finding {
    let folder = std::env::temp_dir();
    let what = format!("temporary folder {}", folder.display());
    let Err(error) = can_write(&folder) else {
        return Topic::Folders.good(what, "can be written");
    };
    let says = format!("cannot be written ({error}); lessons and compilers need it");
    let is_named = std::env::var_os("TMPDIR").is_some();
    let mend = ["export TMPDIR=$HOME", "unset TMPDIR"][usize::from(is_named)];
    Topic::Folders.bad(what, says).next(mend.to_string())
}
