//! The search as it runs: a budget, trials, a bar, and a log of every step.
//!
//! A candidate that crashes or hangs takes this process down. The lesson begins anew in another,
//! and there the log says where to go on.

use std::io;
use std::time::{Duration, Instant};

use common::error::{Error, Result};
use common::outcome::{Outcome, Skip};
use common::{record::Record, stage::Stage, timing::Runs};
use lesson::Lesson;
use verify::numbers::{count, percent, significant};
use verify::problem::Problem;

use crate::log::{Log, Trial, ranking, seconds};
use crate::{search, space::Point};

/// Tries candidates, the starts before the rest of the space, until the budget is spent
/// or all were tried. What earlier runs found on this problem, and spent on it, counts.
///
/// # Errors
/// When the log cannot be written, or the device fails: nothing that is measured after that can be
/// trusted. What a candidate does wrong is a result, not an error.
pub fn search(
    lesson: &mut Lesson,
    problem: &Problem,
    space: &[Point],
    starts: &[Point],
    budget: Duration,
    log: &mut Log,
) -> Result<()> {
    let (mut before, time) = (log.trials.len(), humantime::format_duration(budget));
    let (known, took) = (count(before, "candidate"), seconds(&log.trials));
    lesson.say(match before {
        0 => format!("  search   for {time}; each candidate is checked before it may win"),
        _ => format!("  search   for {time}; {known} known from earlier runs took {took:.1} s"),
    })?;
    while seconds(&log.trials) < budget.as_secs_f64()
        && let Some(point) = search::next(space, starts, &log.trials, lesson.flags.seed)
    {
        if let Some(lost) = lesson.lost()? {
            let (of_before, point) = serde_json::from_value(lost.what).map_err(io::Error::from)?;
            before = of_before;
            log.add(Trial {
                point,
                seconds: lost.taken.as_secs_f64(),
                outcome: Outcome::Died(lost.death),
                runs: 0,
                gflops: None,
            })?;
            continue;
        }
        let ranking = ranking(&log.trials);
        let best = ranking.first().map_or(0.0, |best| best.1);
        // To be built, checked and timed it has a tenth of the budget, and three times as long as
        // the slowest that came out right: some compilers take ten seconds for an unrolled loop,
        // and checking a large product takes some. The course's own come to an end.
        let others = ranking.iter().filter(|_| !starts.contains(&point));
        let slowest = others.map(|(trial, _)| trial.seconds).reduce(f64::max).unwrap_or(10.0);
        let least = Duration::from_secs_f64((3.0 * slowest).max(5.0));
        let limit = (budget / 10).max(least).min(Duration::from_secs(lesson.flags.timeout));
        let share = percent(seconds(&log.trials) / budget.as_secs_f64());
        let (tried, rate) = (log.trials.len(), significant(best));
        let now = format!("{share}: {tried} tried, best {rate} GFLOP/s; now {point}");
        lesson.console.doing(Stage::Working(now))?;
        let what = serde_json::json!([before, point]);
        log.add(lesson.try_in(limit, what, |lesson| trial(lesson, problem, point, best))?)?;
    }
    summarize(lesson, &log.trials, before)
}

/// Builds a candidate, checks it and times it: twice, where it is clearly slower than the best.
fn trial(lesson: &mut Lesson, problem: &Problem, point: Point, best: f64) -> Result<Trial> {
    let (begun, gflop) = (Instant::now(), problem.shape.flop() / 1e9);
    let runs = Some(Runs::Against(gflop / best));
    let measured = point.task("", problem).and_then(|task| lesson.measured(&task, runs));
    let record = match measured {
        // A compiler or a driver refuses it; or a condition is missing in steps.toml.
        Err(
            why @ (Error::Build(_) | Error::Unlaunchable(_) | Error::Usage(_) | Error::At { .. }),
        ) => Record::default().skip(Skip::Since(why.to_string())),
        measured => measured?,
    };
    // Whatever disturbs a run makes it slower, and five runs have no trustworthy median.
    let fastest = record.seconds.iter().copied().reduce(f64::min);
    Ok(Trial {
        point,
        seconds: begun.elapsed().as_secs_f64(),
        outcome: record.outcome,
        runs: record.seconds.len(),
        gflops: fastest.map(|fastest| gflop / fastest),
    })
}

/// How many candidates came out how, and why those that were not harmless did.
fn summarize(lesson: &Lesson, trials: &[Trial], before: usize) -> Result<()> {
    let told = trials.iter().map(|trial| match &trial.outcome {
        Outcome::Right { .. } => ("right", None),
        Outcome::Wrong(wrong) => ("wrong", Some(wrong.in_short())),
        Outcome::Begun | Outcome::Skipped(_) => ("refused", None),
        Outcome::Died(death) if death.is_hang() => ("too slow", Some(death.how.in_short())),
        Outcome::Died(death) => ("crashed", Some(death.how.in_short())),
    });
    let told = Vec::from_iter(told);
    let words = ["right", "wrong", "refused", "crashed", "too slow"].into_iter();
    let counts = words.filter_map(|word| {
        let count = told.iter().filter(|one| one.0 == word).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let (counts, seconds) = (Vec::from_iter(counts).join(", "), seconds(trials));
    let (tried, new) = (trials.len(), trials.len() - before);
    lesson.say(format!("  tried    {tried} ({new} in this run), in {seconds:.1} s: {counts}"))?;
    let given_up = trials.iter().filter(|trial| trial.runs == 2).count();
    let why = "of them clearly slower than the best: run twice, and left";
    lesson.say(format!("           {given_up} {why}"))?;
    for (Trial { point, .. }, (word, why)) in trials.iter().zip(told) {
        if let Some(why) = why {
            lesson.say(format!("    {word} ({why}):\n      {point}"))?;
        }
    }
    Ok(())
}
