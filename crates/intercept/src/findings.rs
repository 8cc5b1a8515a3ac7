//! What all calls of a program come to: what is wrong, and what was for nothing.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde::Serialize;
use verify::numbers::{bytes, count};

use crate::line::{Call, Line};
use crate::objects::Objects;
use crate::order::Order;
use crate::story::{self, sentence};

/// The kinds, in the order in which they are told.
pub const KINDS: [(&str, &str); 8] = [
    ("error", "Errors after which the program went on"),
    ("log", "Builds that failed, and whose log nobody read"),
    ("order", "Commands that nothing keeps in order"),
    ("unfinished", "Commands whose end nobody waited for"),
    ("leak", "Never released"),
    ("wait", "Waits for nothing"),
    ("transfer", "Transfers for nothing"),
    ("blocking-write", "Writes that the host waited for"),
];

/// Something that was found, perhaps several times.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// One of [`KINDS`].
    pub finding: &'static str,
    /// In a sentence.
    pub says: String,
    /// How often.
    pub times: usize,
    /// What it took, in nanoseconds.
    pub took: u64,
}

/// What a buffer is known to hold.
struct Content {
    bytes: Range<u64>,
    hash: u64,
}

/// What is known of one process.
#[derive(Default)]
struct Process {
    order: Order,
    content: HashMap<u64, Content>,
    /// Written, and used by nobody since.
    unused: HashMap<u64, Range<u64>>,
    /// Commands that write to the host's memory, or run a kernel.
    to_await: Vec<(u64, u64, bool, String)>,
    /// A call that failed, as long as nothing but tidying came after it.
    failed: Option<String>,
    /// A queue that was waited for in the call before.
    finished: Option<u64>,
    /// Programs whose build failed.
    unread_logs: HashMap<u64, String>,
}

/// Hears all lines, and says in the end what they come to.
#[derive(Default)]
pub struct Findings {
    processes: HashMap<u32, Process>,
    found: BTreeMap<(usize, String), (usize, u64)>,
    /// Of each call: how often, and how long.
    pub calls: BTreeMap<String, (usize, u64)>,
    /// Bytes to the device and back.
    pub moved: [u64; 2],
    /// What the program has made.
    pub objects: Objects,
}

impl Findings {
    /// A line.
    pub fn hear(&mut self, line: &Line) {
        self.objects.hear(line);
        let Line::Call(call) = line else { return };
        let (times, took) = self.calls.entry(call.begin.call.clone()).or_default();
        *times += 1;
        *took = took.saturating_add(call.took);
        let mut found = Vec::new();
        let process = self.processes.entry(call.begin.process).or_default();
        process.hear(call, &self.objects, &mut found);
        for (kind, says) in found {
            note(&mut self.found, kind, says, call.took);
        }
        for (moved, name) in self
            .moved
            .iter_mut()
            .zip(["clEnqueueWriteB", "clEnqueueReadB"])
        {
            if call.status == 0 && call.begin.call.starts_with(name) {
                *moved = moved.saturating_add(call.number("size"));
            }
        }
    }

    /// All that was found, once the program has ended; `by_itself` if it was not ended, and
    /// did not crash, since nobody releases anything then.
    pub fn all(&mut self, by_itself: bool) -> Vec<Finding> {
        for process in self.processes.values_mut() {
            for (_, says) in process.unread_logs.drain() {
                note(&mut self.found, "log", says, 0);
            }
            for (queue, command, in_order, told) in process.to_await.drain(..) {
                if by_itself && !process.order.has_ended(queue, command, in_order) {
                    note(&mut self.found, "unfinished", told, 0);
                }
            }
        }
        for (noun, all) in self.objects.leaked().iter().filter(|_| by_itself) {
            let sizes = all.iter().map(|one| one.bytes.end - one.bytes.start);
            let size = match sizes.fold(0, u64::saturating_add) {
                0 => String::new(),
                size => format!(" of {}", bytes(size)),
            };
            let numbers: Vec<String> = all.iter().map(|one| one.number.to_string()).collect();
            let which = format!("{noun} {}", numbers[..numbers.len().min(8)].join(", "));
            let more = if all.len() > 8 { ", ..." } else { "" };
            let says = format!("{}{size}: {which}{more}", count(all.len(), noun));
            note(&mut self.found, "leak", says, 0);
        }
        let found = std::mem::take(&mut self.found).into_iter();
        let found = found.map(|((kind, says), (times, took))| Finding {
            finding: KINDS[kind].0,
            says,
            times,
            took,
        });
        found.collect()
    }
}

