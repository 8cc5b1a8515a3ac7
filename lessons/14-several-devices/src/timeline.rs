//! When each command ran, as its events tell: a line for each queue.

use verify::numbers::seconds;

/// The rows of a device.
pub const UPLOADS: usize = 0;
pub const KERNELS: usize = 1;
pub const DOWNLOADS: usize = 2;
pub const NAMES: [&str; 3] = ["uploads", "kernels", "downloads"];

/// Columns of a time line.
const COLUMNS: usize = 56;

/// A command that has ended, in seconds of the host's clock.
#[derive(Clone, Debug)]
pub struct Span {
    /// Three for each device.
    pub row: usize,
    pub start: f64,
    pub end: f64,
}

/// A run's name, and what ran when in it.
pub type Run<'a> = (&'a str, &'a [Span]);

/// Seconds in which each row was busy.
pub fn busy(spans: &[Span], row: usize) -> f64 {
    let own = spans.iter().filter(|span| span.row == row);
    own.fold(0.0, |sum, span| sum + span.end - span.start)
}

/// A line for each row of each run, all to one scale: a block where it is busy for most of a
/// column, and behind it for how long it is busy in all.
pub fn text(runs: &[Run]) -> String {
    let ends = runs.iter().flat_map(|(_, spans)| spans.iter());
    let length = ends.map(|span| span.end).fold(1e-9, f64::max);
    let mut lines = String::new();
    for (title, spans) in runs {
        lines += &format!("\n  {title}\n");
        let devices = spans.iter().map(|span| span.row / 3 + 1).max().unwrap_or(0);
        for row in 0..3 * devices {
            let mut filled = [0.0; COLUMNS];
            for span in spans.iter().filter(|span| span.row == row) {
                let [start, end] = [span.start, span.end].map(|at| at / length * COLUMNS as f64);
                for (column, filled) in filled.iter_mut().enumerate() {
                    let column = column as f64;
                    *filled += (end.min(column + 1.0) - start.max(column)).max(0.0);
                }
            }
            let cells = filled.map(|part| match part {
                0.5.. => '█',
                0.05.. => '▒',
                _ => '·',
            });
            let name = match devices {
                1 => NAMES[row].to_string(),
                _ => format!("{} {}", row / 3, NAMES[row % 3]),
            };
            let (cells, busy) = (String::from_iter(cells), seconds(busy(spans, row)));
            lines += &format!("  {name:<12}{cells}{busy:>9}\n");
        }
    }
    let (end, width) = (seconds(length), COLUMNS - 1);
    format!("{lines}  {:<12}0{end:>width$}", "")
}
