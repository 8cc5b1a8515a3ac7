//! The search as it runs: a budget, a worker, a bar, and a log of every step.

use std::path::Path;
use std::time::{Duration, Instant};

use common::error::Result;
use common::numbers::significant;
use common::shape::Shape;
use common::verify::Problem;
use runner::Lesson;

use crate::log::{Known, Log};
use crate::point::{Family, Point};
use crate::search::{self, Outcome};
use crate::space::Room;
use crate::worker::Worker;

/// What a search begins with.
pub struct Start<'a> {
    /// What may be tried.
    pub points: &'a [Point],
    /// How many combinations there were before the constraints.
    pub combinations: usize,
    /// What is tried first.
    pub starts: Vec<Point>,
    /// Time for all trials on this problem together.
    pub budget: Duration,
}

/// What the search begins with: the best of other shapes, which often is good for
/// this one, after the defaults.
pub fn starts(
    defaults: &[Point],
    families: &[Family],
    log: &Log,
    shape: Shape,
    room: &Room,
) -> Vec<Point> {
    let others = log.bests().into_iter();
    let others = others
        .filter(|(other, ..)| *other != shape)
        .map(|best| best.1);
    let mut starts = defaults.to_vec();
    for point in others {
        if !starts.contains(&point) {
            starts.push(point);
        }
    }
    starts.retain(|point| families.contains(&point.family));
    starts.retain(|point| point.broken_constraint(room).is_none());
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

/// Tries candidates until the budget is spent or all were tried. What earlier
/// runs found counts as found, and what they spent as spent.
///
/// # Errors
/// When the worker does not start, or the log cannot be written. What a candidate
/// does wrong is an outcome, not an error.
pub fn search(lesson: &mut Lesson, problem: &Problem, start: &Start, log: &mut Log) -> Result<()> {
    let before = log.known(problem.shape);
    announce(lesson, start, log, &before)?;
    let timeout = Duration::from_secs(lesson.flags().timeout);
    let device = lesson.session()?.device.label();
    let mut slowest = None;
    let mut known = before.clone();
    let mut worker = None;
    while known.seconds < start.budget.as_secs_f64() {
        let Some(point) = search::next(
            start.points,
            &start.starts,
            &known.trials,
            lesson.flags().seed,
        ) else {
            break;
        };
        let ready = match worker.take() {
            Some(worker) => worker,
            None => Worker::start(problem.shape, &device, timeout)?,
        };
        let best_seconds = known
            .trials
            .best()
            .map(|(_, gflops)| problem.shape.flop() / gflops / 1e9);
        log.begun(problem.shape, &point)?;
        let limit = match start.starts.contains(&point) {
            // The course's own, and bests of before: they come to an end.
            true => limit(start.budget, None, timeout),
            false => limit(start.budget, slowest, timeout),
        };
        let begin = Instant::now();
        let (left, outcome) = ready.try_one(&point, best_seconds, limit, || {
            let spent = known.seconds + begin.elapsed().as_secs_f64();
            let share = spent / start.budget.as_secs_f64();
            lesson.console.doing_share(share, progress(&known, &point))
        })?;
        worker = left;
        if matches!(outcome, Outcome::Right { .. }) {
            slowest = slowest.max(Some(begin.elapsed()));
        }
        log.ended(
            problem.shape,
            &point,
            begin.elapsed().as_secs_f64(),
            outcome,
        )?;
        known = log.known(problem.shape);
    }
    summarize(lesson, &known, &before)
}

/// What is searched, and what is known already.
fn announce(lesson: &Lesson, start: &Start, log: &Log, before: &Known) -> Result<()> {
    if log.bad_lines > 0 {
        eprintln!(
            "note: {} line(s) of the results of earlier runs cannot be read and are passed over; --reset begins anew",
            log.bad_lines
        );
    }
    lesson.say(format!(
        "  space    {} of {} combinations meet the constraints",
        start.points.len(),
        start.combinations
    ))?;
    lesson.say(match before.trials.len() {
        0 => format!(
            "  search   for {}; each candidate is checked before it may win",
            humantime::format_duration(start.budget)
        ),
        tried => format!(
            "  search   for {} in all; {tried} candidates are known from earlier runs, which took {:.1} s",
            humantime::format_duration(start.budget),
            before.seconds
        ),
    })
}

fn progress(known: &Known, point: &Point) -> String {
    let tried = known.trials.len();
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
    let count = |wanted: fn(&Outcome) -> bool, what: &str| {
        let outcomes = known.trials.iter().map(|(_, outcome)| outcome);
        match outcomes.filter(|outcome| wanted(outcome)).count() {
            0 => None,
            count => Some(format!("{count} {what}")),
        }
    };
    let counts = [
        count(|o| matches!(o, Outcome::Right { .. }), "right"),
        count(|o| matches!(o, Outcome::Wrong(_)), "wrong"),
        count(|o| matches!(o, Outcome::NotBuilt(_)), "not built"),
        count(|o| matches!(o, Outcome::Refused(_)), "refused"),
        count(|o| matches!(o, Outcome::Crashed(_)), "crashed"),
        count(|o| matches!(o, Outcome::Hung(_)), "too slow"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    lesson.say(format!(
        "  tried    {} ({} in this run), in {:.1} s: {}",
        known.trials.len(),
        known.trials.len() - before.trials.len(),
        known.seconds,
        counts.join(", ")
    ))?;
    let hopeless = |o: &Outcome| matches!(o, Outcome::Right { runs: 2, .. });
    if let Some(given_up) = count(hopeless, "of them clearly slower than the best") {
        lesson.say(format!("           {given_up}: run twice, and left"))?;
    }
    for (point, outcome) in known.trials.iter() {
        let (what, why) = match outcome {
            Outcome::Wrong(why) => ("wrong", why),
            Outcome::Crashed(why) => ("crashed", why),
            Outcome::Hung(why) => ("too slow", why),
            _ => continue,
        };
        lesson.say(format!("    {what} ({why}):\n      {point}"))?;
    }
    Ok(())
}

/// A path below the home folder as people write it.
pub fn shown(path: &Path) -> String {
    let home = dirs::home_dir();
    let below = home
        .as_deref()
        .and_then(|home| path.strip_prefix(home).ok());
    match below {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}
