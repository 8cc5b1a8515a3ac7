//! The course map, and the tools around the lessons.

mod check;
mod diagnose;
mod diff;
mod doctor;
mod exercises;
mod implementations;
mod judge;
mod lessons;
mod map;
mod mutate;
mod observation;
mod pages;
mod progress;
mod prose;
mod quirks;
mod record;
mod report;
mod simulator;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use colored::Colorize;
use text::show_error;

/// A course that makes people fast on GPUs, one step at a time. Without a
/// command: the map.
#[derive(Parser)]
#[command(name = "course", version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// The lessons in order, and the command for each
    Map,
    /// Check every kernel on every OpenCL implementation of this machine
    Check {
        /// Only on implementations whose name contains this
        #[arg(long, value_name = "NAME")]
        on: Option<String>,
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// What of this machine the course can use, and how to mend the rest
    Doctor(doctor::Options),
    /// Make one mistake after another in every kernel: does the check find it?
    Mutate(mutate::Options),
    /// Copy the exercises to a folder of your own
    Start(exercises::Start),
    /// Check an exercise; hints and the solution
    Exercise(exercises::Options),
    /// Check every exercise that you have begun
    CheckAll(exercises::How),
    /// Find the fault of a kernel that is wrong on purpose, by its symptom
    Diagnose(diagnose::Options),
    /// What changed between two kernels, or from one lesson to another
    Diff(diff::Options),
    /// Run every lesson and keep what it prints and measures, for the pages
    Record {
        /// Folder below data/ that receives the recording, for example pocl-1024
        name: String,
        /// Lessons to record [default: all]
        #[arg(long, value_name = "NUMBER")]
        lesson: Vec<u32>,
        /// Flags handed to the lessons, for example -- --size 1024
        #[arg(last = true)]
        flags: Vec<String>,
    },
    /// Run every lesson on a device, and write one page with every step on it
    Report(Box<report::Options>),
    /// Measure one library, for the report
    #[command(hide = true)]
    Peer(report::PeerOptions),
    /// Write kernels, recorded outputs and tables into the Markdown pages
    Pages {
        /// Change nothing; fail if a page differs from what would be written
        #[arg(long)]
        check: bool,
        /// Pages [default: every Markdown file of the course]
        files: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    if supervise::is_probe() {
        return supervise::answer_probe();
    }
    if let Some(status) = exercises::runner::run_if_asked() {
        return status;
    }
    let arguments = Arguments::parse();
    let done = match arguments.command {
        None | Some(Command::Map) => map::print(),
        Some(Command::Check { on, json }) => check::check(on.as_deref(), json),
        Some(Command::Mutate(options)) => mutate::mutate(&options),
        Some(Command::Start(options)) => return end(exercises::start(&options)),
        Some(Command::Exercise(options)) => return end(exercises::exercise(&options)),
        Some(Command::CheckAll(how)) => return end(exercises::check_all(&how)),
        Some(Command::Diagnose(options)) => diagnose::diagnose(&options),
        Some(Command::Doctor(options)) => return end(doctor::doctor(&options)),
        Some(Command::Diff(options)) => diff::diff(&options),
        Some(Command::Record {
            name,
            lesson,
            flags,
        }) => record::record(&name, &lesson, &flags),
        Some(Command::Report(options)) => report::report(&options),
        Some(Command::Peer(options)) => report::peer(&options),
        Some(Command::Pages { check, files }) => pages::update(&files, check),
    };
    end(done.map(|()| ExitCode::SUCCESS))
}

fn end(done: anyhow::Result<ExitCode>) -> ExitCode {
    match done {
        Ok(status) => status,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let known = error.downcast_ref::<common::Error>();
            let mut message = format!("{} {error:#}", "error:".red().bold());
            let hint = known.and_then(common::Error::hint);
            // What a child said ends with one.
            if let Some(hint) = hint.filter(|_| !message.contains("\n  next:")) {
                message.push_str(&format!("\n  next: {hint}"));
            }
            show_error(message);
            known.map_or(ExitCode::FAILURE, common::Error::exit_code)
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
