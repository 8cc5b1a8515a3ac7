//! What all calls of a program come to: what is wrong, and what was for nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use verify::numbers::{bytes, count};

use crate::line::{Call, Line};
use crate::objects::{Access, Mapping, Object, Objects, overlap};
use crate::order::{Order, place};
use crate::story::{self, sentence};

/// The kinds, in the order in which they are told.
const KINDS: [(&str, &str); 17] = [
    ("error", "Errors after which the program went on"),
    ("released", "Used after their release"),
    ("context", "Objects of different contexts"),
    ("log", "Builds that failed, and whose log nobody read"),
    ("order", "Commands that nothing keeps in order"),
    ("unfinished", "Commands whose end nobody waited for"),
    ("mapped", "Used while the host has it mapped"),
    ("changed", "The host's memory, changed before a write had ended"),
    ("unwritten", "Read, and written by nobody"),
    ("argument", "Arguments that may be longer than what is passed"),
    ("unset", "Events that nobody set"),
    ("leak", "Never released"),
    ("build", "Programs built again"),
    ("between", "Waits between launches that are in order anyway"),
    ("wait", "Waits for nothing"),
    ("transfer", "Transfers for nothing"),
    ("blocking-write", "Writes that the host waited for"),
];

/// So many waits between launches may be meant: for the host's clock, or for a progress bar.
const FEW: usize = 10;

/// Something that was found, perhaps several times.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Finding {
    /// The kind, in a word.
    pub finding: &'static str,
    /// And as people are told.
    #[serde(skip)]
    pub heading: &'static str,
    /// In a sentence.
    pub says: String,
    /// How often.
    pub times: usize,
    /// What it took, in nanoseconds.
    pub took: u64,
}

