//! What a report shows of its records, as the page's template reads it: a section for each device,
//! in it a bench for each size with rows in teaching order, and one list of what moves memory.

use common::probe::Peak;
use common::record::Record;
use common::traffic::Counts;
use process::devices::Device;
use process::lessons::LESSONS;
use serde::Serialize;
use serde_json::Value;
use verify::numbers::{factor, percent, significant};
use verify::shape::Shape;

use super::roofline::{LogAxis, roofline};
use super::survey::{Done, Survey, VECTORS};

/// A device, and what was measured on it.
#[derive(Serialize)]
pub struct Section<'a> {
    device: &'a Device,
    pub label: String,
    /// The best that the lessons' probes measured in this run.
    limits: Option<Peak>,
    pub benches: Vec<Bench>,
    /// Saxpy, also on the host, and the copies, once each.
    memory: Vec<Row>,
    /// What did not end well, and why.
    failures: Vec<(String, &'a str)>,
}

impl Section<'_> {
    /// Those of all devices.
    pub fn all(survey: &Survey) -> Vec<Section<'_>> {
        let devices = survey.devices.iter();
        devices.map(|device| section(survey, device)).collect()
    }
}

fn section<'a>(survey: &'a Survey, device: &'a Device) -> Section<'a> {
    let done = survey.done.iter();
    let done: Vec<&Done> = done.filter(|one| one.job.device == device.index).collect();
    let records = || done.iter().flat_map(|done| &done.records);
    let limits = records()
        .filter_map(|record| record.limits)
        .reduce(Peak::and);
    let mut sizes: Vec<Option<Shape>> = Vec::new();
    let mut memory: Vec<Row> = Vec::new();
    for job in done.iter().map(|done| &done.job) {
        if job.lesson != VECTORS && !sizes.contains(&job.size) {
            sizes.push(job.size);
        }
    }
    for record in records().filter(|record| record.gbytes_per_second.is_some()) {
        if !memory.iter().any(|row| row.record.kernel == record.kernel) {
            memory.push(Row::of(String::new(), record, None));
        }
    }
    let bench = |size| Bench::of(product_rows(&done, size, limits), limits);
    let failed = done.iter();
    let failed = failed.filter_map(|done| Some((done.job.name(), done.failed.as_deref()?)));
    Section {
        device,
        label: device.label(),
        limits,
        benches: sizes.into_iter().filter_map(bench).collect(),
        memory,
        failures: failed.collect(),
    }
}

/// One line of the tables.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// "8.3": the third row of lesson 8; empty for what is no kernel.
    pub id: String,
    /// The kernel's; without "host" before it, since its heading says so.
    pub name: String,
    /// What stands above those of its lesson, or of the host.
    heading: String,
    /// Whether it is a loop or a crate on the host.
    is_host: bool,
    /// 0 where it has none.
    pub rate: f64,
    /// Of the device's limit; the host's own rows have none.
    pub share: Option<f64>,
    /// Floating-point operations for each byte that the kernel asks global memory for.
    pub intensity: Option<f64>,
    is_best: bool,
    /// How long its bar is, of 1.
    bar: f64,
    pub record: Record,
}

impl Row {
    fn of(id: String, record: &Record, limits: Option<Peak>) -> Row {
        let is_host = record.platform == "host";
        let has_share = !is_host && record.share_of_limit.is_some();
        let limit = limits.filter(|_| has_share).map(|limits| limits.gflops);
        let name = record.kernel.strip_prefix("host ");
        let mut lessons = LESSONS.iter().filter(|_| !is_host);
        let lesson = lessons.find(|lesson| lesson.number == record.lesson);
        let heading = lesson.map(|one| format!("Lesson {}: {}", one.number, one.teaches));
        Row {
            id,
            heading: heading.unwrap_or("On the host".into()),
            name: name.unwrap_or(&record.kernel).into(),
            is_host,
            rate: record.rate().unwrap_or(0.0),
            share: record
                .gflops
                .zip(limit)
                .map(|(gflops, limit)| gflops / limit),
            intensity: intensity(record),
            record: record.clone(),
            ..Row::default()
        }
    }

