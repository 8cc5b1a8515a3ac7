//! The roofline: what the device's memory and its arithmetic allow at each number
//! of operations per byte, as measured, and every kernel below it (or above it,
//! where caches serve most of what it asks for).
//!
//! S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual
//! performance model for multicore architectures", 2009.

use common::numbers::significant;
use common::probe::Peak;
use maud::{Markup, html};

use super::figure::{Figure, LogAxis, percent};
use super::rows::{Bench, Origin, Row, rate};

const TOP: f64 = 24.0;
const HEIGHT: f64 = 420.0;
const BOTTOM: f64 = 40.0;
/// Labels of kernels whose places along x differ by less than this share are
/// spread out above one another, this many pixels apart.
const NEAR: f64 = 0.075;
const APART: f64 = 13.0;

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
    let x = LogAxis::over(intensities.chain([ridge]), 0.78);
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
    spread_labels(&mut points);
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
            line class="grid" x1=(percent(at)) x2=(percent(at)) y1=(TOP) y2=(floor) {}
            @if (0.03..0.97).contains(&at) {
                text class="soft middle" x=(percent(at)) y=(floor + 15.0) { (decade) }
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
        line class="roof" x1="0" x2=(percent(x.at(ridge)))
            y1=(down(left * limits.gbytes_per_second)) y2=(corner) {}
        line class="roof" x1=(percent(x.at(ridge))) x2="100%" y1=(corner) y2=(corner) {}
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
        svg x=(percent(point.x)) y=(point.y) width="1" height="1" overflow="visible" {
            line class="leader" x1="0" y1="0" x2="13" y2=(to) {}
            circle r="4" { title { (point.row.name()) ": " (point.row.record.says) } }
            text class="halo" x="15" y=(to + 4.0) { (point.row.id) }
        }
    }
}

/// Moves labels of near points apart, first down from the topmost, and then up
/// again where they have left the figure.
fn spread_labels(points: &mut [Point]) {
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut rest = points;
    while let Some(first) = rest.first() {
        let left = first.x;
        let count = rest.iter().take_while(|p| p.x - left < NEAR).count();
        let (near, others) = rest.split_at_mut(count);
        near.sort_by(|a, b| a.y.total_cmp(&b.y));
        let mut free = f64::NEG_INFINITY;
        for point in near.iter_mut() {
            point.label_y = point.y.max(free);
            free = point.label_y + APART;
        }
        let mut floor = TOP + HEIGHT;
        for point in near.iter_mut().rev() {
            point.label_y = point.label_y.min(floor);
            floor = point.label_y - APART;
        }
        rest = others;
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
    fn labels_of_near_points_do_not_lie_on_one_another() {
        let row = Row {
            id: "1".into(),
            origin: Origin::Kernel,
            record: Record::default(),
        };
        let bottom = TOP + HEIGHT;
        let mut points: Vec<Point> = [
            (0.1, bottom),
            (0.11, bottom - 1.0),
            (0.12, 50.0),
            (0.5, 50.0),
        ]
        .map(|(x, y)| Point {
            row: &row,
            x,
            y,
            label_y: y,
        })
        .into();
        spread_labels(&mut points);
        let mut near: Vec<f64> = points[..3].iter().map(|p| p.label_y).collect();
        near.sort_by(f64::total_cmp);
        assert!(
            near.windows(2).all(|pair| pair[1] - pair[0] >= APART),
            "{near:?}"
        );
        assert!(near.iter().all(|y| *y <= bottom));
        assert_eq!(points[3].label_y, 50.0, "a lonely point keeps its place");
    }
}
