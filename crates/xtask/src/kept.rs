//! What is kept in the course's folders for the pages.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use common::file::workspace;
use common::record::{Of, Record};
use indexmap::IndexSet;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use verify::{Shape, numbers::quantile};
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

/// The course's own kernels, in the place of a library's name: the one of standard OpenCL C
/// that was chosen; in recordings before the seed whichever was.
pub const OURS: &str = "ours";
/// The one with a vendor's instructions, where one was chosen.
pub const OURS_BY_VENDOR: &str = "ours, vendor's";

/// What a library, or the kernel that the course chose, came to at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rate {
    #[serde(flatten)]
    pub shape: Shape,
    /// The library, as its makers write it, or [`OURS`].
    pub library: String,
    /// The kernel, of ours.
    pub kernel: Option<String>,
    /// Version of the library; of ours the lesson.
    pub version: String,
    /// "event" or "wall".
    pub clock: Option<String>,
    /// 1e9 operations a second, by the median of all runs; none where the result was
    /// wrong or something failed.
    pub gflops: Option<f64>,
    /// A quarter of the runs was slower than this.
    pub q1: Option<f64>,
    /// A quarter of the runs was faster.
    pub q3: Option<f64>,
    /// Timed runs of all turns.
    pub runs: usize,
    /// Why it has no rate.
    pub why: Option<String>,
}

/// The rates of a comparison on one device, in the order in which they were measured. The file's first
/// line says where and when that was.
pub struct Comparison(pub Vec<Rate>);

impl Comparison {
    /// Reads `docs/data/peers/NAME.jsonl`.
    pub fn read(name: &str) -> Result<Comparison> {
        let file = format!("docs/data/peers/{name}.jsonl");
        Comparison::of(&read(&file)?).context(file)
    }

    fn of(text: &str) -> Result<Comparison> {
        Ok(Comparison(lines_of(text)?.1))
    }

    /// The sizes, in order.
    pub fn shapes(&self) -> Vec<Shape> {
        self.0.iter().map(|rate| rate.shape).collect::<IndexSet<_>>().into_iter().collect()
    }

    /// The rate of a library or [`OURS`] at a size.
    pub fn rate(&self, shape: Shape, library: &str) -> Option<f64> {
        let mut rates = self.0.iter();
        rates.find(|rate| rate.shape == shape && rate.library == library)?.gflops
    }

    /// The rate of the fastest library at a size.
    fn best(&self, shape: Shape) -> Option<f64> {
        let here = self.0.iter().filter(|rate| rate.shape == shape);
        let theirs = here.filter(|rate| !rate.library.starts_with(OURS));
        theirs.filter_map(|rate| rate.gflops).reduce(f64::max)
    }

    /// Of ours over this library, at all sizes: this quantile, of 0 to 1. Over the best one,
    /// where none is named; then ours has a vendor's instructions where there is such a kernel.
    pub fn quantile(&self, q: f64, library: Option<&str>) -> Option<f64> {
        let ratios = self.shapes().into_iter().filter_map(|shape| {
            let standard = self.rate(shape, OURS);
            Some(match library {
                Some(library) => standard? / self.rate(shape, library)?,
                None => self.rate(shape, OURS_BY_VENDOR).or(standard)? / self.best(shape)?,
            })
        });
        let ratios = Vec::from_iter(ratios);
        (!ratios.is_empty()).then(|| quantile(&ratios, q))
    }
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

    const KEPT: &str = concat!(
        r#"{"command":"c","date":"d","device":"x","platform":"p","driver":"1","host":"h"}"#,
        "\n",
        r#"{"m":8,"n":8,"k":8,"library":"ours","kernel":"a b","version":"lesson 9","gflops":60.0,"q1":58.0,"q3":66.0,"rounds":3,"runs":9}"#,
        "\n",
        r#"{"m":8,"n":8,"k":8,"library":"X","version":"1","gflops":30.0,"q1":29.0,"q3":32.0,"rounds":3,"runs":9}"#,
        "\n",
        r#"{"m":8,"n":8,"k":8,"library":"Y","version":"1","why":"wrong","rounds":3,"runs":0}"#,
        "\n",
        r#"{"m":4,"n":8,"k":8,"library":"ours","version":"lesson 9","gflops":10.0,"q1":9.0,"q3":21.0,"rounds":3,"runs":9}"#,
        "\n",
        r#"{"m":4,"n":8,"k":8,"library":"X","version":"1","gflops":20.0,"q1":20.0,"q3":20.0,"rounds":3,"runs":9}"#,
        "\n",
    );

    #[test]
    fn ours_is_held_against_the_best_library_at_each_size() {
        let comparison = Comparison::of(KEPT).unwrap();
        let thin = Shape { m: 4, n: 8, k: 8 };
        assert_eq!(comparison.shapes(), [Shape::cube(8), thin]);
        assert_eq!(comparison.quantile(0.0, None), Some(0.5));
        assert_eq!(comparison.quantile(0.5, Some("X")), Some(1.25));
        // It was wrong at its only size.
        assert_eq!(comparison.quantile(0.5, Some("Y")), None);
        assert_eq!(comparison.best(Shape::cube(8)), Some(30.0));
    }

    #[test]
    fn a_damaged_comparison_is_refused_or_has_its_lines() {
        damage::must_be_survived(KEPT.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            if let Ok(comparison) = Comparison::of(&text) {
                assert_eq!(comparison.0.len(), text.lines().count().saturating_sub(1));
                comparison.quantile(0.5, None);
            }
        });
    }
}
