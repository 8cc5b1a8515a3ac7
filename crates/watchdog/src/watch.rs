//! `--watch`: the lesson once more after every save of its kernel file.
//!
//! The parent process watches, a child does the work each time. So whatever a
//! half-finished kernel does, not to compile, to crash, to hang, the loop goes on;
//! and a save that comes while a run is going on ends that run at once. Nothing
//! begins by itself: only a save starts a run.
//!
//! notify looks at the file twenty times a second, at its time and its bytes. So it does not
//! matter whether an editor writes into the file, or writes another and renames it, nor what
//! kind of drive it lies on; and what does not change the file (reading it, its permissions, a
//! neighbour) starts nothing.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use colored::Colorize;
use common::source::{Source, shortest};
use common::{Error, Result, record::Record, timing::Peak};
use diagnostics::{aside, terminal::stream::Stream, terminal::wrap::fitted};
use notify::{Config, Event, PollWatcher, RecursiveMode, Watcher};
use verify::numbers::{factor, significant};

use crate::ending::{Signals, clear_line, complain};
use crate::worker::{Orders, Work};

/// Runs the lesson, then again after each save of `path`, until Ctrl-C. Before
/// each run `must_suit` looks at the file. Whatever goes wrong in a run is printed, and
/// the loop goes on.
pub fn run(path: &Path, orders: &Orders, must_suit: impl Fn() -> Result<()>) -> Result<()> {
    Source::read(path)?;
    let mut saves = Saves::of(&[path], &shortest(path).display().to_string())?;
    let mut work = Work::as_typed(true)?;
    let mut rates = Rates::default();
    each_save(&mut saves, |saves| {
        let mut news = News::Nothing;
        let pause = &mut |time| {
            news = saves.wait(time);
            news != News::Nothing
        };
        let ended = must_suit().and_then(|()| crate::run_until(&work, orders, pause));
        match ended {
            Ok(Some(ended)) => {
                let lines = compared(&mut rates, &ended.records);
                if !lines.is_empty() && !orders.json {
                    let heading = "compared with the run before".bold();
                    writeln!(stdout(), "\n  {heading}\n{}", lines.join("\n"))?;
                }
                // The limits of one device hold for the next run as well: they are the device's.
                let measured = ended.records.iter().find_map(|record| record.limits);
                if let (false, Some(peak)) = (orders.all_devices, measured) {
                    work.env(LIMITS_VARIABLE, serde_json::to_string(&peak).unwrap_or_default());
                }
            }
            Ok(None) => clear_line(),
            Err(error) if error.is_closed_pipe() => return Err(error),
            Err(error) => {
                clear_line();
                complain(&error);
            }
        }
        Ok(news)
    })
}

/// Does something with a file, then again after each save of it, until Ctrl-C. What
/// happened to the file meanwhile is its answer.
pub fn each_save<E>(
    saves: &mut Saves,
    mut check: impl FnMut(&mut Saves) -> Result<News, E>,
) -> Result<(), E> {
    let mut why = "";
    loop {
        let line = format!("{}{why}: checking", saves.name);
        aside!("\n{}", line.bold().cyan());
        let mut news = check(saves)?;
        why = match news {
            News::Turned => " is next",
            _ => " saved (the run before was ended)",
        };
        if news == News::Nothing {
            why = " saved";
            let line = format!("watching: save {} to check it again, Ctrl-C ends", saves.name);
            aside!("\n{}", fitted(Stream::Error, &line).dimmed());
            news = saves.wait(FOREVER);
        }
        while news == News::Gone {
            aside!("  {} is gone; it will be checked when it is back", saves.name);
            news = saves.wait(FOREVER);
        }
        if news == News::Interrupted {
            clear_line();
            aside!("watching ended");
            return Ok(());
        }
    }
}

/// Set by a parent that has run the same child before, to the device's limits that
/// were measured then.
const LIMITS_VARIABLE: &str = "OPENCL_COURSE_LIMITS";

/// The child's side: the limits that the run before it measured. So a save is checked
/// sooner, and all runs are held against the same.
pub fn peak_of_earlier_run() -> Option<Peak> {
    serde_json::from_str(&std::env::var(LIMITS_VARIABLE).ok()?).ok()
}

/// As long as a learner thinks.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// The last rate of each kernel, by device, kernel and M, N, K.
type Rates = std::collections::HashMap<(String, String, verify::Shape), f64>;

