//! A chart: two axes and what is drawn between them, as `data/charts/NAME.toml` says. What was
//! measured stands there by its name, as claims name a figure.

use anyhow::Result;
use common::numbers::percent;
use serde::Deserialize;

use super::drawing::{Drawing, Point};
use crate::pages::claim;

/// The charts of a figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charts {
    chart: Vec<Chart>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chart {
    /// To the right.
    x: Axis,
    /// Upwards: its second place is the upper one.
    y: Axis,
    /// Lines across at these values, with their names at the left.
    #[serde(default)]
    across: Vec<f64>,
    /// In this order.
    draw: Vec<Shape>,
}

/// From one value to another: the values at its two ends, and the units at which these lie.
/// Equal factors are equal lengths, or where it is `linear` equal differences.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Axis {
    values: (f64, f64),
    places: (f64, f64),
    #[serde(default)]
    linear: bool,
}

/// What is drawn of points: a line through all, dots of a radius, a bar of a height from the left
/// to each, words beside the first, in which {} is how far right it lies; or a roof, which rises
/// with a bandwidth and is level from a rate on.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Shape {
    class: String,
    points: Vec<(Number, Number)>,
    line: bool,
    dots: f64,
    bar: f64,
    words: String,
    /// How far to the right and down the words begin.
    by: Point,
    roof: Option<(Number, Number)>,
}

/// A typed number, a figure, or the ratio of two.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Typed(f64),
    Recorded(String),
}

impl Number {
    fn value(&self) -> Result<f64> {
        match self {
            Number::Typed(value) => Ok(*value),
            Number::Recorded(figures) => claim::value(figures),
        }
    }
}

impl Axis {
    /// Where a value lies; values beyond an end lie at that end.
    fn at(&self, value: f64) -> f64 {
        let scaled = |value: f64| match self.linear {
            true => value,
            false => value.max(1e-12).log10(),
        };
        let (low, high) = (scaled(self.values.0), scaled(self.values.1));
        let share = ((scaled(value) - low) / (high - low)).clamp(0.0, 1.0);
        self.places.0 + share * (self.places.1 - self.places.0)
    }
}

impl Charts {
    /// All of them.
    pub fn draw(&self) -> Result<Drawing> {
        let mut d = Drawing::default();
        self.chart.iter().try_for_each(|chart| chart.draw(&mut d))?;
        Ok(d)
    }
}

impl Chart {
    fn draw(&self, d: &mut Drawing) -> Result<()> {
        let (left, right) = self.x.places;
        for value in &self.across {
            let y = self.y.at(*value);
            d.line("grid", &[(left, y), (right, y)]);
            d.text("small soft end", (left - 8.0, y + 4.5), &value.to_string());
        }
        for shape in &self.draw {
            let (mut points, mut words) = (Vec::new(), shape.words.clone());
            for (x, y) in &shape.points {
                let (x, y) = (x.value()?, y.value()?);
                words = words.replace("{}", &percent(x));
                points.push((self.x.at(x), self.y.at(y)));
            }
            if let Some((bandwidth, rate)) = &shape.roof {
                let (bandwidth, rate) = (bandwidth.value()?, rate.value()?);
                let begin = self.x.values.0.max(self.y.values.0 / bandwidth);
                let corners = [begin, rate / bandwidth, self.x.values.1];
                let corner = |x: f64| (self.x.at(x), self.y.at(rate.min(x * bandwidth)));
                points.extend(corners.map(corner));
            }
            if shape.line || shape.roof.is_some() {
                d.line(&shape.class, &points);
            }
            for point in points.iter().filter(|_| shape.dots > 0.0) {
                d.dot(&shape.class, *point, shape.dots);
            }
            for (x, y) in points.iter().filter(|_| shape.bar > 0.0) {
                d.rect(&shape.class, (left, *y), x - left, shape.bar);
            }
            if let (false, [(x, y), ..]) = (words.is_empty(), &points[..]) {
                d.text(&shape.class, (x + shape.by.0, y + shape.by.1), &words);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_factors_or_differences_are_equal_lengths() {
        let axis = |values, places, linear| Axis {
            values,
            places,
            linear,
        };
        let log = axis((1.0, 100.0), (200.0, 0.0), false);
        let places = [1.0, 10.0, 100.0, 1e9, 0.0].map(|value| log.at(value));
        assert_eq!(places, [200.0, 100.0, 0.0, 0.0, 200.0]);
        let linear = axis((0.0, 4.0), (10.0, 50.0), true);
        assert_eq!(
            [0.0, 1.0, 4.0].map(|value| linear.at(value)),
            [10.0, 20.0, 50.0]
        );
    }
}
