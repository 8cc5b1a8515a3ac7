//! The four times that OpenCL keeps of a command, and whether they can be true.

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

    /// From the first command of an in-order queue to the last; `None` of none.
    pub fn spanning(parts: &[Profile]) -> Option<Profile> {
        let (first, last) = (parts.first()?, parts.last()?);
        Some(Profile { end: last.end, ..*first })
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

/// Whether each command ended after it began, and before the next one began.
pub(super) fn in_order(parts: &[Profile]) -> bool {
    parts.iter().all(|part| part.start <= part.end)
        && parts.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

#[cfg(test)]
mod tests {
    use super::*;

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
