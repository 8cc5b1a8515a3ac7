//! What is kept in the course's folders for the pages.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use common::file::workspace;
use common::record::{Of, Record};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use verify::Shape;
use watchdog::machine::{self, Device};

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
    diagnostics::aside!("wrote {}", path.display());
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

/// What a lesson measured, and when it was recorded: `docs/data/RUN/LESSON.jsonl`.
pub struct Recording {
    /// The folder below `docs/data/`.
    pub name: String,
    /// The day.
    pub date: String,
    /// What it measured, in order.
    pub records: Vec<Record>,
}

impl Recording {
    /// Reads `docs/data/RUN/LESSON.jsonl`.
    pub fn read(run: &str, lesson: &str) -> Result<Recording> {
        Recording::of(run, &read(format!("docs/data/{run}/{lesson}.jsonl"))?)
    }

    fn of(run: &str, text: &str) -> Result<Recording> {
        let (about, records) = lines_of(text)?;
        let date = about["date"].as_str().unwrap_or("?").into();
        Ok(Recording { name: run.into(), date, records })
    }

    /// The first record that was made on a device, not on the host.
    pub fn on_device(&self) -> Option<&Record> {
        let mut records = self.records.iter();
        records.find(|record| record.platform != "host")
    }

    /// The device's name as people say it.
    pub fn device(&self) -> String {
        self.on_device().map_or("?".into(), |one| name_on(&one.platform, &one.device))
    }

    /// What it measured, but for products of kernels, or with macros, that the lesson no longer
    /// has.
    pub fn rows(&self) -> Vec<&Record> {
        let lesson = self.records.first().and_then(|one| match one.of {
            Of::Lesson(number) => watchdog::lessons::numbered(number).ok(),
            Of::Task => None,
        });
        let files = lesson.map_or(Vec::new(), |lesson| lesson.kernel_files());
        let texts = files.iter().flat_map(|file| common::source::Source::of_course(file));
        let text: String = texts.map(|source| source.text).collect();
        let is_there = |one: &&Record| {
            // Recordings have a kernel's name and its variant in one.
            let function = one.kernel.split(' ').next().unwrap_or_default();
            let mut macros = one.defines.keys();
            (!function.starts_with("matmul_") || text.contains(function))
                && macros.all(|name| text.contains(name))
        };
        self.records.iter().filter(is_there).collect()
    }

    /// The fastest product on the device, if the lesson has one.
    pub fn best(&self) -> Option<&Record> {
        let rows = self.rows().into_iter().filter(|one| one.platform != "host");
        let products = rows.filter_map(|one| Some((one, one.gflops?)));
        products.max_by(|one, other| one.1.total_cmp(&other.1)).map(|one| one.0)
    }

    /// The sides of its first product that was timed.
    pub fn size(&self) -> Option<Shape> {
        let on_device = |r: &&Record| r.platform != "host" && r.m > 0 && counts(r);
        let product = self.records.iter().find(on_device);
        product.map(Record::shape)
    }
}

/// A device's name as people say it. The drivers of CPUs put words of their own around the
/// chip's name: `pthread-skylake-avx512-AMD EPYC`.
pub fn name_on(platform: &str, device: &str) -> String {
    let driver = match platform {
        "Portable Computing Language" => "PoCL",
        platform if platform.starts_with("Intel") => "Intel's runtime",
        _ => return device.into(),
    };
    let mut words = device.split_inclusive('-');
    let chip = words.position(|word| word.starts_with(char::is_uppercase));
    let chip: String = device.split_inclusive('-').skip(chip.unwrap_or(0)).collect();
    format!("{} with {driver}", chip.replace("(R)", ""))
}

/// Whether a record belongs into a table: what was only shown, not timed, does
/// not, and has a size of its own.
pub fn counts(record: &Record) -> bool {
    record.rate().is_some() || record.skipped().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_recording_is_refused_or_has_its_records() {
        let text = read("docs/data/pocl-1024/lesson05.jsonl").unwrap();
        let few: String = text.split_inclusive('\n').take(4).collect();
        assert!(Recording::of("x", &few).is_ok_and(|one| one.records.len() == 3));
        damage::must_be_survived(few.as_bytes(), |bytes| {
            if let Ok(recording) = Recording::of("x", &String::from_utf8_lossy(bytes)) {
                recording.size();
            }
        });
    }
}
