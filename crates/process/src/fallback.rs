//! The driver that `./setup` put into the workspace, for a machine that has none. It is
//! loaded from this workspace only, wherever the program is started.

use std::fs;
use std::path::{Path, PathBuf};

use common::device::icd::{ICD_VARIABLE, LIBRARY_VARIABLE};
use common::source::own_workspace;

use crate::probe::devices_here;
use crate::variables::Environment;

/// Where `./setup` puts it.
const FOLDER: &str = ".opencl";

/// The variable that makes visible what `./setup` put into the workspace, and its value,
/// where the system itself offers no device and the learner has not chosen drivers by
/// such variables: ICD files for drivers that are installed but not announced, or a CPU
/// driver. A program that asks must answer the probe ([`crate::answer_probe`]), since it is
/// itself asked.
pub fn fallback_driver() -> Option<(&'static str, PathBuf)> {
    let folder = own_workspace().join(FOLDER);
    let fallbacks = [
        (ICD_VARIABLE, folder.join("vendors")),
        (LIBRARY_VARIABLE, folder.join("intel/libintelocl.so")),
    ];
    let chosen = fallbacks
        .iter()
        .any(|(variable, _)| std::env::var_os(variable).is_some());
    if chosen || !folder.is_dir() || !devices_here(&Environment::new()).is_empty() {
        return None;
    }
    fallbacks.into_iter().find(|(variable, path)| {
        let environment = vec![(*variable, path.into())];
        path.exists() && is_own(path, &folder) && !devices_here(&environment).is_empty()
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_another_workspace_is_not_loaded() {
        let root = std::env::temp_dir().join(format!("opencl-course-own-{}", std::process::id()));
        let (folder, vendors) = (root.join(FOLDER), root.join(FOLDER).join("vendors"));
        fs::create_dir_all(&vendors).expect("the temporary folder can be written");
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
        let _ = fs::remove_dir_all(&root);
    }
}
