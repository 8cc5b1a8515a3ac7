//! The variables of the processes of the course: those by which a child knows what it is,
//! and those that decide which drivers it finds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use common::device::icd::{self, ICD_VARIABLE, LIBRARY_VARIABLE};
use common::file::own_workspace;
use common::host;
use verify::cores::cores;

use crate::events;

/// Set by a parent that has run the same child before, to the device's limits that
/// were measured then.
pub(crate) const LIMITS_VARIABLE: &str = "OPENCL_COURSE_LIMITS";

/// Variables that are set for a child.
pub type Environment = BTreeMap<&'static str, OsString>;

/// True in a child.
pub fn is_child() -> bool {
    events::folder().is_some()
}

/// What a lesson finds in its environment besides ours, and beside these variables, which may say the
/// drivers.
pub fn environment(mut all: Environment) -> Environment {
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

/// The variable that makes visible what `./setup` put into this workspace, and its value: ICD files
/// for drivers that are installed but not announced, or a CPU driver. `./setup` has written it down,
/// or an empty line, where the system itself offers a device. It holds as long as the system's drivers
/// stay as they were, and where the learner has not chosen drivers by such variables.
pub fn fallback_driver() -> Option<(&'static str, PathBuf)> {
    let folder = own_workspace().join(".opencl");
    let fallbacks = [
        (ICD_VARIABLE, folder.join("vendors")),
        (LIBRARY_VARIABLE, folder.join("intel/libintelocl.so")),
    ];
    if fallbacks.iter().any(|(variable, _)| std::env::var_os(variable).is_some()) {
        return None;
    }
    let uses = written_since(&folder.join("uses"), &icd::icd_place())?;
    // A copy of the workspace was told of another one's.
    let is_it =
        |(variable, path): &(_, PathBuf)| uses == format!("{variable}={}\n", path.display());
    fallbacks.into_iter().find(is_it)
}

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
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(drivers.join("a.icd"), "").expect("the folder can be written");
        assert_eq!(written_since(&uses, &drivers), None, "a driver came");
    }
}
