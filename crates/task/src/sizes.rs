//! The sizes of a task: as text, which of them are for what, and the groups that they make, whether
//! there are several.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::once;

use common::error::{AtField, Error, Result};
use common::ndrange::NdRange;
use serde::Deserialize;
use serde::de::{self, Deserializer};

use crate::form::{Count, Form, Or, SIDES};

/// Multiply-adds that the simulator does in a few seconds.
pub const FEW: usize = 50_000;

/// Sizes by their names.
pub type Sizes = BTreeMap<String, usize>;

/// About how much there is to do.
pub fn product(sizes: &Sizes) -> usize {
    sizes.values().fold(1, |a, b| a.saturating_mul(*b))
}

/// What each of so many sides is called, where a size is written as "37x91x53".
fn sides(count: usize) -> &'static [&'static str] {
    if count == 1 { &SIDES[1..2] } else { &SIDES[..count.min(3)] }
}

/// "rows=37,cols=513", or "37x91x53" of M, N and K.
pub fn in_words(sizes: &Sizes) -> String {
    let sides = sides(sizes.len()).iter().filter_map(|name| sizes.get(*name));
    let sides: Vec<String> = sides.map(usize::to_string).collect();
    if sides.len() == sizes.len() {
        return sides.join("x");
    }
    sizes.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
}

/// Sizes by their names, or M, N and K, M and N, or N as "37x91x53" says them.
pub(crate) fn of<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Sizes, D::Error> {
    of_form(Or::deserialize(from)?).map_err(de::Error::custom)
}

pub(crate) fn several<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Vec<Sizes>, D::Error> {
    let all = Vec::deserialize(from)?.into_iter().map(of_form);
    all.collect::<Result<_, _>>().map_err(de::Error::custom)
}

fn of_form(form: Or<String, Sizes>) -> std::result::Result<Sizes, String> {
    match form {
        Or::Table(sizes) => Ok(sizes),
        Or::Plain(words) => of_words(&words),
    }
}

/// The sides of "37x91x53".
fn sides_in(words: &str) -> Option<Vec<usize>> {
    words.split('x').map(|side| side.parse().ok()).collect()
}

/// "37x91x53" are M, N and K, "37x91" M and N, and 37 is N.
pub fn of_words(words: &str) -> std::result::Result<Sizes, String> {
    let values = sides_in(words).filter(|values| values.len() <= SIDES.len());
    let values = values.ok_or(format!("{words} is no size such as 64, 37x91 or 37x91x53"))?;
    Ok(sides(values.len()).iter().map(|name| (*name).into()).zip(values).collect())
}

/// The seed of an exercise's inputs.
pub const SEED: u64 = 1;

/// What a simulator may be tried with where nothing smaller has several groups.
const NOT_TOO_MANY: usize = 8 * FEW;

impl Form {
    /// Its sizes where some are others.
    fn sizes_with(&self, others: &Sizes) -> Sizes {
        self.size.clone().into_iter().chain(others.clone()).collect()
    }

    /// All sizes at which it must be right.
    pub fn all_sizes(&self) -> Vec<Sizes> {
        once(&Sizes::new()).chain(&self.sizes).map(|others| self.sizes_with(others)).collect()
    }

    /// The sizes at which it is timed.
    pub fn timed(&self) -> Sizes {
        self.sizes_with(&self.time)
    }

    /// Of its sizes the largest at which a simulator takes a few seconds.
    pub fn small(&self) -> Sizes {
        let all = self.all_sizes();
        let small = all.iter().filter(|sizes| product(sizes) <= FEW);
        let small = small.max_by_key(|sizes| product(sizes));
        small.or(all.iter().min_by_key(|sizes| product(sizes))).cloned().unwrap_or_default()
    }

    /// Size at which the simulator counts.
    pub fn counted(&self) -> Sizes {
        if self.counted.is_empty() { self.small() } else { self.counted.clone() }
    }

    /// The name of the size at which is counted, as the kernel is told it, and at most how
    /// much of what there may be, in the order of `Count`.
    pub fn targets(&self) -> Result<(String, Vec<(Count, f64)>)> {
        let counted = self.counted();
        let task = self.task(&counted, SEED, &[])?;
        let scope = task.plan()?.scopes.swap_remove(task.own());
        let told = counted.iter().map(|(name, size)| {
            let told = scope.get(name).map_or(*size, |size| size as usize);
            (name.clone(), told)
        });
        let name = in_words(&told.collect());
        let targets = self.at_most.iter();
        let targets = targets.map(|(count, most)| Ok((*count, most.value(&scope).at("at-most")?)));
        Ok((name, targets.collect::<Result<_>>()?))
    }

