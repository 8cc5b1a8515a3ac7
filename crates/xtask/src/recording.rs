//! A lesson as it was recorded once: `docs/data/RUN/LESSON.jsonl` and `.txt`.

use anyhow::Result;
use common::record::{Of, Record};
use common::source::Source;
use verify::shape::Shape;
use watchdog::lessons::numbered;

use crate::kept;

/// What a lesson measured, and when and how it was recorded.
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
        Recording::of(run, &kept::read(format!("docs/data/{run}/{lesson}.jsonl"))?)
    }

    fn of(run: &str, text: &str) -> Result<Recording> {
        let (about, records) = kept::lines_of(text)?;
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
            Of::Lesson(number) => numbered(number).ok(),
            Of::Task => None,
        });
        let files = lesson.map_or(Vec::new(), |lesson| lesson.kernel_files());
        let texts = files.iter().flat_map(|file| Source::of_course(file));
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

    /// The same lesson of several recordings.
    pub fn read_all(runs: &[&str], lesson: &str) -> Result<Vec<Recording>> {
        let runs = runs.iter().map(|run| Recording::read(run, lesson));
        runs.collect()
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
        let text = kept::read("docs/data/pocl-1024/lesson05.jsonl").unwrap();
        let few: String = text.split_inclusive('\n').take(4).collect();
        assert!(Recording::of("x", &few).is_ok_and(|one| one.records.len() == 3));
        damage::must_be_survived(few.as_bytes(), |bytes| {
            if let Ok(recording) = Recording::of("x", &String::from_utf8_lossy(bytes)) {
                recording.size();
            }
        });
    }
}
