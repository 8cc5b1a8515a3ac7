//! Several kernels in turns, in one process on one device. What disturbs the machine meets all
//! of them, and only their ratios are used.

use std::path::PathBuf;
use std::time::Instant;

use common::Result;
use common::session::Session;
use common::source::Source;
use common::timing::{self, Profile, Runs, WARM_UP};
use common::verify::Right;
use lesson::{Lesson, Ready};
use serde::{Deserialize, Serialize};

use super::file::{Sizes, TaskFile};

/// Rounds before which no end is allowed, and after which there is one.
const ROUNDS: std::ops::RangeInclusive<usize> = 7..=41;
/// Seconds of rounds that are enough.
const ENOUGH: f64 = 0.7;

/// One that runs: its file and its task. The first is the learner's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Runner {
    /// The kernel file.
    pub file: PathBuf,
    /// Its task.
    pub task: TaskFile,
    /// For which size.
    pub sizes: Sizes,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Race {
    /// Seconds of each kernel in each round.
    Laps(Vec<Vec<f64>>),
    /// Nothing, for this reason.
    NotJudged(String),
    /// The learner's result was wrong.
    Wrong(String),
}

/// What all of them took, or why nobody can tell.
pub fn race(lesson: &mut Lesson, runners: &[Runner], seed: u64) -> Result<Race> {
    if lesson.runs()? != Some(Runs::Enough) {
        let why = "a simulator's times say nothing about a device";
        return Ok(Race::NotJudged(why.into()));
    }
    let session = lesson.session()?;
    let (mut ready, mut texts) = (Vec::new(), Vec::new());
    for Runner { file, task, sizes } in runners {
        let source = Source::read(file)?;
        let name = format!("{} of {}", task.function, source.path.display());
        let task = task.task(sizes, seed, &[])?;
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
        texts.push(source.text);
    }
    let laps = laps(lesson, &session, &ready)?;
    // What was timed must have been right to the end.
    if let Err(wrong) = checked(&session, &ready[0])? {
        return Ok(Race::Wrong(wrong));
    }
    // One text has one speed.
    let same = |at: usize| texts.iter().rposition(|text| *text == texts[at]);
    let laps = (0..laps.len()).map(|at| laps[same(at).unwrap_or(at)].clone());
    Ok(Race::Laps(laps.collect()))
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

/// Times all of them in turns.
fn laps(lesson: &mut Lesson, session: &Session, ready: &[Ready]) -> Result<Vec<Vec<f64>>> {
    let mut walls = vec![Vec::new(); ready.len()];
    let mut profiles = vec![Vec::new(); ready.len()];
    let began = Instant::now();
    for round in 0..*ROUNDS.end() {
        if round >= *ROUNDS.start() && began.elapsed().as_secs_f64() > ENOUGH {
            break;
        }
        let doing = format!("timing, round {}", round + 1);
        lesson.console.doing(doing)?;
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
    let settled = walls.iter().zip(&profiles);
    Ok(settled
        .map(|(walls, profiles)| timing::settle(walls, profiles).seconds)
        .collect())
}
