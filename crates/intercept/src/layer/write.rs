//! The file that the lines are written to.

use std::fs::File;
use std::io::Write;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::line::{Line, VARIABLE};

static FILE: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let path = std::env::var_os(VARIABLE)?;
    let file = File::options().append(true).create(true).open(path);
    file.ok().map(Mutex::new)
});

/// Whether anybody reads what we write.
pub fn is_wanted() -> bool {
    FILE.is_some()
}

/// Writes a line, at once: the program may crash in the next call.
pub fn write(line: &Line) {
    if let (Some(file), Ok(mut text)) = (&*FILE, serde_json::to_string(line)) {
        text.push('\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // The program goes on, whoever reads or does not.
        let _ = file.write_all(text.as_bytes());
    }
}
