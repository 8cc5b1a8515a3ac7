//! How often a kernel is run to be timed, and each run.

use std::time::Instant;

use opencl3::event::Event;

use super::{Profile, Timing, settle};
use crate::error::Result;

/// How often to run what is being timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Runs {
    /// Exactly so often.
    Exactly(usize),
    /// At least three times, then until a quarter of a second or twenty runs are reached.
    Enough,
    /// Against the best so far, in seconds: twice where both runs are half as long
    /// again or more, else at least five times, until 50 ms or twenty runs.
    Against(f64),
}

/// How many times longer than the best a run may be and still be worth repeating.
const HOPELESS: f64 = 1.5;

impl Runs {
    /// Whether these samples are enough.
    pub fn done(self, samples: &[f64]) -> bool {
        match self {
            Runs::Exactly(runs) => samples.len() >= runs,
            Runs::Enough => {
                samples.len() >= 3 && (samples.len() >= 20 || samples.iter().sum::<f64>() > 0.25)
            }
            Runs::Against(best) => {
                let least = samples.iter().copied().fold(f64::INFINITY, f64::min);
                let hopeless = samples.len() >= 2 && least >= HOPELESS * best;
                let enough = samples.len() >= 20 || samples.iter().sum::<f64>() > 0.05;
                hopeless || (samples.len() >= 5 && enough)
            }
        }
    }
}

/// One run: what it took by the wall clock, and by its commands' events.
#[derive(Clone, Debug)]
pub struct Sample {
    wall: f64,
    /// None where the driver does not tell.
    commands: Vec<Profile>,
}

impl Sample {
    /// Runs commands in order, which returns their events when the last has ended.
    ///
    /// # Errors
    /// Those of `run`, and of [`Profile::of`].
    pub fn of(run: impl FnOnce() -> Result<Vec<Event>>) -> Result<Sample> {
        let begin = Instant::now();
        let events = run()?;
        let wall = begin.elapsed().as_secs_f64();
        let commands: Result<Vec<Profile>> = events.iter().map(Profile::of).collect();
        Ok(Sample { wall, commands: commands.unwrap_or_default() })
    }

    /// Whether such runs take so long that each should serve for all that it can.
    pub fn is_slow(&self) -> bool {
        self.wall >= SLOW
    }
}

/// Seconds of a run from which on nothing is to be run for one purpose alone.
const SLOW: f64 = 0.1;

/// Times commands: before each run `prepare` does what does not count, then
/// `run` launches them in order, waits for the last, and returns their events. The
/// caller has run them before, so caches and clocks are warm; of these runs an `earlier`
/// one may count as well.
///
/// # Errors
/// Those of `prepare` and `run`.
pub fn measure(
    runs: Runs,
    earlier: Option<Sample>,
    mut prepare: impl FnMut(usize) -> Result<()>,
    mut run: impl FnMut() -> Result<Vec<Event>>,
) -> Result<Timing> {
    let samples = earlier.into_iter();
    let (mut walls, mut commands): (Vec<f64>, Vec<_>) =
        samples.map(|one| (one.wall, one.commands)).unzip();
    while !runs.done(&walls) {
        prepare(walls.len() + 1)?;
        let sample = Sample::of(&mut run)?;
        walls.push(sample.wall);
        commands.push(sample.commands);
    }
    Ok(settle(&walls, &commands))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::timing::Clock;

    /// Ends a measurement that goes on and on.
    fn at_most(most: usize, calls: usize) -> Result<()> {
        (calls <= most).then_some(()).ok_or_else(|| Error::Usage(format!("{calls} calls")))
    }

    #[test]
    fn each_run_is_prepared_and_timed() {
        let mut prepared = Vec::new();
        let prepare = |number| {
            prepared.push(number);
            at_most(3, prepared.len())
        };
        // No event: the wall clock counts.
        let timing = measure(Runs::Exactly(3), None, prepare, || Ok(Vec::new())).unwrap();
        assert_eq!(prepared, [1, 2, 3]);
        assert_eq!((timing.clock, timing.seconds.len()), (Clock::Wall, 3));
    }

    #[test]
    fn a_slow_run_of_before_counts() {
        let earlier = |wall| Sample { wall, commands: Vec::new() };
        assert!(earlier(0.1).is_slow() && !earlier(0.09).is_slow());
        let mut prepared = Vec::new();
        let prepare = |number| {
            prepared.push(number);
            at_most(2, prepared.len())
        };
        let runs = Runs::Exactly(3);
        let timing = measure(runs, Some(earlier(7.0)), prepare, || Ok(Vec::new())).unwrap();
        assert_eq!(prepared, [2, 3]);
        assert_eq!((timing.seconds[0], timing.seconds.len()), (7.0, 3));
    }

    #[test]
    fn runs_end() {
        assert!(!Runs::Exactly(2).done(&[1.0]));
        assert!(Runs::Exactly(2).done(&[1.0, 1.0]));
        assert!(!Runs::Enough.done(&[9.0, 9.0]));
        assert!(Runs::Enough.done(&[9.0, 9.0, 9.0]));
        assert!(!Runs::Enough.done(&[0.125, 0.0625, 0.0625]), "just a quarter of a second");
        assert!(!Runs::Enough.done(&[0.0; 19]));
        assert!(Runs::Enough.done(&[0.0; 20]));
    }

    #[test]
    fn what_is_clearly_slower_than_the_best_is_run_twice() {
        let against = Runs::Against(1.0);
        assert!(!against.done(&[1.6]), "one slow run may be bad luck");
        assert!(against.done(&[1.6, 1.7]));
        assert!(!against.done(&[1.6, 1.4]), "close enough to be measured well");
        assert!(!Runs::Against(2.0).done(&[2.9, 2.9]), "half as long again is 3");
        assert!(against.done(&[1.0; 5]));
        assert!(!against.done(&[0.05, 0.0, 0.0, 0.0, 0.0]), "just 50 ms");
        assert!(!Runs::Against(0.001).done(&[0.001; 19]));
        assert!(Runs::Against(0.001).done(&[0.001; 20]));
        assert!(!Runs::Against(f64::INFINITY).done(&[9.0; 4]), "nothing is known yet");
    }
}
