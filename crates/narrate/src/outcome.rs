//! How a kernel came out, in words: beside the step before it and beside what was predicted.

use common::numbers::{factor, percent, seconds, significant};
use common::record::Record;

use super::piece::{Piece, bold, style};

/// What the room expects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Prediction {
    /// This many times the rate of the step before.
    Factor(f64),
    /// This share of the device's limit.
    Share(f64),
}

/// How a kernel came out, and what it is compared with.
pub(super) struct Outcome<'a> {
    pub record: &'a Record,
    /// The step before, which was timed.
    pub before: Option<Record>,
    pub prediction: Option<Prediction>,
}

impl Outcome<'_> {
    /// "predicted 2x, measured 3.6x matmul_naive".
    fn verdict(&self) -> Option<String> {
        let said = self.prediction.map(|prediction| match prediction {
            Prediction::Factor(times) => factor(times),
            Prediction::Share(share) => percent(share),
        });
        let said = said.map(|said| format!("predicted {said}, measured "));
        let said = said.unwrap_or_default();
        if let Some(before) = &self.before {
            let times = factor(self.record.rate()? / before.rate()?);
            return Some(format!("{said}{times} {}", before.kernel));
        }
        let share = percent(self.record.share_of_limit?);
        Some(format!("{said}{share} of the device's limit"))
    }

    pub fn pieces(&self) -> Vec<Piece> {
        let record = self.record;
        let note = |text: String| vec![Piece::Note(text)];
        if let Some(reason) = &record.skipped {
            return note(format!("{} {reason}", style("skipped:").yellow()));
        }
        let wrong = record.failed.as_ref().map(|why| ("✗ WRONG", why));
        if let Some((mark, why)) = wrong.or(record.died.as_ref().map(|how| ("✗ DIED", how))) {
            return note(format!("{}\n{}", style(mark).red().bold(), why.trim_end()));
        }
        let right = style("✓ right").green().bold();
        let (Some(median), Some(rate)) = (record.seconds_median, record.rate()) else {
            return note(format!("{right}, not timed"));
        };
        let (runs, median) = (record.runs, seconds(median));
        let spread = percent(record.spread.unwrap_or(0.0));
        let mut pieces = note(format!(
            "{right}; {runs} timed launches, median {median}, half of them within ±{spread} of it\n\
             {} {}",
            significant(rate),
            record.unit()
        ));
        let verdict = self.verdict();
        pieces.extend(verdict.map(|verdict| Piece::Text(bold(format!("\n  {verdict}")))));
        if let (Some(_), Some(share)) = (&self.before, record.share_of_limit) {
            pieces.extend(note(format!("{} of the device's limit", percent(share))));
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_stands_beside_the_measurement() {
        let record = |kernel: &str, rate| Record {
            kernel: kernel.into(),
            gflops: Some(rate),
            share_of_limit: Some(0.3),
            ..Record::default()
        };
        let verdict = |before, prediction| {
            let record = &record("new", 30.0);
            let outcome = Outcome {
                record,
                before,
                prediction: Some(prediction),
            };
            outcome.verdict().unwrap()
        };
        let factor = verdict(Some(record("old", 10.0)), Prediction::Factor(2.0));
        assert_eq!(factor, "predicted 2.00x, measured 3.00x old");
        let share = verdict(None, Prediction::Share(0.5));
        assert_eq!(share, "predicted 50 %, measured 30 % of the device's limit");
    }
}
