//! What is kept in the course's folders for the pages.

use std::fs;
use std::path::{Component, Path};

use anyhow::{Context, Result};
use common::Error;
use text::aside;

/// What is kept has a place of its own below data/, and none elsewhere.
pub fn must_be_a_name(name: &str) -> Result<()> {
    let parts: Vec<Component> = Path::new(name).components().collect();
    if matches!(parts[..], [Component::Normal(only)] if only == name) {
        return Ok(());
    }
    let why = format!("'{name}' is no name of a folder below data/, for example pocl-1024");
    Err(Error::Usage(why).into())
}

/// Writes a file, with the folders above it, and says so.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(failed)?;
    }
    fs::write(path, text).with_context(failed)?;
    aside!("wrote {}", path.display());
    Ok(())
}
