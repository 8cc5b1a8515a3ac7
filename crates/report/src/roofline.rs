//! The roofline: what the device's memory and its arithmetic allow at each number
//! of operations per byte, as measured, and every kernel below it (or above it,
//! where caches serve most of what it asks for).
//!
//! S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual
//! performance model for multicore architectures", 2009.
//!
//! The figure is an SVG without a width of its own: places along x are percentages, so that it
//! fills a phone as it fills a screen, with the same size of letters. The page's template draws
//! it; here is where everything lies.

use common::probe::Peak;
use process::data::size_name;
use serde::Serialize;
use serde_json::{Value, json};
use verify::shape::Shape;

use super::rows::Row;

const TOP: f64 = 24.0;
const HEIGHT: f64 = 420.0;
const FLOOR: f64 = TOP + HEIGHT;
/// The figure's width on a phone, in pixels: what does not meet there meets nowhere, since
/// letters keep their size and places move apart.
const NARROWEST: f64 = 320.0;
/// Sizes in pixels: of a line of text, a letter, a point from its middle; the columns of the
/// numbers at the left, and how far right of its point a label begins.
const APART: f64 = 13.0;
const LETTER: f64 = 7.0;
const DOT: f64 = 5.0;
const TICK: f64 = 36.0;
const LABEL: f64 = 15.0;

/// A kernel in the figure.
#[derive(Serialize)]
struct Point {
    id: String,
    name: String,
    says: String,
    intensity: f64,
    rate: f64,
    x: f64,
    y: f64,
    /// Of its label.
    label_y: f64,
}

/// The roofline of one bench, as the page's template draws it; none without counted traffic. Places
/// along x are shares of the width, those along y pixels from the top.
pub fn roofline(rows: &[Row], limits: Peak, shape: Shape) -> Option<Value> {
    let kernels = rows.iter().filter(|row| row.is_timed());
    let kernels: Vec<(&Row, f64)> = kernels
        .filter_map(|row| Some((row, row.intensity?)))
        .collect();
    if kernels.is_empty() {
        return None;
    }
    let intensities = kernels.iter().map(|(_, intensity)| *intensity);
    let ridge = limits.gflops / limits.gbytes_per_second;
    let x = LogAxis::over(intensities.chain([ridge]), 0.78);
    let rates = kernels.iter().map(|(row, _)| row.rate);
    let without = rows
        .iter()
        .filter(|row| row.is_timed() && row.share.is_none());
    let fastest = without.map(|row| row.rate).reduce(f64::max);
    let beyond = fastest.filter(|rate| *rate > limits.gflops);
    let y = LogAxis::over(rates.chain([limits.gflops]).chain(beyond), 0.92);
    let down = |rate: f64| TOP + (1.0 - y.at(rate)) * HEIGHT;
    let point = |&(row, intensity): &(&Row, f64)| Point {
        id: row.id.clone(),
        name: row.name.clone(),
        says: row.record.says.clone(),
        intensity,
        rate: row.rate,
        x: x.at(intensity),
        y: down(row.rate),
        label_y: 0.0,
    };
    let corner = down(limits.gflops);
    let ticks = y.decades().map(|decade| line([0.0, TICK], down(decade)));
    let beyond = beyond.map(|rate| (rate, down(rate)));
    let roofs = [corner].into_iter().chain(beyond.map(|(_, at)| at));
    let roofs = roofs.map(|at| line([TICK, NARROWEST], at));
    let taken = ticks.chain(roofs).collect();
    let mut points: Vec<Point> = kernels.iter().map(point).collect();
    spread_labels(&mut points, taken);
    let named = |decade: f64, at: f64| (at, decade.to_string());
    Some(json!({
        "size": size_name(shape),
        "limits": limits,
        "top": TOP,
        "floor": FLOOR,
        // The powers of ten on both axes, and where they lie.
        "across": Vec::from_iter(x.decades().map(|one| named(one, x.at(one)))),
        "down": Vec::from_iter(y.decades().map(|one| named(one, down(one)))),
        // Operations for each byte where the roofs meet, and where that is.
        "ridge": ridge,
        "edge": x.at(ridge),
        "corner": corner,
        // The most that a kernel reached whose units have no measured limit, and where that is.
        "beyond": beyond,
        // Where the slanted roof begins.
        "begin": down(x.value(0.0) * limits.gbytes_per_second),
        "points": points,
    }))
}

/// A logarithmic axis.
pub struct LogAxis {
    low: f64,
    high: f64,
}

