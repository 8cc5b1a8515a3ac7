//! `course report`: every lesson on a device, each in a child process, measured in one run, and one
//! page of it with everything in it.

use std::{io::Write, path::PathBuf, process::ExitCode};

use anyhow::Result;
use colored::Colorize;
use common::error::{Error, Failure, Kind};
use common::{record::Record, stage::Stage, timing::Peak};
use diagnostics::{aside, terminal::Out};
use serde::Serialize;
use serde_json::{Value, json};
use verify::Shape;
use verify::numbers::{factor, percent, significant};
use watchdog::lessons::{self, LESSONS, Lesson};
use watchdog::machine::{self, Device};
use watchdog::worker;

/// What is run, and where it is written.
#[derive(clap::Args)]
pub struct ReportArgs {
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type [default: as the lessons choose]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Run on every device of this machine, simulators left out
    #[arg(long, conflicts_with = "device")]
    all_devices: bool,
    /// Sizes of the products, N or MxNxK; may be a list, or given more than once
    /// [default: the lessons' own]
    #[arg(short, long, value_name = "N|MxNxK", value_delimiter = ',')]
    size: Vec<Shape>,
    /// Lessons to run [default: all]
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    lesson: Vec<u32>,
    /// Timed runs of each kernel [default: at least 3, until a quarter of a second or 20 runs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Folder for the page and report.json
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
}

/// A run of the lessons on one or several devices, as report.json has it.
#[derive(Serialize)]
struct Survey {
    begun: String,
    /// The commit, with "-dirty" where files were changed; where git knows it.
    commit: Option<String>,
    /// The host's CPU.
    host: String,
    devices: Vec<Device>,
    planned: Vec<Job>,
    done: Vec<Done>,
}

/// What one child process does.
#[derive(Clone, Serialize)]
struct Job {
    /// "lesson08 at 1024".
    name: String,
    /// Number of the device in the listing.
    device: usize,
    /// The size that the child is given; none for its own.
    size: Option<Shape>,
    lesson: u32,
}

/// A job that has been done.
#[derive(Serialize)]
struct Done {
    job: Job,
    /// How long the child took.
    seconds: f64,
    records: Vec<Record>,
    /// Its error, where it did not end well.
    failed: Option<String>,
    /// Its exit status then.
    status: Option<u8>,
}

/// Runs what the options ask for. The page is written after every job: what was done is on it,
/// whatever stops the rest.
pub fn report(options: &ReportArgs) -> Result<ExitCode> {
    let lessons = measuring(&options.lesson)?;
    let devices = machine::chosen(options.device.as_deref(), options.all_devices)?;
    let unwritable = |error: std::io::Error| {
        let next = "the same command with --out DIR, a folder of your own";
        Error::file(&options.out, format!("{error}\n  next: {next}"))
    };
    // Before any lesson takes its time.
    std::fs::create_dir_all(&options.out).map_err(unwritable)?;
    let mut survey = Survey {
        begun: machine::date("+%Y-%m-%d %H:%M")?,
        commit: machine::commit(),
        host: machine::host(),
        planned: jobs(&lessons, &options.size, &devices),
        devices,
        done: Vec::new(),
    };
    for (at, job) in survey.planned.clone().into_iter().enumerate() {
        aside!("  {} of {}  {}", at + 1, survey.planned.len(), job.name);
        survey.done.push(job.run(options.runs)?);
        let values = json!({ "benches": benches(&survey), "survey": survey });
        let page = crate::html::filled("report.html", include_str!("report.html"), values)?;
        let figures = serde_json::to_string_pretty(&survey)?;
        for (name, text) in [("index.html", page), ("report.json", figures)] {
            common::file::write(&options.out.join(name), text).map_err(unwritable)?;
        }
    }
    for bench in benches(&survey) {
        let words = ["heading", "sentence"].map(|word| bench[word].as_str());
        if let [Some(heading), Some(says)] = words {
            writeln!(Out, "{}\n  {says}", heading.bold())?;
        }
    }
    writeln!(Out, "page: {}", options.out.join("index.html").display())?;
    let failed = survey.done.iter().filter_map(|done| Some((done.status?, &*done.job.name)));
    let (statuses, names): (Vec<u8>, Vec<&str>) = failed.unzip();
    let Some(status) = statuses.into_iter().max() else { return Ok(ExitCode::SUCCESS) };
    let message = format!("not everything ran: {}; the page says why", names.join(", "));
    Err(Failure::new(Kind::Ended(status), message, Stage::default()).into())
}

