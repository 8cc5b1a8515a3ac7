//! When each queue's commands ran, and when the host waited for them, as a picture.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use crate::line::{Call, Line};
use crate::objects::Objects;
use crate::story::sentence;

/// Of the whole width, what the shortest one has.
const THINNEST: f64 = 0.5 / 900.0;
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

    /// What there is to draw: how long all of it took, and the rows with their names. Of a piece that
    /// is its kind, where it begins and how long it is as shares of the width, how it is told, and its
    /// seconds. Nothing where no command ran.
    pub fn picture(&self) -> Option<Value> {
        let on_host = |bar: &Bar| {
            let offset = self.clocks.get(&bar.row).map_or(0, |(offset, _)| *offset);
            let at = |time: u64| (time as i64).saturating_add(offset);
            (at(bar.begin), at(bar.end))
        };
        let begin = self.bars.iter().map(|bar| on_host(bar).0).min()?;
        let end = self.bars.iter().map(|bar| on_host(bar).1).max()?;
        let span = end.saturating_sub(begin).max(1) as f64;
        let row = |row: &str| -> Vec<Value> {
            let mut drawn = 0.0;
            let bars = self.bars.iter().filter(|bar| bar.row == row);
            let bars = bars.filter_map(|bar| {
                let (from, to) = on_host(bar);
                let at = from.saturating_sub(begin) as f64 / span;
                let took = to.saturating_sub(from) as f64;
                let width = (took / span).max(THINNEST);
                // Of thousands in one place, one is seen.
                let is_seen = at + width >= drawn + THINNEST / 5.0;
                drawn = if is_seen { at + width } else { drawn };
                let (kind, told, seconds) = (bar.kind, &*bar.told, took * 1e-9);
                is_seen.then(|| json!([kind, at, width, told, seconds]))
            });
            bars.collect()
        };
        let rows = self.clocks.keys().map(String::as_str).chain([HOST]);
        let rows: Vec<_> = rows.map(|name| (name, row(name))).collect();
        Some(json!({ "seconds": span * 1e-9, "rows": rows }))
    }
}
