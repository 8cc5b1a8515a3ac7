//! How a kernel came out: in words, and as a bar beside the step before it and beside what was
//! predicted.

use common::numbers::{factor, percent, seconds, significant};
use common::record::Record;
use console::{Alignment, pad_str};

use super::piece::{Piece, bold, style};

/// A kernel's rate, for comparing.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub name: String,
    pub rate: f64,
    pub unit: &'static str,
    pub measured: bool,
}

impl Bar {
    pub fn of(record: &Record) -> Option<Bar> {
        Some(Bar {
            name: record.kernel.clone(),
            rate: record.rate()?,
            unit: record.unit(),
            measured: true,
        })
    }

    pub fn says(&self) -> String {
        format!("{} {}", significant(self.rate), self.unit)
    }
}

/// Rates side by side, on one linear scale from zero: name, bar and rate, a line each.
pub(super) fn drawn(bars: &[Bar], columns: usize) -> Vec<String> {
    let rates = bars.iter().map(|bar| bar.rate);
    let most = rates.fold(f64::MIN_POSITIVE, f64::max);
    let longest = bars.iter().map(|bar| bar.name.chars().count()).max();
    let names = longest.unwrap_or(0).min(columns / 2);
    let lines = bars.iter().map(|bar| {
        let (name, rate) = (
            pad_str(&bar.name, names, Alignment::Left, Some(".")),
            bar.says(),
        );
        let room = columns.saturating_sub(names + rate.len() + 8).clamp(8, 40);
        let drawn =
            style(pad_str(&block(bar.rate / most, room), room, Alignment::Left, None).into_owned());
        let drawn = if bar.measured {
            drawn.cyan()
        } else {
            drawn.yellow()
        };
        format!("  {name}  {drawn}  {rate}")
    });
    lines.collect()
}

/// A bar of this share of `columns`, to an eighth of a column, and never empty.
fn block(share: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * columns as f64 * 8.0).round() as usize;
    let eighths = eighths.clamp(1, columns * 8);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

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
    pub before: Option<Bar>,
    pub prediction: Option<Prediction>,
}

impl Outcome<'_> {
    fn predicted(&self, measured: &Bar) -> Option<Bar> {
        let rate = match self.prediction? {
            Prediction::Factor(times) => self.before.as_ref()?.rate * times,
            Prediction::Share(share) => measured.rate / self.record.share_of_limit? * share,
        };
        Some(Bar {
            name: "predicted".into(),
            rate,
            unit: measured.unit,
            measured: false,
        })
    }

    /// "predicted 2x, measured 3.6x matmul_naive".
    fn verdict(&self, measured: &Bar) -> Option<String> {
        let said = self.prediction.map(|prediction| match prediction {
            Prediction::Factor(times) => factor(times),
            Prediction::Share(share) => percent(share),
        });
        let said = said.map(|said| format!("predicted {said}, measured "));
        let said = said.unwrap_or_default();
        if let Some(before) = &self.before {
            let times = factor(measured.rate / before.rate);
            return Some(format!("{said}{times} {}", before.name));
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
        let (Some(median), Some(bar)) = (record.seconds_median, Bar::of(record)) else {
            return note(format!("{right}, not timed"));
        };
        let (runs, median) = (record.runs, seconds(median));
        let spread = percent(record.spread.unwrap_or(0.0));
        let mut pieces = note(format!(
            "{right}; {runs} timed launches, median {median}, half of them within ±{spread} of it\n"
        ));
        let (verdict, predicted) = (self.verdict(&bar), self.predicted(&bar));
        let bars = [self.before.clone(), Some(bar), predicted];
        pieces.push(Piece::Bars(bars.into_iter().flatten().collect()));
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
    fn bars_are_linear_and_never_empty() {
        let full = "█".repeat(10);
        for (share, drawn) in [
            (1.0, &*full),
            (0.5, &full[..15]),
            (0.0, "▏"),
            (0.55, "█████▌"),
        ] {
            assert_eq!(block(share, 10), drawn);
        }
    }

    #[test]
    fn a_prediction_stands_beside_the_measurement() {
        let record = Record {
            kernel: "new".into(),
            gflops: Some(30.0),
            share_of_limit: Some(0.3),
            ..Record::default()
        };
        let bar = Bar::of(&record).unwrap();
        let before = Bar {
            name: "old".into(),
            rate: 10.0,
            ..bar.clone()
        };
        let outcome = |before: Option<Bar>, prediction| Outcome {
            record: &record,
            before,
            prediction,
        };
        let factor = outcome(Some(before), Some(Prediction::Factor(2.0)));
        assert_eq!(factor.predicted(&bar).unwrap().rate, 20.0);
        let verdict = factor.verdict(&bar).unwrap();
        assert_eq!(verdict, "predicted 2.00x, measured 3.00x old");
        let share = outcome(None, Some(Prediction::Share(0.5)));
        assert_eq!(share.predicted(&bar).unwrap().rate, 50.0);
        let verdict = share.verdict(&bar).unwrap();
        assert_eq!(
            verdict,
            "predicted 50 %, measured 30 % of the device's limit"
        );
        assert!(outcome(None, None).predicted(&bar).is_none());
    }
}
