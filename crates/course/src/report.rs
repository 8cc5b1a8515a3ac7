//! The report: every lesson's kernels on a device, measured in one run, on one
//! page: the ladder from the slowest to the fastest, the roofline, all figures.

mod collect;
mod compare;
mod figure;
mod html;
mod ladder;
pub mod model;
pub mod peers;
mod plan;
mod roofline;
mod rows;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use colored::Colorize;
use common::Error;
use common::device::DEVICE_VARIABLE;
use common::numbers::{factor, percent, significant};
use common::shape::Shape;

use model::{Report, Settings, fingerprint_of_kernels};

pub use peers::{Options as PeerOptions, run as peer};
use rows::{Bench, Kind, rate};

/// What is run, and where it is written.
#[derive(Args)]
pub struct Options {
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type [default: the best GPU, else the best CPU]
    #[arg(short, long, value_name = "SELECTOR", env = DEVICE_VARIABLE, hide_env_values = true)]
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
    /// Timed runs of each kernel [default: at least 3, until half a second or 20 runs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Measure the libraries that are installed, too: CLBlast, OpenBLAS
    #[arg(long)]
    peers: bool,
    /// Folder for the page, its figures and report.json
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
    /// Begin anew, although a run was stopped before its end
    #[arg(long)]
    fresh: bool,
    /// Measure nothing: write the page of this report.json anew
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fresh", "peers"])]
    from: Option<PathBuf>,
    /// Measure nothing: which kernels of two report.json differ by more than the noise?
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["fresh", "peers", "from"])]
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
    collect::make_folder(&options.out)?;
    if let Some(file) = &options.from {
        let report = Report::read(file)?;
        write_page(&report, &options.out)?;
        return summary(&report, &options.out);
    }
    let file = options.out.join("report.json");
    let mut report = begin_or_go_on(planned(options)?, &file, options.fresh)?;
    collect::run(&mut report, |report| {
        report.write(&file)?;
        write_page(report, &options.out)
    })?;
    summary(&report, &options.out)?;
    let failed: Vec<String> = report
        .done
        .iter()
        .filter(|done| done.failed.is_some())
        .map(|done| done.part.name())
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        bail!(
            "not everything ran: {}; the page says why",
            failed.join(", ")
        )
    }
}

/// The report that the options ask for, with nothing done yet.
fn planned(options: &Options) -> Result<Report> {
    let settings = Settings {
        lessons: plan::lessons(&options.lesson)?,
        sizes: options.size.clone(),
        runs: options.runs.map(|runs| runs as usize),
        peers: options.peers,
        kernels: fingerprint_of_kernels()?,
    };
    let devices = plan::devices(options.device.as_deref(), options.all_devices)?;
    let parts = plan::parts(&settings, &devices);
    Report::new(settings, devices, parts)
}

/// The report that lies in the folder, if it was stopped before its end and is
/// the same; else the new one. A finished one is kept beside it.
fn begin_or_go_on(planned: Report, file: &Path, fresh: bool) -> Result<Report> {
    let previous = file.with_file_name("previous.json");
    let there = match (file.is_file(), Report::read(file)) {
        (false, _) => None,
        (true, Err(_)) if fresh => {
            fs::rename(file, &previous)?;
            eprintln!(
                "what was there is no report; it is now {}",
                previous.display()
            );
            None
        }
        (true, Err(error)) => {
            let next = "next: the same command with --fresh, which keeps it as previous.json";
            return Err(Error::Usage(format!("{error}\n  {next}")).into());
        }
        (true, Ok(there)) => Some(there),
    };
    if let Some(stopped) = there
        .as_ref()
        .filter(|there| !fresh && there.goes_on_as(&planned))
    {
        eprintln!(
            "going on: {} of {} parts are done (--fresh begins anew)",
            stopped.done.len(),
            stopped.planned.len()
        );
        return Ok(stopped.clone());
    }
    if let Some(there) = there {
        match (there.left().is_empty(), fresh) {
            (true, _) => {
                fs::rename(file, &previous)?;
                eprintln!("the report that was there is now {}", previous.display());
            }
            (false, true) => eprintln!("beginning anew, as --fresh asks"),
            (false, false) => {
                eprintln!("beginning anew: the run that was stopped was of something else");
            }
        }
    }
    eprintln!(
        "{} parts; Ctrl-C stops, and the same command goes on",
        planned.planned.len()
    );
    Ok(planned)
}

/// The page and its figures.
fn write_page(report: &Report, folder: &Path) -> Result<()> {
    let (page, figures) = html::page(report);
    let write = |name: String, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))
    };
    write("index.html".into(), page)?;
    for figure in figures {
        write(format!("{}.svg", figure.name), figure.file())?;
    }
    Ok(())
}

/// For the terminal: the best kernel of each device and size, beside the rest.
fn summary(report: &Report, folder: &Path) -> Result<()> {
    let mut out = std::io::stdout();
    for device in &report.devices {
        for bench in rows::benches(report, device) {
            let head = format!("{} at {}", device.label(), bench.size_name());
            writeln!(out, "{}", head.bold())?;
            for line in summary_lines(&bench) {
                writeln!(out, "  {line}")?;
            }
        }
    }
    writeln!(out, "page: {}", folder.join("index.html").display())?;
    Ok(())
}

fn summary_lines(bench: &Bench) -> Vec<String> {
    let ladder = bench.ladder();
    let slowest = ladder.iter().find(|row| row.kind == Kind::Kernel);
    let (Some(slowest), Some(best)) = (slowest, bench.best()) else {
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
    for row in bench.rows.iter().filter(|row| row.kind != Kind::Kernel) {
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
