//! What the figures share. A figure is an SVG without a width of its own: places
//! along x are percentages, so that it fills a phone as it fills a screen, with
//! the same size of letters.

use maud::{Markup, html};
use process::data::size_name;

use super::rows::Bench;

/// Colours for light, dark and print; the page has them.
pub const STYLE: &str = include_str!("figure.css");

/// A drawing of what a bench came to; `alt` is the same in words, for those who do not see it.
pub fn figure(kind: &str, bench: &Bench, alt: &str, height: f64, body: &Markup) -> Markup {
    let (device, size) = (bench.device, size_name(bench.shape));
    let name = format!("{kind}-{}-{size}", device.index);
    let (title, words) = (format!("{name}-title"), format!("{name}-alt"));
    html! {
        svg class="figure" role="img" width="100%" height=(height)
            aria-labelledby=(format!("{title} {words}")) {
            title id=(title) { "The " (kind) " at " (size) " on " (device.name) }
            desc id=(words) { (alt) }
            (body)
        }
    }
}

/// A logarithmic axis, from the power of ten `low` to `high`.
pub struct LogAxis {
    low: f64,
    high: f64,
}

impl LogAxis {
    /// From the power of ten below the lowest value; the highest one lies at
    /// `top`, from 0 to 1.
    pub fn over(values: impl IntoIterator<Item = f64>, top: f64) -> LogAxis {
        let values = values.into_iter();
        let shown = values.filter(|value| (1e-30..1e30).contains(value));
        let logarithms: Vec<f64> = shown.map(f64::log10).collect();
        let low = logarithms.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let high = logarithms.into_iter().reduce(f64::max).unwrap_or(1.0);
        let low = (low - 0.05).floor();
        let high = low + (high - low) / top;
        LogAxis { low, high }
    }

    /// The same with its lowest value at least this far from its begin.
    pub fn with_margin(self, margin: f64, lowest: f64) -> LogAxis {
        let least = (lowest.max(1e-12).log10() - margin * self.high) / (1.0 - margin);
        let low = self.low.min(least);
        LogAxis { low, ..self }
    }

    /// Where a value lies, from 0 to 1.
    pub fn at(&self, value: f64) -> f64 {
        (value.max(1e-12).log10() - self.low) / (self.high - self.low)
    }

    /// The value at a place from 0 to 1.
    pub fn value(&self, at: f64) -> f64 {
        10f64.powf(self.low + at * (self.high - self.low))
    }

    /// The powers of ten on it.
    pub fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low.ceil() as i32..=self.high.floor() as i32).map(|power| 10f64.powi(power))
    }
}

/// A share as a length along x.
pub fn css_percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_begins_at_a_power_of_ten_and_ends_above_the_highest_value() {
        let axis = LogAxis::over([0.7, 500.0], 0.9);
        assert_eq!(
            axis.decades().collect::<Vec<_>>(),
            [0.1, 1.0, 10.0, 100.0, 1000.0]
        );
        assert!(axis.at(0.7) > 0.0 && (axis.at(500.0) - 0.9).abs() < 1e-9);
        assert!((axis.value(axis.at(42.0)) - 42.0).abs() < 1e-9);
        let axis = LogAxis::over([1.2, 500.0], 0.9).with_margin(0.2, 1.2);
        assert!((axis.at(1.2) - 0.2).abs() < 1e-9 && axis.decades().next() == Some(1.0));
    }
}
