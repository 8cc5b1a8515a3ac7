//! The variables of the processes of the course: those by which a child knows what it is,
//! and those that decide which drivers it finds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use common::clone::own_workspace;
use common::device::icd::{self, ICD_VARIABLE, LIBRARY_VARIABLE};
use common::device::pocl::{self, CACHE_VARIABLE, cache_folder};
use common::device::{self, Device};
use common::host;
use diagnostics::aside;
use serde_json::json;
use verify::cores::cores;

use crate::ask::{ask, this_program};
use crate::events::{self, Event};

/// Set by a parent that has run the same child before, to the device's limits that
/// were measured then.
pub(crate) const LIMITS_VARIABLE: &str = "OPENCL_COURSE_LIMITS";
/// Set to ask a lesson only which devices it sees: a label on each line.
const PROBE_VARIABLE: &str = "OPENCL_COURSE_PROBE";

/// Variables that are set for a child.
pub type Environment = BTreeMap<&'static str, OsString>;

/// True in a child.
pub fn is_child() -> bool {
    events::folder().is_some()
}

/// What a lesson finds in its environment besides ours.
pub fn environment() -> Environment {
    beside(Environment::new())
}

/// The same, beside these variables, which may say the drivers.
pub(crate) fn beside(mut all: Environment) -> Environment {
    // Where no drivers are chosen.
    if !all.contains_key(ICD_VARIABLE) && !all.contains_key(LIBRARY_VARIABLE) {
        all.extend(fallback_driver().map(|(variable, path)| (variable, path.into())));
    }
    // Where the system places the threads, two of PoCL's may share a core for a whole launch
    // of less than a millisecond while another core is idle, and the kernel takes twice as
    // long. Who has set one of these variables knows better.
    let chosen = ["POCL_AFFINITY", "POCL_MAX_PTHREAD_COUNT"];
    if chosen.iter().all(|name| std::env::var_os(name).is_none()) {
        all.insert("POCL_AFFINITY", "1".into());
    }
    // The crate matrixmultiply panics where it gets no threads beside those of a driver.
    if !host::gives_threads(2 * cores() + 8) {
        all.insert("MATMUL_NUM_THREADS", "1".into());
    }
    all
}

/// Where `./setup` puts a driver, for a machine that has none.
const FOLDER: &str = ".opencl";

/// The variable that makes visible what `./setup` put into this workspace, and its value,
/// where the system itself offers no device and the learner has not chosen drivers by
/// such variables: ICD files for drivers that are installed but not announced, or a CPU
/// driver. `./setup` has written down which ([`USES`]). Where that is missing, or older than what the
/// system offers, this program is asked, which must answer the probe ([`answer_if_probed`]).
pub fn fallback_driver() -> Option<(&'static str, PathBuf)> {
    let folder = own_workspace().join(FOLDER);
    let fallbacks = [
        (ICD_VARIABLE, folder.join("vendors")),
        (LIBRARY_VARIABLE, folder.join("intel/libintelocl.so")),
    ];
    let is_set = |(variable, _): &(&str, _)| std::env::var_os(variable).is_some();
    if fallbacks.iter().any(is_set) || !folder.is_dir() {
        return None;
    }
    let uses = folder.join(USES);
    let words = |(variable, path): &(&str, PathBuf)| format!("{variable}={}\n", path.display());
    if let Some(known) = written_since(&uses, &icd::icd_place()) {
        let known_one = fallbacks.iter().find(|one| words(one) == known);
        if known == "\n" || known_one.is_some() {
            return known_one.cloned();
        }
    }
    let sees_devices = |environment| devices_here(&environment).is_ok_and(|all| !all.is_empty());
    let systems = sees_devices(Environment::new());
    let found = fallbacks.into_iter().find(|(variable, path)| {
        let environment = Environment::from([(*variable, path.into())]);
        !systems && path.exists() && is_own(path, &folder) && sees_devices(environment)
    });
    if systems || found.is_some() {
        // Where it cannot be kept, it is asked again.
        let _ = fs::write(uses, found.as_ref().map_or("\n".into(), words));
    }
    found
}

/// A file in that folder: the variable that is to be set, `NAME=VALUE`, or an empty line.
const USES: &str = "uses";

/// The text of a file that is younger than the folder with the system's drivers, and than each of
/// its files.
fn written_since(uses: &Path, drivers: &Path) -> Option<String> {
    let time = |path: &Path| fs::metadata(path).and_then(|one| one.modified()).ok();
    let written = time(uses)?;
    let files = fs::read_dir(drivers).into_iter().flatten().flatten();
    let mut places = files.map(|file| file.path()).chain([drivers.to_path_buf()]);
    let is_current = places.all(|place| time(&place).is_none_or(|time| time <= written));
    is_current.then(|| fs::read_to_string(uses).ok()).flatten()
}

/// No device was found by what is written down: the next program asks anew.
pub(crate) fn forget_drivers() {
    if std::env::var_os(ICD_VARIABLE).is_none() && std::env::var_os(LIBRARY_VARIABLE).is_none() {
        // There may be none.
        let _ = fs::remove_file(own_workspace().join(FOLDER).join(USES));
    }
}

