//! Takes in what somebody recorded by `course record --share`: held against what can be, and
//! kept for the atlas.

use std::path::Path;

use anyhow::{Context, Result};
use common::{Error, file};
use process::data::shared::Shared;

use crate::kept;
use crate::pages::{self, atlas::FOLDER};

/// Bytes that it may have; one of all lessons has a tenth.
const LONGEST: u64 = 1 << 20;

/// Keeps the file, and writes the page anew.
pub fn receive(path: &Path) -> Result<()> {
    let refused = |why: String| Error::File {
        path: path.into(),
        why,
    };
    let bytes = file::read(path, LONGEST).map_err(|error| refused(error.to_string()))?;
    let shared: Shared = serde_json::from_slice(&bytes)
        .map_err(|error| refused(format!("it is no shared recording: {error}")))?;
    let faults = shared.faults();
    if !faults.is_empty() {
        return Err(refused(format!("not taken in\n  {}", faults.join("\n  "))).into());
    }
    let size = shared
        .kernels
        .last()
        .map(|one| one.size)
        .context("a kernel")?;
    let words = format!("{} {} {size}", shared.device.name, shared.device.platform).to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name = format!("{FOLDER}/{}.json", words.join("-"));
    kept::write(name, &(serde_json::to_string_pretty(&shared)? + "\n"))?;
    pages::update(
        &[common::source::workspace().join("docs/devices.md")],
        false,
    )
}
