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
        if self.measured {
            drawn.cyan().to_string()
        } else {
            drawn.yellow().to_string()
        }
    }
}

/// Rates side by side, on one linear scale from zero: the lines of each.
pub(super) fn drawn(bars: &[Bar], form: Form) -> Vec<Vec<String>> {
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
    let rate = bar.says();
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
    let rate = bar.says();
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
}
