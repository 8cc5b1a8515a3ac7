//! A chart: two axes and what is drawn between them, as `docs/data/charts/NAME.toml` says. What was
//! measured stands there by its name, as claims name a figure.

use std::fmt::Write;

use anyhow::Result;
use serde::Deserialize;

use super::Point;

/// The charts of a figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Charts {
    chart: Vec<Chart>,
}

/// All of them, as SVG: shapes and words on a sheet that is 480 units wide.
pub fn draw(text: &str) -> Result<String> {
    toml::from_str::<Charts>(text)?.chart.iter().map(Chart::svg).collect()
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
type Number = toml::Value;

fn value(number: &Number) -> Result<f64> {
    crate::pages::claims::value(&number.as_str().map_or_else(|| number.to_string(), String::from))
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

/// With one decimal, and none where it would be 0.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0" } else { text }.into()
}

fn polyline(class: &str, points: &[Point]) -> String {
    let points = points.iter().map(|&(x, y)| [short(x), short(y)].join(","));
    let points = points.collect::<Vec<_>>().join(" ");
    format!("<polyline class=\"{class}\" points=\"{points}\"/>\n")
}

fn text(class: &str, (x, y): Point, words: &str) -> String {
    let (x, y) = (short(x), short(y));
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{words}</text>\n")
}

impl Chart {
    /// The lines across, and what is drawn over them.
    fn svg(&self) -> Result<String> {
        let (left, right) = self.x.places;
        let mut svg = String::new();
        for value in &self.across {
            let y = self.y.at(*value);
            svg += &polyline("grid", &[(left, y), (right, y)]);
            svg += &text("small soft end", (left - 8.0, y + 4.5), &value.to_string());
        }
        for shape in &self.draw {
            svg += &self.shape(shape)?;
        }
        Ok(svg)
    }

    fn shape(&self, shape: &Shape) -> Result<String> {
        let (Shape { class, dots, bar, .. }, mut words) = (shape, shape.words.clone());
        let mut points = Vec::new();
        for (x, y) in &shape.points {
            let (x, y) = (value(x)?, value(y)?);
            words = words.replace("{}", &verify::numbers::percent(x));
            points.push((self.x.at(x), self.y.at(y)));
        }
        if let Some((bandwidth, rate)) = &shape.roof {
            let (bandwidth, rate) = (value(bandwidth)?, value(rate)?);
            let begin = self.x.values.0.max(self.y.values.0 / bandwidth);
            let corners = [begin, rate / bandwidth, self.x.values.1];
            let corner = |x: f64| (self.x.at(x), self.y.at(rate.min(x * bandwidth)));
            points.extend(corners.map(corner));
        }
        let mut svg = String::new();
        if shape.line || shape.roof.is_some() {
            svg += &polyline(class, &points);
        }
        let left = self.x.places.0;
        for &(x, y) in &points {
            let [from, width, height] = [left, x - left, *bar].map(short);
            let [x, y, radius] = [x, y, *dots].map(short);
            if *dots > 0.0 {
                writeln!(svg, r#"<circle class="{class}" cx="{x}" cy="{y}" r="{radius}"/>"#)?;
            }
            if *bar > 0.0 {
                let place = format!(r#"x="{from}" y="{y}" width="{width}" height="{height}""#);
                writeln!(svg, r#"<rect class="{class}" {place}/>"#)?;
            }
        }
        if let (Some((x, y)), false) = (points.first(), words.is_empty()) {
            svg += &text(class, (x + shape.by.0, y + shape.by.1), &words);
        }
        Ok(svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_factors_or_differences_are_equal_lengths() {
        let axis = |values, places, linear| Axis { values, places, linear };
        let log = axis((1.0, 100.0), (200.0, 0.0), false);
        let places = [1.0, 10.0, 100.0, 1e9, 0.0].map(|value| log.at(value));
        assert_eq!(places, [200.0, 100.0, 0.0, 0.0, 200.0]);
        let linear = axis((0.0, 4.0), (10.0, 50.0), true);
        assert_eq!([0.0, 1.0, 4.0].map(|value| linear.at(value)), [10.0, 20.0, 50.0]);
    }
}
