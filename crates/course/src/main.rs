//! The course map, and the tools around the lessons.
//!
//! # Layout
//!
//! In the order in which to read them; most commands have the module of their name.
//!
//! - `puzzles` prints the map: the lessons, and what is next. They are kernels with a gap or from an
//!   empty file, broken ones, and on the `host`'s side programs with a mistake. `game` is how all are
//!   played.
//! - `grade` judges the folders of a class.
//! - `run` says of a kernel of the learner's own whether it is right by its task file, and how fast;
//!   `spec` drafts one, `tune` finds its fastest launch; `inspect` says what is wrong with it, `look`
//!   what it becomes and asks for: `asm`, `occupancy` and `trace`.
//! - `program` makes a package of the learner's own from an example, and tells the OpenCL calls of
//!   any program: `new` and `calls`.
//! - `diff` shows what changed between two kernels.
//! - `doctor` says what this machine lacks, and which packages have it.
//! - `report` measures all lessons, and makes one page of it. `html` fills its template, and the one
//!   of `grade`.

mod diff;
mod doctor;
mod game;
mod grade;
mod host;
mod html;
mod inspect;
mod look;
mod program;
mod puzzles;
mod report;
mod run;
mod tune;

use std::{ffi::OsStr, path::Path, process::ExitCode};

use clap::{Arg, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use colored::Colorize;
use common::file::{built_in, is_installed, workspace};
use common::{Error, command::word};
use diagnostics::aside;
use watchdog::{end, must_be_shown};

use game::puzzle::Kind;

/// What `asm`, `occupancy` and `trace` take first.
const KERNEL: &str = "A kernel of a lesson, or of the file that --source names; or a file of yours, \
                      by its number: 4.2 of the exercises, d7 of the broken kernels";

/// That, and what a shell completes.
fn of_kernel(arg: Arg) -> Arg {
    arg.help(KERNEL).add(ArgValueCompleter::new(|begun: &OsStr| {
        let begun = begun.to_string_lossy();
        let mut names = watchdog::lessons::kernels().unwrap_or_default();
        names.retain(|name| name.starts_with(&*begun));
        names.into_iter().map(CompletionCandidate::new).collect()
    }))
}

/// The commands by what they are for; what is in none is another word for one of these.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Learn", &["start", "exercise", "check-all", "diff", "doctor"]),
    ("A kernel of mine: is it right, and why not?", &["run", "inspect", "spec"]),
    ("Why is it slow?", &["trace", "asm", "occupancy", "tune", "report"]),
    ("A program of mine", &["new", "calls"]),
    ("A class", &["grade"]),
];

/// Learn to write fast OpenCL kernels, step by step. Without a command: the lessons, and what is next.
#[derive(Parser)]
#[command(name = "course", bin_name = "cargo course", version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Colour the output; auto is on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
}

/// The flags of all commands, and what each is for.
fn arguments() -> clap::Command {
    let all = Arguments::command();
    let mut map = "{about}\n".to_string();
    for (group, names) in GROUPS {
        map += &format!("{}\n", group.bold());
        for name in names {
            let about = all.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            map += &format!("  {name:<10} {about}\n");
        }
    }
    all.help_template(map + "{usage}   COMMAND --help: its flags")
}

#[derive(Subcommand)]
enum Command {
    /// A program of your own, a package made from one of the course's examples
    New(program::NewArgs),
    /// The OpenCL calls of any program, each in a sentence, and what they come to
    Calls(program::CallsArgs),
    /// Copy the exercises and the broken kernels to a folder of your own
    Start(game::Start),
    /// Check an exercise, the next one or any; hints, the solution, what differs
    Exercise(game::GameArgs),
    /// The problems among them: `problem 3` is `exercise p3`
    Problem(game::GameArgs),
    /// The broken kernels among them: `diagnose 7` is `exercise d7`
    Diagnose(game::GameArgs),
    /// The programs among them: `host 1` is `exercise h1`
    Host(game::GameArgs),
    /// Check everything that you have begun
    CheckAll(::inspect::judge::How),
    /// What a class has come to: each student's folder judged
    #[command(mut_arg("no_timing", |arg| arg.hide(true)))]
    #[command(mut_arg("raw_log", |arg| arg.hide(true)))]
    Grade(Box<grade::GradeArgs>),
    /// Is a kernel of your own right, as its task file says, and how fast is it?
    Run(Box<run::RunArgs>),
    /// Time all values of a task's macros and groups that it names, each checked
    Tune(Box<tune::TuneArgs>),
    /// Write a first draft of a task file for a kernel of your own
    Spec(run::SpecArgs),
    /// Races, bad accesses and other faults of a kernel of your own
    #[command(mut_arg("no_timing", |arg| arg.hide(true)))]
    Inspect(Box<inspect::InspectArgs>),
    /// The innermost loop of a kernel as the device's compiler made it, counted
    #[command(mut_arg("kernel", of_kernel))]
    Asm(Box<look::AsmArgs>),
    /// How many groups of a kernel a unit of a GPU holds at once, and what binds
    #[command(
        mut_arg("kernel", |arg| arg.required(false).default_value("").hide_default_value(true)),
        mut_arg("kernel", of_kernel)
    )]
    Occupancy(Box<look::OccupancyArgs>),
    /// The memory traffic of a kernel, line by line, as a simulator sees it
    #[command(mut_arg("device", |arg| arg.hide(true)))]
    #[command(mut_arg("kernel", of_kernel))]
    Trace(Box<look::TraceArgs>),
    /// What changed between two kernels, or from one lesson to another
    Diff(diff::DiffArgs),
    /// Run every lesson on a device, and write one page with every step on it
    Report(Box<report::ReportArgs>),
    /// What of this machine the course can use, and how to mend the rest
    Doctor(doctor::DoctorArgs),
}