/// The lessons that measure something, or those of them that are asked for.
fn measuring(wanted: &[u32]) -> Result<Vec<&'static Lesson>> {
    let mut lessons = Vec::from_iter(LESSONS);
    lessons.retain(|lesson| !lesson.kernel_files().is_empty());
    for number in wanted {
        if lessons.iter().all(|one| one.number != *number) {
            let why = "measures nothing, or is not there; `cargo run` lists the lessons";
            return Err(Error::Usage(format!("lesson {number} {why}")).into());
        }
    }
    lessons.retain(|lesson| wanted.is_empty() || wanted.contains(&lesson.number));
    Ok(lessons)
}

/// Lessons on products once for each size, or at their own; vectors once.
fn jobs(lessons: &[&Lesson], sizes: &[Shape], devices: &[Device]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for device in devices.iter().map(|device| device.index) {
        for at in 0..sizes.len().max(1) {
            for lesson in lessons.iter().filter(|one| at == 0 || !one.is_of_vectors) {
                let size = sizes.get(at).copied().filter(|_| !lesson.is_of_vectors);
                let at = size.map_or(String::new(), |size| format!(" at {}", size.in_short()));
                let name = lesson.package() + &at;
                jobs.push(Job { name, device, size, lesson: lesson.number });
            }
        }
    }
    jobs
}

impl Job {
    /// Does it, and keeps what was measured.
    fn run(self, runs: Option<u32>) -> Result<Done> {
        let mut work = lessons::numbered(self.lesson)?.work()?;
        work.args(["--json", "--device", &self.device.to_string()]);
        if let Some(size) = self.size {
            work.args(["--size", &size.to_string()]);
        }
        if let Some(runs) = runs {
            work.args(["--runs", &runs.to_string()]);
        }
        let begin = std::time::Instant::now();
        let ended = worker::finish(&work, worker::PATIENCE)?;
        let failed = (ended.status != 0).then(|| ended.refused());
        if let Some(failure) = &failed {
            aside!("  {} failed: {}", self.name, failure.told.in_short());
        }
        Ok(Done {
            job: self,
            seconds: begin.elapsed().as_secs_f64(),
            records: ended.records,
            status: failed.as_ref().map(Failure::status),
            failed: failed.map(|failure| failure.to_string()),
        })
    }
}

/// A kernel: the record, and what it does not say.
#[derive(Serialize)]
struct Row<'a> {
    /// "8.3": the third row of lesson 8.
    id: String,
    /// In GFLOP/s, or GB/s of what only moves data; 0 where it has none.
    rate: f64,
    /// Floating-point operations for each byte that the kernel asks global memory for.
    intensity: Option<f64>,
    record: &'a Record,
}

/// What was measured at each size on each device, or at the lessons' own, as the page reads it.
fn benches(survey: &Survey) -> Vec<Value> {
    let mut benches = Vec::new();
    for device in &survey.devices {
        let done = survey.done.iter();
        let mut done: Vec<&Done> = done.filter(|one| one.job.device == device.index).collect();
        let records = done.iter().flat_map(|done| &done.records);
        // The best that the lessons' probes measured on it in this run.
        let limits = records.filter_map(|record| record.limits).reduce(Peak::and);
        let size = |done: &&Done| done.job.size.map(|size| [size.m, size.n, size.k]);
        done.sort_by_key(size);
        for own in done.chunk_by(|one, next| size(one) == size(next)) {
            let tables: Vec<_> = own.iter().map(|done| table(done)).collect();
            let rows = tables.iter().flat_map(|(_, rows)| rows);
            let products: Vec<&Row> = rows.filter(|row| row.record.gflops.is_some()).collect();
            let shape = products.first().map(|row| row.record.shape());
            // Those whose rates can be believed.
            let timed = products.iter().filter(|row| !row.record.is_above_limit());
            let slowest = timed.clone().map(|row| row.rate).reduce(f64::min);
            let best = timed.max_by(|a, b| a.rate.total_cmp(&b.rate));
            let sentence = best.zip(slowest).map(|(best, slowest)| {
                let [from, to] = [slowest, best.rate].map(significant);
                let of = |share| format!(" does {} of what the device can", percent(share));
                let share = best.record.share_of_limit.map_or(String::new(), of);
                let (gain, name) = (factor(best.rate / slowest), &best.record.kernel);
                format!("From {from} to {to} GFLOP/s, {gain}: {name}{share}.")
            });
            let size = shape.map(Shape::in_short);
            benches.push(json!({
                "device": device,
                "limits": limits,
                "shape": shape,
                "size": size,
                "heading": size.map(|size| format!("{} at {size}", device.label())),
                "sentence": sentence.unwrap_or("No product was timed.".into()),
                "best": best.map(|best| &best.id),
                "roofline": limits.and_then(|limits| roofline(&products, limits)),
                "tables": tables,
            }));
        }
    }
    benches
}

