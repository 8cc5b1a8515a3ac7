//! The course beside libraries: what `course peers --json` prints, and `data/peers/` keeps.
//! The first line says where and when; each other one is a rate, or names a library that
//! is missing.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use common::numbers::factor;
use common::shape::Shape;
use common::source::workspace;
use common::timing::quantile;
use serde::{Deserialize, Serialize};

use super::size_name;

/// The course's own kernels, in the place of a library's name: the one of standard OpenCL C
/// that was chosen; in recordings before the seed whichever was.
pub const OURS: &str = "ours";
/// The one with a vendor's instructions, where one was chosen.
pub const OURS_BY_VENDOR: &str = "ours, vendor's";
/// Whichever of the two was chosen, with a vendor's instructions where both were.
pub const CHOSEN: &str = "chosen";

/// Where and when a comparison was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    /// What was typed.
    pub command: String,
    /// The day.
    pub date: String,
    /// The device.
    pub device: String,
    /// Its OpenCL implementation.
    pub platform: String,
    /// That one's version.
    pub driver: String,
    /// The host's CPU.
    pub host: String,
    /// What its shapes were drawn from, where they were.
    pub seed: Option<u64>,
}

/// What a library, or the kernel that the course chose, came to at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rate {
    /// The sizes of the product.
    #[serde(flatten)]
    pub shape: Shape,
    /// The library, as its makers write it, or [`OURS`].
    pub library: String,
    /// The kernel, of ours.
    pub kernel: Option<String>,
    /// Version of the library; of ours the lesson.
    pub version: String,
    /// Threads, on a CPU.
    pub threads: Option<usize>,
    /// "event" or "wall".
    pub clock: Option<String>,
    /// 1e9 operations a second, by the median of all runs; none where the result was
    /// wrong or something failed.
    pub gflops: Option<f64>,
    /// A quarter of the runs was slower than this.
    pub q1: Option<f64>,
    /// A quarter of the runs was faster.
    pub q3: Option<f64>,
    /// Turns that it had.
    pub rounds: usize,
    /// The rate of each turn, by the median of its runs.
    #[serde(default)]
    pub by_round: Vec<f64>,
    /// Timed runs of all turns.
    pub runs: usize,
    /// Why it has no rate.
    pub why: Option<String>,
}

impl Rate {
    /// Whether it is the course's own.
    pub fn is_ours(&self) -> bool {
        [OURS, OURS_BY_VENDOR].contains(&&*self.library)
    }
}

/// The rate of ours over that of the best library at a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Of the medians.
    pub value: f64,
    /// From our slower quartile over their faster one, to the other two: where 1 lies
    /// between them the quartiles overlap.
    pub range: [f64; 2],
    /// Timed runs of the one that has fewer.
    pub runs: usize,
}

/// Fewer runs than this have no quartiles to speak of.
const FEWEST: usize = 3;

impl Ratio {
    /// Whether the quartiles overlap, or are none, so that nobody can tell which of the two is
    /// faster.
    pub fn is_open(&self) -> bool {
        self.runs < FEWEST || (self.range[0]..=self.range[1]).contains(&1.0)
    }
}

/// A library that could not be measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Missing {
    /// The library.
    pub library: String,
    /// What is missing, and the next thing to do.
    pub missing: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Rate(Rate),
    Missing(Missing),
}

/// A whole comparison on one device.
pub struct Comparison {
    /// Where and when.
    pub about: About,
    /// In the order in which they were measured.
    pub rates: Vec<Rate>,
    /// Libraries that were not there.
    pub missing: Vec<Missing>,
}

impl Comparison {
    /// Reads `data/peers/NAME.jsonl`.
    pub fn read(name: &str) -> Result<Comparison> {
        let path = path(name);
        let named = || format!("{}", path.display());
        let text = fs::read_to_string(&path).with_context(named)?;
        Comparison::of(&text).with_context(named)
    }

