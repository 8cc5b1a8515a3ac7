//! What mends a way to a driver that is broken. What is installed is never to be
//! installed again: that would change nothing.

use std::path::{Path, PathBuf};

use common::device::icd;
use serde_json::Value;

use super::child;
use process::packages;

/// How errors without a device are told apart: by opencl3's and the loader's codes.
pub const NO_LOADER: &str = "(-2000)";
pub const NO_OPENCL: &str = "(-2001)";

/// What mends it when there is no device: what the search for them knows, or what is not
/// installed.
pub fn of_search(answer: &Value) -> Option<String> {
    if let Some(mend) = answer["mend"].as_str() {
        return Some(mend.into());
    }
    let without_loader = answer["error"]
        .as_str()
        .unwrap_or_default()
        .contains(NO_LOADER);
    if let Some(why) = without_loader.then(broken_loader).flatten() {
        return shadow(&why);
    }
    // Each driver has a finding of its own.
    let is_told = without_loader || icd::icd_files().is_empty();
    let missing = if without_loader { "loader" } else { "pocl" };
    let install = || packages::install(missing).unwrap_or_else(|| "./setup".into());
    is_told.then(install)
}

/// What mends a loader that is there and does not open, by the dynamic linker's words: one
/// in a folder that comes before the system's hides that.
fn shadow(why: &str) -> Option<String> {
    let folders = std::env::var_os("LD_LIBRARY_PATH")?;
    let hides = |folder: PathBuf| why.contains(&*folder.to_string_lossy());
    let mut folders = std::env::split_paths(&folders);
    folders.any(hides).then(|| "unset LD_LIBRARY_PATH".into())
}

/// The dynamic linker's words about a loader that is there and does not open.
pub fn broken_loader() -> Option<String> {
    let why = child::opens("libOpenCL.so.1").err()?;
    let is_there = cfg!(target_os = "linux") && !why.contains("No such file");
    is_there.then_some(why)
}

/// What mends an ICD file: a driver whose library is gone is installed; one that is there
/// and fails is not, since that would change nothing.
pub fn of_file(file: &Path, wrong: &str) -> Option<String> {
    match tool_of(file) {
        Some(tool) if wrong.contains("No such file") => packages::install(tool),
        Some(_) => None,
        None => Some(packages::as_root(&format!("rm {}", file.display()))),
    }
}

/// What the table of packages calls the driver that a file of the system names, if it
/// knows it.
fn tool_of(file: &Path) -> Option<&'static str> {
    let name = file.file_name()?.to_string_lossy().to_lowercase();
    let known = [
        ("pocl", "pocl"),
        ("rusticl", "rusticl"),
        ("mesa", "rusticl"),
    ];
    let mut known = known
        .into_iter()
        .filter(|_| file.starts_with("/etc/OpenCL/vendors"));
    known
        .find(|(part, _)| name.contains(part))
        .map(|(_, tool)| tool)
}
