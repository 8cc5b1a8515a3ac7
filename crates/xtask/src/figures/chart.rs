//! A chart: two axes and what is drawn between them, as `docs/data/charts/NAME.toml` says. What was
//! measured stands there by its name, as claims name a figure.

use anyhow::Result;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde::Deserialize;
use serde_json::{Value, json};
use verify::numbers::percent;

use super::Point;
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
    /// All of them, as SVG: shapes and words on a sheet that is 480 units wide.
    pub fn draw(&self) -> Result<String> {
        let charts = self.chart.iter().map(Chart::places);
        let charts = Serde(charts.collect::<Result<Vec<_>>>()?);
        let mut engine = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()?;
        engine.set_syntax(syntax);
        engine.add_filter("short", short);
        Ok(engine.render_str(include_str!("chart.svg"), context! { charts })?)
    }
}

/// With one decimal, and none where it would be 0.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0" } else { text }.into()
}

impl Chart {
    /// What is drawn, and where on the sheet.
    fn places(&self) -> Result<Value> {
        let across = self.across.iter();
        let across = across.map(|value| (self.y.at(*value), value.to_string()));
        let mut shapes = Vec::new();
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
            shapes.push(json!({
                "class": shape.class,
                "points": points,
                "is_line": shape.line || shape.roof.is_some(),
                "dots": shape.dots,
                "bar": shape.bar,
                "words": words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
                "by": shape.by,
            }));
        }
        let (left, right) = self.x.places;
        let across: Vec<_> = across.collect();
        Ok(json!({ "left": left, "right": right, "across": across, "shapes": shapes }))
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
