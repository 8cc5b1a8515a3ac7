//! The search as it runs: a budget, trials, a bar, and a log of every step.
//!
//! A candidate that crashes or hangs takes this process down. The lesson begins anew in another,
//! and there the log says where to go on.

use std::io;
use std::time::{Duration, Instant};

use common::error::{Error, Result};
use common::outcome::Outcome;
use common::timing::Runs;
use diagnostics::aside;
use humantime::format_duration;
use lesson::Lesson;
use serde_json::json;
use verify::numbers::significant;
use verify::problem::Problem;

use crate::log::{Event, Known, Log, Trial};
use crate::search;
use crate::space::{FAMILIES, Point, Space};

/// How long a candidate may take to be built, checked and timed: a tenth of the
/// budget, at least five seconds, and three times as long as the slowest that came
/// out right. Some compilers take ten seconds for an unrolled loop, and checking a
/// large product takes seconds, too: as long as nothing is known, it is half a minute.
fn limit(budget: Duration, slowest: Option<Duration>, timeout: Duration) -> Duration {
    let expected = slowest.map_or(Duration::from_secs(30), |slowest| 3 * slowest);
    let least = Duration::from_secs(5);
    (budget / 10).max(least).max(expected).min(timeout)
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
    space: &Space,
    starts: &[Point],
    budget: Duration,
    log: &mut Log,
) -> Result<Known> {
    let (shape, seed) = (problem.shape, lesson.flags().seed);
    let timeout = Duration::from_secs(lesson.flags().timeout);
    let mut known = log.known(shape);
    announce(lesson, space, budget, log, &known)?;
    let mut before = known.trials.len();
    while known.seconds < budget.as_secs_f64() {
        let Some(point) = search::next(&space.points, starts, &known, seed) else {
            break;
        };
        if let Some(lost) = lesson.lost()? {
            let point;
            (before, point) = serde_json::from_value(lost.what).map_err(io::Error::from)?;
            let (seconds, how) = (lost.death.taken.as_secs_f64(), lost.death.how.in_short());
            let trial = match lost.death.is_hang() {
                true => Trial::Hung(how),
                false => Trial::Crashed(how),
            };
            log.add(shape, &point, Event::Ended { seconds, trial })?;
            known = log.known(shape);
            continue;
        }
        let best = known.fastest();
        let best_seconds = best.map(|(_, gflops)| shape.flop() / gflops / 1e9);
        // The course's own, and bests of before: they come to an end.
        let expected = known.slowest.filter(|_| !starts.contains(&point));
        let limit = limit(budget, expected, timeout);
        log.add(shape, &point, Event::Begun)?;
        let share = known.seconds / budget.as_secs_f64();
        let progress = progress(&known, &point);
        lesson.console.doing_share(share, progress)?;
        let begun = Instant::now();
        let trial = lesson.try_in(limit, json!([before, point]), |lesson| {
            trial(lesson, problem, &point, best_seconds)
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        log.add(shape, &point, Event::Ended { seconds, trial })?;
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
    best_seconds: Option<f64>,
) -> Result<Trial> {
    let first_line = |text: &str| text.lines().next().unwrap_or_default().to_string();
    let runs = Runs::Against(best_seconds.unwrap_or(f64::INFINITY));
    let task = point.task("", problem);
    let measured = task.and_then(|task| lesson.measured(&task, Some(runs)));
    lesson.forget_programs();
    let record = match measured {
        Err(why @ (Error::Build(_) | Error::Unlaunchable(_))) => {
            return Ok(Trial::NotBuilt(first_line(&why.to_string())));
        }
        // Its sizes make no sense: a condition is missing in space.toml.
        Err(Error::Usage(why)) => return Ok(Trial::Refused(why)),
        measured => measured?,
    };
    let fastest = record.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let gflops = record.shape().flop() / fastest / 1e9;
    let runs = record.seconds.len();
    Ok(match record.outcome {
        Outcome::Wrong(wrong) => Trial::Wrong(first_line(&wrong)),
        Outcome::Skipped(why) => Trial::Refused(why.to_string()),
        _ => Trial::Right { gflops, runs },
    })
}

/// What is searched, and what is known already.
fn announce(
    lesson: &Lesson,
    space: &Space,
    budget: Duration,
    log: &Log,
    before: &Known,
) -> Result<()> {
    if log.bad_lines > 0 {
        aside!(
            "note: {} line(s) of the results of earlier runs cannot be read and are passed over; --reset begins anew",
            log.bad_lines
        );
    }
    lesson.say(format!(
        "  space    {} of {} combinations meet the constraints",
        space.points.len(),
        space.combinations
    ))?;
    for family in &space.empty {
        let kernel = &FAMILIES[*family].name;
        lesson.say(format!(
            "           none of them is of {kernel}: its default alone is timed"
        ))?;
    }
    let budget = format_duration(budget);
    lesson.say(match before.trials.len() {
        0 => format!("  search   for {budget}; each candidate is checked before it may win"),
        tried => format!(
            "  search   for {budget} in all; {tried} candidates are known from earlier runs, which took {:.1} s",
            before.seconds
        ),
    })
}

fn progress(known: &Known, point: &Point) -> String {
    let tried = known.trials.len();
    match known.fastest() {
        Some((best, gflops)) => format!(
            "{tried} tried, best {} GFLOP/s: {}; now {}",
            significant(gflops),
            best.parameters(),
            point.parameters()
        ),
        None => format!("{tried} tried; now {point}"),
    }
}

/// How many candidates came out how, and those that were not harmless.
fn summarize(lesson: &Lesson, known: &Known, before: usize) -> Result<()> {
    let told = |word: &str| {
        let trials = known.trials.iter();
        let count = trials.filter(|(_, trial)| trial.told().0 == word).count();
        (count > 0).then(|| format!("{count} {word}"))
    };
    let words = [
        "right",
        "wrong",
        "not built",
        "refused",
        "crashed",
        "too slow",
    ];
    let counts: Vec<String> = words.into_iter().filter_map(told).collect();
    lesson.say(format!(
        "  tried    {} ({} in this run), in {:.1} s: {}",
        known.trials.len(),
        known.trials.len() - before,
        known.seconds,
        counts.join(", ")
    ))?;
    let trials = known.trials.iter();
    let given_up = trials.filter(|one| matches!(one.1, Trial::Right { runs: 2, .. }));
    let given_up = given_up.count();
    if given_up > 0 {
        lesson.say(format!(
            "           {given_up} of them clearly slower than the best: run twice, and left"
        ))?;
    }
    for (point, trial) in &known.trials {
        if let (word, Some(why)) = trial.told() {
            lesson.say(format!("    {word} ({why}):\n      {point}"))?;
        }
    }
    Ok(())
}
