//! The roofline: what the device's memory and its arithmetic allow at each number
//! of operations per byte, as measured, and every kernel below it (or above it,
//! where caches serve most of what it asks for).
//!
//! S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual
//! performance model for multicore architectures", 2009.

use common::numbers::significant;
use common::probe::Peak;
use maud::{Markup, html};

use super::figure::{Figure, LogAxis, css_percent};
use super::rows::{Bench, Origin, Row, rate};

const TOP: f64 = 24.0;
const HEIGHT: f64 = 420.0;
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
pub fn figure(bench: &Bench) -> Option<Figure> {
    let limits = bench.limits?;
    let kernels: Vec<(&Row, f64)> = bench
        .timed()
        .filter(|row| row.origin == Origin::Kernel)
        .filter_map(|row| Some((row, row.intensity()?)))
        .collect();
    if kernels.is_empty() {
        return None;
    }
    let ridge = limits.gflops / limits.gbytes_per_second;
    let intensities = kernels.iter().map(|(_, intensity)| *intensity);
    let lowest = intensities.clone().fold(f64::INFINITY, f64::min);
    let x = LogAxis::over(intensities.chain([ridge]), 0.78);
    // No point lies on the numbers of the other axis.
    let x = x.with_margin((TICK + DOT) / NARROWEST, lowest);
    let rates = kernels.iter().map(|(row, _)| rate(row));
    let y = LogAxis::over(rates.chain([limits.gflops]), 0.92);
    let down = |rate: f64| TOP + (1.0 - y.at(rate)) * HEIGHT;
    let places = kernels.iter().map(|&(row, intensity)| Point {
        row,
        x: x.at(intensity),
        y: down(rate(row)),
        label_y: down(rate(row)),
    });
    let mut points: Vec<Point> = places.collect();
    let peers = bench.timed().filter(|row| row.origin == Origin::Peer);
    let mut lines: Vec<f64> = peers.map(|peer| down(rate(peer))).collect();
    lines.push(down(limits.gflops));
    let taken = taken(&points, &y, &down, &lines);
    spread_labels(&mut points, taken);
    let body = html! {
        (grid(&x, &y, &down))
        (roof(&x, &down, limits, ridge))
        @for peer in bench.timed().filter(|row| row.origin == Origin::Peer) {
            @let at = down(rate(peer));
            line class="peer" x1="0" x2="100%" y1=(at) y2=(at) {}
            text class="peer halo end" x="100%" y=(at - 4.0) { (peer.name()) }
        }
        @for decade in y.decades() {
            text class="soft halo" x="2" y=(down(decade) - 4.0) { (decade) }
        }
        text class="soft" x="2" y=(TOP - 12.0) { "GFLOP/s" }
        @for point in &points {
            (dot(point))
        }
    };
    let alt = alt(limits, ridge, &kernels);
    let height = TOP + HEIGHT + BOTTOM;
    Some(Figure::new("roofline", bench, alt, height, body))
}

fn grid(x: &LogAxis, y: &LogAxis, down: &impl Fn(f64) -> f64) -> Markup {
    let floor = TOP + HEIGHT;
    html! {
        @for decade in y.decades() {
            @let at = down(decade);
            line class="grid" x1="0" x2="100%" y1=(at) y2=(at) {}
        }
        @for decade in x.decades() {
            @let at = x.at(decade);
            line class="grid" x1=(css_percent(at)) x2=(css_percent(at)) y1=(TOP) y2=(floor) {}
            @if (0.03..0.97).contains(&at) {
                text class="soft middle" x=(css_percent(at)) y=(floor + 15.0) { (decade) }
            }
        }
        text class="soft end" x="100%" y=(floor + 33.0) {
            "FLOP for each byte asked of global memory"
        }
    }
}

/// The slanted roof of the memory, and the flat one of the arithmetic.
fn roof(x: &LogAxis, down: &impl Fn(f64) -> f64, limits: Peak, ridge: f64) -> Markup {
    let left = x.value(0.0);
    let corner = down(limits.gflops);
    html! {
        line class="roof" x1="0" x2=(css_percent(x.at(ridge)))
            y1=(down(left * limits.gbytes_per_second)) y2=(corner) {}
        line class="roof" x1=(css_percent(x.at(ridge))) x2="100%" y1=(corner) y2=(corner) {}
        text class="limit-text halo end" x="100%" y=(corner - 6.0) {
            (significant(limits.gflops)) " GFLOP/s; corner at " (significant(ridge)) " FLOP/B, "
            (significant(limits.gbytes_per_second)) " GB/s"
        }
    }
}

