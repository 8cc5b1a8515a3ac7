//! What is kept in order: by a queue, by events, and by the host, which waits.

use std::collections::{BTreeMap, HashMap};

use crate::line::Call;
use crate::objects::{Access, Objects, overlap};

/// Of each queue, how many of its commands have ended before. A queue that is not in order has
/// a number for each command, as if that were alone in a queue.
type Clock = BTreeMap<u64, u64>;

/// A command in the middle of all others.
#[derive(Clone, Debug)]
struct Command {
    /// Its queue, or what stands for it.
    chain: u64,
    number: u64,
    told: String,
    access: Access,
}

/// The order of a process's commands.
#[derive(Default)]
pub struct Order {
    /// What each queue's last command comes after.
    queues: HashMap<u64, Clock>,
    events: HashMap<u64, Clock>,
    /// What the host knows to have ended.
    host: Clock,
    /// The last ones of each buffer: a chain's last reading and last writing of each part.
    before: HashMap<u64, Vec<Command>>,
}

fn join(clock: &mut Clock, other: &Clock) {
    for (chain, number) in other {
        let known = clock.entry(*chain).or_default();
        *known = (*known).max(*number);
    }
}

/// A command's place: its queue, or what stands for it, and its number.
pub fn place(call: &Call, objects: &Objects) -> (u64, u64) {
    let number = call.number("command");
    // No object's address has the highest bit.
    let chain = if objects.is_in_order(call) { call.number("queue") } else { number | 1 << 63 };
    (chain, number)
}

impl Order {
    /// A command was put into a queue: how one before it is told that touches the same bytes, and
    /// that it does not wait for.
    pub fn command(&mut self, call: &Call, objects: &Objects, told: &str) -> Option<String> {
        let (queue, (chain, number)) = (call.number("queue"), place(call, objects));
        let mut clock = self.host.clone();
        let is_barrier = call.name.contains("Barrier") || call.name.contains("Marker");
        if let Some(last) = self.queues.get(&queue).filter(|_| chain == queue || is_barrier) {
            join(&mut clock, last);
        }
        for event in call.numbers("waits") {
            join(&mut clock, self.events.get(&event).unwrap_or(&Clock::new()));
        }
        let mut clash = None;
        let accesses = objects.accesses(call);
        for access in &accesses {
            let before = self.before.get(&access.buffer).into_iter().flatten();
            let mut unordered = before.filter(|one| {
                overlap(&one.access.bytes, &access.bytes)
                    && (one.access.writes || access.writes)
                    && clock.get(&one.chain) < Some(&one.number)
            });
            clash = clash.or_else(|| Some(unordered.next()?.told.clone()));
        }
        clock.insert(chain, number);
        for access in accesses {
            let before = self.before.entry(access.buffer).or_default();
            before.retain(|one| one.chain != chain || one.access != access);
            let told = told.into();
            before.push(Command { chain, number, told, access });
        }
        if call.number("event") != 0 {
            self.events.insert(call.number("event"), clock.clone());
        }
        let last = self.queues.entry(queue).or_default();
        join(last, &clock);
        if call.is_blocking() {
            join(&mut self.host, &clock);
        }
        clash
    }

    /// The host has waited for all of a queue; whether there was anything to wait for.
    pub fn finish(&mut self, queue: u64) -> bool {
        let all = self.queues.get(&queue).cloned().unwrap_or_default();
        self.wait(&all)
    }

    /// The host knows that these events' commands have ended; whether that is new.
    pub fn ended(&mut self, events: &[u64]) -> bool {
        let mut all = Clock::new();
        for event in events {
            // One that is not known, as a user's own, may be worth any wait.
            let Some(clock) = self.events.get(event) else { return true };
            join(&mut all, clock);
        }
        self.wait(&all)
    }

    /// An event is the program's own to end, whatever was at its address before.
    pub fn forget(&mut self, event: u64) {
        self.events.remove(&event);
    }

    fn wait(&mut self, clock: &Clock) -> bool {
        let mut all = clock.iter();
        let is_new = all.any(|(chain, number)| self.host.get(chain) < Some(number));
        join(&mut self.host, clock);
        is_new
    }

    /// Whether the host knows that the command at this place has ended.
    pub fn has_ended(&self, (chain, number): (u64, u64)) -> bool {
        self.host.get(&chain) >= Some(&number)
    }
}