/// What changed, a line for each kernel, whose new rates are remembered. One that did not build
/// or is wrong keeps its last rate, for when it is right again.
fn compared(rates: &mut Rates, records: &[Record]) -> Vec<String> {
    let on_devices = records.iter().filter(|record| record.platform != "host");
    let lines = on_devices.filter_map(|record| {
        let now = record.rate()?;
        let of = (record.device.clone(), record.kernel.clone(), record.shape());
        let before = rates.insert(of, now)?;
        Some(line(record, before, now))
    });
    lines.collect()
}

/// Green where it is faster, red where it is slower, by more than chance makes it.
fn line(record: &Record, before: f64, now: f64) -> String {
    const CHANCE: f64 = 0.05;
    let [from, to] = [before, now].map(significant);
    let times = factor(now / before);
    let change = format!("{from} -> {to} {}, {times}", record.unit());
    let change = match now / before {
        up if up > 1.0 + CHANCE => change.green(),
        down if down < 1.0 - CHANCE => change.red(),
        _ => change.normal(),
    };
    format!("  {:<34}{change}", record.kernel)
}

/// How often the file is looked at.
const EVERY: Duration = Duration::from_millis(50);
/// A file that stays the same for so long is no longer being written.
const QUIET: Duration = Duration::from_millis(100);
/// A file that is missing or empty for longer than this is meant to be.
const PATIENCE: Duration = Duration::from_millis(500);

/// What is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Nothing.
    Nothing,
    /// The file was saved.
    Saved,
    /// The file is no longer there.
    Gone,
    /// Another file is watched from now on.
    Turned,
    /// Ctrl-C, or another polite request to end.
    Interrupted,
}

/// A file that is watched.
pub struct Saves {
    path: PathBuf,
    name: String,
    _watcher: PollWatcher,
    changes: Receiver<notify::Result<Event>>,
    signals: Signals,
}

impl Saves {
    /// Watches the first of these files, by this name for people, sees the saves of the others,
    /// too, and takes over Ctrl-C.
    pub fn of(files: &[&Path], name: &str) -> Result<Saves> {
        let (sender, changes) = channel();
        let config = Config::default().with_poll_interval(EVERY);
        let watcher = PollWatcher::new(sender, config.with_compare_contents(true));
        let failed = |error| Error::Io(std::io::Error::other::<notify::Error>(error));
        let mut watcher = watcher.map_err(failed)?;
        for file in files {
            let watched = watcher.watch(file, RecursiveMode::NonRecursive);
            watched.map_err(failed)?;
        }
        Ok(Saves {
            path: files[0].into(),
            name: name.into(),
            _watcher: watcher,
            changes,
            signals: Signals::heard(),
        })
    }

    /// Watches this file from now on, instead of those before.
    pub fn turn_to(&mut self, file: &Path, name: &str) -> Result<()> {
        let signals = std::mem::take(&mut self.signals);
        let saves = Saves::of(&[file], name)?;
        *self = Saves { signals, ..saves };
        Ok(())
    }

    /// Waits for something new, at most so long.
    pub fn wait(&mut self, time: Duration) -> News {
        let end = Instant::now() + time;
        loop {
            if self.signals.came() {
                self.signals.forget();
                return News::Interrupted;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.changes.recv_timeout(left.min(EVERY)) {
                Ok(Ok(_)) => return self.settled(),
                _ if left.is_zero() => return News::Nothing,
                _ => {}
            }
        }
    }

    /// What became of the file, when it has been written to its end.
    fn settled(&self) -> News {
        let begin = Instant::now();
        loop {
            // An error is a file that is not there.
            while matches!(self.changes.recv_timeout(QUIET), Ok(Ok(_))) {}
            match std::fs::metadata(&self.path) {
                Ok(file) if file.len() > 0 || begin.elapsed() > PATIENCE => return News::Saved,
                Err(_) if begin.elapsed() > PATIENCE => return News::Gone,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(gflops: f64) -> Record {
        Record { kernel: "matmul_naive".into(), gflops: Some(gflops), ..Record::default() }
    }

    #[test]
    fn a_rate_stands_beside_the_one_before() {
        colored::control::set_override(false);
        let shown = line(&record(512.0), 478.0, 512.0);
        assert!(shown.ends_with("478 -> 512 GFLOP/s, 1.07x"), "{shown}");
    }

    #[test]
    fn a_wrong_result_between_two_right_ones_is_passed_over() {
        let mut rates = Rates::default();
        let wrong = Record { gflops: None, ..record(0.0).fail("wrong") };
        for records in [[record(100.0)], [wrong]] {
            assert!(compared(&mut rates, &records).is_empty());
        }
        assert_eq!(compared(&mut rates, &[record(200.0)]).len(), 1);
    }
}
