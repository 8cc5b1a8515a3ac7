//! Exercises: kernels with a gap, in a folder of the learner's own; what checks them,
//! hints, solutions, and what is solved.

mod check;
mod counts;
pub mod exercise;
pub mod folder;
mod problem;
mod race;
mod ready;
pub mod runner;
pub mod screen;
mod sectors;
mod simulated;
mod spec;
mod speed;
mod waiting;
mod watch;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use common::source::Source;
use serde_json::{Value, json};
use text::show_error;

use crate::progress::Progress;
use check::{Checked, Run, Verdict, check};
use exercise::Exercise;
use folder::{Folder, shown};

/// The flags of `course start`.
#[derive(clap::Args)]
pub struct Start {
    /// Your folder, outside the clone [default: the one in use, else ~/opencl-exercises]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// The flags of `course exercise`.
#[derive(clap::Args)]
pub struct Options {
    /// An exercise: its number (6.2), its name, or your file [default: list them]
    #[arg(value_name = "EXERCISE")]
    exercise: Option<String>,
    /// Show one more hint
    #[arg(long, requires = "exercise", conflicts_with_all = ["solution", "json"])]
    hint: bool,
    /// Show the solution and why it is so
    #[arg(long, requires = "exercise", conflicts_with = "json")]
    solution: bool,
    /// Check it again after every save, until Ctrl-C
    #[arg(long, requires = "exercise", conflicts_with_all = ["hint", "solution", "json"])]
    watch: bool,
    #[command(flatten)]
    how: How,
}

/// How a kernel is run.
#[derive(clap::Args)]
pub struct How {
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,
    /// End a launch that takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Time nothing, so that no speed is judged: for a machine that is busy
    #[arg(long)]
    no_timing: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Copies the exercises out.
pub fn start(options: &Start) -> Result<ExitCode> {
    let all = exercise::all()?;
    let folder = match &options.dir {
        Some(dir) => Folder::at(dir)?,
        None => Folder::find()?,
    };
    let started = folder.start(&all)?;
    if options.dir.is_some() {
        folder.keep_in_mind();
    }
    let progress = folder.progress();
    screen::started(&folder, &started, screen::next(&all, &progress))?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the exercises, checks one, or shows what helps with it.
pub fn exercise(options: &Options) -> Result<ExitCode> {
    let all = exercise::all()?;
    let folder = Folder::find()?;
    let Some(word) = &options.exercise else {
        return list(&all, &folder, options.how.json);
    };
    let exercise = exercise::find(all, word)?;
    let file = file(&exercise, &folder, word);
    if options.hint {
        return hint(&exercise, &folder);
    }
    if options.solution {
        let tried = Source::read(&file).is_ok_and(|own| is_edited(&exercise, &own.text));
        screen::solution(&exercise, tried)?;
        return Ok(ExitCode::SUCCESS);
    }
    must_be_there(&file, &folder)?;
    if options.watch {
        watch::watch(&exercise, &folder, &file, &options.how)
    } else {
        examine(&exercise, &folder, &file, &options.how)
    }
}

/// The file that is meant: the one that was named, or the one in the folder.
fn file(exercise: &Exercise, folder: &Folder, word: &str) -> PathBuf {
    let named = Path::new(word);
    if named.is_file() && word.ends_with(".cl") {
        named.to_path_buf()
    } else {
        folder.file(exercise)
    }
}

fn is_edited(exercise: &Exercise, text: &str) -> bool {
    let unsolved = exercise.unsolved();
    unsolved.is_ok_and(|unsolved| unsolved.text != text)
}

fn list(all: &[Exercise], folder: &Folder, json: bool) -> Result<ExitCode> {
    if !json {
        screen::list(all, folder)?;
        return Ok(ExitCode::SUCCESS);
    }
    let progress = folder.progress();
    for exercise in all {
        let line = json!({
            "exercise": exercise.id(),
            "lesson": exercise.lesson,
            "title": exercise.title,
            "trains": exercise.spec.trains,
            "file": folder.file(exercise),
            "mark": progress.mark(&exercise.id()),
            "hints_seen": progress.hints(&exercise.id()),
        });
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows the hints that were seen before, and the next one.
fn hint(exercise: &Exercise, folder: &Folder) -> Result<ExitCode> {
    let seen = (folder.progress().hints(&exercise.id()) + 1).min(exercise.hints.len());
    screen::hints(exercise, seen)?;
    folder.note(|progress| progress.set_hints(&exercise.id(), seen));
    Ok(ExitCode::SUCCESS)
}

fn must_be_there(file: &Path, folder: &Folder) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    folder.must_be_started()?;
    Err(exercise::usage(format!(
        "{} is not there\n  next: cargo run -p course -- start   copies the exercises that \
         you do not have yet",
        shown(file)
    )))
}

fn examine(exercise: &Exercise, folder: &Folder, file: &Path, how: &How) -> Result<ExitCode> {
    let own = Source::read(file)?.text;
    if !how.json {
        screen::head(exercise, file, is_edited(exercise, &own))?;
    }
    let checked = run(exercise, file, how)?;
    let status = ExitCode::from(checked.status);
    if how.json {
        note(exercise, folder, checked.verdict);
        writeln!(std::io::stdout(), "{}", answer(exercise, file, checked))?;
        return Ok(status);
    }
    conclude(exercise, folder, &checked)?;
    Ok(status)
}

/// Notes and shows what was seen, and what to do next.
fn conclude(exercise: &Exercise, folder: &Folder, checked: &Checked) -> Result<()> {
    let progress = note(exercise, folder, checked.verdict);
    screen::checked(exercise, checked)?;
    match checked.verdict {
        Verdict::NotRun => show_error(checked.message.clone()),
        Verdict::Solved => {
            let all = exercise::all()?;
            screen::onward(exercise, screen::next_after(exercise, &all, &progress))?;
        }
        Verdict::NotYet | Verdict::Unproven => screen::advice(exercise, &progress)?,
    }
    Ok(())
}

/// Checks every exercise that was begun, and prints a line for each.
pub fn check_all(how: &How) -> Result<ExitCode> {
    let all = exercise::all()?;
    let folder = Folder::find()?;
    folder.must_be_started()?;
    let (mut worst, mut why) = (0, String::new());
    for exercise in &all {
        let file = folder.file(exercise);
        let begun = Source::read(&file).is_ok_and(|own| is_edited(exercise, &own.text));
        let checked = if begun {
            Some(run(exercise, &file, how)?)
        } else {
            None
        };
        if let Some(checked) = &checked {
            note(exercise, &folder, checked.verdict);
            worst = worst.max(checked.status);
            if checked.verdict == Verdict::NotRun {
                why.clone_from(&checked.message);
            }
        }
        match (how.json, checked) {
            (false, checked) => screen::row(exercise, checked.as_ref())?,
            (true, Some(checked)) => {
                writeln!(std::io::stdout(), "{}", answer(exercise, &file, checked))?;
            }
            (true, None) => {}
        }
    }
    if !how.json {
        screen::total(&all, &folder)?;
    }
    if !why.is_empty() {
        show_error(why);
    }
    Ok(ExitCode::from(worst))
}

fn run(exercise: &Exercise, file: &Path, how: &How) -> Result<Checked> {
    check(&Run {
        exercise,
        file,
        device: how.device.as_deref(),
        timeout: how.timeout,
        timing: !how.no_timing,
    })
}

/// Keeps the best that was ever seen: trying something else takes nothing away.
fn note(exercise: &Exercise, folder: &Folder, verdict: Verdict) -> Progress {
    let mut progress = folder.progress();
    let mark = match verdict {
        Verdict::Solved => "solved",
        Verdict::Unproven if !screen::is_solved(&progress, exercise) => "right",
        _ => return progress,
    };
    progress.set_mark(&exercise.id(), mark);
    folder.note(|progress| progress.set_mark(&exercise.id(), mark));
    progress
}

fn answer(exercise: &Exercise, file: &Path, checked: Checked) -> Value {
    let observations = checked.observations.into_iter().map(Value::from);
    json!({
        "exercise": exercise.id(),
        "title": exercise.title,
        "file": file,
        "observations": observations.collect::<Vec<_>>(),
        "solved": checked.verdict == Verdict::Solved,
        "verdict": checked.verdict.words(),
    })
}