    /// Whether it is a kernel with a rate.
    pub fn is_timed(&self) -> bool {
        !self.is_host && self.record.gflops.is_some()
    }
}

/// 2 M N K over the elements loaded and stored, times their size. What the helpers load and store
/// counts, as their time does.
pub fn intensity(record: &Record) -> Option<f64> {
    let helpers = record.helpers.iter().map(|one| one.traffic_elements);
    let counts = [record.traffic_elements].into_iter().chain(helpers);
    let counts: Option<Vec<Counts>> = counts.collect();
    let global = |c: &Counts| c.global_loads as f64 + c.global_stores as f64;
    let elements: f64 = counts?.iter().map(global).sum();
    let bytes = elements * record.ty?.size() as f64;
    (bytes > 0.0).then(|| record.shape().flop() / bytes)
}

/// The products of one shape on one device.
#[derive(Serialize)]
pub struct Bench {
    pub shape: Shape,
    /// What the reader wants to know first.
    pub sentence: String,
    /// The rate of the slowest kernel.
    slowest: f64,
    roofline: Option<Value>,
    /// Of each lesson, and then of the host.
    rows: Vec<Row>,
}

impl Bench {
    /// None where nothing was timed.
    fn of(mut rows: Vec<Row>, limits: Option<Peak>) -> Option<Bench> {
        let shape = rows.iter().find(|row| row.record.gflops.is_some())?;
        let shape = shape.record.shape();
        let rates = rows.iter().map(|row| row.rate);
        let bars = LogAxis::over(rates.chain(limits.map(|limits| limits.gflops)), 1.0);
        rows.iter_mut().for_each(|row| row.bar = bars.at(row.rate));
        // Those whose rates can be believed.
        let kernels = rows.iter_mut().filter(|row| row.is_timed());
        let mut kernels: Vec<_> = kernels.filter(|row| !row.record.is_above_limit()).collect();
        kernels.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        let slowest = kernels.first().map(|row| row.rate);
        let sentence = match (slowest, kernels.last_mut()) {
            (Some(slowest), Some(best)) => {
                best.is_best = true;
                sentence(slowest, best)
            }
            _ => "No kernel was timed.".into(),
        };
        let roofline = limits.and_then(|limits| roofline(&rows, limits, shape));
        Some(Bench {
            shape,
            sentence,
            slowest: slowest.unwrap_or(1.0),
            roofline,
            rows,
        })
    }
}

fn sentence(slowest: f64, best: &Row) -> String {
    let share = best
        .share
        .map(|share| format!(" does {} of what the device can", percent(share)));
    format!(
        "From {} to {} GFLOP/s, {}: {}{}.",
        significant(slowest),
        significant(best.rate),
        factor(best.rate / slowest),
        best.name,
        share.unwrap_or_default()
    )
}

/// What belongs into a table of products: timed, skipped or wrong. What a lesson
/// only demonstrates has a shape of its own and no time.
fn belongs(record: &Record) -> bool {
    let told = record.why().is_some();
    record.gflops.is_some() || told && record.k > 0
}

fn product_rows(done: &[&Done], size: Option<Shape>, limits: Option<Peak>) -> Vec<Row> {
    let (mut kernels, mut hosts) = (Vec::new(), Vec::new());
    for done in done.iter().filter(|done| done.job.size == size) {
        let mut number = 0;
        for record in done.records.iter().filter(|record| belongs(record)) {
            if record.platform != "host" {
                number += 1;
                let id = format!("{}.{number}", done.job.lesson);
                kernels.push(Row::of(id, record, limits));
                continue;
            }
            // Every lesson measures the host anew; the first time counts.
            let of = |one: &Record| (one.kernel.clone(), one.m, one.k);
            if !hosts.iter().any(|one: &Row| of(&one.record) == of(record)) {
                hosts.push(Row::of(String::new(), record, limits));
            }
        }
    }
    kernels.extend(hosts);
    kernels
}