fn note(found: &mut BTreeMap<(usize, String), (usize, u64)>, kind: &str, says: String, took: u64) {
    let kind = KINDS.iter().position(|(known, _)| *known == kind);
    let (times, sum) = found.entry((kind.unwrap_or_default(), says)).or_default();
    *times += 1;
    *sum = sum.saturating_add(took);
}

impl Process {
    fn hear(&mut self, call: &Call, objects: &Objects, found: &mut Vec<(&'static str, String)>) {
        let name = &*call.begin.call;
        let told = sentence(call, objects);
        let is_tidying = call.is_query() || name.starts_with("clRelease");
        if let Some(error) = self.failed.take_if(|_| !is_tidying) {
            found.push(("error", error));
        }
        if name == "clGetProgramBuildInfo" {
            self.unread_logs.remove(&call.number("of"));
        }
        if let Some(error) = story::error(call) {
            // Who asks may be told no; but not of times, which the queue must be asked for.
            if ["clBuildProgram", "clCompileProgram"].contains(&name) {
                self.unread_logs
                    .insert(call.number("program"), format!("{told}: {error}"));
            } else if !call.is_query() || name == "clGetEventProfilingInfo" {
                self.failed = Some(format!("{told}: {error}"));
            }
            return;
        }
        let finished = self.finished.take_if(|_| !is_tidying);
        match name {
            "clFinish" => {
                let queue = call.number("queue");
                if !self.order.finish(queue) {
                    found.push(("wait", format!("{told}, which has nothing left to do")));
                }
                self.finished = Some(queue);
            }
            "clWaitForEvents" if !self.order.ended(&call.numbers("waits")) => {
                found.push(("wait", format!("{told}, whose end is known already")));
            }
            // It must have ended: there are times, or it says so.
            "clGetEventProfilingInfo" => drop(self.order.ended(&[call.number("of")])),
            "clGetEventInfo" if call.args.get("state").is_some_and(|state| *state == 0) => {
                self.order.ended(&[call.number("of")]);
            }
            "clSetEventCallback" => drop(self.order.ended(&[call.number("event")])),
            _ if call.is_command() => {
                if call.is_blocking() && finished == Some(call.number("queue")) {
                    let says = format!("clFinish, just before: {told} for all before it, too");
                    found.push(("wait", says));
                }
                self.command(call, objects, &told, found);
            }
            _ => {}
        }
    }

    fn command(
        &mut self,
        call: &Call,
        objects: &Objects,
        told: &str,
        found: &mut Vec<(&'static str, String)>,
    ) {
        if let Some(clash) = self.order.command(call, objects, told) {
            found.push(("order", format!("{told}; and before it {}", clash.told)));
        }
        let name = &*call.begin.call;
        let is_read = name == "clEnqueueReadBuffer";
        let is_write = name == "clEnqueueWriteBuffer";
        if is_write && call.is_blocking() {
            found.push(("blocking-write", told.into()));
        }
        if !call.is_blocking() && (is_read || name.contains("Map") || name.contains("Kernel")) {
            let in_order = objects.is_in_order(call);
            let (queue, number) = (call.number("queue"), call.number("command"));
            self.to_await.push((queue, number, in_order, told.into()));
        }
        let known = call.args.get("bytes").and_then(serde_json::Value::as_u64);
        for access in objects.accesses(call) {
            let is_same = |held: &Content| held.bytes == access.bytes && Some(held.hash) == known;
            let is_same = self.content.get(&access.buffer).is_some_and(is_same);
            let is_unused = || self.unused.get(&access.buffer) == Some(&access.bytes);
            let why = match (is_read, is_write) {
                (true, _) if is_same => "the host has had these bytes before",
                (_, true) if is_same => "it holds these very bytes already",
                (_, true) if is_unused() => "nobody has used what it held",
                _ => "",
            };
            if !why.is_empty() {
                found.push(("transfer", format!("{told}: {why}")));
            }
            match known {
                Some(hash) if is_read || is_write => {
                    let bytes = access.bytes.clone();
                    self.content.insert(access.buffer, Content { bytes, hash });
                }
                _ if access.writes => drop(self.content.remove(&access.buffer)),
                _ => {}
            }
            if is_write {
                self.unused.insert(access.buffer, access.bytes);
            } else {
                self.unused.remove(&access.buffer);
            }
        }
    }
}
