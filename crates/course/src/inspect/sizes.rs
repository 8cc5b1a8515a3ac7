//! Where the simulator looks, and what it cannot see there.

use judge::{Detection, Observation, Sizes, TaskFile, in_words};

use super::Inspection;

/// Sides with which a simulator comes to an end, of so many names.
const MOST_SIMULATED: [usize; 3] = [300, 70, 33];

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
