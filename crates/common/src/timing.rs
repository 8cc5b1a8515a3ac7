//! Profiled intervals, which of them can be believed, and statistics.

use std::time::Instant;

use opencl3::event::Event;
use serde::Serialize;

use crate::error::{During, Result};

/// The four times of a profiled command, in nanoseconds of the device's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Profile {
    /// The host enqueued it.
    pub queued: u64,
    /// The driver handed it to the device.
    pub submit: u64,
    /// The device began.
    pub start: u64,
    /// The device ended.
    pub end: u64,
}

impl Profile {
    /// Reads the times of a command that has ended.
    ///
    /// # Errors
    /// The driver's status, CL_PROFILING_INFO_NOT_AVAILABLE for instance.
    pub fn of(event: &Event) -> Result<Profile> {
        let during = "reading an event's times";
        Ok(Profile {
            queued: event.profiling_command_queued().during(during)?,
            submit: event.profiling_command_submit().during(during)?,
            start: event.profiling_command_start().during(during)?,
            end: event.profiling_command_end().during(during)?,
        })
    }

    /// START to END: the time of the kernel itself, in seconds.
    pub fn seconds(self) -> f64 {
        nanoseconds(self.start, self.end)
    }

    /// From the first command of an in-order queue to the last; `None` of none.
    pub fn spanning(parts: &[Profile]) -> Option<Profile> {
        let (first, last) = (parts.first()?, parts.last()?);
        Some(Profile {
            end: last.end,
            ..*first
        })
    }

    /// QUEUED to START: what the launch waited, in seconds.
    pub fn waited(self) -> f64 {
        nanoseconds(self.queued, self.start)
    }

    /// Can these times be true, given what the wall clock said from before the
    /// launch until after the wait? Some drivers answer 0, 1, 2, 3, and a
    /// kernel cannot take longer than the call that waited for it.
    pub fn credible(self, wall_seconds: f64) -> bool {
        // Nothing a lesson launches ends in 100 ns on real hardware.
        let ticks = self.end.saturating_sub(self.start);
        let slack = 1e-4;
        self.start > 0 && ticks >= 100 && self.seconds() <= wall_seconds * 1.05 + slack
    }
}

fn nanoseconds(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 * 1e-9
}

/// Which clock a kernel's seconds come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// START to END of the event.
    Event,
    /// The wall clock around launch and wait: the driver's times are not credible.
    Wall,
}

/// The samples of one kernel, or of several that run one after another.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Seconds of each run, in order: from the START of the first command to the
    /// END of the last.
    pub seconds: Vec<f64>,
    /// The same runs by the wall clock, from before the launch until after the wait;
    /// none where `seconds` are that.
    pub wall_seconds: Vec<f64>,
    /// Median seconds of each command, in order; none where the events are not
    /// credible.
    pub command_seconds: Vec<f64>,
    /// Median seconds from QUEUED to START; 0 where the events are not credible.
    pub queue_to_start_seconds: f64,
    /// Where the seconds come from.
    pub clock: Clock,
}

impl Timing {
    /// Seconds by the wall clock, which knows nothing else.
    pub fn by_the_wall(seconds: Vec<f64>) -> Timing {
        Timing {
            seconds,
            wall_seconds: Vec::new(),
            command_seconds: Vec::new(),
            queue_to_start_seconds: 0.0,
            clock: Clock::Wall,
        }
    }

    /// The median, in seconds.
    pub fn median(&self) -> f64 {
        median(&self.seconds)
    }

