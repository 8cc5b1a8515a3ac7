//! The report: every lesson's kernels on a device, measured in one run, on one
//! page: the ladder from the slowest to the fastest, the roofline, all figures.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use colored::Colorize;
use common::Error;
use common::numbers::{factor, percent, significant};
use common::shape::Shape;
use process::data::size_name;
use process::lessons::LESSONS;
use process::{Refused, devices};
use text::{Out, aside};

use crate::rows::{Bench, rate};
use crate::survey::{Done, Settings, Survey, fingerprint_of_kernels, unwritable};
use crate::{collect, compare, html, rows};

/// What is run, and where it is written.
#[derive(Args)]
pub struct Options {
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type [default: as the lessons choose]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Run on every device of this machine, simulators left out
    #[arg(long, conflicts_with = "device")]
    all_devices: bool,
    /// Sizes of the products, N or MxNxK; may be a list, or given more than once
    /// [default: the lessons' own]
    #[arg(short, long, value_name = "N|MxNxK", value_delimiter = ',')]
    size: Vec<Shape>,
    /// Lessons to run [default: all]
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    lesson: Vec<u32>,
    /// Timed runs of each kernel [default: at least 3, until a quarter of a second or 20 runs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Measure the libraries that are installed, too, as `course peers` does
    #[arg(long)]
    peers: bool,
    /// Folder for the page, its figures and report.json
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
    /// Open the page in a browser when it is done
    #[arg(long)]
    open: bool,
    /// Begin anew, although a run was stopped before its end
    #[arg(long)]
    fresh: bool,
    /// Measure nothing: write the page of this report.json anew
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fresh", "peers"])]
    from: Option<PathBuf>,
    /// Measure nothing: which kernels of two report.json differ by more than the noise?
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["fresh", "peers", "from", "open"])]
    compare: Option<Vec<PathBuf>>,
    /// With --compare: one JSON object a line
    #[arg(long, requires = "compare")]
    json: bool,
}

/// Runs, or goes on with, a report; or compares two.
pub fn report(options: &Options) -> Result<()> {
    if let Some([a, b]) = options.compare.as_deref() {
        return compare::compare(a, b, options.json);
    }
    fs::create_dir_all(&options.out).map_err(|error| unwritable(&options.out, &error))?;
    if let Some(file) = &options.from {
        let survey = Survey::read(file)?;
        let figures = write_page(&survey, file, &options.out)?;
        return conclude(&survey, &figures, options);
    }
    let file = options.out.join("report.json");
    let mut survey = begin_or_go_on(planned(options)?, &file, options.fresh)?;
    collect::run(&mut survey, |survey| {
        survey.write(&file)?;
        write_page(survey, &file, &options.out).map(|_| ())
    })?;
    let mut written = write_page(&survey, &file, &options.out)?;
    written.push("report.json".into());
    conclude(&survey, &written, options)?;
    let failed = survey.done.iter().filter(|done| done.failed.is_some());
    let names: Vec<String> = failed.clone().map(|done| done.job.name()).collect();
    // Of a report that was begun by an older course the status is not known.
    match failed.map(|done: &Done| done.status.unwrap_or(1)).max() {
        None => Ok(()),
        Some(status) => {
            let names = names.join(", ");
            let message = format!("not everything ran: {names}; the page says why");
            Err(Refused { message, status }.into())
        }
    }
}

/// The report that the options ask for, with nothing done yet.
fn planned(options: &Options) -> Result<Survey> {
    let settings = Settings {
        lessons: lessons(&options.lesson)?,
        sizes: options.size.clone(),
        runs: options.runs.map(|runs| runs as usize),
        peers: options.peers,
        kernels: fingerprint_of_kernels()?,
    };
    let devices = devices::chosen(options.device.as_deref(), options.all_devices)?;
    Survey::new(settings, devices)
}

/// The lessons that measure something, or those of them that are asked for.
fn lessons(wanted: &[u32]) -> Result<Vec<u32>> {
    let all = LESSONS.iter().map(|lesson| lesson.number);
    let mut measuring: Vec<u32> = all.filter(|&number| number > 1).collect();
    if let Some(unknown) = wanted.iter().find(|number| !measuring.contains(number)) {
        let why = "measures nothing, or is not there; `cargo run` lists the lessons";
        return Err(Error::Usage(format!("lesson {unknown} {why}")).into());
    }
    measuring.retain(|number| wanted.is_empty() || wanted.contains(number));
    Ok(measuring)
}

