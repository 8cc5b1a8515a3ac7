//! What the runs of a kernel took: by the times of their events where these can be
//! believed, else by the wall clock. `runs` is how often a kernel is run.

mod runs;

use std::time::Duration;

use opencl3::event::Event;
use serde::Serialize;

use crate::error::{During, Result};
pub use runs::{Runs, Sample, measure};
use verify::numbers::{median, quantile};

/// Kernels run for so long before they are timed, so that clocks have risen.
pub const WARM_UP: Duration = Duration::from_millis(30);

/// How often what took so long is run between two looks at the clock: as often as fits a
/// millisecond, and twenty times at most.
pub fn in_a_row(took: Duration) -> usize {
    ((1e-3 / took.as_secs_f64().max(1e-9)) as usize).clamp(1, 20)
}

/// Which clock a kernel's seconds come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// START to END of the event.
    Event,
    /// The wall clock around launch and wait: the driver's times are not credible.
    #[default]
    Wall,
}

/// The samples of one kernel, or of several that run one after another.
#[derive(Clone, Debug, Default)]
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
        Timing { seconds, ..Timing::default() }
    }

    /// What each of so many took that were timed together, in a row.
    pub fn of_each(mut self, times: usize) -> Timing {
        let seconds = self.seconds.iter_mut().chain(&mut self.wall_seconds);
        seconds.for_each(|seconds| *seconds /= times as f64);
        if times > 1 {
            self.command_seconds.clear();
        }
        self
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

/// Event times where all are credible, else the wall clock's. `profiles` holds the
/// commands of each run, none where the driver does not tell.
pub fn settle(walls: &[f64], profiles: &[Vec<Profile>]) -> Timing {
    // Each ended after it began, and before the next one began.
    let in_order = |parts: &[Profile]| {
        parts.iter().all(|part| part.start <= part.end)
            && parts.windows(2).all(|pair| pair[0].end <= pair[1].start)
    };
    let runs = profiles.iter().zip(walls).filter_map(|(parts, wall)| {
        let (first, last) = (parts.first()?, parts.last()?);
        let whole = Profile { end: last.end, ..*first };
        (in_order(parts) && whole.credible(*wall)).then_some(whole)
    });
    let credible: Vec<Profile> = runs.collect();
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
    /// [`Error::OpenCl`](crate::Error::OpenCl) from `clGetEventProfilingInfo`: a queue that does not profile.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_half_the_quartile_distance() {
        let timing = Timing {
            seconds: vec![1.0, 2.0, 3.0, 4.0, 5.0],
            clock: Clock::Event,
            ..Timing::default()
        };
        assert!((timing.spread() - 1.0 / 3.0).abs() < 1e-12);
        let timing = Timing::by_the_wall(vec![16.0, 8.0, 4.0, 2.0, 1.0]);
        assert_eq!((timing.median(), timing.spread()), (4.0, 0.75));
        let timing = Timing::by_the_wall(vec![0.0; 3]);
        assert_eq!(timing.spread(), 0.0, "no share of nothing");
    }

    fn profile(start: u64, end: u64) -> Profile {
        Profile { queued: start, submit: start, start, end }
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
        let run = |wait: u64| Profile { queued: 1_000_000 - wait, ..profile(1_000_000, 2_000_000) };
        let timing = settle(&[0.002; 3], &[run(5000), run(1000), run(4000)].map(|p| vec![p]));
        assert!((timing.queue_to_start_seconds - 4e-6).abs() < 1e-12);
    }

    #[test]
    fn a_driver_that_counts_zero_one_two_three_is_not_believed() {
        let times = [vec![profile(2, 3)], vec![profile(0, 0)], vec![profile(9, 3)]];
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
        let run =
            |pack: u64| vec![profile(1_000_000, 1_000_000 + pack), profile(3_000_000, 9_000_000)];
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

    #[test]
    fn a_command_cannot_take_longer_than_the_call_that_waited_for_it() {
        let profile = |start, end| Profile { queued: start, submit: start, start, end };
        let credible = |nanoseconds: u64, wall| profile(1, 1 + nanoseconds).credible(wall);
        assert!(credible(1_040_000_000, 1.0), "clocks differ a little");
        assert!(!credible(1_100_000_000, 1.0));
        assert!(credible(1_100_000, 0.001), "and end a little apart");
        assert!(!credible(1_200_000, 0.001));
        assert!(credible(100, 1.0));
        assert!(!credible(99, 1.0), "no command is so short");
        assert!(!profile(0, 1000).credible(1.0), "no clock begins with it");
    }
}
