//! What is kept in the course's folders for the pages.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use common::file::workspace;
use diagnostics::aside;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use watchdog::devices::Device;
use watchdog::machine;

/// What is kept has a place of its own below docs/data/, and none elsewhere.
pub fn name(name: &str) -> Result<String, String> {
    match Path::new(name).components().collect::<Vec<_>>()[..] {
        [Component::Normal(only)] if only == name => Ok(name.into()),
        _ => Err("it is no name of a folder below docs/data/, for example pocl-1024".into()),
    }
}

/// The text of a file below the root of the course.
pub fn read(file: impl AsRef<Path>) -> Result<String> {
    let path = workspace().join(file);
    fs::read_to_string(&path).with_context(|| format!("{}", path.display()))
}

/// What was measured, an object a line; the first one says by which command, and when.
pub fn lines_of<T: DeserializeOwned>(text: &str) -> Result<(Value, Vec<T>)> {
    let mut lines = text.lines();
    let about = serde_json::from_str(lines.next().context("nothing was kept")?)?;
    let rest = lines.zip(2..).map(|(line, number)| {
        serde_json::from_str(line).with_context(|| format!("line {number} is damaged"))
    });
    Ok((about, rest.collect::<Result<_>>()?))
}

/// The files and folders in a folder below the root of the course, by name.
pub fn entries(folder: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    let folder = workspace().join(folder);
    let entries = fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))?;
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

/// Writes a file, with the folders above it, and says so.
pub fn write(path: impl AsRef<Path>, text: &str) -> Result<()> {
    let path = workspace().join(path);
    let failed = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(failed)?;
    }
    fs::write(&path, text).with_context(failed)?;
    aside!("wrote {}", path.display());
    Ok(())
}

/// Writes a file that is not as it should be, but with `check`; its name, if it was not.
pub fn updated(file: String, new: &str, check: bool) -> Result<Option<String>> {
    if read(&file).is_ok_and(|old| old == new) {
        return Ok(None);
    }
    if !check {
        write(&file, new)?;
    }
    Ok(Some(file))
}

/// Writes a file with an object a line.
pub fn write_lines(path: impl AsRef<Path>, lines: &[Value]) -> Result<()> {
    let lines = lines.iter().map(|line| format!("{line}\n"));
    write(path, &lines.collect::<String>())
}

/// The first line of what was measured: by which command, and when.
pub fn about() -> Result<Value> {
    let words = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let date = machine::date("+%Y-%m-%d")?;
    Ok(json!({ "command": format!("cargo xtask {words}"), "date": date }))
}

/// The same with the device, and the machine that has it.
pub fn about_device(Device { name, platform, driver, .. }: &Device) -> Result<Value> {
    let mut about = about()?;
    for (field, word) in [("device", name), ("platform", platform), ("driver", driver)] {
        about[field] = json!(word);
    }
    about["host"] = json!(machine::host());
    Ok(about)
}