    /// The sizes for words such as "rows=5,cols=70", or "5x7x9" of M, N and K; its own
    /// where they name none.
    pub fn sizes_of(&self, words: &str) -> Result<Sizes> {
        let names: Vec<&str> = self.size.keys().map(String::as_str).collect();
        let wrong = || {
            let example: Vec<String> = names.iter().map(|name| format!("{name}=5")).collect();
            let write = match &example[..] {
                [] => "none: the task has no sizes".into(),
                all => all.join(","),
            };
            Error::Usage(format!("--size {words}: write {write}"))
        };
        let mut sizes = self.size.clone();
        if !words.contains('=') {
            let sides = sides_in(words).ok_or_else(wrong)?;
            // Of a product in order, and all three are taken where it has fewer.
            let mut ordered = names.clone();
            if names.iter().all(|name| SIDES.contains(name)) {
                let is_there = |side: &&str| sides.len() == SIDES.len() || names.contains(side);
                ordered = SIDES.into_iter().filter(is_there).collect();
            }
            if sides.len() != 1 && sides.len() != ordered.len() {
                return Err(wrong());
            }
            for (name, side) in ordered.into_iter().zip(sides.iter().cycle()) {
                sizes.entry(name.into()).and_modify(|size| *size = *side);
            }
            return Ok(sizes);
        }
        let mut said = BTreeSet::new();
        for word in words.split(',') {
            let (name, value) = word.split_once('=').ok_or_else(wrong)?;
            let value = value.trim().parse().map_err(|_| wrong())?;
            let size = sizes.get_mut(name.trim()).filter(|_| said.insert(name.trim()));
            *size.ok_or_else(wrong)? = value;
        }
        Ok(sizes)
    }

    /// Where a simulator looks, in the order in which it is tried: of its sizes the largest that
    /// is small; before that, where that makes one group, the smallest that makes several.
    pub fn simulated(&self) -> Vec<Sizes> {
        let small = self.small();
        let several = self.all_sizes().into_iter().filter(|sizes| self.has_groups(sizes));
        let several = several.filter(|sizes| product(sizes) <= NOT_TOO_MANY);
        match several.min_by_key(product) {
            Some(several) if !self.has_groups(&small) => vec![several, small],
            _ => vec![small],
        }
    }

    /// Whether a simulator that looks at these sizes misses what happens between groups.
    pub fn hides_groups(&self, at: &Sizes) -> bool {
        !self.has_groups(at) && self.all_sizes().iter().any(|sizes| self.has_groups(sizes))
    }

    fn has_groups(&self, sizes: &Sizes) -> bool {
        self.ranges(sizes).unwrap_or_default().iter().any(|range| range.global() != range.local())
    }

    /// The ranges of its launches.
    pub fn ranges(&self, sizes: &Sizes) -> Result<Vec<NdRange>> {
        Ok(self.task(sizes, 0, &[])?.plan()?.ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn task(text: &str) -> Form {
        let rest = "global = ['n']\nlocal = [64]\nargs = ['n', { out = 'n' }]\ncheck = '1'\n";
        Form::of(&format!("{text}\n{rest}"), Path::new("")).expect("a task")
    }

    #[test]
    fn a_simulator_is_given_several_groups_where_there_are_some() {
        for (text, tried, hides) in [
            ("size = { n = 200000 }\nsizes = [{ n = 32 }]", &["n=200000", "n=32"][..], false),
            ("size = { n = 900000 }\nsizes = [{ n = 32 }]", &["n=32"], true),
            ("size = { n = 50 }\nsizes = [{ n = 65 }, { n = 1000 }]", &["n=1000"], false),
            ("size = { n = 50 }", &["n=50"], false),
        ] {
            let task = task(text);
            let all = task.simulated();
            let words: Vec<String> = all.iter().map(in_words).collect();
            assert_eq!(words, tried, "{text}");
            assert_eq!(task.hides_groups(&all[0]), hides, "{text}");
        }
    }

    #[test]
    fn damaged_data_are_refused_or_a_launch() {
        let page = include_str!("../../../exercises/06-local-memory/2-two-barriers/README.md");
        let (_, data) = page.split_once("```toml\n").unwrap();
        let (data, _) = data.split_once("\n```").unwrap();
        let whole = Form::of(data, Path::new("")).unwrap();
        assert!(whole.task(&whole.counted(), SEED, &[]).is_ok());
        damage::must_be_survived(data.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let Ok(task) = Form::of(&text, Path::new("")) else { return };
            let _ = task.targets();
            for launch in task.in_variants() {
                let _ = (launch.variant(), launch.drawn(7), launch.counted());
            }
        });
    }
}