/// Whether all that would be loaded is of this folder, or of the system: the workspace may
/// be a copy, whose ICD files still name the libraries of another one.
fn is_own(path: &Path, folder: &Path) -> bool {
    let files = fs::read_dir(path).into_iter().flatten().flatten();
    let mut libraries = files.filter_map(|file| fs::read_to_string(file.path()).ok());
    libraries.all(|library| {
        let library = Path::new(library.trim());
        let mut parts = library.components();
        let is_of_a_workspace = parts.any(|part| part.as_os_str() == FOLDER);
        !is_of_a_workspace || library.starts_with(folder)
    })
}

/// The labels of the devices that this very program sees in this environment; it must answer
/// the probe. opencl3 loads its library once in a process, and the environment of this one is
/// not ours to change; so another process is asked.
///
/// # Errors
/// How it ended, where a driver crashes, or stops for good.
pub(crate) fn devices_here(environment: &Environment) -> Result<Vec<String>, String> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let mut command = this_program().map_err(|error| error.to_string())?;
    command.env(PROBE_VARIABLE, "1").envs(environment);
    ask(&mut command, PATIENCE, u64::MAX)
}

// PoCL keeps what it has compiled in a folder, and believes what it finds there. Where a file of
// it was cut short (a full disk, a process ended while writing) or overwritten, PoCL 3.1 ends the
// process (SIGABRT, SIGBUS), or says that a kernel does not exist. So after such a failure the lesson
// goes on once without the cache. Mesa's (rusticl) holds checksums, and Intel's CPU runtime keeps none
// on disk.

/// Whether PoCL's cache may be to blame for what happened: it is used, and no other device is.
pub(crate) fn may_be_damaged(environment: &Environment, events: &[Event]) -> bool {
    let is_off = environment.contains_key(CACHE_VARIABLE)
        || std::env::var_os(CACHE_VARIABLE).is_some_and(|value| value == "0");
    let holds_something =
        fs::read_dir(cache_folder()).is_ok_and(|mut files| files.next().is_some());
    let begun = events.iter().rev().find_map(|event| match event {
        Event::Begun(begun) => Some(begun.platform.contains(pocl::PLATFORM)),
        _ => None,
    });
    !is_off && holds_something && begun != Some(false)
}

/// Leaves the cache out of an environment, and tells that.
pub(crate) fn leave_out_cache(environment: &mut Environment) {
    aside!(
        "\nThe driver failed, perhaps on a damaged file in PoCL's cache of compiled kernels.\n  \
         It is tried again without the cache. If that helps, clear it: rm -r {}",
        cache_folder().display()
    );
    environment.insert(CACHE_VARIABLE, "0".into());
}

/// The end of a child that is only asked which devices there are, and answers.
pub fn answer_if_probed() -> Option<ExitCode> {
    std::env::var_os(PROBE_VARIABLE)?;
    let labels = labels_of(&device::list().unwrap_or_default());
    // Who has asked may have gone away.
    let _ = writeln!(std::io::stdout(), "{}", json!(labels));
    Some(ExitCode::SUCCESS)
}

pub(crate) fn labels_of(devices: &[Device]) -> Vec<String> {
    devices.iter().map(Device::label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn what_is_older_than_the_drivers_is_not_believed() {
        let root = Scratch::new().expect("the temporary folder can be written");
        let (uses, drivers) = (root.0.join("uses"), root.0.join("vendors"));
        fs::create_dir(&drivers).expect("the folder can be written");
        assert_eq!(written_since(&uses, &drivers), None, "there is none");
        fs::write(&uses, "\n").expect("the folder can be written");
        assert_eq!(written_since(&uses, &drivers).as_deref(), Some("\n"));
        assert!(written_since(&uses, &root.0.join("no-vendors")).is_some());
        std::thread::sleep(Duration::from_millis(20));
        fs::write(drivers.join("a.icd"), "").expect("the folder can be written");
        assert_eq!(written_since(&uses, &drivers), None, "a driver came");
    }

    #[test]
    fn a_library_of_another_workspace_is_not_loaded() {
        let root = Scratch::new().expect("the temporary folder can be written");
        let (folder, vendors) = (root.0.join(FOLDER), root.0.join(FOLDER).join("vendors"));
        fs::create_dir_all(&vendors).expect("the folder can be written");
        let names = |library: &Path| {
            let text = format!("{}\n", library.display());
            fs::write(vendors.join("a.icd"), text).expect("the folder can be written");
            is_own(&vendors, &folder)
        };
        assert!(names(Path::new("libpocl.so.2")));
        assert!(names(Path::new("/usr/lib/libpocl.so.2")));
        assert!(names(&folder.join("intel/libintelocl.so")));
        assert!(!names(Path::new("/elsewhere/.opencl/intel/libintelocl.so")));
        assert!(is_own(&folder.join("intel/libintelocl.so"), &folder));
    }
}
