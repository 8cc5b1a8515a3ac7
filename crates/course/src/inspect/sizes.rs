//! Where the simulator looks, and what it cannot see there.

use anyhow::Result;
use common::Error;

use super::Inspection;
use crate::check::{Check, LENGTHS, SIMULATED};
use crate::observation::{Detection, Observation};
use crate::subject::By;
use crate::task::TaskFile;
use crate::task::sizes::{FEW, Sizes, in_words, product};

/// Sides with which a simulator comes to an end, of so many names.
const MOST_SIMULATED: [usize; 3] = [300, 70, 33];

impl Check<'_> {
    /// The first of the learner's own sizes that the simulator can do in a few seconds.
    pub fn small_size(&self) -> Option<&Sizes> {
        let mut own = self.sizes.iter().flatten();
        own.find(|size| product(size) <= FEW)
    }

    /// At which the simulator looks for faults, in the order in which they are tried.
    pub fn sizes_to_simulate(&self) -> Result<Vec<Sizes>> {
        Ok(match (self.small_size(), &self.subject.by) {
            (Some(small), _) => vec![small.clone()],
            (None, By::Task(task, ..)) => task.simulated(),
            (None, By::Lesson(_)) => {
                let size = if self.subject.is_on_vectors() {
                    LENGTHS[0]
                } else {
                    SIMULATED
                };
                vec![self.subject.of_lesson(size).map_err(Error::Usage)?]
            }
        })
    }
}

impl Inspection<'_> {
    /// Where the simulator looks, and what it cannot see there.
    pub fn where_simulated(&self) -> String {
        let at = self.simulated();
        let hides = |task: &TaskFile| task.hides_groups(at);
        let of_groups = if self.check.subject.task().is_some_and(hides) {
            " one group, so nothing between groups is seen; next: a size of a few groups"
        } else {
            ""
        };
        format!("Oclgrind at {}:{of_groups}", in_words(at))
    }

    /// That the simulator came to no end where the device did, and what to do.
    pub fn not_looked_at(&self) -> Observation {
        let at = self.simulated();
        let most = MOST_SIMULATED[at.len().clamp(1, 3) - 1];
        let least = at
            .iter()
            .map(|(name, size)| (name.clone(), *size.min(&most)));
        let smaller: Sizes = least.collect();
        let smaller = if smaller == *at {
            "a smaller --size".into()
        } else {
            format!("--size {}", in_words(&smaller))
        };
        let says = format!(
            "not looked at: too slow for the simulator at {}; next: {smaller}, or a longer \
             --timeout",
            in_words(at)
        );
        Observation::new("Oclgrind", Detection::NotRun, says)
    }
}
