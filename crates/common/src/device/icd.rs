//! ICD files: through them the loader finds drivers. Each names a library.

use std::path::{Path, PathBuf};

use crate::host::variable;

/// The variable that names another place for the .icd files.
pub const ICD_VARIABLE: &str = "OCL_ICD_VENDORS";

/// opencl3 loads the library that this variable names, if it can.
pub const LIBRARY_VARIABLE: &str = "OPENCL_DYLIB_PATH";

/// Where they lie, where the variable names no other place.
const SYSTEMS: &str = "/etc/OpenCL/vendors";

/// The .icd files that the loader reads. Empty where the system has no such folder (macOS,
/// Windows).
pub fn icd_files() -> Vec<PathBuf> {
    let place = icd_place();
    if is_icd(&place) && place.is_file() {
        return vec![place];
    }
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| is_icd(path));
    files.sort();
    files
}

/// The folder with the loader's .icd files, or the one file that it is told of: ocl-icd
/// takes that as well, and looks for it in the system's folder, too.
pub fn icd_place() -> PathBuf {
    let systems = PathBuf::from(SYSTEMS);
    match other_place() {
        Some(file) if is_icd(&file) && is_bare(&file) && !file.exists() => systems.join(file),
        other => other.unwrap_or(systems),
    }
}

/// The driver's library, where the variable names one in place of .icd files: ocl-icd takes
/// for one whatever is no folder and does not end in `.icd`.
pub fn named_library() -> Option<PathBuf> {
    let is_library =
        |place: &PathBuf| !place.is_dir() && !is_icd(place) && (place.exists() || is_bare(place));
    other_place().filter(is_library)
}

fn is_icd(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "icd")
}

/// True for a name without a folder: the system looks for a library of this name.
fn is_bare(path: &Path) -> bool {
    path.file_name() == Some(path.as_os_str())
}

/// The place that the variable names; one that is empty names none.
pub fn other_place() -> Option<PathBuf> {
    variable(ICD_VARIABLE).map(PathBuf::from)
}
