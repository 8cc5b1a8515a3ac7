//! What this process has once: the tables of functions, the driver's and ours, and the file that
//! the lines are written to.

use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{collections::HashMap, fs::File, io::Write};

use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::line::{Line, VARIABLE};

/// What this process was given, and gave.
pub struct Layer {
    /// What comes after us.
    pub driver: cl_icd_dispatch,
    /// What the loader is given.
    pub told: cl_icd_dispatch,
    /// The calls that are told, by their places in the tables.
    pub calls: HashMap<usize, &'static crate::story::Told>,
}

/// That of this process.
pub static LAYER: OnceLock<Layer> = OnceLock::new();

/// Only what the loader calls by our table asks for it.
pub fn layer() -> &'static Layer {
    LAYER.get().expect("the layer was initialised")
}

/// What comes after us.
pub fn driver() -> &'static cl_icd_dispatch {
    &layer().driver
}

pub fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is written to, where anybody reads it.
pub static FILE: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let path = std::env::var_os(VARIABLE)?;
    let file = File::options().append(true).create(true).open(path);
    file.ok().map(Mutex::new)
});

/// Writes a line, at once: the program may crash in the next call.
pub fn write(line: &Line) {
    if let (Some(file), Ok(mut text)) = (&*FILE, serde_json::to_string(line)) {
        text.push('\n');
        // The program goes on, whoever reads or does not.
        let _ = lock(file).write_all(text.as_bytes());
    }
}
