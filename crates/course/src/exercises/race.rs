//! Four kernels in turns, in one process on one device: the learner's, the lesson's own,
//! and, to know what this device can tell, the exercise's as it came and its solution.
//! What disturbs the machine meets all of them, and only their ratios are used.

use std::time::Instant;

use common::Result;
use common::session::Session;
use common::source::Source;
use common::timing::{self, Profile, Runs, WARM_UP};
use common::verify::Right;
use lesson::{Lesson, Ready};

use super::exercise::Exercise;
use super::spec::{SEED, Speed};
use super::speed::{Laps, Race};
use crate::task::TaskFile;

/// Rounds before which no end is allowed, and after which there is one.
const ROUNDS: std::ops::RangeInclusive<usize> = 7..=41;
/// Seconds of rounds that are enough.
const ENOUGH: f64 = 0.7;

/// What all four took, or why nobody can tell.
pub fn race(lesson: &mut Lesson, exercise: &Exercise) -> Result<Race> {
    let Some(speed) = &exercise.spec.speed else {
        return Ok(Race::NotJudged("speed is not asked for".into()));
    };
    if lesson.runs()? != Some(Runs::Enough) {
        let why = "a simulator's times say nothing about a device";
        return Ok(Race::NotJudged(why.into()));
    }
    let session = lesson.session()?;
    let mut ready = Vec::new();
    for (source, task) in runners(lesson, exercise, speed)? {
        let name = format!("{} of {}", task.function, source.path.display());
        let task = task.task_of_shape(speed.size, SEED)?;
        lesson.console.doing(format!("building {name}"))?;
        let one = match lesson.prepared(&task, &source)? {
            Ok(one) => one,
            Err(reason) => return Ok(Race::NotJudged(format!("{}: {reason}", task.kernel))),
        };
        lesson.console.doing(format!("running {name}"))?;
        warm_up(&session, &one)?;
        match (ready.len(), checked(&session, &one)?) {
            (0, Err(wrong)) => return Ok(Race::Wrong(wrong)),
            (_, Err(wrong)) => {
                let first = wrong.lines().next().unwrap_or_default();
                return Ok(Race::NotJudged(format!("{name} is wrong here: {first}")));
            }
            (_, Ok(_)) => ready.push(one),
        }
    }
    let fresh = &exercise.puzzle.fresh.text;
    let is_untouched = lesson.source()?.text == *fresh;
    let laps = laps(lesson, &session, &ready, is_untouched)?;
    // What was timed must have been right to the end.
    if let Err(wrong) = checked(&session, &ready[0])? {
        return Ok(Race::Wrong(wrong));
    }
    Ok(Race::Laps(laps))
}

/// The learner's kernel, the exercise as it came, its solution, and the lesson's own.
fn runners<'a>(
    lesson: &Lesson,
    exercise: &'a Exercise,
    speed: &'a Speed,
) -> Result<[(Source, &'a TaskFile); 4]> {
    let (task, puzzle) = (&exercise.spec.task, &exercise.puzzle);
    let solution = puzzle.solution.as_ref().unwrap_or(&puzzle.fresh);
    let file = speed.file.clone();
    let file = file.unwrap_or_else(|| puzzle.lesson.kernel_file());
    Ok([
        (lesson.source()?, task),
        (puzzle.fresh.clone(), task),
        (solution.clone(), task),
        (Source::of_course(&file)?, &speed.task),
    ])
}

/// Whether what it left is right.
fn checked(session: &Session, one: &Ready) -> Result<std::result::Result<Right, String>> {
    one.check(session, &one.read(session)?)
}

/// Runs it until the device's clocks have risen.
fn warm_up(session: &Session, kernel: &Ready) -> Result<()> {
    kernel.poison(session)?;
    let begin = Instant::now();
    while begin.elapsed() < WARM_UP {
        session.run(&kernel.launches)?;
    }
    Ok(())
}

/// Times all of them in turns; the first is as it came where `is_untouched` says so.
fn laps(
    lesson: &mut Lesson,
    session: &Session,
    ready: &[Ready],
    is_untouched: bool,
) -> Result<Laps> {
    let mut walls = vec![Vec::new(); ready.len()];
    let mut profiles = vec![Vec::new(); ready.len()];
    let began = Instant::now();
    for round in 0..*ROUNDS.end() {
        if round >= *ROUNDS.start() && began.elapsed().as_secs_f64() > ENOUGH {
            break;
        }
        lesson
            .console
            .doing(format!("timing, round {}", round + 1))?;
        // Another one begins each round, so that none always follows the same one.
        for turn in 0..ready.len() {
            let at = (round + turn) % ready.len();
            // So that what is checked in the end is the last run's.
            ready[at].poison(session)?;
            let begin = Instant::now();
            let events = session.run(&ready[at].launches)?;
            walls[at].push(begin.elapsed().as_secs_f64());
            let times: Result<Vec<Profile>> = events.iter().map(Profile::of).collect();
            profiles[at].push(times.unwrap_or_default());
        }
    }
    let laps = |at: usize| timing::settle(&walls[at], &profiles[at]).seconds;
    Ok(Laps {
        // One text has one speed.
        own: laps(usize::from(is_untouched)),
        given: laps(1),
        solution: laps(2),
        lessons: laps(3),
    })
}
