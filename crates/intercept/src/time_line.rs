//! When each queue's commands ran, and when the host waited for them, as a picture.

use std::collections::{BTreeMap, HashMap};

use verify::numbers::seconds;

use crate::{line::Line, objects::Objects, story::sentence};

/// Of the whole width, what the shortest one has.
const THINNEST: f64 = 0.5 / 900.0;
/// How the picture begins.
const HEAD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
const STYLE: &str = "font-family=\"sans-serif\" font-size=\"13\">
<style>.kernel{fill:#2a78b8} .up{fill:#d98a1f} .down{fill:#3c9a5f} .other{fill:#8a6bb1} \
    .wait{fill:#999} text:not([class]){fill:#666}</style>";
/// The kinds that are named below it.
const KINDS: [(&str, &str); 3] =
    [("up", "to the device"), ("kernel", "kernels"), ("down", "from the device")];
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

/// Hears all lines, and tells in the end what is to be drawn.
#[derive(Default)]
pub struct TimeLine {
    /// The calls that put commands into queues, in the queues' rows, by the commands' numbers.
    running: HashMap<(u32, u64), Bar>,
    bars: Vec<Bar>,
    /// Of each row: from the device's clock to the host's, and the length of the call that
    /// tells it, during which the command was queued.
    clocks: BTreeMap<String, (i64, u64)>,
}

impl TimeLine {
    /// A line; `objects` have heard it.
    pub fn hear(&mut self, line: &Line, objects: &Objects) {
        match line {
            Line::Call(call) if call.status == 0 => {
                let (begin, name) = (call.at, &*call.name);
                let end = begin.saturating_add(call.took);
                let bar = |row, kind| Bar { row, begin, end, kind, told: sentence(call, objects) };
                if call.is_blocking() || ["clFinish", "clWaitForEvents"].contains(&name) {
                    self.bars.push(bar(HOST.into(), "wait"));
                }
                if call.is_command() {
                    let kind = match name {
                        _ if name.contains("Kernel") || name.contains("Task") => "kernel",
                        _ if name.contains("Write") || name.contains("Unmap") => "up",
                        _ if name.contains("Read") || name.contains("Map") => "down",
                        _ => "other",
                    };
                    let row = objects.name(call, call.number("queue")).unwrap_or_default();
                    self.running.insert((call.process, call.number("command")), bar(row, kind));
                }
            }
            Line::Done { process, command, times: [queued, _, begin, end], .. } => {
                let Some(mut bar) = self.running.remove(&(*process, *command)) else { return };
                if *queued == 0 || end < begin {
                    return;
                }
                let offset = (bar.begin as i64).wrapping_sub(*queued as i64);
                let took = bar.end - bar.begin;
                let clock = self.clocks.entry(bar.row.clone()).or_insert((offset, took));
                if took < clock.1 {
                    *clock = (offset, took);
                }
                (bar.begin, bar.end) = (*begin, *end);
                self.bars.push(bar);
            }
            _ => {}
        }
    }

    /// The picture, as SVG. Nothing where no command ran.
    pub fn picture(&self) -> Option<String> {
        let on_host = |bar: &Bar| {
            let offset = self.clocks.get(&bar.row).map_or(0, |(offset, _)| *offset);
            let at = |time: u64| (time as i64).saturating_add(offset);
            (at(bar.begin), at(bar.end))
        };
        let begin = self.bars.iter().map(|bar| on_host(bar).0).min()?;
        let end = self.bars.iter().map(|bar| on_host(bar).1).max()?;
        let span = end.saturating_sub(begin).max(1) as f64;
        let rows = self.clocks.keys().map(String::as_str).chain([HOST]);
        let height = 34 * rows.clone().count() + 60;
        let mut svg = format!("{HEAD} viewBox=\"0 0 1070 {height}\" {STYLE}\n");
        for (at, row) in rows.enumerate() {
            let y = 10 + 34 * at;
            svg += &format!("<text x=\"4\" y=\"{}\">{}</text>\n", y + 17, escaped(row));
            let mut drawn = 0.0;
            for bar in self.bars.iter().filter(|bar| bar.row == row) {
                let (from, to) = on_host(bar);
                let at = from.saturating_sub(begin) as f64 / span;
                let took = to.saturating_sub(from) as f64;
                let width = (took / span).max(THINNEST);
                // Of thousands in one place, one is seen.
                if at + width < drawn + THINNEST / 5.0 {
                    continue;
                }
                drawn = at + width;
                svg += &format!(
                    "<rect class=\"{}\" x=\"{:.2}\" y=\"{y}\" width=\"{:.2}\" height=\"24\">\
                     <title>{}, {}</title></rect>\n",
                    bar.kind,
                    150.0 + 900.0 * at,
                    900.0 * width,
                    escaped(&bar.told),
                    seconds(took * 1e-9)
                );
            }
        }
        for part in 0..5_u32 {
            let (x, y) = (150 + 225 * part, height - 30);
            let time = seconds(span * 1e-9 * f64::from(part) / 4.0);
            svg += &format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{time}</text>\n");
        }
        for (at, (kind, words)) in KINDS.iter().enumerate() {
            let (x, y) = (150 + 150 * at, height - 8);
            svg += &format!("<text x=\"{x}\" y=\"{y}\" class=\"{kind}\">{words}</text>\n");
        }
        Some(svg + "</svg>\n")
    }
}

/// A text within SVG.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
