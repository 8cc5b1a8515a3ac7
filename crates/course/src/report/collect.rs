//! Runs the parts of a report one after another, each in a child process, and
//! keeps what each measured as soon as it is done.

use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use common::record::Record;
use common::shape::Shape;
use indicatif::{ProgressBar, ProgressStyle};
use toolbox::lessons::LESSONS;

use super::model::{Done, Part, Report, Work};

/// Runs what is left of the report; `keep` is called after every part.
pub fn run(report: &mut Report, keep: impl Fn(&Report) -> Result<()>) -> Result<()> {
    let bar = progress_bar(report.planned.len());
    for part in report.left() {
        let name = part.name();
        bar.set_position(report.done.len() as u64);
        bar.set_message(format!("{}{name}", time_left(report)));
        let begin = Instant::now();
        let (records, failed) = match command(report, &part)? {
            Some(command) => child(command, |kernel| {
                bar.set_message(format!("{}{name}: {kernel}", time_left(report)));
            })
            .with_context(|| {
                format!("{name} could not be run (just rebuilt?); the same command goes on")
            })?,
            None => Default::default(),
        };
        let seconds = begin.elapsed().as_secs_f64();
        if let Some(why) = &failed {
            let first = why.lines().next().unwrap_or_default();
            bar.suspend(|| eprintln!("  {name} failed: {first}"));
        }
        report.done.push(Done {
            part,
            seconds,
            records,
            failed,
        });
        keep(report)?;
        if bar.is_hidden() {
            eprintln!(
                "  {} of {}  {}{name} took {seconds:.1} s",
                report.done.len(),
                report.planned.len(),
                time_left(report)
            );
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn progress_bar(parts: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(parts as u64);
    let template = "  {spinner} {bar:12.cyan} {pos}/{len} {elapsed} {wide_msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("▇▇ "));
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// "3 min left, ": from what each part so far took. A larger product takes
/// longer, though not in proportion, since fast kernels are run more often.
fn time_left(report: &Report) -> String {
    let weight = |part: &Part| part.size.map_or(1.0, |size| 1.0 + size.flop() / 1e9);
    let done: f64 = report.done.iter().map(|done| weight(&done.part)).sum();
    let seconds: f64 = report.done.iter().map(|done| done.seconds).sum();
    if done == 0.0 {
        return String::new();
    }
    let left: f64 = report.left().iter().map(weight).sum();
    match left * seconds / done {
        0.0 => String::new(),
        s if s < 90.0 => format!("{:.0} s left, ", s.ceil()),
        s => format!("{:.0} min left, ", (s / 60.0).ceil()),
    }
}

/// The command of a part; none for a library where no lesson gave a product to
/// compare it on.
fn command(report: &Report, part: &Part) -> Result<Option<Command>> {
    let mut command;
    match part.work {
        Work::Lesson(number) => {
            let lesson = LESSONS.iter().find(|lesson| lesson.number == number);
            command = Command::new(lesson.context("a lesson of the plan")?.binary()?);
            command.arg("--json");
            if let Some(size) = part.size {
                command.args(["--size", &size.to_string()]);
            }
        }
        Work::Peer(peer) => {
            let Some(shape) = product(report, part) else {
                return Ok(None);
            };
            command = Command::new(std::env::current_exe()?);
            command.args(["peer", peer.argument(), "--size", &shape.to_string()]);
            // What a lesson's child gets: libraries are measured as the kernels are.
            command.envs(supervise::environment());
        }
    }
    command.args(["--device", &part.device.to_string()]);
    if let Some(runs) = report.settings.runs {
        command.args(["--runs", &runs.to_string()]);
    }
    Ok(Some(command))
}

/// The shape of the products that lessons computed beside this part.
fn product(report: &Report, part: &Part) -> Option<Shape> {
    let beside = report
        .done
        .iter()
        .filter(|done| done.part.device == part.device && done.part.size == part.size);
    let timed = beside
        .flat_map(|done| &done.records)
        .find(|record| record.gflops.is_some() && record.platform != "host");
    let of = |record: &Record| Shape {
        m: record.m,
        n: record.n,
        k: record.k,
    };
    timed.map(of).or(part.size)
}

/// Runs a child to its end: its records, and its error if it ended with one.
/// `told` hears of each kernel.
fn child(mut command: Command, told: impl Fn(&str)) -> Result<(Vec<Record>, Option<String>)> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stderr = child.stderr.take().context("a pipe")?;
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        // What cannot be read is not told.
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut records = Vec::new();
    for line in BufReader::new(child.stdout.take().context("a pipe")?).lines() {
        // A lesson may print lines of other kinds.
        if let Ok(record) = serde_json::from_str::<Record>(&line?) {
            told(&record.kernel);
            records.push(record);
        }
    }
    let status = child.wait()?;
    let errors = errors.join().unwrap_or_default();
    if was_stopped(status) {
        bail!("it was stopped; the same command goes on from here");
    }
    Ok((records, (!status.success()).then(|| why(status, &errors))))
}

/// The message of an error, without what the driver wrote besides.
fn why(status: ExitStatus, errors: &str) -> String {
    match errors.find("error:") {
        Some(at) => errors[at + "error:".len()..].trim().to_string(),
        None => format!("it ended with {status}"),
    }
}

#[cfg(unix)]
fn was_stopped(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const BY_THE_USER: [i32; 2] = [2, 15];
    status
        .signal()
        .is_some_and(|signal| BY_THE_USER.contains(&signal))
}

#[cfg(not(unix))]
fn was_stopped(_: ExitStatus) -> bool {
    false
}

/// Makes the folder of a report.
pub fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}
