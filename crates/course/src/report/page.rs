//! The page, one file with everything in it: a section for each device, in it for each size the
//! roofline, and a table of each lesson.

use anyhow::Result;
use common::peak::Peak;
use common::record::Record;
use serde::Serialize;
use serde_json::{Value, json};
use verify::numbers::{factor, percent, significant};
use verify::shape::Shape;
use watchdog::devices::Device;
use watchdog::lessons;

use super::{Done, Survey};
use crate::html;

/// The page.
pub fn page(survey: &Survey) -> Result<String> {
    let values = json!({ "benches": benches(survey), "survey": survey });
    html::filled("page.html", include_str!("page.html"), values)
}

/// What was measured at one size on one device, or at the lessons' own.
#[derive(Serialize)]
pub struct Bench<'a> {
    pub device: &'a Device,
    /// The best that the lessons' probes measured on it in this run.
    limits: Option<Peak>,
    /// Of its products; none where there is none.
    pub shape: Option<Shape>,
    /// What the reader wants to know first.
    pub sentence: String,
    /// The number of the fastest kernel.
    best: String,
    roofline: Option<Value>,
    /// Each lesson's heading, and what it measured.
    tables: Vec<(String, Vec<Row<'a>>)>,
}

/// A kernel: the record, and what it does not say.
#[derive(Serialize)]
struct Row<'a> {
    /// "8.3": the third row of lesson 8.
    id: String,
    /// GFLOP/s, or GB/s of what only moves data.
    unit: &'static str,
    /// 0 where it has none.
    rate: f64,
    /// Floating-point operations for each byte that the kernel asks global memory for.
    intensity: Option<f64>,
    record: &'a Record,
}

/// All of them, a device's together.
pub fn benches(survey: &Survey) -> Vec<Bench<'_>> {
    let mut benches = Vec::new();
    for device in &survey.devices {
        let done = survey.done.iter();
        let mut done: Vec<&Done> = done.filter(|one| one.job.device == device.index).collect();
        let records = done.iter().flat_map(|done| &done.records);
        let limits = records.filter_map(|record| record.limits).reduce(Peak::and);
        let size = |done: &&Done| done.job.size.map(|size| [size.m, size.n, size.k]);
        done.sort_by_key(size);
        for own in done.chunk_by(|one, next| size(one) == size(next)) {
            let tables = own.iter().map(|done| table(done)).collect();
            benches.push(Bench::of(device, limits, tables));
        }
    }
    benches
}

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
        unit: record.unit(),
        rate: record.rate().unwrap_or(0.0),
        intensity: record.gflops.and(record.intensity()),
        record,
    });
    (format!("Lesson {number}: {teaches}"), rows.collect())
}

impl<'a> Bench<'a> {
    fn of(device: &'a Device, limits: Option<Peak>, tables: Vec<(String, Vec<Row<'a>>)>) -> Self {
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
        let known = limits.zip(shape);
        Bench {
            device,
            limits,
            shape,
            sentence: sentence.unwrap_or("No product was timed.".into()),
            best: best.map_or(String::new(), |best| best.id.clone()),
            roofline: known.and_then(|(limits, shape)| roofline(&products, limits, shape)),
            tables,
        }
    }
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
fn roofline(timed: &[&Row], limits: Peak, shape: Shape) -> Option<Value> {
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
        json!({
            "id": row.id, "name": row.record.kernel, "says": row.record.says, "rate": row.rate,
            "intensity": row.intensity, "x": place[0], "y": place[1], "label_y": label[1],
        })
    };
    let points: Vec<Value> = kernels.map(point).collect();
    // From the edge of the picture, the left or the lower one, to where arithmetic binds.
    let slant = |speed: f64| {
        let low = 10f64.powf(x.low.max(y.low - speed.log10()));
        let (from, ridge) = ([x.at(low), down(low * speed)], limits.gflops / speed);
        json!({ "speed": speed, "ridge": ridge, "from": from, "to": x.at(ridge) })
    };
    Some(json!({
        "size": shape.in_short(),
        "limits": limits,
        "top": TOP,
        "floor": TOP + HEIGHT,
        // The powers of ten on both axes, and where they lie.
        "across": Vec::from_iter(x.decades().map(|one| (x.at(one), one.to_string()))),
        "down": Vec::from_iter(y.decades().map(|one| (down(one), one.to_string()))),
        // The roof of memory, and that of the caches, where they are the faster.
        "slants": Vec::from_iter(speeds.map(slant)),
        "corner": down(limits.gflops),
        "points": points,
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
        /// Decades for the numbers of the other axis, on which no point lies.
        const BEFORE: f64 = 0.6;
        let shown = values.into_iter().filter(|one| (1e-30..1e30).contains(one));
        let ends = |[low, high]: [f64; 2], value: f64| [low.min(value), high.max(value)];
        let [low, high] = shown.map(f64::log10).fold([f64::MAX, f64::MIN], ends);
        let low = (low - BEFORE).floor();
        let high = low + (high - low) / top;
        LogAxis { low, high }
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
