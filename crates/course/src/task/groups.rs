//! The groups of a task's launches: how many there are, and whether one is only partly used.

use common::Result;
use common::ndrange::NdRange;

use super::file::{FEW, Sizes, TaskFile, product};

/// What a simulator may be tried with where nothing smaller has several groups.
const NOT_TOO_MANY: usize = 8 * FEW;

impl TaskFile {
    /// Where a simulator looks, in the order in which it is tried: of its sizes the largest that
    /// is small; before that, where that makes one group, the smallest that makes several.
    pub fn simulated(&self) -> Vec<Sizes> {
        let small = self.small();
        let all = self.all_sizes().unwrap_or_default();
        let several = all.into_iter().filter(|sizes| self.has_groups(sizes));
        let several = several.filter(|sizes| product(sizes) <= NOT_TOO_MANY);
        match several.min_by_key(product) {
            Some(several) if !self.has_groups(&small) => vec![several, small],
            _ => vec![small],
        }
    }

    /// Whether a simulator that looks at these sizes misses what happens between groups.
    pub fn hides_groups(&self, at: &Sizes) -> bool {
        let all = self.all_sizes().unwrap_or_default();
        !self.has_groups(at) && all.iter().any(|sizes| self.has_groups(sizes))
    }

    fn has_groups(&self, sizes: &Sizes) -> bool {
        let ranges = self.ranges(sizes).unwrap_or_default();
        ranges.iter().any(|range| range.global() != range.local())
    }

    /// The ranges of its launches.
    pub fn ranges(&self, sizes: &Sizes) -> Result<Vec<NdRange>> {
        Ok(self.task(sizes, 0, &[])?.plan()?.ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::file::sizes_in_words;

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
}
