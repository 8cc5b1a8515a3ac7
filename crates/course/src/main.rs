//! The course map, and the tools around the lessons.

mod check;
mod diagnose;
mod diff;
mod doctor;
mod driver_faults;
mod exercises;
mod judge;
mod machine;
mod map;
mod observation;
mod progress;
mod prose;
mod report;
mod simulator;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use toolbox::end;

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
    /// Run every lesson on a device, and write one page with every step on it
    Report(Box<report::Options>),
    /// Measure one library, for the report
    #[command(hide = true)]
    Peer(report::PeerOptions),
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
        Some(Command::Start(options)) => return end(exercises::start(&options)),
        Some(Command::Exercise(options)) => return end(exercises::exercise(&options)),
        Some(Command::CheckAll(how)) => return end(exercises::check_all(&how)),
        Some(Command::Diagnose(options)) => diagnose::diagnose(&options),
        Some(Command::Doctor(options)) => return end(doctor::doctor(&options)),
        Some(Command::Diff(options)) => diff::diff(&options),
        Some(Command::Report(options)) => report::report(&options),
        Some(Command::Peer(options)) => report::peer(&options),
    };
    end(done.map(|()| ExitCode::SUCCESS))
}
