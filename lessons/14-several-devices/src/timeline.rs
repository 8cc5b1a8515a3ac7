//! When each command ran, as its events tell: a lane for each queue, as text and as SVG.

use common::error::{During, Result};
use opencl3::event::Event;

/// A queue's lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    Uploads,
    Kernels,
    Downloads,
}

impl Lane {
    pub const ALL: [Lane; 3] = [Lane::Uploads, Lane::Kernels, Lane::Downloads];

    fn name(self) -> &'static str {
        ["uploads", "kernels", "downloads"][self as usize]
    }
}

/// A command that has ended, in nanoseconds of the device's clock.
#[derive(Clone, Debug)]
pub struct Span {
    pub lane: Lane,
    /// What it moved or computed, such as "A 2".
    pub what: String,
    pub start: u64,
    pub end: u64,
}

impl Span {
    pub fn of(lane: Lane, what: impl Into<String>, event: &Event) -> Result<Span> {
        let at = |time: opencl3::Result<u64>| time.during("asking for an event's times");
        Ok(Span {
            lane,
            what: what.into(),
            start: at(event.profiling_command_start())?,
            end: at(event.profiling_command_end())?,
        })
    }
}

/// Seconds in which each lane was busy.
pub fn busy(spans: &[Span]) -> [f64; 3] {
    Lane::ALL.map(|lane| {
        let own = spans.iter().filter(|span| span.lane == lane);
        own.map(|span| (span.end - span.start) as f64 * 1e-9).sum()
    })
}

/// From the first start to the last end.
fn extent(spans: &[Span]) -> (u64, f64) {
    let begin = spans.iter().map(|span| span.start).min().unwrap_or(0);
    let end = spans.iter().map(|span| span.end).max().unwrap_or(0);
    (begin, (end - begin).max(1) as f64)
}

/// A line for each lane: where it is busy for most of a column, a block.
pub fn text(spans: &[Span], columns: usize) -> String {
    let (begin, length) = extent(spans);
    let line = |lane: Lane| {
        let mut filled = vec![0.0; columns];
        for span in spans.iter().filter(|span| span.lane == lane) {
            let at = |time: u64| (time - begin) as f64 / length * columns as f64;
            for (column, filled) in filled.iter_mut().enumerate() {
                let (left, right) = (column as f64, column as f64 + 1.0);
                *filled += (at(span.end).min(right) - at(span.start).max(left)).max(0.0);
            }
        }
        let cells = filled.iter().map(|&part| match part {
            0.5.. => '█',
            0.05.. => '▒',
            _ => '·',
        });
        format!("  {:<10}{}", lane.name(), cells.collect::<String>())
    };
    let lines = Lane::ALL.map(line);
    format!(
        "{}\n  {:<10}0{:>width$.3} ms",
        lines.join("\n"),
        "",
        length * 1e-6,
        width = columns - 4
    )
}

/// The same as a drawing that stands alone, in light and dark.
pub fn svg(title: &str, spans: &[Span]) -> String {
    const WIDTH: f64 = 480.0;
    const LEFT: f64 = 96.0;
    let (begin, length) = extent(spans);
    let x = |time: u64| LEFT + (time - begin) as f64 / length * (WIDTH - LEFT - 12.0);
    let mut drawn = String::new();
    for (row, (lane, class)) in Lane::ALL.into_iter().zip(["a", "c", "b"]).enumerate() {
        let (top, base) = (12 + 34 * row, 30 + 34 * row);
        drawn += &format!("<text x=\"8\" y=\"{base}\">{}</text>\n", lane.name());
        for span in spans.iter().filter(|span| span.lane == lane) {
            let (left, wide) = (x(span.start), (x(span.end) - x(span.start)).max(0.5));
            drawn += &format!(
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top}\" width=\"{wide:.1}\" height=\"26\"/>\n"
            );
            // A name where there is room for it.
            if wide > 10.0 * span.what.len() as f64 {
                let middle = left + wide / 2.0;
                drawn += &format!(
                    "<text class=\"tiny middle\" x=\"{middle:.1}\" y=\"{base}\">{}</text>\n",
                    span.what
                );
            }
        }
    }
    let (end, right) = (length * 1e-6, WIDTH - 12.0);
    let busy = busy(spans).map(|seconds| format!("{:.2}", seconds * 1e3));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"540\" height=\"153\" \
         viewBox=\"0 0 480 136\" role=\"img\" aria-labelledby=\"title description\">\n\
         <title id=\"title\">{title}</title>\n\
         <desc id=\"description\">When uploads, kernels and downloads ran: {} ms of uploads, {} of \
         kernels and {} of downloads within {end:.2} ms.</desc>\n<style>\n{STYLE}</style>\n{drawn}\
         <text class=\"small\" x=\"{LEFT}\" y=\"130\">0</text>\n\
         <text class=\"small end\" x=\"{right}\" y=\"130\">{end:.2} ms</text>\n</svg>\n",
        busy[0], busy[1], busy[2]
    )
}

/// As in the figures of the pages.
const STYLE: &str = "text { font: 15px system-ui, sans-serif; fill: #1b1f24; }
.small { font-size: 13px; } .tiny { font-size: 12px; } .middle { text-anchor: middle; }
.end { text-anchor: end; }
.a { fill: #9fcaf2; stroke: #0b5cad; } .b { fill: #f9c98a; stroke: #b35900; }
.c { fill: #a9dcb8; stroke: #1a7f3c; }
@media (prefers-color-scheme: dark) { text { fill: #e6e9ed; } .a { fill: #1f5c99; }
.b { fill: #935211; } .c { fill: #246b3a; } }
";