fn main() -> ExitCode {
    clap_complete::CompleteEnv::with_factory(arguments).bin("cargo-course").complete();
    if let Some(status) = ::inspect::judge::child::run_if_asked() {
        return status;
    }
    if let Err(error) = must_be_shown() {
        return end(Err(error.into()));
    }
    // Cargo's first word is that by which it was asked for this program.
    let words = std::env::args_os().enumerate();
    let words = words.filter(|(at, word)| *at != 1 || word != "course");
    let told = arguments().get_matches_from(words.map(|(_, word)| word));
    let Arguments { command, color } =
        Arguments::from_arg_matches(&told).unwrap_or_else(|error| error.exit());
    lesson::apply_color(color);
    use Command::*;
    end(must_fit().and_then(|()| match command {
        None => puzzles::map(),
        Some(New(options)) => program::new(&options),
        Some(Calls(options)) => program::calls(&options),
        Some(Start(options)) => game::start(&options),
        Some(Exercise(options)) => game::play(None, &options),
        Some(Problem(options)) => game::play(Some(Kind::Problem), &options),
        Some(Diagnose(options)) => game::play(Some(Kind::Broken), &options),
        Some(Host(options)) => game::play(Some(Kind::Program), &options),
        Some(CheckAll(how)) => game::check_all(&how),
        Some(Grade(options)) => grade::grade(&options),
        Some(Run(options)) => run::run(&options),
        Some(Tune(options)) => tune::tune(&options),
        Some(Spec(options)) => run::spec(&options),
        Some(Inspect(options)) => inspect::inspect(&options),
        Some(Asm(options)) => look::asm(&options),
        Some(Occupancy(options)) => look::occupancy(&options),
        Some(Trace(options)) => look::trace(&options),
        Some(Doctor(options)) => doctor::doctor(&options),
        Some(Diff(options)) => diff::diff(&options),
        Some(Report(options)) => report::report(&options),
    }))
}

/// Of an installed one: kernels, pages and lessons are read in the clone that it came from, so both
/// must be of one time. Refuses to go on without the clone, and says where another or a newer one is
/// read.
fn must_fit() -> anyhow::Result<()> {
    if !is_installed() {
        return Ok(());
    }
    let (from, here) = (built_in(), workspace());
    let path = word(&here.join("crates/course"));
    let install = format!("next: cargo install --debug --locked --path {path}");
    let is_clone = |folder: &Path| folder.join("lessons").is_dir();
    if !is_clone(&from) {
        let next = match is_clone(&here) {
            true => install,
            false => "next: ./setup   in the folder where it is now".into(),
        };
        let from = from.display();
        let why = format!("this command was installed from {from}, where the course is no longer");
        return Err(Error::Usage(format!("{why}\n  {next}")).into());
    }
    let files = walkdir::WalkDir::new(here.join("crates")).into_iter().flatten();
    let rust = files.filter(|file| file.path().extension().is_some_and(|end| end == "rs"));
    let changed = rust.filter_map(|file| file.metadata().ok()?.modified().ok()).max();
    let program = std::env::current_exe()?.metadata()?.modified()?;
    let why = if here != from {
        format!("was installed from {}", from.display())
    } else if changed > Some(program) {
        "is older than that".into()
    } else {
        return Ok(());
    };
    let here = here.display();
    aside!("this folder's course is that of {here}, and this command {why}\n  {install}");
    Ok(())
}
