//! Rates side by side, as bars.

use common::numbers::significant;
use common::record::Record;
use console::{Alignment, measure_text_width, pad_str};

use super::piece::{Form, style};

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

    /// Its rate, in words.
    pub fn says(&self) -> String {
        format!("{} {}", significant(self.rate), self.unit)
    }

    fn colored(&self, drawn: String) -> String {
        let drawn = style(drawn);
        let drawn = if self.measured {
            drawn.cyan()
        } else {
            drawn.yellow()
        };
        drawn.to_string()
    }
}

/// Rates side by side, on one linear scale from zero. Of each the lines: name, bar and rate in
/// one, or in large type name and rate, and below them a bar that is two lines thick.
pub(super) fn drawn(bars: &[Bar], form: Form) -> Vec<Vec<String>> {
    let most = bars
        .iter()
        .map(|bar| bar.rate)
        .fold(f64::MIN_POSITIVE, f64::max);
    let longest = bars.iter().map(|bar| bar.name.chars().count()).max();
    let names = longest.unwrap_or(0).min(form.columns / 2);
    let lines = bars.iter().map(|bar| {
        let rate = bar.says();
        let padded = |width| pad_str(&bar.name, width, Alignment::Left, Some("."));
        if form.present {
            let columns = form.columns.saturating_sub(4);
            let name = padded(columns.saturating_sub(rate.len()));
            let drawn = format!("  {}", bar.colored(block(bar.rate / most, columns.max(1))));
            return vec![
                String::new(),
                format!("  {name}{rate}"),
                drawn.clone(),
                drawn,
            ];
        }
        let room = form
            .columns
            .saturating_sub(names + rate.len() + 8)
            .clamp(8, 40);
        let drawn = block(bar.rate / most, room);
        let rest = " ".repeat(room - measure_text_width(&drawn));
        vec![format!(
            "  {}  {}{rest}  {rate}",
            padded(names),
            bar.colored(drawn)
        )]
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
}
