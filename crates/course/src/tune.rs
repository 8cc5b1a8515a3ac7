//! `course tune`: every value of the macros and groups that a task file names, checked and timed.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use colored::Colorize;
use common::Error;
use common::failure::Kind;
use common::outcome::Skip;
use common::record::Record;
use diagnostics::terminal::Out;
use judge::{How, Verdict, timed};
use serde_json::{Value, json};
use task::choices::{Choice, choices};
use task::form::{Form, Tried};
use task::sizes::Sizes;

use crate::run::{Line, line};

/// Candidates that are tried at most.
const MOST: usize = 1000;

/// The flags of `course tune`.
#[derive(clap::Args)]
pub struct Options {
    /// A task file with tune = { NAME = [8, 16], local = [[64], [128]] }
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// The sizes at which it is timed [default: the task's time, else its size]
    #[arg(short, long, value_name = "NAME=N,NAME=N")]
    size: Option<String>,
    #[command(flatten)]
    how: How,
}

/// Tries all candidates, each by a worker; the status is 0 where one is right.
pub fn tune(options: &Options) -> Result<ExitCode> {
    let task = Form::read(&options.file)?;
    let candidates = candidates(&task)?;
    let sizes = match &options.size {
        Some(words) => task.sizes_of(words)?,
        None => task.timed(),
    };
    let mut best: Option<(f64, String)> = None;
    for choice in candidates {
        let line = options.tried(&task, &choice, &sizes)?;
        let name = name(&choice);
        let seconds = line.speed.as_ref().map(|speed| speed.seconds_median);
        if options.how.json {
            let values = choice
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)));
            let mut all = serde_json::to_value(&line)?;
            all["candidate"] = Value::Object(values.collect());
            writeln!(Out, "{all}")?;
        } else {
            let words = match (&line.speed, &line.why) {
                (Some(speed), _) => speed.words(),
                (_, why) => why
                    .as_deref()
                    .and_then(|why| why.lines().next())
                    .unwrap_or("")
                    .into(),
            };
            writeln!(Out, "  {} {name:<24} {words}", line.verdict.mark())?;
        }
        let is_sound = matches!(line.verdict, Verdict::Right | Verdict::Unchecked);
        if let Some(seconds) = seconds.filter(|_| is_sound)
            && best.as_ref().is_none_or(|(least, _)| seconds < *least)
        {
            best = Some((seconds, name));
        }
    }
    let Some((_, name)) = best else {
        return Err(Error::Wrong("no candidate is right".into()).into());
    };
    if !options.how.json {
        writeln!(Out, "\n  The fastest: {}", name.green().bold())?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Options {
    fn tried(&self, task: &Form, choice: &Choice<Tried>, sizes: &Sizes) -> Result<Line> {
        let mut task = task.clone();
        for (name, value) in choice {
            match value {
                Tried::One(value) if name != "local" => {
                    task.define.extend([(name.clone(), *value)]);
                }
                Tried::One(side) => task.local = vec![(*side).into()],
                Tried::Sides(sides) => {
                    task.local = sides.iter().copied().map(Into::into).collect();
                }
            }
        }
        let mut ended = timed(&task, sizes, &self.how)?;
        let failure = ended.failure.as_ref();
        if failure.is_some_and(|failure| failure.kind == Kind::NoDevice) {
            return Err(ended.refused().into());
        }
        let record = ended.records.pop().unwrap_or_else(|| {
            let says = failure.map_or("", |failure| &failure.says);
            let why = says.lines().next().unwrap_or_default();
            Record::default().skip(Skip::Since(why.into()))
        });
        Ok(line(&record, (sizes.clone(), None), Some(&task)))
    }
}

/// All choices of one value for each name.
fn candidates(task: &Form) -> Result<Vec<Choice<Tried>>> {
    let counts = task.tune.values().map(Vec::len);
    let count = match task.tune.is_empty() {
        true => 0,
        false => counts.fold(1, usize::saturating_mul),
    };
    if !(1..=MOST).contains(&count) {
        let why = format!(
            "tune = {{ NAME = [8, 16], local = [[64], [128]] }} names 1 to {MOST} candidates, and \
             here are {count}"
        );
        return Err(Error::Usage(why).into());
    }
    Ok(choices(&task.tune, |_| true))
}

/// "TS = 8, local = 64x1".
fn name(choice: &Choice<Tried>) -> String {
    let one = |(name, value): &(String, Tried)| match value {
        Tried::One(value) => format!("{name} = {value}"),
        Tried::Sides(sides) => format!("{name} = {}", common::ndrange::sides(sides)),
    };
    choice.iter().map(one).collect::<Vec<_>>().join(", ")
}
