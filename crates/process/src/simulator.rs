//! Oclgrind, the simulator: it sees every access of a kernel.

use std::path::{Path, PathBuf};

use common::device::icd::LIBRARY_VARIABLE;

use crate::worker::Work;

/// Oclgrind as a library that is loaded at run time: its wrapper does not catch one.
/// The variable OCLGRIND_LIBRARY says where it lies, if it lies elsewhere.
pub fn oclgrind() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("OCLGRIND_LIBRARY") {
        return Some(PathBuf::from(path)).filter(|path| path.is_file());
    }
    let folders = ["lib/oclgrind", "local/lib/oclgrind", "local/lib"];
    let mut paths = folders
        .map(|one| Path::new("/usr").join(one).join("liboclgrind-rt.so"))
        .into_iter();
    paths.find(|path| path.is_file())
}

/// Sends a worker to Oclgrind, which this library is, to look for everything that it can look for.
/// A race is one also where both items write the same value.
pub fn look_for_faults(work: &mut Work, library: &Path) {
    work.args(["--device", "oclgrind"])
        .env("OCLGRIND_UNIFORM_WRITES", "1")
        .env("OCLGRIND_DATA_RACES", "1")
        .env("OCLGRIND_UNINITIALIZED", "1")
        .env("OCLGRIND_CHECK_API", "1")
        .env("OCLGRIND_MAX_ERRORS", "5000");
    as_written(work, library);
}

/// Sends a worker to Oclgrind, which runs kernels as written, not as optimised, so that it sees
/// every access of the source.
pub fn as_written(work: &mut Work, library: &Path) {
    work.env(LIBRARY_VARIABLE, library)
        .env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
}
