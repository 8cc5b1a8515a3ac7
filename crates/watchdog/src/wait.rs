//! Waits for a worker's end: by itself, by a crash, or by us where it does not come.

use std::fs;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use common::command;
use common::death::{Death, How};
use common::error::Kind;
use common::error::Result;
use diagnostics::terminal::show_error;

use crate::events::{self, Event, EventsFile};
use crate::waits::Waits;

/// How long a child may take to end once it has said that it leaves. A driver was
/// once seen to stop for good while its threads ended; by then nothing is lost with
/// the process.
const TEARDOWN: Duration = Duration::from_secs(5);

/// How often a child that says nothing new is looked at more closely.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// So many times its limit a stage may take where others have the cores.
const STARVED: u32 = 20;

/// The time that a process, and what it has started and awaited, had a core. Linux alone tells.
fn cpu_time(child: &Child) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // Behind the name, which may hold anything: utime, stime, cutime and cstime, in hundredths of a
    // second.
    let figures = stat.rsplit_once(')')?.1.split_whitespace();
    let ticks = figures.skip(11).take(4).map(|one| one.parse().unwrap_or(0));
    Some(Duration::from_millis(10 * ticks.sum::<u64>()))
}

/// Waits for at most so long; true when the lesson is to be ended at once.
pub type Pause<'a> = &'a mut dyn FnMut(Duration) -> bool;

/// Waits, and asks for no early end.
pub(crate) fn patient(time: Duration) -> bool {
    thread::sleep(time);
    false
}

/// How a worker came to its end.
pub enum End {
    /// By itself, with this status, which it had announced.
    Exit(u8),
    /// It crashed, was ended because it hung, its driver ended it, or its device failed.
    Died(Death),
    /// Not at all: it awaits another task.
    Idle,
}

/// Waits for the child; ends it when what was begun last takes longer than it may, when it
/// does not come to the end that it has announced, and when `pause` says so.
pub(crate) fn wait(
    child: &mut Child,
    events: &EventsFile,
    timeout: Duration,
    pause: Pause,
) -> Result<Option<End>> {
    let length = || fs::metadata(&events.path).map_or(0, |file| file.len());
    let patience = timeout.min(TEARDOWN);
    let soon = LOOK_AGAIN.min(patience / 4);
    let (mut size, mut look) = (0, soon);
    let mut silence = Silence::of(child);
    let mut doze = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return end(status, &events.read()).map(Some);
        }
        let mut end = None;
        let is_new = length() != size;
        size = length();
        let stays = is_new && child.stdin.is_some();
        if stays && matches!(events.read().last(), Some(Event::Done)) {
            return Ok(Some(End::Idle));
        }
        let taken = silence.since.elapsed();
        if is_new {
            (silence, look) = (Silence::of(child), soon);
        } else if taken > look {
            // Now and then only: what is being timed may need this very core.
            look = taken + LOOK_AGAIN;
            silence.waits.get_or_insert_with(|| Waits::of(child.id()));
            if taken > patience {
                end = silence.too_long(child, &events.read(), timeout);
            }
        }
        if end.is_some() || pause(doze) {
            child.kill()?;
            child.wait()?;
            return Ok(end);
        }
        doze = (doze * 2).min(Duration::from_millis(20));
    }
}

/// The time since a child has said anything new.
struct Silence {
    since: Instant,
    /// What it had worked by then.
    worked: Duration,
    /// How long it had waited for a core, soon after.
    waits: Option<Waits>,
}

impl Silence {
    /// That begins now.
    fn of(child: &Child) -> Silence {
        Silence { since: Instant::now(), worked: cpu_time(child).unwrap_or_default(), waits: None }
    }

    /// Its end, where what it does takes longer than it may. Who gets no core is given time, and so
    /// is a compiler that is stopped.
    fn too_long(&self, child: &Child, events: &[Event], timeout: Duration) -> Option<End> {
        let stage = match events.last() {
            // A person may take any time.
            Some(Event::Paused) => return None,
            Some(Event::Leaving(status)) => return Some(end_by_itself(*status, events)),
            Some(Event::Trial { begun, limit, .. })
                if begun.elapsed().is_ok_and(|taken| taken > *limit) =>
            {
                return Some(no_end(events, *limit));
            }
            _ => events::doing(events),
        };
        let (limit, taken) = (stage.limit(timeout), self.since.elapsed());
        let waited = self.waits.as_ref().map_or(Duration::ZERO, Waits::since);
        let worked = cpu_time(child).filter(|_| stage.is_building());
        let is_stopped = worked.is_some_and(|all| all.saturating_sub(self.worked) < limit / 2);
        let is_over = taken.saturating_sub(waited) > limit && !is_stopped;
        (is_over || taken > STARVED * limit).then(|| no_end(events, limit))
    }
}

/// Of a child that has begun nothing new for so long.
fn no_end(events: &[Event], limit: Duration) -> End {
    died(events, How::NoEnd { limit })
}

fn died(events: &[Event], how: How) -> End {
    let stage = events::doing(events);
    End::Died(Death { how, stage })
}

fn end(status: ExitStatus, events: &[Event]) -> Result<End> {
    let how = How::of(status);
    // It has said nothing at all: it did not come as far as to a driver, and has told why.
    if let (Some(code), []) = (status.code(), events) {
        return Ok(End::Exit(code as u8));
    }
    // Whatever ends without that word was ended: a driver that calls exit() has a status,
    // too, and it means nothing here.
    let (false, Some(Event::Leaving(code))) = (matches!(how, How::Stopped(_)), events.last())
    else {
        return Ok(died(events, how));
    };
    if status.code().is_none() {
        show_error("", &of_crash_at_the_end(&how));
    }
    Ok(end_by_itself(*code, events))
}

/// Of a child that had done and said everything, and crashed on its way out.
fn of_crash_at_the_end(how: &How) -> String {
    format!(
        "the process died ({}) when all was done, and what it said stands\n  \
         likely cause: the driver does not end cleanly, or a kernel wrote where nobody looked\n  \
         next: {}   sees every access",
        how.in_short(),
        command::course("inspect FILE")
    )
}

fn end_by_itself(status: u8, events: &[Event]) -> End {
    let is_said = |event: &&Event| !matches!(event, Event::Leaving(_));
    match (status, events.iter().rev().find(is_said)) {
        (5, Some(Event::Failed(failure))) if failure.kind == Kind::OpenCl => {
            died(events, How::Device(failure.told.clone()))
        }
        _ => End::Exit(status),
    }
}

#[cfg(all(test, unix))]
mod tests;