/// The report that lies in the folder, if it was stopped before its end and is
/// the same; else the new one. A finished one is kept beside it.
fn begin_or_go_on(planned: Survey, file: &Path, fresh: bool) -> Result<Survey> {
    let previous = file.with_file_name("previous.json");
    let keep = |what: &str| {
        aside!("{what} is now {}", previous.display());
        fs::rename(file, &previous).map_err(|error| unwritable(&previous, &error))
    };
    match Survey::read(file) {
        _ if !file.is_file() => {}
        Err(_) if fresh => keep("what was there is no report; it")?,
        Err(error) => {
            let next = "next: the same command with --fresh, which keeps it as previous.json";
            return Err(Error::Usage(format!("{error}\n  {next}")).into());
        }
        Ok(there) if there.left().is_empty() => keep("the report that was there")?,
        Ok(_) if fresh => aside!("beginning anew, as --fresh asks"),
        Ok(there) if there.goes_on_as(&planned) => {
            let (done, all) = (there.done.len(), there.planned.len());
            aside!("going on: {done} of {all} jobs are done (--fresh begins anew)");
            return Ok(there);
        }
        Ok(_) => aside!("beginning anew: the run that was stopped was of something else"),
    }
    let jobs = planned.planned.len();
    aside!("{jobs} jobs; Ctrl-C stops, and the same command goes on");
    Ok(planned)
}

/// The page of what lies in `file`, and its figures: the names of what it wrote.
fn write_page(survey: &Survey, file: &Path, folder: &Path) -> Result<Vec<String>> {
    let (page, figures) = html::page(survey, file);
    // Those of a report before it may have been of other sizes.
    let there = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in there.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = name.starts_with("ladder-") || name.starts_with("roofline-");
        if is_ours && name.ends_with(".svg") {
            // One that stays only lies beside the new ones.
            let _ = fs::remove_file(path);
        }
    }
    let figures = figures.iter();
    let figures = figures.map(|one| (format!("{}.svg", one.name), one.file()));
    let mut written = Vec::new();
    for (name, text) in [("index.html".into(), page)].into_iter().chain(figures) {
        let path = folder.join(&name);
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
        written.push(name);
    }
    Ok(written)
}

/// Tells what came of it, and where the page is: the best kernel of each device and size,
/// beside the rest.
fn conclude(survey: &Survey, written: &[String], options: &Options) -> Result<()> {
    let mut out = Out;
    for device in &survey.devices {
        for bench in rows::benches(survey, device) {
            let head = format!("{} at {}", device.label(), size_name(bench.shape));
            writeln!(out, "{}", head.bold())?;
            for line in summary_lines(&bench) {
                writeln!(out, "  {line}")?;
            }
        }
    }
    let page = options.out.join("index.html");
    writeln!(out, "page: {}", page.display())?;
    if let [_, beside @ ..] = written
        && !beside.is_empty()
    {
        writeln!(out, "beside it: {}", beside.join(", "))?;
    }
    if options.open && open::that_detached(&page).is_err() {
        aside!("nothing here opens a page: open it yourself");
    }
    Ok(())
}

fn summary_lines(bench: &Bench) -> Vec<String> {
    let Some((slowest, best)) = bench.extremes() else {
        return vec!["no kernel was timed".into()];
    };
    let line = |name: &str, value: f64, rest: String| {
        format!("{name:<36}{:>8} GFLOP/s  {rest}", significant(value))
    };
    let share = bench.share(best);
    let of_limit = share.map(|share| format!(", {} of the limit", percent(share)));
    let climbed = factor(rate(best) / rate(slowest)) + &of_limit.unwrap_or_default();
    let beside = bench.beside().map(|row| {
        let ratio = rate(row) / rate(best);
        let compared = match ratio > 1.0 {
            true => format!("{} faster than that", factor(ratio)),
            false => format!("{} slower than that", factor(rate(best) / rate(row))),
        };
        match row.record.skipped.as_ref().or(row.record.failed.as_ref()) {
            Some(why) => format!("{} is {why}", row.name()),
            None => line(row.name(), rate(row), compared),
        }
    });
    let ours = [
        line(slowest.name(), rate(slowest), "the slowest".into()),
        line(best.name(), rate(best), climbed),
    ];
    ours.into_iter().chain(beside).collect()
}

#[cfg(test)]
mod tests;