impl LogAxis {
    /// From a power of ten that leaves room before the lowest value; the highest one lies at
    /// `top`, from 0 to 1.
    pub fn over(values: impl IntoIterator<Item = f64>, top: f64) -> LogAxis {
        /// Decades for the numbers of the other axis, on which no point lies.
        const BEFORE: f64 = 0.6;
        let values = values.into_iter();
        let shown = values.filter(|value| (1e-30..1e30).contains(value));
        let logarithms: Vec<f64> = shown.map(f64::log10).collect();
        let low = logarithms.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let high = logarithms.into_iter().reduce(f64::max).unwrap_or(1.0);
        let low = (low - BEFORE).floor();
        let high = low + (high - low) / top;
        LogAxis { low, high }
    }

    /// Where a value lies, from 0 to 1.
    pub fn at(&self, value: f64) -> f64 {
        (value.max(1e-12).log10() - self.low) / (self.high - self.low)
    }

    /// The value at a place from 0 to 1.
    fn value(&self, at: f64) -> f64 {
        10f64.powf(self.low + at * (self.high - self.low))
    }

    /// The powers of ten on it.
    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low.ceil() as i32..=self.high.floor() as i32).map(|power| 10f64.powi(power))
    }
}

/// A part of the figure on the narrowest page: from where to where along x, and from top to
/// bottom, in pixels.
type Area = [[f64; 2]; 2];

/// What is written above a line.
fn line(x: [f64; 2], at: f64) -> Area {
    [x, [at - APART, at]]
}

fn label(point: &Point, y: f64) -> Area {
    let left = point.x * NARROWEST + LABEL;
    let right = left + LETTER * point.id.len() as f64;
    [[left, right], [y - APART / 2.0, y + APART / 2.0]]
}

fn meet(one: &Area, other: &Area) -> bool {
    (one.iter().zip(other)).all(|(one, other)| one[0] < other[1] && other[0] < one[1])
}

/// Moves the labels up or down from their points, to the nearest place where they cover neither
/// points nor what is taken.
fn spread_labels(points: &mut [Point], mut taken: Vec<Area>) {
    let around = |at: f64| [at - DOT, at + DOT];
    let dots = points.iter();
    taken.extend(dots.map(|point| [around(point.x * NARROWEST), around(point.y)]));
    points.sort_by(|a, b| a.y.total_cmp(&b.y));
    for point in points {
        let steps = (0..=(2.0 * HEIGHT) as i32).map(|i| f64::from((i + 1) / 2 * (i % 2 * 2 - 1)));
        let mut free = steps.map(|step| point.y + step).filter(|y| {
            let area = label(point, *y);
            (TOP..=FLOOR).contains(y) && !taken.iter().any(|other| meet(other, &area))
        });
        point.label_y = free.next().unwrap_or(point.y);
        taken.push(label(point, point.label_y));
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
        assert!((axis.value(axis.at(42.0)) - 42.0).abs() < 1e-9);
    }

    #[test]
    fn labels_cover_neither_one_another_nor_points() {
        let point = |(x, y)| Point {
            id: "9.10".into(),
            name: String::new(),
            says: String::new(),
            intensity: 1.0,
            rate: 1.0,
            x,
            y,
            label_y: 0.0,
        };
        let mut places = vec![(0.1, FLOOR), (0.11, FLOOR - 1.0), (0.12, 50.0), (0.5, 50.0)];
        places.extend((0..20).map(|i| (0.3 + 0.01 * f64::from(i), 200.0 + f64::from(i % 3))));
        let mut points: Vec<Point> = places.into_iter().map(point).collect();
        let axis = LogAxis::over([1.0, 1000.0], 0.9);
        let ticks = axis
            .decades()
            .map(|rate| TOP + (1.0 - axis.at(rate)) * HEIGHT);
        let mut areas: Vec<Area> = ticks.map(|at| line([0.0, TICK], at)).collect();
        spread_labels(&mut points, areas.clone());
        for point in &points {
            let area = label(point, point.label_y);
            assert!(
                !areas.iter().any(|other| meet(other, &area)),
                "{}",
                point.label_y
            );
            assert!((TOP..=FLOOR).contains(&point.label_y));
            areas.push(area);
        }
        let lonely = points.iter().find(|point| point.x == 0.5);
        assert_eq!(
            lonely.unwrap().label_y,
            50.0,
            "a lonely point keeps its place"
        );
    }
}
