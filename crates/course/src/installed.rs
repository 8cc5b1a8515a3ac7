//! An installed `cargo course`, and the clone that it came from: kernels, pages and lessons are read
//! there, so both must be of one time.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::Result;
use common::Error;
use common::clone::{built_in, is_installed, workspace};
use common::command::word;
use diagnostics::aside;

/// Refuses to go on without the clone, and says where another or a newer one is read.
pub fn must_fit() -> Result<()> {
    if !is_installed() {
        return Ok(());
    }
    let (from, here) = (built_in(), workspace());
    if !here.join("lessons").is_dir() {
        let why = format!(
            "this command was installed from {}, where the course is no longer\n  \
             next: cargo install --debug --locked --path crates/course   in the folder where it is now",
            from.display()
        );
        return Err(Error::Usage(why).into());
    }
    let program = std::env::current_exe()?.metadata()?.modified()?;
    let why = if here != from {
        format!("was installed from {}", from.display())
    } else if changed(&here.join("crates")) > Some(program) {
        "is older than that".into()
    } else {
        return Ok(());
    };
    let path = word(&here.join("crates/course"));
    aside!(
        "this folder's course is that of {}, and this command {why}\n  \
         next: cargo install --debug --locked --path {path}",
        here.display()
    );
    Ok(())
}

/// When a file of Rust below this folder was last written.
fn changed(folder: &Path) -> Option<SystemTime> {
    let files = fs::read_dir(folder).ok()?.flatten();
    let times = files.filter_map(|file| match file.file_type().ok()?.is_dir() {
        true => changed(&file.path()),
        false if file.file_name().to_string_lossy().ends_with(".rs") => {
            file.metadata().ok()?.modified().ok()
        }
        false => None,
    });
    times.max()
}