    /// Half the distance between the quartiles, as a share of the median: half
    /// of all runs lie within this of the middle.
    pub fn spread(&self) -> f64 {
        let median = self.median();
        if median == 0.0 {
            return 0.0;
        }
        (quantile(&self.seconds, 0.75) - quantile(&self.seconds, 0.25)) / 2.0 / median
    }
}

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
    /// What the commands fail with.
    pub fn of(run: impl FnOnce() -> Result<Vec<Event>>) -> Result<Sample> {
        let begin = Instant::now();
        let events = run()?;
        let wall = begin.elapsed().as_secs_f64();
        let commands: Result<Vec<Profile>> = events.iter().map(Profile::of).collect();
        Ok(Sample {
            wall,
            commands: commands.unwrap_or_default(),
        })
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

/// Times a call on the host, by the wall clock; the caller has warmed up.
pub fn measure_call(runs: Runs, mut call: impl FnMut() -> Result<()>) -> Result<Timing> {
    let mut seconds = Vec::new();
    while !runs.done(&seconds) {
        let begin = Instant::now();
        call()?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    Ok(Timing::by_the_wall(seconds))
}

/// Event times where all are credible, else the wall clock's. `profiles` holds the
/// commands of each run, none where the driver does not tell.
pub fn settle(walls: &[f64], profiles: &[Vec<Profile>]) -> Timing {
    let credible: Vec<Profile> = profiles
        .iter()
        .zip(walls)
        .filter(|(parts, _)| in_order(parts))
        .filter_map(|(parts, wall)| Profile::spanning(parts).filter(|p| p.credible(*wall)))
        .collect();
    if credible.len() < walls.len() {
        return Timing::by_the_wall(walls.to_vec());
    }
    let commands = profiles.first().map_or(0, Vec::len);
    let part = |i: usize| -> Vec<f64> { profiles.iter().map(|p| p[i].seconds()).collect() };
    let waits: Vec<f64> = credible.iter().map(|p| p.waited()).collect();
    Timing {
        seconds: credible.iter().map(|p| p.seconds()).collect(),
        wall_seconds: walls.to_vec(),
        command_seconds: (0..commands).map(|i| median(&part(i))).collect(),
        queue_to_start_seconds: median(&waits),
        clock: Clock::Event,
    }
}

/// Whether each command ended after it began, and before the next one began.
fn in_order(parts: &[Profile]) -> bool {
    parts.iter().all(|part| part.start <= part.end)
        && parts.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

/// The middle value; the mean of the two middle ones of an even number.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which a share `q` of the values lies, linearly interpolated
/// (Hyndman and Fan's type 7). 0 for no values.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let at = q * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), 2.0);
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn the_spread_is_half_the_quartile_distance() {
        let timing = Timing {
            seconds: vec![1.0, 2.0, 3.0, 4.0, 5.0],
            wall_seconds: Vec::new(),
            command_seconds: Vec::new(),
            queue_to_start_seconds: 0.0,
            clock: Clock::Event,
        };
        assert!((timing.spread() - 1.0 / 3.0).abs() < 1e-12);
        let timing = Timing::by_the_wall(vec![16.0, 8.0, 4.0, 2.0, 1.0]);
        assert_eq!((timing.median(), timing.spread()), (4.0, 0.75));
        let timing = Timing::by_the_wall(vec![0.0; 3]);
        assert_eq!(timing.spread(), 0.0, "no share of nothing");
    }

    fn profile(start: u64, end: u64) -> Profile {
        Profile {
            queued: start,
            submit: start,
            start,
            end,
        }
    }

    #[test]
    fn credible_events_are_believed() {
        let timing = settle(&[0.002], &[vec![profile(1_000_000, 2_000_000)]]);
        assert_eq!(timing.clock, Clock::Event);
        assert_eq!(timing.seconds, [0.001]);
        assert_eq!(timing.wall_seconds, [0.002]);
        assert_eq!(timing.queue_to_start_seconds, 0.0);
    }

    #[test]
    fn what_a_launch_waited_is_told_apart() {
        let run = |wait: u64| Profile {
            queued: 1_000_000 - wait,
            ..profile(1_000_000, 2_000_000)
        };
        let timing = settle(
            &[0.002; 3],
            &[run(5000), run(1000), run(4000)].map(|p| vec![p]),
        );
        assert!((timing.queue_to_start_seconds - 4e-6).abs() < 1e-12);
    }

    #[test]
    fn a_command_cannot_take_longer_than_the_call_that_waited_for_it() {
        let credible = |nanoseconds: u64, wall| profile(1, 1 + nanoseconds).credible(wall);
        assert!(credible(1_040_000_000, 1.0), "clocks differ a little");
        assert!(!credible(1_100_000_000, 1.0));
        assert!(credible(1_100_000, 0.001), "and end a little apart");
        assert!(!credible(1_200_000, 0.001));
        assert!(credible(100, 1.0));
        assert!(!credible(99, 1.0), "no command is so short");
        assert!(!profile(0, 1000).credible(1.0), "no clock begins with it");
    }

    #[test]
    fn a_driver_that_counts_zero_one_two_three_is_not_believed() {
        let times = [
            vec![profile(2, 3)],
            vec![profile(0, 0)],
            vec![profile(9, 3)],
        ];
        for bad in times.into_iter().chain([Vec::new()]) {
            let timing = settle(&[0.5], std::slice::from_ref(&bad));
            assert_eq!(timing.clock, Clock::Wall, "{bad:?}");
            assert_eq!(timing.seconds, [0.5]);
        }
        // Longer than the call that waited for it.
        let timing = settle(&[0.001], &[vec![profile(1, 1_000_000_000)]]);
        assert_eq!(timing.clock, Clock::Wall);
    }

    #[test]
    fn what_prepares_a_run_counts_and_is_told_apart() {
        let run = |pack: u64| {
            vec![
                profile(1_000_000, 1_000_000 + pack),
                profile(3_000_000, 9_000_000),
            ]
        };
        let runs = [run(500_000), run(700_000), run(600_000)];
        let timing = settle(&[0.01; 3], &runs);
        assert_eq!(timing.clock, Clock::Event);
        assert_eq!(timing.seconds, [0.008; 3]);
        assert!((timing.command_seconds[0] - 0.0006).abs() < 1e-12);
    }

    #[test]
    fn commands_that_overlap_are_not_believed() {
        let overlapping = vec![profile(1_000_000, 5_000_000), profile(3_000_000, 9_000_000)];
        let backwards = vec![profile(5_000_000, 3_000_000), profile(6_000_000, 9_000_000)];
        for bad in [overlapping, backwards] {
            let timing = settle(&[0.01], &[bad]);
            assert_eq!(timing.clock, Clock::Wall);
            assert!(timing.command_seconds.is_empty());
        }
    }

    /// Ends a measurement that goes on and on.
    fn at_most(most: usize, calls: usize) -> Result<()> {
        (calls <= most)
            .then_some(())
            .ok_or_else(|| Error::Usage(format!("{calls} calls")))
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
        let earlier = |wall| Sample {
            wall,
            commands: Vec::new(),
        };
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
    fn each_call_on_the_host_is_timed() {
        let mut calls = 0;
        let call = || {
            calls += 1;
            at_most(4, calls)
        };
        let timing = measure_call(Runs::Exactly(4), call).unwrap();
        assert_eq!((calls, timing.seconds.len()), (4, 4));
    }

    #[test]
    fn runs_end() {
        assert!(!Runs::Exactly(2).done(&[1.0]));
        assert!(Runs::Exactly(2).done(&[1.0, 1.0]));
        assert!(!Runs::Enough.done(&[9.0, 9.0]));
        assert!(Runs::Enough.done(&[9.0, 9.0, 9.0]));
        assert!(
            !Runs::Enough.done(&[0.125, 0.0625, 0.0625]),
            "just a quarter of a second"
        );
        assert!(!Runs::Enough.done(&[0.0; 19]));
        assert!(Runs::Enough.done(&[0.0; 20]));
    }

    #[test]
    fn what_is_clearly_slower_than_the_best_is_run_twice() {
        let against = Runs::Against(1.0);
        assert!(!against.done(&[1.6]), "one slow run may be bad luck");
        assert!(against.done(&[1.6, 1.7]));
        assert!(
            !against.done(&[1.6, 1.4]),
            "close enough to be measured well"
        );
        assert!(
            !Runs::Against(2.0).done(&[2.9, 2.9]),
            "half as long again is 3"
        );
        assert!(against.done(&[1.0; 5]));
        assert!(!against.done(&[0.05, 0.0, 0.0, 0.0, 0.0]), "just 50 ms");
        assert!(!Runs::Against(0.001).done(&[0.001; 19]));
        assert!(Runs::Against(0.001).done(&[0.001; 20]));
        assert!(
            !Runs::Against(f64::INFINITY).done(&[9.0; 4]),
            "nothing is known yet"
        );
    }
}