/// What is known of one process.
#[derive(Default)]
struct Process {
    order: Order,
    /// What buffers are known to hold: the hash of some of their bytes.
    content: HashMap<u64, (Range<u64>, u64)>,
    /// Written, and used by nobody since.
    unused: HashMap<u64, Range<u64>>,
    /// Commands that write to the host's memory, or run a kernel, by their places.
    to_await: Vec<((u64, u64), String)>,
    /// Writes that do not block.
    left: HashMap<u64, String>,
    /// What was built: the context, the source, the options and the devices; and by whom.
    built: HashMap<(u64, u64, String, Vec<u64>), String>,
    /// The queues with launches since the last wait, and 0 for all other commands.
    launched: BTreeSet<u64>,
    /// A queue that had launches alone, and for which the host waited just before.
    waited: Option<(u64, String)>,
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

type Found = (&'static str, String);

impl Findings {
    /// A line.
    pub fn hear(&mut self, line: &Line) {
        match line {
            Line::Begin(call) => self.note(misuse(call, &self.objects), 0),
            // Of those no beginning is told.
            Line::Call(call) if call.is_query() => self.note(misuse(call, &self.objects), 0),
            Line::Done { process, command, changed, .. } => {
                let left = &mut self.processes.entry(*process).or_default().left;
                let changed = left.remove(command).filter(|_| *changed);
                self.note(changed.map(|told| ("changed", told)), 0);
            }
            _ => {}
        }
        self.objects.hear(line);
        let Line::Call(call) = line else { return };
        let (times, took) = self.calls.entry(call.name.clone()).or_default();
        *times += 1;
        *took = took.saturating_add(call.took);
        let process = self.processes.entry(call.process).or_default();
        let found = process.hear(call, &self.objects);
        self.note(found, call.took);
        let names = ["clEnqueueWriteB", "clEnqueueReadB"];
        for (moved, name) in self.moved.iter_mut().zip(names) {
            if call.status == 0 && call.name.starts_with(name) {
                *moved = moved.saturating_add(call.number("size"));
            }
        }
    }

    /// All that was found, once the program has ended; `by_itself` if it was not ended, and
    /// did not crash, since nobody releases anything then.
    pub fn all(&mut self, by_itself: bool) -> Vec<Finding> {
        let mut found: Vec<Found> = Vec::new();
        for process in self.processes.values_mut() {
            found.extend(process.unread_logs.drain().map(|(_, says)| ("log", says)));
            let (order, all) = (&process.order, process.to_await.drain(..));
            let unfinished = all.filter(|(place, _)| by_itself && !order.has_ended(*place));
            found.extend(unfinished.map(|(_, told)| ("unfinished", told)));
        }
        found.extend(self.objects.unset().map(|one| ("unset", format!("event {}", one.number))));
        if by_itself {
            let leaked = self.objects.leaked().into_iter();
            found.extend(leaked.map(|(noun, all)| ("leak", leak(noun, &all))));
        }
        self.note(found, 0);
        let found = std::mem::take(&mut self.found).into_iter();
        let found = found.map(|((kind, says), (times, took))| {
            let (finding, heading) = KINDS[kind];
            Finding { finding, heading, says, times, took }
        });
        let is_much = |one: &Finding| one.finding != "between" || one.times >= FEW;
        found.filter(is_much).collect()
    }

    fn note(&mut self, found: impl IntoIterator<Item = Found>, took: u64) {
        for (kind, says) in found {
            let kind = KINDS.iter().position(|(known, _)| *known == kind);
            let place = self.found.entry((kind.unwrap_or_default(), says));
            let (times, sum) = place.or_default();
            *times += 1;
            *sum = sum.saturating_add(took);
        }
    }
}

/// "10 buffers of 38 MiB: buffer 1, 2, 3".
fn leak(noun: &str, all: &[&Object]) -> String {
    let sizes = all.iter().map(|one| one.bytes.end - one.bytes.start);
    let size = match sizes.fold(0, u64::saturating_add) {
        0 => String::new(),
        size => format!(" of {}", bytes(size)),
    };
    let numbers = all.iter().take(8).map(|one| one.number.to_string());
    let numbers = numbers.collect::<Vec<_>>().join(", ");
    let more = if all.len() > 8 { ", ..." } else { "" };
    format!("{}{size}: {noun} {numbers}{more}", count(all.len(), noun))
}

/// What nobody may use whose last hold on it is gone. A context lives as long as what is made in
/// it, and a program as long as its kernels, but nobody may release them once more.
const ITS_OWN: [&str; 7] = ["kernel", "buffer", "part", "image", "sampler", "event", "queue"];

/// What is wrong with the objects that a call is given, whatever it answers: told before it is made,
/// since the program may crash in it.
fn misuse(call: &Call, objects: &Objects) -> Vec<Found> {
    let told = sentence(call, objects);
    let mut found = Vec::new();
    let name = |address| objects.name(call, address).unwrap_or_default();
    let used = objects.used(call);
    for (address, object) in &used {
        let is_it = call.name.starts_with("clRelease") && object.noun != "device";
        let may_not = is_it || ITS_OWN.contains(&object.noun);
        if object.holds <= 0 && may_not && !objects.is_blind {
            let says = format!("{told}: the program has released {} before", name(*address));
            found.push(("released", says));
        }
    }
    let mut of_contexts = used.iter().filter(|(_, object)| object.context != 0);
    if let Some((first, of)) = of_contexts.next()
        && let Some((other, another)) = of_contexts.find(|(_, one)| one.context != of.context)
    {
        let [first, context] = [*first, of.context].map(name);
        let [other, its] = [*other, another.context].map(name);
        found.push(("context", format!("{told}: {other} is of {its}, and {first} of {context}")));
    }
    if let Some(low) = lower_half(call, objects) {
        let says = format!("its lower half is {low}: is that a variable of 4 bytes, passed as 8?");
        found.push(("argument", format!("{told}: {says}")));
    }
    let accesses = objects.accesses(call);
    for access in &accesses {
        let Some(object) = objects.get(call, access.buffer) else { continue };
        if object.maps.iter().any(|map| clashes(call, access, map)) {
            let says = format!("{told}, while {} is mapped", name(access.buffer));
            found.push(("mapped", says));
        }
        let is_written = |one: &Access| one.buffer == access.buffer && one.writes;
        let may_write = accesses.iter().any(is_written) || call.maps_to_write();
        if ["buffer", "image"].contains(&object.noun) && !object.is_written && !may_write {
            let says = format!("{told}: nobody has written {}", name(access.buffer));
            found.push(("unwritten", says));
        }
    }
    found
}

/// Of an argument of eight bytes the lower four, where these look like its value, and the upper four
/// like what lay beside it.
fn lower_half(call: &Call, objects: &Objects) -> Option<String> {
    let kernel = objects.get(call, call.number("kernel"))?;
    let parameter = kernel.parameters.get(call.number("index") as usize)?;
    let value = call.number("value");
    let (low, high) = (value as u32, (value >> 32) as u32);
    let is_small = |half: u32| (1..1 << 24).contains(&half);
    let is_usual = |of: f64| (1e-6..1e9).contains(&of.abs());
    match &*parameter.of {
        "long" | "ulong" | "size_t" => (is_small(low) && is_small(high)).then(|| low.to_string()),
        "double" if !(1e-100..1e100).contains(&f64::from_bits(value).abs()) => {
            let low = f32::from_bits(low);
            is_usual(low.into()).then(|| low.to_string())
        }
        _ => None,
    }
}

/// Whether a command must not touch what is mapped so. A kernel may leave alone what it is given,
/// so it is held against a whole buffer that the host writes, and nothing less.
fn clashes(call: &Call, access: &Access, map: &Mapping) -> bool {
    let (map_bytes, bytes): (&Range<u64>, &Range<u64>) = (&map.bytes, &access.bytes);
    if call.name.contains("Map") || call.name.contains("Unmap") {
        return false;
    }
    if call.is_launch() {
        return map.writes && map_bytes.start <= bytes.start && bytes.end <= map_bytes.end;
    }
    overlap(map_bytes, bytes) && (map.writes || access.writes)
}

impl Process {
    fn hear(&mut self, call: &Call, objects: &Objects) -> Vec<Found> {
        let name = &*call.name;
        let told = sentence(call, objects);
        let is_tidying = call.is_query() || name.starts_with("clRelease");
        let mut found = Vec::new();
        if let Some(error) = self.failed.take_if(|_| !is_tidying) {
            found.push(("error", error));
        }
        if name == "clGetProgramBuildInfo" {
            self.unread_logs.remove(&call.number("of"));
        }
        if let Some(error) = story::error(call) {
            // Who asks may be told no; but not of times, which the queue must be asked for.
            if ["clBuildProgram", "clCompileProgram"].contains(&name) {
                let says = format!("{told}: {error}");
                self.unread_logs.insert(call.number("program"), says);
            } else if !call.is_query() || name == "clGetEventProfilingInfo" {
                self.failed = Some(format!("{told}: {error}"));
            }
            return found;
        }
        let finished = self.finished.take_if(|_| !is_tidying);
        found.extend(self.waits_between(call, objects, &told));
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
            _ if call.tells_an_end() => drop(self.order.ended(&[call.number("of")])),
            "clCreateUserEvent" => self.order.forget(call.number("result")),
            "clBuildProgram" => found.extend(self.build(call, objects, &told)),
            "clSetEventCallback" => drop(self.order.ended(&[call.number("event")])),
            _ if call.is_command() => {
                if call.is_blocking() && finished == Some(call.number("queue")) {
                    let says = format!("clFinish, just before: {told} for all before it, too");
                    found.push(("wait", says));
                }
                found.extend(self.command(call, objects, &told));
            }
            _ => {}
        }
        found
    }

    /// A program was built, perhaps again.
    fn build(&mut self, call: &Call, objects: &Objects, told: &str) -> Option<Found> {
        let program = objects.get(call, call.number("program"));
        let program = program.filter(|program| program.source != 0)?;
        let (options, devices) = (call.text("options").into(), call.numbers("devices"));
        let what = (program.context, program.source, options, devices);
        if let Some(before) = self.built.get(&what) {
            let says = format!("{before}, and later the same source with the same options");
            return Some(("build", says));
        }
        self.built.insert(what, told.into());
        None
    }

    /// A launch after a wait after launches in the same queue: the host has looked at nothing.
    fn waits_between(&mut self, call: &Call, objects: &Objects, told: &str) -> Option<Found> {
        const NO_LOOK: [&str; 3] = ["clSetKernelArg", "clRelease", "clFlush"];
        let queue = call.number("queue");
        let name = &*call.name;
        if ["clFinish", "clWaitForEvents"].contains(&name) {
            let mut queues = std::mem::take(&mut self.launched).into_iter();
            let alone = queues.next().filter(|queue| *queue != 0);
            let alone = alone.filter(|_| queues.next().is_none());
            self.waited = alone.map(|queue| (queue, told.into()));
        } else if call.is_launch() && objects.is_in_order(call) {
            self.launched.insert(queue);
            let before = self.waited.take().filter(|(waited, _)| *waited == queue);
            return before.map(|(_, told)| ("between", told));
        } else if !NO_LOOK.iter().any(|begin| name.starts_with(begin)) {
            self.waited = None;
            self.launched.extend(call.is_command().then_some(0));
        }
        None
    }

    fn command(&mut self, call: &Call, objects: &Objects, told: &str) -> Vec<Found> {
        let mut found = Vec::new();
        if let Some(clash) = self.order.command(call, objects, told) {
            found.push(("order", format!("{told}; and before it {clash}")));
        }
        let name = &*call.name;
        let is_read = name == "clEnqueueReadBuffer";
        let is_write = name == "clEnqueueWriteBuffer";
        if is_write && call.is_blocking() {
            found.push(("blocking-write", told.into()));
        } else if is_write {
            self.left.insert(call.number("command"), told.into());
        }
        if !call.is_blocking() && (is_read || name.contains("Map") || name.contains("Kernel")) {
            self.to_await.push((place(call, objects), told.into()));
        }
        let hash = call.args["bytes"].as_u64();
        for Access { buffer, bytes, writes } in objects.accesses(call) {
            let known = hash.map(|hash| (bytes.clone(), hash));
            let is_same = known.is_some() && self.content.get(&buffer) == known.as_ref();
            let is_unused = || self.unused.get(&buffer) == Some(&bytes);
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
                Some(known) => drop(self.content.insert(buffer, known)),
                None if writes => drop(self.content.remove(&buffer)),
                None => {}
            }
            if is_write {
                self.unused.insert(buffer, bytes);
            } else {
                self.unused.remove(&buffer);
            }
        }
        found
    }
}