/// A lesson's heading, and what it measured.
fn table(done: &Done) -> (String, Vec<Row<'_>>) {
    let number = done.job.lesson;
    let teaches = lessons::numbered(number).map_or("", |one| one.teaches);
    // What a lesson only demonstrates has a shape of its own and no time. The host's loops are the
    // lesson's to show.
    let belongs = |record: &&Record| {
        let is_told = record.why().is_some() && record.k > 0;
        record.platform != "host" && (record.rate().is_some() || is_told)
    };
    let rows = (1..).zip(done.records.iter().filter(belongs));
    let rows = rows.map(|(at, record): (u32, _)| Row {
        id: format!("{number}.{at}"),
        rate: record.rate().unwrap_or(0.0),
        intensity: record.gflops.and(record.intensity()),
        record,
    });
    (format!("Lesson {number}: {teaches}"), rows.collect())
}

/// Of the figure, in pixels.
const TOP: f64 = 24.0;
const HEIGHT: f64 = 420.0;

/// The roofline of one bench, as the page's template draws it; none without counted traffic: what
/// memory and arithmetic allow at each number of operations per byte, as measured, and every kernel.
/// What a kernel asks for and memory cannot deliver comes from caches: the fastest that any kernel
/// was served is their roof, which may be higher. Places along x are shares of the width, so that it
/// fills a phone as it fills a screen; those along y pixels from the top.
///
/// S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual performance model
/// for multicore architectures", 2009.
fn roofline(timed: &[&Row], limits: Peak) -> Option<Value> {
    let kernels = timed.iter().copied().filter(|row| row.intensity.is_some());
    let intensity = |row: &Row| row.intensity.unwrap_or(0.0);
    kernels.clone().next()?;
    let memory = limits.gbytes_per_second;
    let believed = kernels.clone().filter(|row| !row.record.is_above_limit());
    let served = believed.map(|row| row.rate / intensity(row));
    let caches = served.reduce(f64::max).filter(|speed| *speed > memory);
    let speeds = [Some(memory), caches].into_iter().flatten();
    let ridges = speeds.clone().map(|speed| limits.gflops / speed);
    let x = LogAxis::over(kernels.clone().map(intensity).chain(ridges), 0.78);
    let y = LogAxis::over(kernels.clone().map(|row| row.rate).chain([limits.gflops]), 0.92);
    let down = |rate: f64| TOP + (1.0 - y.at(rate)) * HEIGHT;
    let place = |row: &Row| [x.at(intensity(row)), down(row.rate)];
    let mut taken: Vec<[f64; 2]> = kernels.clone().map(place).collect();
    let point = |row: &Row| {
        let place = place(row);
        let label = free_place(place, &taken);
        taken.push(label);
        json!({ "row": row, "x": place[0], "y": place[1], "label_y": label[1] })
    };
    // From the edge of the picture, the left or the lower one, to where arithmetic binds.
    let slant = |speed: f64| {
        let low = 10f64.powf(x.low.max(y.low - speed.log10()));
        let (from, ridge) = ([x.at(low), down(low * speed)], limits.gflops / speed);
        json!({ "speed": speed, "ridge": ridge, "from": from, "to": x.at(ridge) })
    };
    Some(json!({
        "top": TOP,
        "floor": TOP + HEIGHT,
        // The powers of ten on both axes, and where they lie.
        "across": Vec::from_iter(x.decades().map(|one| (x.at(one), one.to_string()))),
        "down": Vec::from_iter(y.decades().map(|one| (down(one), one.to_string()))),
        // The roof of memory, and that of the caches, where they are the faster.
        "slants": Vec::from_iter(speeds.map(slant)),
        "corner": down(limits.gflops),
        "points": Vec::from_iter(kernels.map(point)),
    }))
}

