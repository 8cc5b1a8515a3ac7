//! An installed `cargo course`, and the clone that it came from: kernels, pages and lessons are read
//! there, so both must be of one time.

use std::path::Path;
use std::time::SystemTime;

use anyhow::Result;
use common::Error;
use common::command::word;
use common::file::{built_in, is_installed, workspace};
use diagnostics::aside;
use walkdir::WalkDir;

/// Refuses to go on without the clone, and says where another or a newer one is read.
pub fn must_fit() -> Result<()> {
    if !is_installed() {
        return Ok(());
    }
    let (from, here) = (built_in(), workspace());
    let path = word(&here.join("crates/course"));
    let install = format!("next: cargo install --debug --locked --path {path}");
    let is_clone = |folder: &Path| folder.join("lessons").is_dir();
    if !is_clone(&from) {
        let next = match is_clone(&here) {
            true => install,
            false => "next: ./setup   in the folder where it is now".into(),
        };
        let from = from.display();
        let why = format!("this command was installed from {from}, where the course is no longer");
        return Err(Error::Usage(format!("{why}\n  {next}")).into());
    }
    let program = std::env::current_exe()?.metadata()?.modified()?;
    let why = if here != from {
        format!("was installed from {}", from.display())
    } else if changed(&here.join("crates")) > Some(program) {
        "is older than that".into()
    } else {
        return Ok(());
    };
    let here = here.display();
    aside!("this folder's course is that of {here}, and this command {why}\n  {install}");
    Ok(())
}

/// When a file of Rust below this folder was last written.
fn changed(folder: &Path) -> Option<SystemTime> {
    let files = WalkDir::new(folder).into_iter().flatten();
    let rust = files.filter(|file| file.path().extension().is_some_and(|end| end == "rs"));
    rust.filter_map(|file| file.metadata().ok()?.modified().ok()).max()
}
