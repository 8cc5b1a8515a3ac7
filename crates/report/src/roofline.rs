//! The roofline: what the device's memory and its arithmetic allow at each number
//! of operations per byte, as measured, and every kernel below it (or above it,
//! where caches serve most of what it asks for).
//!
//! S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual
//! performance model for multicore architectures", 2009.

//!
//! The figure is an SVG without a width of its own: places along x are percentages, so that it
//! fills a phone as it fills a screen, with the same size of letters.

use common::numbers::significant;
use maud::{Markup, html};
use process::data::size_name;

use super::rows::{Bench, Row};

/// Colours for light, dark and print; the page has them.
pub const STYLE: &str = include_str!("figure.css");

const TOP: f64 = 24.0;
const HEIGHT: f64 = 420.0;
const FLOOR: f64 = TOP + HEIGHT;
const BOTTOM: f64 = 40.0;
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
struct Point<'a> {
    row: &'a Row,
    /// From 0 to 1.
    x: f64,
    /// Pixels from the top; of its label, too.
    y: f64,
    label_y: f64,
}

/// The roofline of one bench; none without limits or without counted traffic.
pub fn figure(bench: &Bench) -> Option<Markup> {
    let limits = bench.limits?;
    let kernels = bench.kernels();
    let kernels = kernels.filter_map(|row| Some((row, row.intensity()?)));
    let kernels: Vec<(&Row, f64)> = kernels.collect();
    if kernels.is_empty() {
        return None;
    }
    let intensities = kernels.iter().map(|(_, intensity)| *intensity);
    let ridge = limits.gflops / limits.gbytes_per_second;
    let x = LogAxis::over(intensities.chain([ridge]), 0.78);
    let rates = kernels.iter().map(|(row, _)| row.rate());
    let y = LogAxis::over(rates.chain([limits.gflops]), 0.92);
    let down = |rate: f64| TOP + (1.0 - y.at(rate)) * HEIGHT;
    let corner = down(limits.gflops);
    let ticks = y.decades().map(|decade| line([0.0, TICK], down(decade)));
    let roof = line([TICK, NARROWEST], corner);
    let taken = ticks.chain([roof]).collect();
    let places = kernels.iter();
    let places = places.map(|&(row, intensity)| (row, x.at(intensity), down(row.rate())));
    let points = spread_labels(places.collect(), taken);
    let edge = css_percent(x.at(ridge));
    let body = html! {
        @for decade in y.decades() {
            @let at = down(decade);
            line class="grid" x1="0" x2="100%" y1=(at) y2=(at) {}
        }
        @for decade in x.decades() {
            @let at = css_percent(x.at(decade));
            line class="grid" x1=(at) x2=(at) y1=(TOP) y2=(FLOOR) {}
            @if (0.03..0.97).contains(&x.at(decade)) {
                text class="soft middle" x=(at) y=(FLOOR + 15.0) { (decade) }
            }
        }
        text class="soft end" x="100%" y=(FLOOR + 33.0) {
            "FLOP for each byte asked of global memory"
        }
        // The slanted roof of the memory, and the flat one of the arithmetic.
        line class="roof" x1="0" x2=(edge)
            y1=(down(x.value(0.0) * limits.gbytes_per_second)) y2=(corner) {}
        line class="roof" x1=(edge) x2="100%" y1=(corner) y2=(corner) {}
        text class="limit-text halo end" x="100%" y=(corner - 6.0) {
            (significant(limits.gflops)) " GFLOP/s; corner at " (significant(ridge)) " FLOP/B, "
            (significant(limits.gbytes_per_second)) " GB/s"
        }
        @for decade in y.decades() {
            text class="soft halo" x="2" y=(down(decade) - 4.0) { (decade) }
        }
        text class="soft" x="2" y=(TOP - 12.0) { "GFLOP/s" }
        // The nested picture moves its origin by a percentage, which pixels can start from.
        @for Point { row, x, y, label_y } in points {
            svg x=(css_percent(x)) y=(y) width="1" height="1" overflow="visible" {
                line class="leader" x1="0" y1="0" x2="13" y2=(label_y - y) {}
                circle r="4" { title { (row.name()) ": " (row.record.says) } }
                text class="halo" x="15" y=(label_y - y + 4.0) { (row.id) }
            }
        }
    };
    let list = kernels.iter().map(|(row, intensity)| {
        let (intensity, rate) = (significant(*intensity), significant(row.rate()));
        format!(
            "{} {} at {intensity} FLOP per byte: {rate} GFLOP/s",
            row.id,
            row.name()
        )
    });
    let alt = format!(
        "Logarithmic axes. The memory allows {} GB/s, the arithmetic {} GFLOP/s; they meet at {} \
         FLOP per byte. {}.",
        significant(limits.gbytes_per_second),
        significant(limits.gflops),
        significant(ridge),
        list.collect::<Vec<_>>().join("; ")
    );
    let (device, size) = (bench.device, size_name(bench.shape));
    let name = format!("roofline-{}-{size}", device.index);
    let (title, words) = (format!("{name}-title"), format!("{name}-alt"));
    Some(html! {
        svg class="figure" role="img" width="100%" height=(FLOOR + BOTTOM)
            aria-labelledby=(format!("{title} {words}")) {
            title id=(title) { "The roofline at " (size) " on " (device.name) }
            desc id=(words) { (alt) }
            (body)
        }
    })
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

/// A share as a length along x.
pub fn css_percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// A part of the figure on the narrowest page: from where to where along x, and from top to
/// bottom, in pixels.
type Area = [[f64; 2]; 2];

/// What is written above a line.
fn line(x: [f64; 2], at: f64) -> Area {
    [x, [at - APART, at]]
}

fn label(row: &Row, x: f64, y: f64) -> Area {
    let left = x * NARROWEST + LABEL;
    let right = left + LETTER * row.id.len() as f64;
    [[left, right], [y - APART / 2.0, y + APART / 2.0]]
}

fn meet(one: &Area, other: &Area) -> bool {
    (one.iter().zip(other)).all(|(one, other)| one[0] < other[1] && other[0] < one[1])
}

/// The points with labels up or down from them, at the nearest place where they cover neither
/// points nor what is taken.
fn spread_labels(mut places: Vec<(&Row, f64, f64)>, mut taken: Vec<Area>) -> Vec<Point<'_>> {
    let around = |at: f64| [at - DOT, at + DOT];
    taken.extend(
        places
            .iter()
            .map(|&(_, x, y)| [around(x * NARROWEST), around(y)]),
    );
    places.sort_by(|(.., a), (.., b)| a.total_cmp(b));
    let point = |(row, x, y)| {
        let steps = (0..=(2.0 * HEIGHT) as i32).map(|i| f64::from((i + 1) / 2 * (i % 2 * 2 - 1)));
        let mut free = steps.map(|step| y + step).filter(|y| {
            let area = label(row, x, *y);
            (TOP..=FLOOR).contains(y) && !taken.iter().any(|other| meet(other, &area))
        });
        let label_y = free.next().unwrap_or(y);
        taken.push(label(row, x, label_y));
        Point { row, x, y, label_y }
    };
    places.into_iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::record::Record;

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
        let row = Row {
            id: "9.10".into(),
            record: Record::default(),
        };
        let mut places = vec![(0.1, FLOOR), (0.11, FLOOR - 1.0), (0.12, 50.0), (0.5, 50.0)];
        places.extend((0..20).map(|i| (0.3 + 0.01 * f64::from(i), 200.0 + f64::from(i % 3))));
        let places = places.into_iter().map(|(x, y)| (&row, x, y)).collect();
        let axis = LogAxis::over([1.0, 1000.0], 0.9);
        let ticks = axis
            .decades()
            .map(|rate| TOP + (1.0 - axis.at(rate)) * HEIGHT);
        let mut areas: Vec<Area> = ticks.map(|at| line([0.0, TICK], at)).collect();
        let points = spread_labels(places, areas.clone());
        for point in &points {
            let area = label(&row, point.x, point.label_y);
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
