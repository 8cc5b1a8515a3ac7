//! Waits for a worker's end: by itself, by a crash, or by us where it does not come.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, ffi::OsString, fs, thread};

use common::{Result, error::Kind, stage::Death, stage::How};

use crate::events::{Event, EventsFile, Written};

/// How long a child may take to end once it has said that it leaves. A driver was
/// once seen to stop for good while its threads ended; by then nothing is lost with
/// the process.
const TEARDOWN: Duration = Duration::from_secs(5);

/// How often a child that says nothing new is looked at more closely.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// So many times its limit a stage may take where others have the cores.
const STARVED: u32 = 20;

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
    // When it had told so much, and how long it had waited for a core soon after.
    let (mut size, mut since, mut look, mut waits) = (0, Instant::now(), soon, None);
    let mut doze = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(of_status(status, &events.read())));
        }
        let mut end = None;
        let (told, taken) = (length(), since.elapsed());
        if told != size {
            (size, since, look, waits) = (told, Instant::now(), soon, None);
            let stays = child.stdin.is_some();
            if stays && matches!(events.read().last(), Some(Event::Done)) {
                return Ok(Some(End::Idle));
            }
        } else if taken > look {
            // Now and then only: what is being timed may need this very core.
            look = taken + LOOK_AGAIN;
            let waits = waits.get_or_insert_with(|| Waits::of(child.id()));
            if waits.from.elapsed() > patience {
                end = too_long(waits, &events.read(), timeout);
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

/// The end of a child that has told nothing new meanwhile, where what it does takes longer than it
/// may. Who gets no core is given time.
fn too_long(waits: &Waits, written: &Written, timeout: Duration) -> Option<End> {
    let stage = match written.last() {
        // A person may take any time.
        Some(Event::Paused) => return None,
        Some(Event::Leaving(status)) => return Some(end_by_itself(status, written)),
        Some(Event::Trial { begun, limit, .. })
            if begun.elapsed().is_ok_and(|taken| taken > limit) =>
        {
            return Some(died(written, How::NoEnd(limit)));
        }
        _ => written.stage(),
    };
    let (limit, taken) = (stage.limit(timeout), waits.from.elapsed());
    let is_over = taken.saturating_sub(waits.since()) > limit || taken > STARVED * limit;
    is_over.then(|| died(written, How::NoEnd(limit)))
}

fn died(written: &Written, how: How) -> End {
    End::Died(Death { how, stage: written.stage() })
}

fn of_status(status: ExitStatus, written: &Written) -> End {
    let (how, last) = (How::of(status), written.last());
    // It has said nothing at all: it did not come as far as to a driver, and has told why.
    if let (Some(code), None) = (status.code(), &last) {
        return End::Exit(code as u8);
    }
    // Whatever ends without that word was ended: a driver that calls exit() has a status,
    // too, and it means nothing here.
    let (false, Some(Event::Leaving(code))) = (matches!(how, How::Stopped(_)), last) else {
        return died(written, how);
    };
    if status.code().is_none() {
        let told = format!(
            "the process died ({}) when all was done, and what it said stands\n  \
             likely cause: the driver does not end cleanly, or a kernel wrote where nobody looked\n  \
             next: {}   sees every access",
            how.in_short(),
            common::command::course("inspect FILE")
        );
        diagnostics::terminal::show_error("", &told);
    }
    end_by_itself(code, written)
}

fn end_by_itself(status: u8, written: &Written) -> End {
    let is_said = |event: &Event| !matches!(event, Event::Leaving(_));
    if status == 5
        && let Some(Event::Failed(failure)) = written.events().rfind(is_said)
        && failure.kind == Kind::OpenCl
    {
        return died(written, How::Device(failure.told));
    }
    End::Exit(status)
}

/// The time that each thread of a process was ready to run and got no core, where others have all of
/// them. Linux alone tells.
pub struct Waits {
    /// Its number, or "self".
    process: String,
    /// Since when.
    pub from: Instant,
    threads: BTreeMap<OsString, Duration>,
}

impl Waits {
    /// Up to now.
    pub fn of(process: impl ToString) -> Waits {
        let process = process.to_string();
        let entries = fs::read_dir(format!("/proc/{process}/task"));
        let threads = entries.into_iter().flatten().flatten();
        let waited = threads.filter_map(|thread| {
            // On a core, waiting for one, and how often; in nanoseconds.
            let told = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            let waited = told.split_whitespace().nth(1)?.parse().ok()?;
            Some((thread.file_name(), Duration::from_nanos(waited)))
        });
        let threads = waited.collect();
        Waits { process, from: Instant::now(), threads }
    }

    /// What has come to it by now, of the thread that waited longest.
    pub fn since(&self) -> Duration {
        let now = Waits::of(&self.process).threads.into_iter();
        let more = now.map(|(thread, waited)| {
            let before = self.threads.get(&thread).copied();
            waited.saturating_sub(before.unwrap_or_default())
        });
        more.max().unwrap_or_default()
    }
}

#[cfg(all(test, unix))]
mod tests;
