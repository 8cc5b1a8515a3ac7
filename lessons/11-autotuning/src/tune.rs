//! The search as it runs: a budget, a worker, a bar, and a log of every step.

use std::time::{Duration, Instant};

use common::error::Result;
use common::numbers::significant;
use common::problem::Problem;
use common::shape::Shape;
use lesson::Lesson;
use text::aside;

use crate::log::{Event, Known, Log};
use crate::search::{self, Trial};
use crate::space::{FAMILIES, Point, Room, Space};
use crate::worker::Worker;

/// What the search begins with: the best of other shapes, which often is good for
/// this one, after the defaults.
pub fn starts(
    defaults: &[Point],
    families: &[usize],
    log: &Log,
    shape: Shape,
    room: &Room,
) -> Vec<Point> {
    let mut starts = defaults.to_vec();
    for (other, point, _) in log.bests() {
        if other != shape && !starts.contains(&point) {
            starts.push(point);
        }
    }
    starts.retain(|point| families.contains(&point.family));
    starts.retain(|point| point.suits(room));
    starts
}

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
    families: &[usize],
    budget: Duration,
    log: &mut Log,
) -> Result<()> {
    let before = log.known(problem.shape);
    announce(lesson, space, families, budget, log, &before)?;
    let timeout = Duration::from_secs(lesson.flags().timeout);
    let device = lesson.session()?.device.label();
    let mut slowest = None;
    let mut known = before.clone();
    let mut worker = None;
    while known.seconds < budget.as_secs_f64() {
        let seed = lesson.flags().seed;
        let Some(point) = search::next(&space.points, starts, &known.trials, seed) else {
            break;
        };
        let ready = match worker.take() {
            Some(worker) => worker,
            None => Worker::start(problem.shape, &device, timeout)?,
        };
        let best = known.trials.best();
        let best_seconds = best.map(|(_, gflops)| problem.shape.flop() / gflops / 1e9);
        log.add(problem.shape, &point, Event::Begun)?;
        // The course's own, and bests of before: they come to an end.
        let expected = slowest.filter(|_| !starts.contains(&point));
        let limit = limit(budget, expected, timeout);
        let begin = Instant::now();
        let (left, trial) = ready.try_one(&point, best_seconds, limit, || {
            let spent = known.seconds + begin.elapsed().as_secs_f64();
            let share = spent / budget.as_secs_f64();
            lesson.console.doing_share(share, progress(&known, &point))
        })?;
        worker = left;
        if trial.gflops().is_some() {
            slowest = slowest.max(Some(begin.elapsed()));
        }
        let seconds = begin.elapsed().as_secs_f64();
        log.add(problem.shape, &point, Event::Ended { seconds, trial })?;
        known = log.known(problem.shape);
    }
    summarize(lesson, &known, &before)
}

/// What is searched, and what is known already.
fn announce(
    lesson: &Lesson,
    space: &Space,
    families: &[usize],
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
    let has_none = |family: &&usize| space.points.iter().all(|point| point.family != **family);
    for family in families.iter().filter(has_none) {
        let kernel = FAMILIES[*family].kernel;
        lesson.say(format!(
            "           none of them is of {kernel}: its default alone is timed"
        ))?;
    }
    lesson.say(match before.trials.0.len() {
        0 => format!(
            "  search   for {}; each candidate is checked before it may win",
            humantime::format_duration(budget)
        ),
        tried => format!(
            "  search   for {} in all; {tried} candidates are known from earlier runs, which took {:.1} s",
            humantime::format_duration(budget),
            before.seconds
        ),
    })
}

fn progress(known: &Known, point: &Point) -> String {
    let tried = known.trials.0.len();
    match known.trials.best() {
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
fn summarize(lesson: &Lesson, known: &Known, before: &Known) -> Result<()> {
    let trials = || known.trials.0.iter().map(|(_, trial)| trial);
    let count = |word: &str| trials().filter(|trial| trial.told().0 == word).count();
    let words = "right|wrong|not built|refused|crashed|too slow".split('|');
    let counts = words
        .map(|word| (count(word), word))
        .filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    lesson.say(format!(
        "  tried    {} ({} in this run), in {:.1} s: {}",
        known.trials.0.len(),
        known.trials.0.len() - before.trials.0.len(),
        known.seconds,
        counts.join(", ")
    ))?;
    let hopeless = |trial: &&Trial| matches!(trial, Trial::Right { runs: 2, .. });
    let given_up = trials().filter(hopeless).count();
    if given_up > 0 {
        lesson.say(format!(
            "           {given_up} of them clearly slower than the best: run twice, and left"
        ))?;
    }
    for (point, trial) in known.trials.0.iter() {
        if let (word, Some(why)) = trial.told() {
            lesson.say(format!("    {word} ({why}):\n      {point}"))?;
        }
    }
    Ok(())
}
