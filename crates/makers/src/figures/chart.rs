//! A chart: two axes with what is drawn between them.

use crate::figures::drawing::{Drawing, Point};

/// From one value to another: the values at its two ends, and the units at which these lie; and
/// whether equal factors are equal lengths, and not equal differences.
pub struct Axis((f64, f64), (f64, f64), bool);

impl Axis {
    /// Equal differences are equal lengths.
    pub const fn linear(values: (f64, f64), places: (f64, f64)) -> Axis {
        Axis(values, places, false)
    }

    /// Equal factors are equal lengths.
    pub const fn log(values: (f64, f64), places: (f64, f64)) -> Axis {
        Axis(values, places, true)
    }

    /// The values at its two ends.
    pub fn ends(&self) -> (f64, f64) {
        self.0
    }

    /// Where a value lies; values beyond an end lie at that end.
    pub fn at(&self, value: f64) -> f64 {
        let Axis(values, places, is_log) = self;
        let scaled = |value: f64| {
            if *is_log {
                value.max(1e-12).log10()
            } else {
                value
            }
        };
        let (low, high) = (scaled(values.0), scaled(values.1));
        let share = ((scaled(value) - low) / (high - low)).clamp(0.0, 1.0);
        places.0 + share * (places.1 - places.0)
    }
}

/// An axis to the right and one upwards.
pub struct Chart {
    /// To the right.
    pub x: Axis,
    /// Upwards: its second place is the upper one.
    pub y: Axis,
}

impl Chart {
    /// Where a pair of values lies.
    pub fn at(&self, (x, y): (f64, f64)) -> Point {
        (self.x.at(x), self.y.at(y))
    }

    /// Where pairs of values lie.
    pub fn places(&self, values: &[(f64, f64)]) -> Vec<Point> {
        values.iter().map(|value| self.at(*value)).collect()
    }

    /// A line across at each of these values, with its name at the left.
    pub fn across(&self, d: &mut Drawing, named: impl IntoIterator<Item = (f64, String)>) {
        for (value, name) in named {
            let at = (self.x.1.0 - 8.0, self.y.at(value) + 4.5);
            self.level(d, "grid", value);
            d.text("small soft end", at, &name);
        }
    }

    /// A line across at a value.
    pub fn level(&self, d: &mut Drawing, class: &str, value: f64) {
        let y = self.y.at(value);
        d.line(class, &[(self.x.1.0, y), (self.x.1.1, y)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_factors_or_differences_are_equal_lengths() {
        let log = Axis::log((1.0, 100.0), (200.0, 0.0));
        let places = [1.0, 10.0, 100.0, 1e9, 0.0].map(|value| log.at(value));
        assert_eq!(places, [200.0, 100.0, 0.0, 0.0, 200.0]);
        let linear = Axis::linear((0.0, 4.0), (10.0, 50.0));
        assert_eq!(
            [0.0, 1.0, 4.0].map(|value| linear.at(value)),
            [10.0, 20.0, 50.0]
        );
    }
}