/// The middle of a point's label, right of it: beside it, or at the nearest place up or down that
/// neither a point nor a label has taken. Letters keep their size, and a phone's page is 320 pixels
/// wide: there places along x are closest.
fn free_place([x, y]: [f64; 2], taken: &[[f64; 2]]) -> [f64; 2] {
    let x = x + 32.0 / 320.0;
    let is_free = |y: &f64| {
        let meets = |one: &[f64; 2]| (one[0] - x).abs() < 0.09 && (one[1] - y).abs() < 13.0;
        (TOP..=TOP + HEIGHT).contains(y) && !taken.iter().any(meets)
    };
    let mut steps = (0..800).map(|i| y + f64::from((i + 1) / 2 * (i % 2 * 2 - 1)));
    [x, steps.find(is_free).unwrap_or(y)]
}

/// A logarithmic axis.
struct LogAxis {
    low: f64,
    high: f64,
}

impl LogAxis {
    /// From a power of ten that leaves room before the lowest value; the highest one lies at
    /// `top`, from 0 to 1.
    fn over(values: impl IntoIterator<Item = f64>, top: f64) -> LogAxis {
        let shown = values.into_iter().filter(|one| (1e-30..1e30).contains(one));
        let ends = |[low, high]: [f64; 2], value: f64| [low.min(value), high.max(value)];
        let [low, high] = shown.map(f64::log10).fold([f64::MAX, f64::MIN], ends);
        // The numbers of the other axis take more than half a decade, on which no point lies.
        let low = (low - 0.6).floor();
        LogAxis { low, high: low + (high - low) / top }
    }

    /// Where a value lies, from 0 to 1.
    fn at(&self, value: f64) -> f64 {
        (value.max(1e-12).log10() - self.low) / (self.high - self.low)
    }

    /// The powers of ten on it.
    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low.ceil() as i32..=self.high.floor() as i32).map(|power| 10f64.powi(power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_that_measures_nothing_is_refused() {
        assert!(measuring(&[1]).is_err() && measuring(&[99]).is_err());
        let both = measuring(&[8, 3]).unwrap().into_iter();
        assert!(both.map(|lesson| lesson.number).eq([3, 8]));
    }

    #[test]
    fn every_lesson_runs_at_every_size_and_lesson_2_once() {
        let jobs = |sizes: &[usize], devices: &[usize]| {
            let device = |&index| Device { index, ..Device::default() };
            let devices: Vec<Device> = devices.iter().map(device).collect();
            let sizes: Vec<Shape> = sizes.iter().map(|&n| Shape::cube(n)).collect();
            jobs(&[&LESSONS[1], &LESSONS[7]], &sizes, &devices)
        };
        let names = jobs(&[64, 100], &[0]);
        let names: Vec<&String> = names.iter().map(|job| &job.name).collect();
        assert_eq!(names, ["lesson02", "lesson08 at 64", "lesson08 at 100"]);
        let own = jobs(&[], &[0, 1]);
        assert_eq!((own.len(), own[3].device), (4, 1));
    }

    #[test]
    fn an_axis_begins_before_the_lowest_value_and_ends_above_the_highest() {
        let axis = LogAxis::over([0.7, 500.0], 0.9);
        let decades: Vec<f64> = axis.decades().collect();
        assert_eq!(decades, [0.1, 1.0, 10.0, 100.0, 1000.0]);
        assert!(axis.at(0.7) > 0.1 && (axis.at(500.0) - 0.9).abs() < 1e-9);
    }

    #[test]
    fn a_label_keeps_its_place_or_takes_the_nearest_that_is_free() {
        let own = [0.5, 50.0];
        assert_eq!(free_place(own, &[own])[1], 50.0);
        // A point lies where the label would.
        assert_eq!(free_place(own, &[own, [0.6, 50.0]])[1], 63.0);
        assert_eq!(free_place(own, &[own, [0.6, 50.0], [0.6, 63.0]])[1], 37.0);
        let floor = TOP + HEIGHT;
        assert_eq!(free_place([0.5, floor], &[[0.6, floor]])[1], floor - 13.0);
    }
}
