//! The search as it runs: a budget, a worker, a bar, and a log of every step.

use std::time::{Duration, Instant};

use common::error::Result;
use common::numbers::significant;
use common::problem::Problem;
use common::shape::Shape;
use humantime::format_duration;
use lesson::Lesson;
use text::aside;

use crate::log::{Event, Known, Log};
use crate::search::{self, Trial};
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
) -> Result<()> {
    let before = log.known(problem.shape);
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
    summarize(lesson, &known, before.trials.0.len())
}

/// What is searched, and what is known already.
pub fn announce(
    lesson: &Lesson,
    space: &Space,
    families: &[usize],
    budget: Duration,
    log: &Log,
    shape: Shape,
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
        let kernel = &FAMILIES[*family].name;
        lesson.say(format!(
            "           none of them is of {kernel}: its default alone is timed"
        ))?;
    }
    let (before, budget) = (log.known(shape), format_duration(budget));
    lesson.say(match before.trials.0.len() {
        0 => format!("  search   for {budget}; each candidate is checked before it may win"),
        tried => format!(
            "  search   for {budget} in all; {tried} candidates are known from earlier runs, which took {:.1} s",
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
fn summarize(lesson: &Lesson, known: &Known, before: usize) -> Result<()> {
    let trials = &known.trials.0;
    let count =
        |is_one: &dyn Fn(&Trial) -> bool| trials.iter().filter(|one| is_one(&one.1)).count();
    let words = "right|wrong|not built|refused|crashed|too slow".split('|');
    let counts = words.map(|word| (count(&|trial| trial.told().0 == word), word));
    let counts = counts.filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    lesson.say(format!(
        "  tried    {} ({} in this run), in {:.1} s: {}",
        trials.len(),
        trials.len() - before,
        known.seconds,
        counts.join(", ")
    ))?;
    let given_up = count(&|trial| matches!(trial, Trial::Right { runs: 2, .. }));
    if given_up > 0 {
        lesson.say(format!(
            "           {given_up} of them clearly slower than the best: run twice, and left"
        ))?;
    }
    for (point, trial) in trials {
        if let (word, Some(why)) = trial.told() {
            lesson.say(format!("    {word} ({why}):\n      {point}"))?;
        }
    }
    Ok(())
}
