//! `course tune`: every value of the macros and groups that a task file names, checked and timed.

use std::{collections::BTreeMap, io::Write, path::PathBuf, process::ExitCode};

use anyhow::Result;
use colored::Colorize;
use common::error::{Kind, UNCHECKED};
use common::{Error, outcome::Skip, record::Record, timing::Timing};
use diagnostics::terminal::{Out, progress};
use inspect::judge::{How, Verdict, timed};
use task::{form::Form, names::Choice, read::place, sizes::Sizes};
use verify::numbers::{count, quantile};

/// Candidates that are tried at most.
const MOST: usize = 1000;
/// How often each is timed, in turn with the others.
const ROUNDS: u64 = 3;

/// The flags of `course tune`.
#[derive(clap::Args)]
pub struct TuneArgs {
    /// A task file with tune = { NAME = [8, 16], local = [[64], [128]] }
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// The sizes at which it is timed [default: the task's time, else its size]
    #[arg(short, long, value_name = "NAME=N,NAME=N")]
    size: Option<String>,
    #[command(flatten)]
    how: How,
}

/// A choice, and what came of it.
struct Candidate {
    choice: Choice,
    /// "TS = 8, local = 64x1".
    name: String,
    task: Form,
    /// What its worker said last.
    record: Record,
    /// All its times, of every round.
    seconds: Vec<f64>,
}

/// Tries all candidates, each by a worker; the status is 0 where one is right, and 6 where nobody
/// says which is.
pub fn tune(options: &TuneArgs) -> Result<ExitCode> {
    let task = Form::read(&options.file)?;
    let sizes = match &options.size {
        Some(words) => task.sizes_of(words)?,
        None => task.timed(),
    };
    let rounds = if options.how.no_timing { 1 } else { ROUNDS };
    let mut all = candidates(options, &task, &sizes)?;
    let steps = rounds * all.len() as u64;
    let waiting = progress::bar(Some(steps), "  {spinner} {pos} of {len} {elapsed}");
    // What the machine does besides meets all of them: each has its turn in every round.
    for round in 0..rounds {
        for one in &mut all {
            if round == 0 || one.is_sound() {
                one.record = tried(&one.task, &sizes, &options.how)?;
                one.seconds.extend(&one.record.seconds);
            }
            waiting.inc(1);
        }
    }
    waiting.finish_and_clear();
    // One limit for all of them.
    let limits = all.iter().find_map(|one| one.record.limits);
    for one in &mut all {
        (one.record.limits, one.record.limits_after) = (limits, None);
        if !one.seconds.is_empty() {
            let timing = Timing::by_the_wall(one.seconds.clone());
            (one.record.seconds_median, one.record.spread) =
                (Some(timing.median()), Some(timing.spread()));
        }
        one.print(&sizes, options.how.json)?;
    }
    all.retain(Candidate::is_sound);
    if all.is_empty() {
        return Err(Error::Wrong("no candidate is right".into()).into());
    }
    if !options.how.json {
        writeln!(Out, "\n  {}", the_fastest(&all))?;
    }
    let is_right = |one: &Candidate| Verdict::of(&one.record) == Verdict::Right;
    Ok(ExitCode::from(if all.iter().any(is_right) { 0 } else { UNCHECKED }))
}

/// The one with the smallest median, or those of which nobody can tell.
fn the_fastest(all: &[Candidate]) -> String {
    let timed = all.iter().filter(|one| !one.seconds.is_empty());
    let quartile = |one: &Candidate, share| quantile(&one.seconds, share);
    let median = |one: &&Candidate| quartile(one, 0.5);
    let Some(best) = timed.clone().min_by(|a, b| median(a).total_cmp(&median(b))) else {
        return format!("{} can be used; nothing was timed", count(all.len(), "candidate"));
    };
    let near = timed.filter(|one| quartile(one, 0.25) <= quartile(best, 0.75));
    let names: Vec<&str> = near.map(|one| &*one.name).collect();
    match &names[..] {
        [one] => format!("The fastest: {}", one.green().bold()),
        many => format!(
            "Open between {}: the quartiles of their times overlap",
            many.join("; ").yellow()
        ),
    }
}

impl Candidate {
    /// Whether its times are worth something.
    fn is_sound(&self) -> bool {
        matches!(Verdict::of(&self.record), Verdict::Right | Verdict::Unchecked)
    }

    fn print(&self, sizes: &Sizes, as_json: bool) -> Result<()> {
        let line = crate::run::line(&self.record, (sizes.clone(), None), Some(&self.task));
        if as_json {
            let mut all = serde_json::to_value(&line)?;
            all["candidate"] = serde_json::json!(BTreeMap::from_iter(self.choice.iter().cloned()));
            return Ok(writeln!(Out, "{all}")?);
        }
        let why = line.why.as_deref().and_then(|why| why.lines().next());
        let words = match &line.speed {
            Some(speed) => speed.words(),
            None => why.map_or(line.verdict.words().to_string(), String::from),
        };
        Ok(writeln!(Out, "  {} {:<24} {words}", line.verdict.mark(), self.name)?)
    }
}

/// What a worker says of a candidate.
fn tried(task: &Form, sizes: &Sizes, how: &How) -> Result<Record> {
    let mut ended = timed(task, sizes, how)?;
    let failure = ended.failure.as_ref();
    if failure.is_some_and(|one| one.kind == Kind::NoDevice || one.is_of_check()) {
        return Err(ended.refused().into());
    }
    Ok(ended.records.pop().unwrap_or_else(|| {
        let why = failure.map_or("", |failure| failure.told.in_short());
        Record::default().skip(Skip::Since(why.into()))
    }))
}

/// All choices of one value for each name.
fn candidates(options: &TuneArgs, task: &Form, sizes: &Sizes) -> Result<Vec<Candidate>> {
    let count = if task.tune.is_empty() { 0 } else { task.combinations() };
    if !(1..=MOST).contains(&count) {
        let why = format!(
            "tune = {{ NAME = [8, 16], local = [[64], [128]] }} names 1 to {MOST} candidates, and \
             here are {count}"
        );
        return Err(Error::Usage(why).into());
    }
    let mut given = verify::formula::Scope::default();
    for (name, size) in sizes {
        given.set(name.clone(), *size as f64);
    }
    let choices = task.choices(&given).map_err(|error| match &error {
        Error::At { key, .. } => Error::Usage(format!("{}: {error}", place(&options.file, key))),
        _ => error,
    });
    let candidate = |choice: Choice| {
        let values = choice.iter().map(|(name, value)| format!("{name} = {value}"));
        let name = values.collect::<Vec<_>>().join(", ");
        let (task, record) = (task.chosen(&choice), Record::default());
        Candidate { choice, name, task, record, seconds: Vec::new() }
    };
    Ok(choices?.into_iter().map(candidate).collect())
}
