//! When each queue's commands ran, and when the host waited for them, as a picture.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::line::{Call, Line};
use crate::objects::Objects;
use crate::story::{sentence, time};

const WIDTH: f64 = 900.0;
const LEFT: f64 = 150.0;
const ROW: f64 = 34.0;
/// The row of the host.
const HOST: &str = "the host waits";

/// A piece of a row.
struct Bar {
    row: String,
    begin: u64,
    end: u64,
    kind: &'static str,
    told: String,
}

/// Hears all lines, and draws them in the end.
#[derive(Default)]
pub struct TimeLine {
    /// Commands that run: their queue's row, what they are, how they are told, when the call
    /// returned and how long it took.
    running: HashMap<(u32, u64), (Bar, u64)>,
    bars: Vec<Bar>,
    /// Of each row: from the device's clock to the host's, and the length of the call that
    /// tells it, during which the command was queued.
    clocks: BTreeMap<String, (i64, u64)>,
}

impl TimeLine {
    /// A line; `objects` have heard it.
    pub fn hear(&mut self, line: &Line, objects: &Objects) {
        match line {
            Line::Call(call) if call.status == 0 => self.call(call, objects),
            Line::Done(done) => {
                let Some((mut bar, took)) = self.running.remove(&(done.process, done.command))
                else {
                    return;
                };
                let [queued, _, begin, end] = done.times;
                if queued == 0 || end < begin {
                    return;
                }
                let offset = (bar.begin as i64).wrapping_sub(queued as i64);
                let clock = self.clocks.entry(bar.row.clone()).or_insert((offset, took));
                if took < clock.1 {
                    *clock = (offset, took);
                }
                (bar.begin, bar.end) = (begin, end);
                self.bars.push(bar);
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &Call, objects: &Objects) {
        let (process, at) = (call.begin.process, call.begin.at);
        let name = &*call.begin.call;
        let kind = match name {
            _ if name.contains("Kernel") || name.contains("Task") => "kernel",
            _ if name.contains("Write") || name.contains("Unmap") => "up",
            _ if name.contains("Read") || name.contains("Map") => "down",
            _ => "other",
        };
        let bar = |row, end, kind| Bar {
            row,
            begin: at,
            end,
            kind,
            told: sentence(call, objects),
        };
        if call.is_blocking() || ["clFinish", "clWaitForEvents"].contains(&name) {
            let end = at.saturating_add(call.took);
            self.bars.push(bar(HOST.into(), end, "wait"));
        }
        if call.is_command() {
            let row = objects.name(call, call.number("queue")).unwrap_or_default();
            let running = (bar(row, at, kind), call.took);
            self.running
                .insert((process, call.number("command")), running);
        }
    }

    /// The picture; nothing where no command ran.
    pub fn svg(&self) -> Option<String> {
        let on_host = |bar: &Bar| {
            let offset = self.clocks.get(&bar.row).map_or(0, |(offset, _)| *offset);
            let at = |time: u64| (time as i64).saturating_add(offset);
            (at(bar.begin), at(bar.end))
        };
        let begin = self.bars.iter().map(|bar| on_host(bar).0).min()?;
        let end = self.bars.iter().map(|bar| on_host(bar).1).max()?;
        let span = end.saturating_sub(begin).max(1) as f64;
        let rows: Vec<&str> = self
            .clocks
            .keys()
            .map(String::as_str)
            .chain([HOST])
            .collect();
        let height = ROW * rows.len() as f64 + 60.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" \
             font-family=\"sans-serif\" font-size=\"13\">\n<style>.kernel{{fill:#2a78b8}} \
             .up{{fill:#d98a1f}} .down{{fill:#3c9a5f}} .other{{fill:#8a6bb1}} .wait{{fill:#999}} \
             text:not([class]){{fill:#666}}</style>\n",
            LEFT + WIDTH + 20.0
        );
        for (number, row) in rows.iter().enumerate() {
            let y = 10.0 + ROW * number as f64;
            let name = escaped(row);
            let _ = writeln!(svg, "<text x=\"4\" y=\"{:.1}\">{name}</text>", y + 17.0);
            let mut drawn = 0.0;
            for bar in self.bars.iter().filter(|bar| bar.row == **row) {
                let (from, to) = on_host(bar);
                let x = LEFT + from.saturating_sub(begin) as f64 / span * WIDTH;
                let width = (to.saturating_sub(from) as f64 / span * WIDTH).max(0.5);
                // Of thousands in one place, one is seen.
                if x + width < drawn + 0.1 {
                    continue;
                }
                drawn = x + width;
                let took = time(to.saturating_sub(from) as u64);
                let _ = writeln!(
                    svg,
                    "<rect class=\"{}\" x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" \
                     height=\"24\"><title>{}, {took}</title></rect>",
                    bar.kind,
                    escaped(&bar.told)
                );
            }
        }
        for part in 0..=4 {
            let (x, y) = (LEFT + WIDTH * f64::from(part) / 4.0, height - 30.0);
            let at = time((span * f64::from(part) / 4.0) as u64);
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{at}</text>"
            );
        }
        let legend = [
            ("up", "to the device"),
            ("kernel", "kernels"),
            ("down", "from the device"),
        ];
        for (number, (kind, words)) in legend.into_iter().enumerate() {
            let (x, y) = (LEFT + 150.0 * number as f64, height - 8.0);
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" class=\"{kind}\">{words}</text>"
            );
        }
        Some(svg + "</svg>\n")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
