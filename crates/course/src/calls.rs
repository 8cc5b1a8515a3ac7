//! `course calls`: the OpenCL calls of any program, each in a sentence, and what they come to.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result};
use calls::findings::{Finding, Findings, KINDS};
use calls::line::{Call, Line};
use calls::objects::Objects;
use calls::program::{self, End};
use calls::story::{error, order, sentence, time};
use calls::time_line::TimeLine;
use colored::Colorize;
use common::numbers::{bytes, count};
use process::{cause_of_death, fallback_driver};
use serde_json::json;
use text::plain;

/// The flags of `course calls`.
#[derive(clap::Args)]
pub struct Options {
    /// The program and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
    /// Say what the calls come to, and not each of them
    #[arg(long)]
    summary: bool,
    /// Leave out the calls that only ask
    #[arg(long)]
    no_queries: bool,
    /// Draw when each queue's commands ran, into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write to this file, and not to standard error
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// End the program when it has made no call for so long
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Runs the program, tells its calls, and ends with its exit status.
pub fn calls(options: &Options) -> Result<ExitCode> {
    let mut out: Box<dyn Write> = match &options.output {
        Some(path) => Box::new(
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?,
        ),
        None => Box::new(stderr()),
    };
    let mut command = Command::new(&options.program[0]);
    command.args(&options.program[1..]);
    command.envs(fallback_driver());
    let (mut findings, mut time_line) = (Findings::default(), TimeLine::default());
    let mut begin = None;
    let mut written = Ok(());
    let patience = options.timeout.map(Duration::from_secs);
    let end = program::run(&mut command, patience, |line| {
        findings.hear(&line);
        time_line.hear(&line, &findings.objects);
        if written.is_err() || options.summary {
            return;
        }
        written = match &line {
            _ if options.json => serde_json::to_string(&line)
                .map_err(Into::into)
                .and_then(|line| writeln!(out, "{line}")),
            Line::Call(call) if !(options.no_queries && call.is_query()) => {
                let begin = *begin.get_or_insert(call.begin.at);
                // Another process or thread may have begun before.
                let at = call.begin.at.saturating_sub(begin);
                writeln!(out, "{}", told(call, at, &findings.objects))
            }
            _ => Ok(()),
        };
    })?;
    written?;
    let svg = time_line.svg();
    if let Some((path, svg)) = options.svg.as_ref().zip(svg.as_ref()) {
        fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let by_itself = end.status.is_some_and(|status| status.code().is_some());
    let found = findings.all(by_itself);
    if options.json {
        for finding in &found {
            writeln!(out, "{}", json!(finding))?;
        }
    } else {
        summary(&mut out, &findings, &found)?;
    }
    if let Some(how) = how_it_ended(&end, patience) {
        writeln!(out, "{} {how}", "✗".red().bold())?;
    }
    if findings.calls.is_empty() {
        writeln!(out, "{NO_CALL}")?;
    }
    // As a shell has it.
    let code = end.status.map_or(Some(124), |status| status.code());
    Ok(ExitCode::from(code.unwrap_or(5) as u8))
}

const NO_CALL: &str = "\
No OpenCL call was seen: the program makes none, or loads a driver past the system's loader, or that
loader knows no layers. ocl-icd does since 2.3 (Debian 12, Ubuntu 22.04), and Khronos's OpenCL-ICD-Loader
does since 2021 (in Debian: khronos-opencl-headers' sibling `libopencl1`; or build it from its repository).";

/// "  12.3 ms  45.6 us  clFinish  waits for all of queue 1".
fn told(call: &Call, at: u64, objects: &Objects) -> String {
    let (at, took) = (at as f64 / 1e6, time(call.took));
    let failed = error(call).map_or(String::new(), |error| {
        format!("\n{:23}{} {}", "", "✗".red().bold(), plain(&error))
    });
    let says = plain(&(sentence(call, objects) + &order(call, objects)));
    format!(
        "{at:>9.3} ms {took:>9}  {} {says}{failed}",
        call.begin.call.cyan()
    )
}

fn summary(out: &mut dyn Write, findings: &Findings, found: &[Finding]) -> Result<()> {
    let calls = &findings.calls;
    let all: usize = calls.values().map(|(times, _)| times).sum();
    let took: u64 = calls.values().map(|(_, took)| took).sum();
    let [up, down] = findings.moved.map(bytes);
    writeln!(
        out,
        "\n{} in {}; {up} to the device, {down} back",
        count(all, "call"),
        time(took)
    )?;
    let mut longest: Vec<_> = calls.iter().collect();
    longest.sort_by_key(|(_, (_, took))| std::cmp::Reverse(*took));
    for (name, (times, took)) in longest.into_iter().take(5) {
        writeln!(out, "  {:>9} {times:>6} times  {name}", time(*took))?;
    }
    for (kind, heading) in KINDS {
        let mut of_kind = found.iter().filter(|one| one.finding == kind).peekable();
        if of_kind.peek().is_some() {
            writeln!(out, "\n{}", heading.bold())?;
        }
        for finding in of_kind {
            let took = Some(finding.took).filter(|took| *took > 0).map(time);
            let times = Some(finding.times).filter(|times| *times > 1);
            let times = times.map_or(String::new(), |times| format!(" ({times} times)"));
            let says = plain(&finding.says);
            writeln!(out, "  {:>9}  {says}{times}", took.unwrap_or_default())?;
        }
    }
    if found.is_empty() {
        writeln!(out, "Nothing is left over, nothing was for nothing.")?;
    }
    Ok(())
}

/// How a program ended that did not come to its end.
pub fn how_it_ended(end: &End, patience: Option<Duration>) -> Option<String> {
    let inside: Vec<&str> = end.inside.iter().map(|begin| &*begin.call).collect();
    let inside = match &inside[..] {
        [] => "in no call of OpenCL".into(),
        calls => format!("in {}", calls.join(", ")),
    };
    match end.status {
        None => Some(format!(
            "it made no call for {} s, and was ended {inside}",
            patience.unwrap_or_default().as_secs()
        )),
        Some(status) if status.code().is_none() => {
            Some(format!("it died ({}) {inside}", cause_of_death(status)))
        }
        _ => None,
    }
}
