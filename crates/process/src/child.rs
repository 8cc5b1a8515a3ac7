//! One child: the lesson once more, in a process that is watched.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use common::death::{self, Death, How};
use common::error::{Error, Result};
use common::stage::Stage;
use diagnostics::terminal::show_error;

use crate::ask::end_with_us;
use crate::environment::{Environment, are_all_loaded, drivers_that_load};
use crate::events::{self, EVENTS_VARIABLE, Event};
use crate::{Orders, Pause};

/// How long a child may take to end once it has said that it leaves. A driver was
/// once seen to stop for good while its threads ended; by then nothing is lost with
/// the process. Also how long drivers may take to be loaded before it is asked which hangs.
const TEARDOWN: Duration = Duration::from_secs(5);

/// How often a child that says nothing new is looked at more closely.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// How a child came to its end.
pub enum End {
    /// By itself, with this status, which it had announced.
    Exit(u8),
    /// It crashed, was ended because it hung, its driver ended it, or its device failed.
    Died(Death),
}

/// Runs this very command again and waits for its end; `None` when `pause` asked for
/// an early one.
pub fn run(
    orders: &Orders,
    environment: &Environment,
    events: &Path,
    pause: Pause,
) -> Result<Option<End>> {
    let this = std::env::current_exe()?;
    let mut command = Command::new(&this);
    end_with_us(&mut command)
        .args(std::env::args_os().skip(1))
        .env(EVENTS_VARIABLE, events)
        .envs(environment.iter().cloned());
    let child = command.spawn().map_err(|error| Error::File {
        path: this,
        why: not_started(&error),
    })?;
    wait(child, events, orders, are_all_loaded(environment), pause)
}

fn not_started(error: &std::io::Error) -> String {
    let limits = death::limits_in_words();
    // No more files, or no more processes.
    let is_refused = error.kind() != ErrorKind::NotFound && !limits.is_empty();
    let advice = if is_refused {
        format!("likely cause: a limit that is set here: {limits}\n  next: raise it")
    } else {
        "likely cause: it was rebuilt while it ran, and nothing is wrong with your file\n  \
         next: the same command once more"
            .into()
    };
    format!("it cannot be started again ({error})\n  {advice}")
}

/// Waits for the child; ends it when nothing new was begun for as long as the orders say, when it
/// does not come to the end that it has announced, and when `pause` says so. Where it `may_ask`,
/// it asks which driver hangs that is long in loading.
fn wait(
    mut child: Child,
    path: &Path,
    orders: &Orders,
    mut may_ask: bool,
    pause: Pause,
) -> Result<Option<End>> {
    let length = || std::fs::metadata(path).map_or(0, |file| file.len());
    let timeout = orders.timeout;
    let patience = timeout.min(TEARDOWN);
    let (mut size, mut since, mut look) = (0, Instant::now(), patience);
    let mut doze = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return end(status, &events::read(path)).map(Some);
        }
        let mut end = None;
        let is_new = length() != size;
        size = length();
        if is_new && !orders.in_all {
            (since, look) = (Instant::now(), patience);
        } else if since.elapsed() > look {
            // Now and then only: what is being timed may need this very core.
            look = since.elapsed() + LOOK_AGAIN;
            let events = events::read(path);
            end = match events.last() {
                // A person may take any time.
                Some(Event::Paused) => None,
                Some(Event::Leaving(status)) => Some(end_by_itself(*status, &events)),
                Some(Event::Doing(Stage::Loading)) if may_ask => {
                    may_ask = false;
                    let hangs = drivers_that_load().is_some() && length() == size;
                    hangs.then(|| no_end(&events, since.elapsed()))
                }
                Some(Event::Trial { begun, limit, .. })
                    if begun.elapsed().is_ok_and(|taken| taken > *limit) =>
                {
                    Some(no_end(&events, *limit))
                }
                _ if since.elapsed() > timeout => Some(no_end(&events, timeout)),
                _ => None,
            };
        }
        if end.is_some() || pause(doze) {
            child.kill()?;
            child.wait()?;
            return Ok(end);
        }
        doze = (doze * 2).min(Duration::from_millis(20));
    }
}

/// Of a child that has begun nothing new for so long.
fn no_end(events: &[Event], limit: Duration) -> End {
    died(events, How::NoEnd { limit })
}

fn died(events: &[Event], how: How) -> End {
    let taken = match how {
        How::NoEnd { limit } => limit,
        _ => Duration::ZERO,
    };
    let stage = events::doing(events);
    End::Died(Death { how, stage, taken })
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
        show_error(death::of_crash_at_the_end(status));
    }
    Ok(end_by_itself(*code, events))
}

fn end_by_itself(status: u8, events: &[Event]) -> End {
    let is_said = |event: &&Event| !matches!(event, Event::Leaving(_));
    match (status, events.iter().rev().find(is_said)) {
        (5, Some(Event::Failed(how))) => died(events, How::Device(how.clone())),
        _ => End::Exit(status),
    }
}

#[cfg(all(test, unix))]
mod tests;