/// The nested picture moves its origin by a percentage, which pixels can start from.
fn dot(point: &Point) -> Markup {
    let to = point.label_y - point.y;
    html! {
        svg x=(css_percent(point.x)) y=(point.y) width="1" height="1" overflow="visible" {
            line class="leader" x1="0" y1="0" x2="13" y2=(to) {}
            circle r="4" { title { (point.row.name()) ": " (point.row.record.says) } }
            text class="halo" x="15" y=(to + 4.0) { (point.row.id) }
        }
    }
}

/// A rectangle of the figure on the narrowest page, in pixels.
struct Area {
    /// From the left, and from the top.
    x: [f64; 2],
    y: [f64; 2],
}

impl Area {
    fn meets(&self, other: &Area) -> bool {
        let crosses = |a: [f64; 2], b: [f64; 2]| a[0] < b[1] && b[0] < a[1];
        crosses(self.x, other.x) && crosses(self.y, other.y)
    }
}

/// What labels must not cover: what is written already, and the points.
fn taken(points: &[Point], y: &LogAxis, down: &impl Fn(f64) -> f64, lines: &[f64]) -> Vec<Area> {
    let dots = points.iter().map(|point| {
        let x = point.x * NARROWEST;
        Area {
            x: [x - DOT, x + DOT],
            y: [point.y - DOT, point.y + DOT],
        }
    });
    let line = |at: f64, x: [f64; 2]| Area {
        x,
        y: [at - APART, at],
    };
    let ticks = y.decades().map(|decade| line(down(decade), [0.0, TICK]));
    let lines = lines.iter().map(|at| line(*at, [TICK, NARROWEST]));
    dots.chain(ticks).chain(lines).collect()
}

/// Moves labels up or down to the nearest place where they cover nothing.
fn spread_labels(points: &mut [Point], mut taken: Vec<Area>) {
    points.sort_by(|a, b| a.y.total_cmp(&b.y));
    for point in points {
        let left = point.x * NARROWEST + LABEL;
        let at = |y: f64| Area {
            x: [left, left + LETTER * point.row.id.len() as f64],
            y: [y - APART / 2.0, y + APART / 2.0],
        };
        let steps = (0..=(2.0 * HEIGHT) as i32).map(|i| f64::from((i + 1) / 2 * (i % 2 * 2 - 1)));
        let mut places = steps.map(|step| point.y + step);
        let is_free = |y: &f64| {
            (TOP..=TOP + HEIGHT).contains(y) && !taken.iter().any(|area| area.meets(&at(*y)))
        };
        point.label_y = places.find(is_free).unwrap_or(point.y);
        taken.push(at(point.label_y));
    }
}

fn alt(limits: Peak, ridge: f64, kernels: &[(&Row, f64)]) -> String {
    let kernel = |(row, intensity): &(&Row, f64)| {
        let (id, name) = (&row.id, row.name());
        let (intensity, rate) = (significant(*intensity), significant(rate(row)));
        format!("{id} {name} at {intensity} FLOP per byte: {rate} GFLOP/s")
    };
    let list: Vec<String> = kernels.iter().map(kernel).collect();
    format!(
        "Logarithmic axes. The memory allows {} GB/s, the arithmetic {} GFLOP/s; they meet at {} \
         FLOP per byte. {}.",
        significant(limits.gbytes_per_second),
        significant(limits.gflops),
        significant(ridge),
        list.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::record::Record;

    #[test]
    fn labels_cover_neither_one_another_nor_points() {
        let row = Row {
            id: "9.10".into(),
            origin: Origin::Kernel,
            record: Record::default(),
        };
        let bottom = TOP + HEIGHT;
        let mut places = vec![
            (0.1, bottom),
            (0.11, bottom - 1.0),
            (0.12, 50.0),
            (0.5, 50.0),
        ];
        places.extend((0..20).map(|i| (0.3 + 0.01 * f64::from(i), 200.0 + f64::from(i % 3))));
        let point = |(x, y): (f64, f64)| Point {
            row: &row,
            x,
            y,
            label_y: y,
        };
        let mut points: Vec<Point> = places.into_iter().map(point).collect();
        let axis = LogAxis::over([1.0, 1000.0], 0.9);
        let down = |rate: f64| TOP + (1.0 - axis.at(rate)) * HEIGHT;
        let dots = || taken(&[], &axis, &down, &[]);
        let all = taken(&points, &axis, &down, &[]);
        spread_labels(&mut points, all);
        let mut areas = dots();
        for point in &points {
            let left = point.x * NARROWEST + LABEL;
            let area = Area {
                x: [left, left + LETTER * 4.0],
                y: [point.label_y - APART / 2.0, point.label_y + APART / 2.0],
            };
            assert!(
                !areas.iter().any(|other| other.meets(&area)),
                "{}",
                point.label_y
            );
            assert!((TOP..=bottom).contains(&point.label_y));
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
