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
    const WIDTH: f64 = 640.0;
    const LEFT: f64 = 84.0;
    let (begin, length) = extent(spans);
    let x = |time: u64| LEFT + (time - begin) as f64 / length * (WIDTH - LEFT - 16.0);
    let mut drawn = String::new();
    for (row, lane) in Lane::ALL.into_iter().enumerate() {
        let y = 34 + 34 * row;
        drawn += &format!("<text x=\"8\" y=\"{}\">{}</text>\n", y + 17, lane.name());
        for span in spans.iter().filter(|span| span.lane == lane) {
            let (left, right) = (x(span.start), x(span.end));
            let wide = (right - left).max(0.5);
            drawn += &format!(
                "<rect class=\"l{row}\" x=\"{left:.1}\" y=\"{y}\" width=\"{wide:.1}\" height=\"24\">\
                 <title>{}: {:.3} ms</title></rect>\n",
                span.what,
                (span.end - span.start) as f64 * 1e-6
            );
            // A name where there is room for it.
            if wide > 9.0 * span.what.len() as f64 {
                let middle = (left + right) / 2.0;
                drawn += &format!(
                    "<text class=\"in\" x=\"{middle:.1}\" y=\"{}\">{}</text>\n",
                    y + 17,
                    span.what
                );
            }
        }
    }
    let end = length * 1e-6;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} 166\" role=\"img\">\n\
         <title>{title}</title>\n<style>\n\
         text {{ font: 13px sans-serif; fill: #333 }} .in {{ fill: #fff; text-anchor: middle }}\n\
         .end {{ text-anchor: end }} rect {{ stroke: #fff; stroke-width: 0.5 }}\n\
         .l0 {{ fill: #2f6fb0 }} .l1 {{ fill: #2b8a4b }} .l2 {{ fill: #b0562f }}\n\
         @media (prefers-color-scheme: dark) {{ text {{ fill: #ddd }} rect {{ stroke: #222 }} }}\n\
         </style>\n<text x=\"8\" y=\"20\">{title}</text>\n{drawn}\
         <text x=\"{LEFT}\" y=\"154\">0</text>\n\
         <text class=\"end\" x=\"{}\" y=\"154\">{end:.2} ms</text>\n</svg>\n",
        WIDTH - 16.0
    )
}
