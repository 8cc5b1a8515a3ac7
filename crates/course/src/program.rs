//! A program of the learner's own: `course new` makes its package from one of the clone's `examples/`,
//! and `calls` tells the OpenCL calls of any, each in a sentence, and what they come to.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{ffi::OsString, fs, io::Write, time::Duration};

use anyhow::{Context, Result, bail};
use colored::Colorize;
use common::{Error, file, stage::How};
use diagnostics::terminal::{Out, plain};
use intercept::findings::{Finding, Findings};
use intercept::line::{Call, Line};
use intercept::story::{error, order, sentence, time};
use intercept::{objects::Objects, program, time_line::TimeLine};
use verify::numbers::{bytes, count};
use watchdog::fallback_driver;

use crate::game::folder::{must_lie_outside, shown};

/// The flags of `course new`.
#[derive(clap::Args)]
pub struct NewArgs {
    /// What to begin with
    #[arg(value_parser = ["saxpy", "matmul", "reduction", "pipeline", "embedded"])]
    example: String,
    /// The new package's folder; its name becomes the package's
    dir: PathBuf,
}

/// Copies the example, names it, and says how to run it.
pub fn new(options: &NewArgs) -> Result<ExitCode> {
    let from = file::workspace().join("examples").join(&options.example);
    let to = std::path::absolute(&options.dir)?;
    let name = package_name(&to)?;
    must_lie_outside(&to)?;
    let cannot = || format!("cannot make {}", shown(&to));
    if to.is_file() || fs::read_dir(&to).is_ok_and(|mut files| files.next().is_some()) {
        bail!(Error::Usage(format!(
            "{}: it is there already\n  next: name a folder that is not there yet",
            cannot()
        )))
    }
    let copy = || -> std::io::Result<()> {
        fs::create_dir_all(to.join("src"))?;
        for file in fs::read_dir(from.join("src"))? {
            let file = file?;
            fs::copy(file.path(), to.join("src").join(file.file_name()))?;
        }
        let manifest = fs::read_to_string(from.join("Cargo.toml"))?;
        let named = |name: &str| format!("name = \"{name}\"");
        let manifest = manifest.replacen(&named(&options.example), &named(&name), 1);
        fs::write(to.join("Cargo.toml"), manifest)?;
        // With the clone's versions, which are on this machine: cargo takes from the list what
        // the package needs, and asks no network.
        fs::copy(file::workspace().join("Cargo.lock"), to.join("Cargo.lock")).map(drop)
    };
    if let Err(why) = copy() {
        // It was empty, and half a package cannot be begun again.
        let _ = fs::remove_dir_all(&to);
        return Err(why).with_context(cannot);
    }
    let (to, example) = (shown(&to), &options.example);
    writeln!(
        Out,
        "{to} is a package of your own, the program {example}; all of it is in src/\n\n  \
         cd {to}\n  cargo run"
    )?;
    if let Some((variable, path)) = fallback_driver() {
        writeln!(
            Out,
            "\nThe driver of this machine lies in the clone, and every other program is told so \
             by\n  export {variable}={}",
            path.display()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder's name, if cargo takes it for a package.
fn package_name(folder: &Path) -> Result<String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase().replace([' ', '.'], "-");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // What the standard library is called cannot be a program's name.
    if !begins || !name.chars().all(is_plain) || ["test", "core", "std"].contains(&&*name) {
        bail!(Error::Usage(format!(
            "\"{name}\" cannot be a package's name\n  next: name a folder of letters, digits, \
             - and _"
        )))
    }
    Ok(name)
}

/// The flags of `course calls`.
#[derive(clap::Args)]
pub struct CallsArgs {
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
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// End the program when it has made no call for so long
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Runs the program, tells its calls, and ends with its exit status.
pub fn calls(options: &CallsArgs) -> Result<ExitCode> {
    let cannot = |path: &PathBuf| format!("cannot write {}", path.display());
    let mut out: Box<dyn Write> = match &options.output {
        Some(path) => Box::new(fs::File::create(path).with_context(|| cannot(path))?),
        None => Box::new(std::io::stderr()),
    };
    let mut command = Command::new(&options.program[0]);
    command.args(&options.program[1..]).envs(fallback_driver());
    let (mut findings, mut time_line) = (Findings::default(), TimeLine::default());
    let (mut begin, mut written) = (None, Ok(()));
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
                let begin = *begin.get_or_insert(call.at);
                // Another process or thread may have begun before.
                let at = call.at.saturating_sub(begin);
                writeln!(out, "{}", told(call, at, &findings.objects))
            }
            _ => Ok(()),
        };
    })?;
    written?;
    if let Some((path, picture)) = options.svg.as_ref().zip(time_line.picture()) {
        file::write(path, picture).with_context(|| cannot(path))?;
    }
    let by_itself = end.status.is_some_and(|status| status.code().is_some());
    let found = findings.all(by_itself);
    match options.json {
        true => found.iter().try_for_each(|one| writeln!(out, "{}", serde_json::json!(one)))?,
        false => summary(&mut out, &findings, &found)?,
    }
    if let Some(how) = how_it_ended(&end, patience) {
        writeln!(out, "{} {how}", "✗".red().bold())?;
    }
    if findings.calls.is_empty() {
        writeln!(
            out,
            "No OpenCL call was seen: the program makes none, or loads a driver past the system's \
             loader, or that\nloader knows no layers. ocl-icd does since 2.3 (Debian 12, Ubuntu \
             22.04), Khronos's OpenCL-ICD-Loader since 2021."
        )?;
    }
    // As a shell has it.
    let code = end.status.map_or(Some(124), |status| status.code());
    Ok(ExitCode::from(code.unwrap_or(5) as u8))
}

