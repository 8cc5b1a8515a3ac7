//! How a kernel came out: beside the step before it, and beside what was predicted.

use common::numbers::{factor, percent, seconds, significant};
use common::record::Record;
use console::{Alignment, measure_text_width, pad_str};

use super::screen::{Screen, style};

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

impl Screen {
    /// A kernel's result, in bars and words.
    pub fn outcome(&mut self, outcome: &Outcome) {
        let record = outcome.record;
        if let Some(reason) = &record.skipped {
            let skipped = style("skipped:").yellow();
            return self.note(&format!("{skipped} {reason}"));
        }
        if let Some(wrong) = &record.failed {
            let mark = style("✗ WRONG").red().bold();
            return self.note(&format!("{mark}\n{}", wrong.trim_end()));
        }
        if let Some(how) = &record.died {
            let mark = style("✗ DIED").red().bold();
            return self.note(&format!("{mark}\n{how}"));
        }
        let right = style("✓ right").green().bold();
        let (Some(median), Some(bar)) = (record.seconds_median, Bar::of(record)) else {
            return self.note(&format!("{right}, not timed"));
        };
        if !self.present {
            self.note(&format!(
                "{right}; {} timed launches, median {}, half of them within ±{} of it",
                record.runs,
                seconds(median),
                percent(record.spread.unwrap_or(0.0))
            ));
            self.print("");
        }
        let bars = [
            outcome.before.clone(),
            Some(bar.clone()),
            outcome.predicted(&bar),
        ];
        self.bars(&bars.into_iter().flatten().collect::<Vec<_>>());
        if let Some(verdict) = outcome.verdict(&bar) {
            self.print("");
            self.print(&style(format!("  {verdict}")).bold().to_string());
        }
        if let (false, Some(_), Some(share)) =
            (self.present, &outcome.before, record.share_of_limit)
        {
            self.note(&format!("{} of the device's limit", percent(share)));
        }
    }

    /// Rates side by side, on one linear scale from zero.
    pub fn bars(&mut self, bars: &[Bar]) {
        let most = bars
            .iter()
            .map(|bar| bar.rate)
            .fold(f64::MIN_POSITIVE, f64::max);
        let longest = bars.iter().map(|bar| bar.name.chars().count()).max();
        let names = longest.unwrap_or(0).min(self.columns() / 2);
        for bar in bars {
            if self.present {
                self.thick_bar(bar, bar.rate / most)
            } else {
                self.thin_bar(bar, bar.rate / most, names)
            }
        }
    }

    /// Name, bar and rate in a line.
    fn thin_bar(&mut self, bar: &Bar, share: f64, names: usize) {
        let rate = format!("{} {}", significant(bar.rate), bar.unit);
        let room = self
            .columns()
            .saturating_sub(names + rate.len() + 8)
            .clamp(8, 40);
        let drawn = block(share, room);
        let rest = " ".repeat(room - measure_text_width(&drawn));
        let name = pad_str(&bar.name, names, Alignment::Left, Some("."));
        self.print(&format!("  {name}  {}{rest}  {rate}", bar.colored(drawn)));
    }

    /// Name and rate in a line, and below it a bar that is two lines thick.
    fn thick_bar(&mut self, bar: &Bar, share: f64) {
        let columns = self.columns().saturating_sub(4);
        let rate = format!("{} {}", significant(bar.rate), bar.unit);
        let rest = columns.saturating_sub(rate.len());
        let name = pad_str(&bar.name, rest, Alignment::Left, Some("."));
        let drawn = bar.colored(block(share, columns));
        self.space();
        self.print(&format!("  {name}{rate}\n  {drawn}\n  {drawn}"));
    }
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