    /// What the lines of a file, or of `course peers --json`, hold.
    pub fn of(text: &str) -> Result<Comparison> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let about = serde_json::from_str(first).context("the first line does not say where")?;
        let mut comparison = Comparison {
            about,
            rates: Vec::new(),
            missing: Vec::new(),
        };
        for line in lines {
            match serde_json::from_str(line).context("a damaged line")? {
                Line::Rate(rate) => comparison.rates.push(rate),
                Line::Missing(missing) => comparison.missing.push(missing),
            }
        }
        Ok(comparison)
    }

    /// The sizes, in order.
    pub fn shapes(&self) -> Vec<Shape> {
        each_once(self.rates.iter().map(|rate| rate.shape))
    }

    /// The libraries, in order; ours is none.
    pub fn libraries(&self) -> Vec<&str> {
        let rates = self.rates.iter().filter(|rate| !rate.is_ours());
        each_once(rates.map(|rate| &*rate.library))
    }

    /// What a library, [`OURS`] or [`CHOSEN`] came to at a size.
    pub fn rate(&self, shape: Shape, library: &str) -> Option<&Rate> {
        if library == CHOSEN {
            let by_vendor = self.rate(shape, OURS_BY_VENDOR);
            return by_vendor.or_else(|| self.rate(shape, OURS));
        }
        let mut rates = self.rates.iter();
        rates.find(|rate| rate.shape == shape && rate.library == library)
    }

    /// The fastest library at a size.
    pub fn best(&self, shape: Shape) -> Option<&Rate> {
        let here = |rate: &&Rate| rate.shape == shape && !rate.is_ours();
        let timed = self.rates.iter().filter(here);
        let timed = timed.filter_map(|rate| Some((rate, rate.gflops?)));
        let best = timed.max_by(|(_, one), (_, other)| one.total_cmp(other));
        best.map(|(rate, _)| rate)
    }

    /// Ours over the best library at a size.
    pub fn ratio(&self, shape: Shape) -> Option<f64> {
        Some(self.ratio_of(CHOSEN, shape)?.value)
    }

    /// The same of one of ours, with its spread.
    pub fn ratio_of(&self, ours: &str, shape: Shape) -> Option<Ratio> {
        let quartiles = |rate: &Rate| {
            let median = rate.gflops?;
            Some([rate.q1.unwrap_or(median), median, rate.q3.unwrap_or(median)])
        };
        let (our_rate, best_rate) = (self.rate(shape, ours)?, self.best(shape)?);
        let [slow, ours, fast] = quartiles(our_rate)?;
        let [slow_best, best, fast_best] = quartiles(best_rate)?;
        Some(Ratio {
            value: ours / best,
            range: [slow / fast_best, fast / slow_best],
            runs: our_rate.runs.min(best_rate.runs),
        })
    }

    /// What these come to over all sizes: median, quartiles, the whole range and the worst
    /// three; none where nothing was compared.
    pub fn summary(&self, ours: &str) -> Option<String> {
        let mut ratios = self.over_shapes(|shape| self.ratio_of(ours, shape));
        ratios.sort_by(|(_, one), (_, other)| one.value.total_cmp(&other.value));
        let values: Vec<f64> = ratios.iter().map(|(_, ratio)| ratio.value).collect();
        let at = |q| factor(quantile(&values, q));
        let open = ratios.iter().filter(|(_, ratio)| ratio.is_open());
        let worst = ratios.iter().take(3);
        let worst = worst.map(|(at, one)| format!("{} at {}", factor(one.value), size_name(*at)));
        let says = || {
            format!(
                "median {} of {} sizes, quartiles {} to {}, from {} to {}; cannot be told apart \
                 at {}; worst {}",
                at(0.5),
                values.len(),
                at(0.25),
                at(0.75),
                at(0.0),
                at(1.0),
                open.count(),
                worst.collect::<Vec<_>>().join(", ")
            )
        };
        (!values.is_empty()).then(says)
    }

    /// Of ours over this library, or over the best, at all sizes: this quantile, of 0 to 1.
    pub fn quantile(&self, q: f64, library: Option<&str>) -> Option<f64> {
        let rate = |shape, library| self.rate(shape, library)?.gflops;
        let ratio = |shape| match library {
            Some(library) => Some(rate(shape, OURS)? / rate(shape, library)?),
            None => self.ratio(shape),
        };
        let ratios = self.over_shapes(ratio).into_iter();
        let mut ratios: Vec<f64> = ratios.map(|(_, ratio)| ratio).collect();
        ratios.sort_by(f64::total_cmp);
        (!ratios.is_empty()).then(|| quantile(&ratios, q))
    }

    /// Each size of which that is known.
    fn over_shapes<T>(&self, known: impl Fn(Shape) -> Option<T>) -> Vec<(Shape, T)> {
        let shapes = self.shapes().into_iter();
        shapes
            .filter_map(|shape| Some((shape, known(shape)?)))
            .collect()
    }

    /// What each library says of itself, ours first: its name, version and threads.
    pub fn versions(&self) -> Vec<String> {
        let of = |library| {
            let rate = self.rates.iter().find(|rate| rate.library == library)?;
            let mut words = format!("{library}: {}", rate.version);
            if let Some(threads) = rate.threads {
                words += &format!(", {threads} threads");
            }
            match rate.clock.as_deref() {
                Some("event") => words += ", timed by events",
                Some(_) => words += ", timed by the wall clock",
                None => {}
            }
            Some(words)
        };
        let all = [OURS, OURS_BY_VENDOR].into_iter().chain(self.libraries());
        all.filter_map(of).collect()
    }
}

