//! How a kernel came out: beside the step before it, and beside what was predicted.

use common::numbers::{factor, percent, seconds, significant};
use common::record::Record;
use console::{Alignment, measure_text_width, pad_str};

use super::piece::{Form, Piece, bold, style};

/// What the room expects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Prediction {
    /// This many times the rate of the step before.
    Factor(f64),
    /// This share of the device's limit.
    Share(f64),
}

/// A kernel's rate, for comparing.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub name: String,
    pub rate: f64,
    pub unit: &'static str,
    /// Measured, or only predicted.
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
}

/// How a kernel came out, and what it is compared with.
pub(super) struct Outcome<'a> {
    pub record: &'a Record,
    pub before: Option<Bar>,
    pub prediction: Option<Prediction>,
}

impl Outcome<'_> {
    /// A bar for what was predicted.
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
        let said = match self.prediction {
            Some(Prediction::Factor(times)) => format!("predicted {}, measured ", factor(times)),
            Some(Prediction::Share(share)) => format!("predicted {}, measured ", percent(share)),
            None => String::new(),
        };
        match (&self.before, self.record.share_of_limit) {
            (Some(before), _) => {
                let times = factor(measured.rate / before.rate);
                Some(format!("{said}{times} {}", before.name))
            }
            (None, Some(share)) => Some(format!("{said}{} of the device's limit", percent(share))),
            (None, None) => None,
        }
    }
}

impl Outcome<'_> {
    /// A kernel's result, in words and bars.
    pub fn pieces(&self, present: bool) -> Vec<Piece> {
        let record = self.record;
        if let Some(reason) = &record.skipped {
            let skipped = style("skipped:").yellow();
            return vec![Piece::Note(format!("{skipped} {reason}"))];
        }
        let failed = |mark: &str, why: &str| {
            let mark = style(mark).red().bold();
            vec![Piece::Note(format!("{mark}\n{}", why.trim_end()))]
        };
        if let Some(wrong) = &record.failed {
            return failed("✗ WRONG", wrong);
        }
        if let Some(how) = &record.died {
            return failed("✗ DIED", how);
        }
        let right = style("✓ right").green().bold();
        let (Some(median), Some(bar)) = (record.seconds_median, Bar::of(record)) else {
            return vec![Piece::Note(format!("{right}, not timed"))];
        };
        let mut pieces = Vec::new();
        if !present {
            pieces.push(Piece::Note(format!(
                "{right}; {} timed launches, median {}, half of them within ±{} of it",
                record.runs,
                seconds(median),
                percent(record.spread.unwrap_or(0.0))
            )));
            pieces.push(Piece::Text(String::new()));
        }
        let bars = [self.before.clone(), Some(bar.clone()), self.predicted(&bar)];
        pieces.push(Piece::Bars(bars.into_iter().flatten().collect()));
        if let Some(verdict) = self.verdict(&bar) {
            pieces.push(Piece::Text(String::new()));
            pieces.push(Piece::Text(bold(format!("  {verdict}"))));
        }
        if let (false, Some(_), Some(share)) = (present, &self.before, record.share_of_limit) {
            pieces.push(Piece::Note(format!(
                "{} of the device's limit",
                percent(share)
            )));
        }
        pieces
    }
}

/// Rates side by side, on one linear scale from zero: the lines of each.
pub(super) fn bars(bars: &[Bar], form: Form) -> Vec<Vec<String>> {
    let rates = bars.iter().map(|bar| bar.rate);
    let most = rates.fold(f64::MIN_POSITIVE, f64::max);
    let longest = bars.iter().map(|bar| bar.name.chars().count()).max();
    let names = longest.unwrap_or(0).min(form.columns / 2);
    let lines = bars.iter().map(|bar| {
        if form.present {
            thick_bar(bar, bar.rate / most, form)
        } else {
            thin_bar(bar, bar.rate / most, names, form)
        }
    });
    lines.collect()
}

/// Name, bar and rate in a line.
fn thin_bar(bar: &Bar, share: f64, names: usize, form: Form) -> Vec<String> {
    let rate = format!("{} {}", significant(bar.rate), bar.unit);
    let room = form.columns.saturating_sub(names + rate.len() + 8);
    let room = room.clamp(8, 40);
    let drawn = block(share, room);
    let rest = " ".repeat(room - measure_text_width(&drawn));
    let name = pad_str(&bar.name, names, Alignment::Left, Some("."));
    vec![format!("  {name}  {}{rest}  {rate}", bar.colored(drawn))]
}

/// Name and rate in a line, and below it a bar that is two lines thick.
fn thick_bar(bar: &Bar, share: f64, form: Form) -> Vec<String> {
    let columns = form.columns.saturating_sub(4);
    let rate = format!("{} {}", significant(bar.rate), bar.unit);
    let rest = columns.saturating_sub(rate.len());
    let name = pad_str(&bar.name, rest, Alignment::Left, Some("."));
    let drawn = format!("  {}", bar.colored(block(share, columns.max(1))));
    vec![
        String::new(),
        format!("  {name}{rate}"),
        drawn.clone(),
        drawn,
    ]
}

impl Bar {
    fn colored(&self, drawn: String) -> String {
        let drawn = style(drawn);
        if self.measured {
            drawn.cyan().to_string()
        } else {
            drawn.yellow().to_string()
        }
    }
}

/// A bar of this share of `columns`, to an eighth of a column, and never empty.
fn block(share: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * columns as f64 * 8.0).round() as usize;
    let eighths = eighths.clamp(1, columns * 8);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_linear_and_never_empty() {
        assert_eq!(block(1.0, 10), "█".repeat(10));
        assert_eq!(block(0.5, 10), "█".repeat(5));
        assert_eq!(block(0.0, 10), "▏");
        assert_eq!(block(0.55, 10), "█████▌");
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
