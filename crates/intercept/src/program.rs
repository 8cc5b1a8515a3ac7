//! A program with the layer in it, and its lines while it runs.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use common::device::drivers::{ICD_VARIABLE, LIBRARY_VARIABLE};
use common::{Error, Result};
use watchdog::{Signals, end_group, end_with_us, in_a_group, scratch::Scratch};

use crate::line::{Call, Line, VARIABLE};

/// How the loader is told of layers.
const LAYERS: &str = "OPENCL_LAYERS";

/// How a program ended.
pub struct End {
    /// Its status; none where it made no call, came to no end for too long, and was ended.
    pub status: Option<ExitStatus>,
    /// The calls that had not returned.
    pub inside: Vec<Call>,
}

/// Runs a program to its end and passes on each line. With `patience`, one that makes no call
/// for so long is ended, and all that it started with it.
///
/// # Errors
/// Where it cannot be started.
pub fn run(
    command: &mut Command,
    patience: Option<Duration>,
    mut hear: impl FnMut(Line),
) -> Result<End> {
    let layer = watchdog::library("intercept")?;
    let others = std::env::var(LAYERS).map_or(String::new(), |others| format!("{others}:"));
    let folder = Scratch::new()?;
    let path = folder.0.join("calls");
    let cannot = |error| Error::temporary(&path, &error);
    File::create(&path).map_err(cannot)?;
    let mut lines = BufReader::new(File::open(&path).map_err(cannot)?);
    through_the_loader(command, &folder)?;
    command.env(LAYERS, format!("{others}{}", layer.display())).env(VARIABLE, &path);
    end_with_us(command);
    if patience.is_some() {
        in_a_group(command);
    }
    // What is meant for the program on this terminal ends that, and not us.
    let signals = Signals::heard();
    let mut child = command.spawn().map_err(|error| {
        let why = format!("it cannot be started ({error})");
        Error::file(command.get_program().as_ref(), why)
    })?;
    let mut inside: Vec<Call> = Vec::new();
    let mut since = Instant::now();
    let mut text = String::new();
    let status = loop {
        // Looked at before the lines: what it wrote at last is read, too.
        let status = child.try_wait()?;
        while lines.read_line(&mut text)? > 0 && text.ends_with('\n') {
            since = Instant::now();
            if let Ok(line) = serde_json::from_str(&text) {
                match &line {
                    Line::Begin(call) => inside.push(call.clone()),
                    Line::Call(call) => inside.retain(|one| {
                        (one.process, one.thread, one.at) != (call.process, call.thread, call.at)
                    }),
                    _ => {}
                }
                hear(line);
            }
            text.clear();
        }
        if status.is_some() {
            break status;
        }
        if patience.is_some_and(|patience| since.elapsed() > patience) {
            end_group(&mut child);
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
        if signals.came() {
            // It came to us alone, perhaps, so it is passed on.
            signals.forget();
            let _ = child.kill();
        }
    };
    signals.forget();
    Ok(End { status, inside })
}

/// A driver that opencl3 would load by its path is named to the loader: only that has layers.
fn through_the_loader(command: &mut Command, folder: &Scratch) -> Result<()> {
    let set = command.get_envs().find(|(name, _)| *name == LIBRARY_VARIABLE);
    let set = set.and_then(|(_, value)| value.map(std::ffi::OsString::from));
    let Some(driver) = set.or_else(|| std::env::var_os(LIBRARY_VARIABLE)) else { return Ok(()) };
    let vendors = folder.0.join("vendors");
    std::fs::create_dir(&vendors)?;
    std::fs::write(vendors.join("driver.icd"), driver.as_encoded_bytes())?;
    command.env_remove(LIBRARY_VARIABLE).env(ICD_VARIABLE, vendors);
    Ok(())
}
