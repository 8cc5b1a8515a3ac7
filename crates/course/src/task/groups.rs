//! The groups of a task's launches: how many there are, and whether one is only partly used.

use common::ndrange::NdRange;
use common::task::Launch;
use common::{Error, Result};

use super::file::{FEW, Sizes, TaskFile, sizes_in_words};

/// What a simulator may be tried with where nothing smaller has several groups.
const NOT_TOO_MANY: usize = 8 * FEW;

impl TaskFile {
    /// Where a simulator looks, in the order in which it is tried: of its sizes the largest that
    /// is small; before that, where that makes one group, the smallest that makes several.
    pub fn simulated(&self) -> Vec<Sizes> {
        let small = self.small();
        let all = self.all_sizes().unwrap_or_default();
        let work = |sizes: &Sizes| sizes.values().fold(1, |a, b| usize::saturating_mul(a, *b));
        let several = all.into_iter().filter(|sizes| self.has_groups(sizes));
        let several = several.filter(|sizes| work(sizes) <= NOT_TOO_MANY);
        match several.min_by_key(work) {
            Some(several) if !self.has_groups(&small) => vec![several, small],
            _ => vec![small],
        }
    }

    /// Whether a simulator that looks at these sizes misses what happens between groups.
    pub fn hides_groups(&self, at: &Sizes) -> bool {
        let all = self.all_sizes().unwrap_or_default();
        !self.has_groups(at) && all.iter().any(|sizes| self.has_groups(sizes))
    }

    /// That all groups of its only size are full, and what would show a missing guard.
    pub fn has_full_groups_only(&self) -> Option<String> {
        let fewer = self.size.iter();
        let fewer = fewer.map(|(name, &size)| (name.clone(), size.saturating_sub(1).max(1)));
        let fewer: Sizes = fewer.collect();
        let is_told =
            self.sizes.is_empty() && self.is_full(&self.size)? && !self.is_full(&fewer)?;
        is_told.then(|| {
            let example = sizes_in_words(&fewer)
                .replace('=', " = ")
                .replace(',', ", ");
            let size = sizes_in_words(&self.size);
            format!(
                "Only {size} was tried, where every group is full: a missing guard does not show. \
                 If other sizes are to be right, add for example sizes = [{{ {example} }}]."
            )
        })
    }

    fn has_groups(&self, sizes: &Sizes) -> bool {
        let ranges = self.ranges(sizes).unwrap_or_default();
        ranges
            .iter()
            .any(|(_, range)| range.global() != range.local())
    }

    fn is_full(&self, sizes: &Sizes) -> Option<bool> {
        let ranges = self.ranges(sizes).ok()?;
        Some(ranges.iter().all(|(items, range)| items == range.global()))
    }

    /// Of each launch the items that it asks for, and its range in whole groups.
    fn ranges(&self, sizes: &Sizes) -> Result<Vec<(Vec<usize>, NdRange)>> {
        let task = self.task(sizes, 0, &[])?;
        let plan = task.plan()?;
        let range = |(launch, range): (&Launch, &NdRange)| {
            let scope = plan.scope_of(&task, launch)?;
            let items = launch.over.iter().map(|over| over.count(&scope));
            let items = items.collect::<std::result::Result<_, _>>();
            Ok((items.map_err(Error::Usage)?, range.clone()))
        };
        task.launches.iter().zip(&plan.ranges).map(range).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(text: &str) -> TaskFile {
        let rest = "global = ['n']\nlocal = [64]\nargs = ['n', { out = 'n' }]\ncheck = '1'\n";
        toml::from_str(&format!("{text}\n{rest}")).expect("a task")
    }

    #[test]
    fn a_simulator_is_given_several_groups_where_there_are_some() {
        for (text, tried, hides) in [
            (
                "size = { n = 200000 }\nsizes = [{ n = 32 }]",
                &["n=200000", "n=32"][..],
                false,
            ),
            (
                "size = { n = 900000 }\nsizes = [{ n = 32 }]",
                &["n=32"],
                true,
            ),
            (
                "size = { n = 50 }\nsizes = [{ n = 65 }, { n = 1000 }]",
                &["n=1000"],
                false,
            ),
            ("size = { n = 50 }", &["n=50"], false),
        ] {
            let task = task(text);
            let all = task.simulated();
            let words: Vec<String> = all.iter().map(sizes_in_words).collect();
            assert_eq!(words, tried, "{text}");
            assert_eq!(task.hides_groups(&all[0]), hides, "{text}");
        }
    }

    #[test]
    fn full_groups_alone_are_told_with_a_size_that_cuts_one() {
        for (text, is_told) in [
            ("size = { n = 128 }", true),
            ("size = { n = 100 }", false),
            ("size = { n = 128 }\nsizes = [{ n = 100 }]", false),
        ] {
            let told = task(text).has_full_groups_only();
            let has_example = |told: String| told.contains("sizes = [{ n = 127 }]");
            assert_eq!(told.is_some_and(has_example), is_told, "{text}");
        }
    }
}
