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
use process::{Refused, devices};
use text::{Out, aside};

use crate::model::{Done, Settings, Survey, fingerprint_of_kernels, unwritable};
use crate::rows::{Bench, rate};
use crate::{collect, compare, html, plan, rows};

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
    let failed: Vec<&Done> = survey
        .done
        .iter()
        .filter(|done| done.failed.is_some())
        .collect();
    let names: Vec<String> = failed.iter().map(|done| done.job.name()).collect();
    if !failed.is_empty() {
        // Of a report that was begun by an older course the status is not known.
        let status = failed.iter().map(|done| done.status.unwrap_or(1)).max();
        return Err(Refused {
            message: format!(
                "not everything ran: {}; the page says why",
                names.join(", ")
            ),
            status: status.unwrap_or(1),
        }
        .into());
    }
    Ok(())
}

/// The report that the options ask for, with nothing done yet.
fn planned(options: &Options) -> Result<Survey> {
    let settings = Settings {
        lessons: plan::lessons(&options.lesson)?,
        sizes: options.size.clone(),
        runs: options.runs.map(|runs| runs as usize),
        peers: options.peers,
        kernels: fingerprint_of_kernels()?,
    };
    let devices = devices::chosen(options.device.as_deref(), options.all_devices)?;
    let jobs = plan::jobs(&settings, &devices);
    Survey::new(settings, devices, jobs)
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
    remove_figures(folder);
    let mut written = Vec::new();
    let figures = figures
        .iter()
        .map(|one| (format!("{}.svg", one.name), one.file()));
    for (name, text) in std::iter::once(("index.html".into(), page)).chain(figures) {
        let path = folder.join(&name);
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
        written.push(name);
    }
    Ok(written)
}

/// What may be left there of the figures of another report.
fn remove_figures(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = ["ladder-", "roofline-"]
            .iter()
            .any(|kind| name.starts_with(kind));
        if is_ours && name.ends_with(".svg") {
            // One that stays only lies beside the new ones.
            let _ = fs::remove_file(path);
        }
    }
}

/// Tells what came of it, and where the page is.
fn conclude(survey: &Survey, written: &[String], options: &Options) -> Result<()> {
    summary(survey)?;
    let page = options.out.join("index.html");
    writeln!(Out, "page: {}", page.display())?;
    if let [_, beside @ ..] = written
        && !beside.is_empty()
    {
        writeln!(Out, "beside it: {}", beside.join(", "))?;
    }
    if options.open && open::that_detached(&page).is_err() {
        aside!("nothing here opens a page: open it yourself");
    }
    Ok(())
}

/// For the terminal: the best kernel of each device and size, beside the rest.
fn summary(survey: &Survey) -> Result<()> {
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
    Ok(())
}

fn summary_lines(bench: &Bench) -> Vec<String> {
    let Some((slowest, best)) = bench.extremes() else {
        return vec!["no kernel was timed".into()];
    };
    let line = |name: &str, value: f64, rest: String| {
        format!("{name:<36}{:>8} GFLOP/s  {rest}", significant(value))
    };
    let of_limit = bench.share(best).map_or(String::new(), |share| {
        format!(", {} of the limit", percent(share))
    });
    let climbed = factor(rate(best) / rate(slowest));
    let mut lines = vec![
        line(slowest.name(), rate(slowest), "the slowest".into()),
        line(best.name(), rate(best), format!("{climbed}{of_limit}")),
    ];
    for row in bench.beside() {
        let told = row.record.skipped.as_ref().or(row.record.failed.as_ref());
        lines.push(match told {
            Some(why) => format!("{} is {why}", row.name()),
            None => line(row.name(), rate(row), beside(rate(row), rate(best))),
        });
    }
    lines
}

/// How a rate compares with that of the fastest kernel.
fn beside(rate: f64, best: f64) -> String {
    if rate > best {
        format!("{} faster than that", factor(rate / best))
    } else {
        format!("{} slower than that", factor(best / rate))
    }
}

#[cfg(test)]
mod tests;
