//! How often a kernel is run to be timed, and what its runs took: by the times of their events where
//! these can be believed, else by the wall clock. And what the device does at most, of which results
//! are a share.

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use opencl3::event::Event;
use serde::{Deserialize, Serialize};

use crate::error::{During, Result};
use verify::numbers::{median, quantile};

/// Kernels run for so long before they are timed, so that clocks have risen.
pub const WARM_UP: Duration = Duration::from_millis(30);

/// How often what took so long is run between two looks at the clock: as often as fits a
/// millisecond, and twenty times at most.
pub fn in_a_row(took: Duration) -> usize {
    ((1e-3 / took.as_secs_f64().max(1e-9)) as usize).clamp(1, 20)
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

    /// Where the seconds come from: "event", START to END of the event, or "wall", the wall clock around
    /// launch and wait, where the driver's times are not credible.
    pub fn clock(&self) -> &'static str {
        if self.wall_seconds.is_empty() { "wall" } else { "event" }
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
                // So much longer than the best, a run is not worth repeating.
                let hopeless = samples.len() >= 2 && least >= 1.5 * best;
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
        self.wall >= 0.1
    }
}

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

/// What the two probe kernels of `kernels/probe.cl` measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// fp32 fused multiply-adds, counted as two operations each, in 1e9 a second.
    pub gflops: f64,
    /// Bytes read and written by a copy, in 1e9 a second.
    pub gbytes_per_second: f64,
    /// Half the quartile distance over the median of the launches that each was chosen
    /// from, in this order: how quiet the machine was. Recordings of before lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spreads: Option<[f64; 2]>,
}

impl Peak {
    /// Whether the machine was quiet enough for a share of them to mean much: within a tenth.
    pub fn is_certain(&self) -> bool {
        let spreads = self.spreads.iter().flatten();
        spreads.into_iter().all(|spread| *spread <= 0.1)
    }

    /// The better of both, each.
    pub fn and(self, other: Peak) -> Peak {
        Peak {
            gflops: self.gflops.max(other.gflops),
            gbytes_per_second: self.gbytes_per_second.max(other.gbytes_per_second),
            spreads: None,
        }
    }
}
