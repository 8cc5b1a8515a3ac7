//! When each command ran, as its events tell: a row for each queue, as text and as SVG.

use common::numbers::seconds;

/// The rows of a device.
pub const UPLOADS: usize = 0;
pub const KERNELS: usize = 1;
pub const DOWNLOADS: usize = 2;
/// Their names, and their colours in a drawing: those of A, of C and of B.
const ROWS: [(&str, &str); 3] = [("uploads", "a"), ("kernels", "c"), ("downloads", "b")];

/// Columns of a time line in text.
const COLUMNS: usize = 56;

/// A command that has ended, in seconds of the host's clock.
#[derive(Clone, Debug)]
pub struct Span {
    /// Three for each device.
    pub row: usize,
    /// What it moved or computed, such as "A2".
    pub name: String,
    pub start: f64,
    pub end: f64,
}

/// A run's name, and what ran when in it.
pub type Run<'a> = (&'a str, &'a [Span]);

/// Seconds in which each row was busy.
pub fn busy(spans: &[Span], row: usize) -> f64 {
    let own = spans.iter().filter(|span| span.row == row);
    own.map(|span| span.end - span.start).sum()
}

/// The rows of a run: of each its number, its name and its colour.
fn rows(spans: &[Span]) -> impl Iterator<Item = (usize, String, &'static str)> {
    let devices = spans.iter().map(|span| span.row / 3 + 1).max().unwrap_or(0);
    (0..3 * devices).map(move |row| {
        let (name, colour) = ROWS[row % 3];
        let device = if devices > 1 {
            format!("{} ", row / 3)
        } else {
            String::new()
        };
        (row, device + name, colour)
    })
}

/// The end of the longest run.
fn length(runs: &[Run]) -> f64 {
    let spans = runs.iter().flat_map(|(_, spans)| spans.iter());
    spans.map(|span| span.end).fold(1e-9, f64::max)
}

/// A line for each row of each run, all to one scale: a block where it is busy for most of a
/// column, and behind it for how long it is busy in all.
pub fn text(runs: &[Run]) -> String {
    let length = length(runs);
    let mut lines = String::new();
    for (title, spans) in runs {
        lines += &format!("\n  {title}\n");
        for (row, name, _) in rows(spans) {
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
            let (cells, busy) = (String::from_iter(cells), seconds(busy(spans, row)));
            lines += &format!("  {name:<12}{cells}{busy:>9}\n");
        }
    }
    let (end, width) = (seconds(length), COLUMNS - 1);
    format!("{lines}  {:<12}0{end:>width$}", "")
}

/// The same as a drawing that stands alone, in light and dark.
pub fn svg(title: &str, runs: &[Run]) -> String {
    const LEFT: f64 = 96.0;
    const RIGHT: f64 = 468.0;
    let length = length(runs);
    let x = |time: f64| LEFT + time / length * (RIGHT - LEFT);
    let (mut drawn, mut top) = (String::new(), 0);
    for (name, spans) in runs {
        drawn += &format!(
            "<text class=\"small bold\" x=\"8\" y=\"{}\">{name}</text>\n",
            top + 20
        );
        top += 28;
        for (row, name, colour) in rows(spans) {
            drawn += &format!(
                "<text class=\"small\" x=\"8\" y=\"{}\">{name}</text>\n",
                top + 17
            );
            for span in spans.iter().filter(|span| span.row == row) {
                let (left, wide) = (x(span.start), (x(span.end) - x(span.start)).max(0.5));
                let (name, tip) = (&span.name, seconds(span.end - span.start));
                drawn += &format!(
                    "<rect class=\"{colour}\" x=\"{left:.1}\" y=\"{top}\" width=\"{wide:.1}\" \
                     height=\"24\"><title>{name}, {tip}</title></rect>\n"
                );
            }
            top += 30;
        }
    }
    let (end, base, height) = (seconds(length), top + 14, top + 22);
    let shown = height * 540 / 480;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"540\" height=\"{shown}\" \
         viewBox=\"0 0 480 {height}\" role=\"img\" aria-labelledby=\"title description\">\n\
         <title id=\"title\">{title}</title>\n<desc id=\"description\">When uploads, kernels and \
         downloads ran within {end}, for one order of commands and another, to one scale: with \
         several queues they run at the same time.</desc>\n<style>\n{STYLE}</style>\n{drawn}\
         <text class=\"small\" x=\"{LEFT}\" y=\"{base}\">0</text>\n\
         <text class=\"small end\" x=\"{RIGHT}\" y=\"{base}\">{end}</text>\n</svg>\n"
    )
}

/// As in the figures of the pages.
const STYLE: &str = "text { font: 13px system-ui, sans-serif; fill: #1b1f24; }
.bold { font-weight: 600; } .end { text-anchor: end; }
.a { fill: #9fcaf2; stroke: #0b5cad; } .b { fill: #f9c98a; stroke: #b35900; }
.c { fill: #a9dcb8; stroke: #1a7f3c; }
@media (prefers-color-scheme: dark) { text { fill: #e6e9ed; } .a { fill: #1f5c99; }
.b { fill: #935211; } .c { fill: #246b3a; } }
";
