//! ICD files: through them the loader finds drivers. Each names a library.

use std::path::PathBuf;

/// The variable that names another place for the .icd files.
pub const ICD_VARIABLE: &str = "OCL_ICD_VENDORS";

/// Where they lie, where the variable names no other place.
const SYSTEMS: &str = "/etc/OpenCL/vendors";

/// The .icd files that the loader reads. Empty where the system has no such folder (macOS,
/// Windows).
pub fn icd_files() -> Vec<PathBuf> {
    let place = icd_place();
    // ocl-icd takes a single file as well.
    if place.is_file() {
        return vec![place];
    }
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "icd"));
    files.sort();
    files
}

/// The folder with the loader's .icd files, or the one file that it is told of.
pub fn icd_place() -> PathBuf {
    other_place().unwrap_or_else(|| SYSTEMS.into())
}

/// The place that the variable names; one that is empty names none.
pub fn other_place() -> Option<PathBuf> {
    let named = std::env::var_os(ICD_VARIABLE)?;
    (!named.is_empty()).then(|| named.into())
}
