//! Does the jobs of a report one after another, each in a child process, and
//! keeps what each measured as soon as it is done.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use common::record::Record;
use process::lessons;
use process::{Finished, Refused};
use text::aside;
use text::progress;

use super::survey::{Done, Job, Survey};

/// Does the jobs of a report; `keep` is called after every one.
pub fn run(
    survey: &mut Survey,
    runs: Option<u32>,
    keep: impl Fn(&Survey) -> Result<()>,
) -> Result<()> {
    let bar = progress::bar(
        Some(survey.planned.len() as u64),
        "  {spinner} {bar:12.cyan} {pos}/{len} {elapsed} {wide_msg}",
    );
    for job in survey.planned.clone() {
        let name = job.name();
        bar.set_position(survey.done.len() as u64);
        bar.set_message(name.clone());
        let begin = Instant::now();
        let told = |kernel: &str| bar.set_message(format!("{name}: {kernel}"));
        let (records, refused) = child(command(&job, runs)?, told)
            .with_context(|| format!("{name} could not be run (just rebuilt?)"))?;
        let seconds = begin.elapsed().as_secs_f64();
        if let Some(why) = &refused {
            let first = why.message.lines().next().unwrap_or_default();
            bar.suspend(|| aside!("  {name} failed: {first}"));
        }
        survey.done.push(Done {
            job,
            seconds,
            records,
            status: refused.as_ref().map(|refused| refused.status),
            failed: refused.map(|refused| refused.message),
        });
        keep(survey)?;
        if bar.is_hidden() {
            let (done, all) = (survey.done.len(), survey.planned.len());
            aside!("  {done} of {all}  {name} took {seconds:.1} s");
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn command(job: &Job, runs: Option<u32>) -> Result<Command> {
    let mut command = lessons::numbered(job.lesson)?.command()?;
    command.args(["--json", "--device", &job.device.to_string()]);
    if let Some(size) = job.size {
        command.args(["--size", &size.to_string()]);
    }
    if let Some(runs) = runs {
        command.args(["--runs", &runs.to_string()]);
    }
    Ok(command)
}

/// Runs a child to its end: its records, and its error if it ended with one.
/// `told` hears of each kernel.
fn child(mut command: Command, told: impl Fn(&str)) -> Result<(Vec<Record>, Option<Refused>)> {
    let mut records = Vec::new();
    let finished = Finished::following(&mut command, |line| {
        // A lesson may print lines of other kinds.
        if let Ok(record) = serde_json::from_str::<Record>(line) {
            told(&record.kernel);
            records.push(record);
        }
    })?;
    if process::was_stopped(finished.status) {
        bail!("it was stopped");
    }
    let failed = !finished.status.success();
    Ok((records, failed.then(|| finished.refused())))
}