/// Each of these, where it stands first.
pub fn each_once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

/// Where the comparison of this name is kept.
pub fn path(name: &str) -> PathBuf {
    workspace().join(format!("data/peers/{name}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = concat!(
        r#"{"command":"c","date":"d","device":"x","platform":"p","driver":"1","host":"h"}"#,
        "\n",
        r#"{"m":8,"n":8,"k":8,"library":"ours","kernel":"a b","version":"lesson 9","gflops":60.0,"q1":58.0,"q3":66.0,"rounds":3,"runs":9}"#,
        "\n",
        r#"{"m":8,"n":8,"k":8,"library":"X","version":"1","gflops":30.0,"q1":29.0,"q3":32.0,"rounds":3,"runs":9}"#,
        "\n",
        r#"{"m":8,"n":8,"k":8,"library":"Y","version":"1","why":"wrong","rounds":3,"runs":0}"#,
        "\n",
        r#"{"m":4,"n":8,"k":8,"library":"ours","version":"lesson 9","gflops":10.0,"q1":9.0,"q3":21.0,"rounds":3,"runs":9}"#,
        "\n",
        r#"{"m":4,"n":8,"k":8,"library":"X","version":"1","gflops":20.0,"q1":20.0,"q3":20.0,"rounds":3,"runs":9}"#,
        "\n",
        r#"{"library":"Z","missing":"next: ./setup --peers"}"#,
        "\n",
    );

    #[test]
    fn ours_is_held_against_the_best_library_at_each_size() {
        let comparison = Comparison::of(KEPT).unwrap();
        let thin = Shape { m: 4, n: 8, k: 8 };
        assert_eq!(comparison.shapes(), [Shape::cube(8), thin]);
        assert_eq!(comparison.libraries(), ["X", "Y"]);
        assert_eq!(comparison.ratio(Shape::cube(8)), Some(2.0));
        assert_eq!(comparison.quantile(0.0, None), Some(0.5));
        assert_eq!(comparison.quantile(0.5, Some("X")), Some(1.25));
        // It was wrong at its only size.
        assert_eq!(comparison.quantile(0.5, Some("Y")), None);
        assert_eq!(comparison.missing[0].library, "Z");
        assert_eq!(comparison.best(Shape::cube(8)).unwrap().library, "X");
        let thin_ratio = comparison.ratio_of(OURS, thin).unwrap();
        assert_eq!((thin_ratio.value, thin_ratio.range), (0.5, [0.45, 1.05]));
        assert!(thin_ratio.is_open(), "the quartiles overlap");
        let few = Ratio {
            runs: 2,
            ..comparison.ratio_of(OURS, Shape::cube(8)).unwrap()
        };
        assert!(few.is_open() && few.value == 2.0, "there are no quartiles");
        let words = comparison.summary(OURS).unwrap();
        let says = "median 1.25x of 2 sizes, quartiles 0.875x to 1.62x, from 0.500x to 2.00x; \
                    cannot be told apart at 1; worst 0.500x at 4x8x8, 2.00x at 8";
        assert_eq!(words, says);
        assert!(comparison.summary(OURS_BY_VENDOR).is_none());
    }

    #[test]
    fn a_damaged_comparison_is_refused_or_has_its_lines() {
        damage::must_be_survived(KEPT.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            if let Ok(comparison) = Comparison::of(&text) {
                let lines = 1 + comparison.rates.len() + comparison.missing.len();
                assert_eq!(lines, text.lines().count());
                comparison.quantile(0.5, None);
            }
        });
    }
}
