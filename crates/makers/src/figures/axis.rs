//! A logarithmic axis.

use crate::figures::drawing::Drawing;

/// From one value to another, between two places.
pub struct LogAxis {
    /// Values at its two ends.
    pub values: (f64, f64),
    /// Units at its two ends.
    pub places: (f64, f64),
}

impl LogAxis {
    /// Where a value lies; values beyond an end lie at that end.
    pub fn at(&self, value: f64) -> f64 {
        let (low, high) = (self.values.0.log10(), self.values.1.log10());
        let share = ((value.max(1e-12).log10() - low) / (high - low)).clamp(0.0, 1.0);
        self.places.0 + share * (self.places.1 - self.places.0)
    }

    /// Of an upright axis, a line across at each of these values, with its name at the left.
    pub fn across(
        &self,
        d: &mut Drawing,
        (left, right): (f64, f64),
        named: impl IntoIterator<Item = (f64, String)>,
    ) {
        for (value, name) in named {
            let y = self.at(value);
            d.line("grid", &[(left, y), (right, y)]);
            d.text("small soft end", (left - 8.0, y + 4.5), &name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_factors_are_equal_lengths() {
        let axis = LogAxis {
            values: (1.0, 100.0),
            places: (200.0, 0.0),
        };
        assert_eq!(
            [1.0, 10.0, 100.0, 1e9, 0.0].map(|v| axis.at(v)),
            [200.0, 100.0, 0.0, 0.0, 200.0]
        );
    }
}
