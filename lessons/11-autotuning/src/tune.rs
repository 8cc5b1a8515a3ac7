//! The search as it runs: a budget, trials, a bar, and a log of every step.
//!
//! A candidate that crashes or hangs takes this process down. The lesson begins anew in another,
//! and there the log says where to go on.

use std::io;
use std::time::{Duration, Instant};

use common::error::{Error, Result};
use common::outcome;
use common::timing::Runs;
use diagnostics::aside;
use humantime::format_duration;
use lesson::Lesson;
use serde_json::json;
use verify::numbers::significant;
use verify::problem::Problem;
use watchdog::events::Lost;

use crate::log::{Known, Log, Outcome, Trial, WORDS};
use crate::search;
use crate::space::Point;

/// How long a candidate may take to be built, checked and timed: a tenth of the
/// budget, at least five seconds, and three times as long as the slowest that came
/// out right. Some compilers take ten seconds for an unrolled loop, and checking a
/// large product takes seconds, too: as long as nothing is known, it is half a minute.
fn limit(budget: Duration, slowest: Option<f64>, timeout: Duration) -> Duration {
    let expected = 3.0 * slowest.unwrap_or(10.0);
    let least = Duration::from_secs_f64(expected.max(5.0));
    (budget / 10).max(least).min(timeout)
}

/// Tries candidates, the starts before the rest of the space, until the budget is spent
/// or all were tried. What earlier runs found on this problem counts as found, and what
/// they spent as spent.
///
/// # Errors
/// When the log cannot be written, or the device fails: after that nothing that this process
/// measures can be trusted. What a candidate does wrong is a result, not an error.
pub fn search(
    lesson: &mut Lesson,
    problem: &Problem,
    space: &[Point],
    starts: &[Point],
    budget: Duration,
    log: &mut Log,
) -> Result<Known> {
    let (shape, seed) = (problem.shape, lesson.flags().seed);
    let timeout = Duration::from_secs(lesson.flags().timeout);
    let mut known = log.known(shape);
    let mut before = known.0.len();
    if log.bad_lines > 0 {
        aside!(
            "note: {} line(s) of the results of earlier runs cannot be read and are passed over; --reset begins anew",
            log.bad_lines
        );
    }
    let time = format_duration(budget);
    lesson.say(match (before, known.seconds()) {
        (0, _) => format!("  search   for {time}; each candidate is checked before it may win"),
        (_, took) => format!(
            "  search   for {time} in all; {before} candidates are known from earlier runs, which took {took:.1} s"
        ),
    })?;
    while known.seconds() < budget.as_secs_f64()
        && let Some(point) = search::next(space, starts, &known, seed)
    {
        let (point, seconds, outcome) = if let Some(Lost { what, death }) = lesson.lost()? {
            let (of_before, point) = serde_json::from_value(what).map_err(io::Error::from)?;
            before = of_before;
            let how = death.how.in_short();
            let outcome = match death.is_hang() {
                true => Outcome::Hung(how),
                false => Outcome::Crashed(how),
            };
            (point, death.taken.as_secs_f64(), outcome)
        } else {
            let ranking = known.ranking();
            let best = ranking.first().map_or(0.0, |best| best.1);
            let slowest = ranking.iter().map(|(trial, _)| trial.seconds);
            // The course's own, and bests of before: they come to an end.
            let is_start = starts.contains(&point);
            let slowest = slowest.reduce(f64::max).filter(|_| !is_start);
            let (tried, rate) = (known.0.len(), significant(best));
            lesson.console.doing_share(
                known.seconds() / budget.as_secs_f64(),
                format!("{tried} tried, best {rate} GFLOP/s; now {point}"),
            )?;
            let begun = Instant::now();
            let limit = limit(budget, slowest, timeout);
            let outcome = lesson.try_in(limit, json!([before, point]), |lesson| {
                trial(lesson, problem, &point, shape.flop() / best / 1e9)
            })?;
            (point, begun.elapsed().as_secs_f64(), outcome)
        };
        log.add(Trial {
            shape,
            point,
            seconds,
            outcome,
        })?;
        known = log.known(shape);
    }
    summarize(lesson, &known, before)?;
    Ok(known)
}

/// Builds a candidate, checks it and times it: twice, where it is clearly slower than the best.
/// The fastest run counts: whatever disturbs a run makes it slower, and five runs have no
/// trustworthy median.
fn trial(
    lesson: &mut Lesson,
    problem: &Problem,
    point: &Point,
    best_seconds: f64,
) -> Result<Outcome> {
    let first_line = |text: &str| text.lines().next().unwrap_or_default().to_string();
    let task = point.task("", problem);
    let runs = Some(Runs::Against(best_seconds));
    let measured = task.and_then(|task| lesson.measured(&task, runs));
    lesson.forget_programs();
    let record = match measured {
        Err(why @ (Error::Build(_) | Error::Unlaunchable(_))) => {
            return Ok(Outcome::NotBuilt(first_line(&why.to_string())));
        }
        // Its sizes make no sense: a condition is missing in steps.toml.
        Err(why @ (Error::Usage(_) | Error::At { .. })) => {
            return Ok(Outcome::Refused(why.to_string()));
        }
        measured => measured?,
    };
    let fastest = record.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(match record.outcome {
        outcome::Outcome::Wrong(wrong) => Outcome::Wrong(first_line(&wrong.to_string())),
        outcome::Outcome::Skipped(why) => Outcome::Refused(why.to_string()),
        _ => Outcome::Right {
            gflops: problem.shape.flop() / fastest / 1e9,
            runs: record.seconds.len(),
            care: false,
        },
    })
}

/// How many candidates came out how, and those that were not harmless.
fn summarize(lesson: &Lesson, known: &Known, before: usize) -> Result<()> {
    let trials = known.0.iter();
    let told = trials.clone().map(|trial| trial.outcome.told().0);
    let count = |word| told.clone().filter(|told| *told == word).count();
    let counts = WORDS.map(|word| (count(word), word)).into_iter();
    let counts = counts.filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, word)| format!("{count} {word}"));
    let (tried, seconds) = (known.0.len(), known.seconds());
    lesson.say(format!(
        "  tried    {tried} ({} in this run), in {seconds:.1} s: {}",
        tried - before,
        Vec::from_iter(counts).join(", ")
    ))?;
    let is_given_up = |one: &&Trial| matches!(one.outcome, Outcome::Right { runs: 2, .. });
    let given_up = trials.clone().filter(is_given_up).count();
    if given_up > 0 {
        lesson.say(format!(
            "           {given_up} of them clearly slower than the best: run twice, and left"
        ))?;
    }
    for trial in trials {
        if let (word, Some(why)) = trial.outcome.told() {
            lesson.say(format!("    {word} ({why}):\n      {}", trial.point))?;
        }
    }
    Ok(())
}