/// "  12.3 ms  45.6 us  clFinish  waits for all of queue 1".
fn told(call: &Call, at: u64, objects: &Objects) -> String {
    let (at, took) = (at as f64 / 1e6, time(call.took));
    let failed = error(call).map_or(String::new(), |error| {
        format!("\n{:23}{} {}", "", "✗".red().bold(), plain(&error))
    });
    let says = plain(&(sentence(call, objects) + &order(call, objects)));
    format!("{at:>9.3} ms {took:>9}  {} {says}{failed}", call.name.cyan())
}

/// What all calls come to.
fn summary(out: &mut dyn Write, findings: &Findings, found: &[Finding]) -> Result<()> {
    let mut calls: Vec<_> = findings.calls.iter().collect();
    calls.sort_by_key(|(_, (_, took))| std::cmp::Reverse(*took));
    let many = calls.iter().map(|(_, (times, _))| times).sum();
    let took = calls.iter().map(|(_, (_, took))| took).sum();
    let [to, back] = findings.moved.map(bytes);
    let (many, took) = (count(many, "call"), time(took));
    writeln!(out, "\n{many} in {took}; {to} to the device, {back} back")?;
    for (name, (times, took)) in calls.iter().take(5) {
        writeln!(out, "{:>9} {times:>6} times  {name}", time(*took))?;
    }
    let mut above = "";
    for one in found {
        if one.heading != std::mem::replace(&mut above, one.heading) {
            writeln!(out, "\n{}", one.heading.bold())?;
        }
        let took = if one.took > 0 { time(one.took) } else { String::new() };
        let times = if one.times > 1 { format!(" ({} times)", one.times) } else { String::new() };
        writeln!(out, "{took:>9}  {}{times}", plain(&one.says))?;
    }
    if found.is_empty() && !calls.is_empty() {
        writeln!(
            out,
            "None of the faults that calls knows was seen; docs/your-program.md lists them."
        )?;
    }
    Ok(())
}

/// How a program ended that did not come to its end.
pub fn how_it_ended(end: &program::End, patience: Option<Duration>) -> Option<String> {
    let inside: Vec<&str> = end.inside.iter().map(|call| &*call.name).collect();
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
            Some(format!("it died ({}) {inside}", How::of(status).in_short()))
        }
        _ => None,
    }
}
