//! The report: every lesson's kernels on a device, measured in one run, on one
//! page: the roofline, and all figures.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use colored::Colorize;
use common::Error;
use diagnostics::terminal::Out;
use minijinja::context;
use minijinja::value::Serde;
use process::data::size_name;
use process::lessons::LESSONS;
use process::{Refused, devices};
use verify::shape::Shape;

use crate::filled;
use crate::rows::Section;
use crate::survey::{Survey, write};

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
    /// Folder for the page and report.json
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
}

/// Runs what the options ask for. The page is written after every job: what was done is on it,
/// whatever stops the rest.
pub fn report(options: &Options) -> Result<()> {
    // Before any lesson takes its time.
    write(&options.out, &[])?;
    let lessons = lessons(&options.lesson)?;
    let devices = devices::chosen(options.device.as_deref(), options.all_devices)?;
    let mut survey = Survey::new(&lessons, &options.size, devices)?;
    survey.run(options.runs, |survey| {
        let figures = serde_json::to_string_pretty(survey)?;
        let files = [("index.html", page(survey)?), ("report.json", figures)];
        write(&options.out, &files)
    })?;
    conclude(&survey, options)?;
    let failed = survey.done.iter().filter(|done| done.failed.is_some());
    let names: Vec<String> = failed.clone().map(|done| done.job.name()).collect();
    match failed.filter_map(|done| done.status).max() {
        None => Ok(()),
        Some(status) => {
            let names = names.join(", ");
            let message = format!("not everything ran: {names}; the page says why");
            Err(Refused { message, status }.into())
        }
    }
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

/// The page: one file with everything in it.
fn page(survey: &Survey) -> Result<String> {
    let (survey, sections) = (Serde(survey), Serde(Section::all(survey)));
    let values = context! { survey, sections };
    let page = filled("page.html", include_str!("page.html"), values)?;
    // It escapes slashes, too, which are text.
    Ok(page.replace("&#x2f;", "/"))
}

/// Tells what came of it, a sentence for each device and size, and where the page is.
fn conclude(survey: &Survey, options: &Options) -> Result<()> {
    for section in Section::all(survey) {
        for bench in section.benches {
            let head = format!("{} at {}", section.label, size_name(bench.shape));
            writeln!(Out, "{}\n  {}", head.bold(), bench.sentence)?;
        }
    }
    let page = options.out.join("index.html");
    Ok(writeln!(Out, "page: {}", page.display())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_that_measures_nothing_is_refused() {
        assert!(lessons(&[1]).is_err() && lessons(&[99]).is_err());
        assert_eq!(lessons(&[8, 3]).unwrap(), [3, 8]);
    }
}
