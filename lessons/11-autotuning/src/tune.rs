//! The search as it runs: a budget, a worker, a bar, and a log of every step.

use std::time::{Duration, Instant};

use common::error::Result;
use common::numbers::significant;
use common::problem::Problem;
use humantime::format_duration;
use lesson::Lesson;
use text::aside;

use crate::log::{Event, Known, Log, Trial};
use crate::search;
use crate::space::{FAMILIES, Point, Space};
use crate::worker::Worker;

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
/// When the worker does not start, or the log cannot be written. What a candidate
/// does wrong is a result, not an error.
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
    let device = lesson.session()?.device.label();
    let (mut slowest, mut worker) = (None, None);
    let mut known = log.known(shape);
    announce(lesson, space, budget, log, &known)?;
    let before = known.trials.len();
    while known.seconds < budget.as_secs_f64() {
        let Some(point) = search::next(&space.points, starts, &known, seed) else {
            break;
        };
        let ready = match &mut worker {
            Some(worker) => worker,
            none => none.insert(Worker::start(shape, &device, timeout)?),
        };
        let best = known.fastest();
        let best_seconds = best.map(|(_, gflops)| shape.flop() / gflops / 1e9);
        log.add(shape, &point, Event::Begun)?;
        // The course's own, and bests of before: they come to an end.
        let expected = slowest.filter(|_| !starts.contains(&point));
        let limit = limit(budget, expected, timeout);
        let begin = Instant::now();
        let trial = ready.try_one(&point, best_seconds, limit, || {
            let spent = known.seconds + begin.elapsed().as_secs_f64();
            let share = spent / budget.as_secs_f64();
            lesson.console.doing_share(share, progress(&known, &point))
        })?;
        match trial {
            Trial::Right { .. } => slowest = slowest.max(Some(begin.elapsed())),
            Trial::Crashed(_) | Trial::Hung(_) => worker = None,
            _ => {}
        }
        let seconds = begin.elapsed().as_secs_f64();
        log.add(shape, &point, Event::Ended { seconds, trial })?;
        known = log.known(shape);
    }
    summarize(lesson, &known, before)?;
    Ok(known)
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
    let told = known.trials.iter().map(|(_, trial)| trial.told().0);
    let words = [
        "right",
        "wrong",
        "not built",
        "refused",
        "crashed",
        "too slow",
    ];
    let counts = words.map(|word| (told.clone().filter(|other| *other == word).count(), word));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    lesson.say(format!(
        "  tried    {} ({} in this run), in {:.1} s: {}",
        known.trials.len(),
        known.trials.len() - before,
        known.seconds,
        counts.join(", ")
    ))?;
    let is_given_up = |trial: &Trial| matches!(trial, Trial::Right { runs: 2, .. });
    let given_up = known
        .trials
        .iter()
        .filter(|one| is_given_up(&one.1))
        .count();
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
