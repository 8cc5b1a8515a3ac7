//! What a child finds in its environment besides our `variables`.

use std::ffi::OsString;
use std::sync::LazyLock;

use common::threads;

use crate::fallback::fallback_driver;
use crate::variables::Environment;

/// The environment as it was before OpenCL was loaded.
static ENVIRONMENT: LazyLock<Vec<(OsString, OsString)>> =
    LazyLock::new(|| std::env::vars_os().collect());

/// Keeps the environment as it is now. To be called before OpenCL is loaded: a
/// loader was seen to cut OCL_ICD_FILENAMES in pieces where it stands, so that
/// processes started later inherit the first piece alone, and lack a driver.
pub fn remember_environment() {
    LazyLock::force(&ENVIRONMENT);
}

/// The environment to give to a process that is started after OpenCL was loaded.
pub fn environment_at_start() -> impl Iterator<Item = (OsString, OsString)> {
    ENVIRONMENT.iter().cloned()
}

/// What a child finds in its environment besides ours: [`fallback_driver`],
/// each thread of PoCL on a core of its own, and as many threads as there are.
pub fn environment() -> Environment {
    let fallback = fallback_driver().map(|(variable, path)| (variable, path.into()));
    let all = fallback.into_iter().chain(thread_per_core());
    all.chain(without_threads()).collect()
}

/// The crate matrixmultiply panics where it gets no threads; so it is to use none there.
fn without_threads() -> Option<(&'static str, OsString)> {
    // Those of a driver, and its own.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let given = threads::are_given(2 * cores + 8);
    (!given).then(|| ("MATMUL_NUM_THREADS", "1".into()))
}

/// Where the system places the threads, two of PoCL's may share a core for a whole
/// launch of less than a millisecond while another core is idle, and the kernel
/// takes twice as long. Who has set one of these variables knows better.
fn thread_per_core() -> Option<(&'static str, OsString)> {
    let chosen = ["POCL_AFFINITY", "POCL_MAX_PTHREAD_COUNT"];
    let is_chosen = chosen.iter().any(|name| std::env::var_os(name).is_some());
    (!is_chosen).then(|| ("POCL_AFFINITY", "1".into()))
}
