//! The sizes at which a kernel is inspected, on the device and in the simulator.

use anyhow::Result;
use common::shape::Shape;

use super::Inspection;
use crate::exercises::spec::drawn_size;
use crate::observation::{Detection, Observation};
use crate::subject::By;
use crate::task::TaskFile;
use crate::task::sizes::{FEW, in_words};
use crate::trial::{OTHER_SIZES, SIMULATED};

/// Where most faults of indices show: three odd sides, none a multiple of a group's.
const ODD: &str = "37x91x53";
/// The same for what works on vectors, as lesson 2 does.
const LENGTHS: [&str; 2] = ["1303", "7"];
/// Sides with which a simulator comes to an end, of so many names.
const MOST_SIMULATED: [usize; 3] = [300, 70, 33];

impl Inspection<'_> {
    pub fn is_on_vectors(&self) -> bool {
        match &self.subject.by {
            By::Lesson(lesson) => lesson.number == 2,
            By::Task(task, ..) => task.product.is_none() && task.size.len() == 1,
        }
    }

    /// Those that the learner asks for.
    fn own_sizes(&self) -> Vec<String> {
        let words = self.options.sizes.iter();
        let one = |words: &String| -> Vec<String> {
            if words.contains('=') {
                return vec![words.clone()];
            }
            words.split(',').map(String::from).collect()
        };
        words.flat_map(one).collect()
    }

    /// On the device.
    pub fn sizes(&self) -> Result<Vec<String>> {
        let own = self.own_sizes();
        if !own.is_empty() {
            return Ok(own);
        }
        if let By::Task(task, Some(_), _) = &self.subject.by {
            return Ok(task.all_sizes()?.iter().map(in_words).collect());
        }
        let drawn = drawn_size(self.options.how.seed);
        let (sizes, new): (Vec<&str>, String) = if self.is_on_vectors() {
            (LENGTHS.into(), (drawn.m * drawn.n).to_string())
        } else {
            let sizes = std::iter::once(ODD).chain(OTHER_SIZES);
            (sizes.collect(), drawn.to_string())
        };
        Ok(sizes.into_iter().map(String::from).chain([new]).collect())
    }

    /// The first of the learner's own sizes that the simulator can do in a few seconds.
    pub fn small_size(&self) -> Option<String> {
        let is_small = |words: &&String| match words.parse::<Shape>() {
            Ok(size) if self.is_on_vectors() => size.m <= FEW,
            Ok(size) => size.terms() <= FEW,
            Err(_) => true,
        };
        self.own_sizes().iter().find(is_small).cloned()
    }

    /// At which the simulator looks for faults.
    pub fn sizes_to_simulate(&self) -> Vec<String> {
        if let Some(small) = self.small_size() {
            return vec![small];
        }
        if let By::Task(task, Some(_), _) = &self.subject.by {
            return task.simulated().iter().map(in_words).collect();
        }
        vec![
            if self.is_on_vectors() {
                LENGTHS[0]
            } else {
                SIMULATED
            }
            .into(),
        ]
    }

    /// The one at which it looks now.
    pub fn simulated(&self) -> &str {
        self.simulated.first().map_or("", String::as_str)
    }

    /// Whether the last size on the device is drawn from the seed.
    pub fn draws_size(&self) -> bool {
        let is_told = matches!(self.subject.by, By::Task(_, Some(_), _));
        self.options.sizes.is_none() && !is_told
    }

    /// Where the simulator looks, and what it cannot see there.
    pub fn where_simulated(&self) -> String {
        let at = self.simulated();
        let task = self.subject.task();
        let hides = |task: &TaskFile| {
            let sizes = task.sizes_of(at);
            sizes.is_ok_and(|sizes| task.hides_groups(&sizes))
        };
        let of_groups = if task.is_some_and(hides) {
            " one group, so nothing between groups is seen; next: a size of a few groups"
        } else {
            ""
        };
        format!("Oclgrind at {at}:{of_groups}")
    }

    /// That the simulator came to no end where the device did, and what to do.
    pub fn not_looked_at(&self) -> Observation {
        let at = self.simulated();
        let smaller = self.subject.task().and_then(|task| {
            let sizes = task.sizes_of(at).ok()?;
            let most = MOST_SIMULATED[sizes.len().clamp(1, 3) - 1];
            let smaller = sizes
                .iter()
                .map(|(name, size)| (name.clone(), *size.min(&most)));
            let words = in_words(&smaller.collect());
            (words != at).then(|| format!("--size {words}"))
        });
        let smaller = smaller.unwrap_or("a smaller --size".into());
        let says = format!(
            "not looked at: too slow for the simulator at {at}; next: {smaller}, or a longer \
             --timeout"
        );
        Observation::new("Oclgrind", Detection::NotRun, says)
    }
}
