//! The course beside a library, as `docs/data/peers/NAME.jsonl` keeps it: the first line says where
//! and when, each other one is a rate.

use anyhow::{Context, Result};
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};
use verify::{Shape, numbers::quantile};

use crate::kept;

/// The course's own kernels, in the place of a library's name: the one of standard OpenCL C
/// that was chosen; in recordings before the seed whichever was.
pub const OURS: &str = "ours";
/// The one with a vendor's instructions, where one was chosen.
pub const OURS_BY_VENDOR: &str = "ours, vendor's";

/// What a library, or the kernel that the course chose, came to at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rate {
    #[serde(flatten)]
    pub shape: Shape,
    /// The library, as its makers write it, or [`OURS`].
    pub library: String,
    /// The kernel, of ours.
    pub kernel: Option<String>,
    /// Version of the library; of ours the lesson.
    pub version: String,
    /// "event" or "wall".
    pub clock: Option<String>,
    /// 1e9 operations a second, by the median of all runs; none where the result was
    /// wrong or something failed.
    pub gflops: Option<f64>,
    /// A quarter of the runs was slower than this.
    pub q1: Option<f64>,
    /// A quarter of the runs was faster.
    pub q3: Option<f64>,
    /// Timed runs of all turns.
    pub runs: usize,
    /// Why it has no rate.
    pub why: Option<String>,
}

/// The rates of a comparison on one device, in the order in which they were measured.
pub struct Comparison(pub Vec<Rate>);

impl Comparison {
    /// Reads `docs/data/peers/NAME.jsonl`.
    pub fn read(name: &str) -> Result<Comparison> {
        let file = format!("docs/data/peers/{name}.jsonl");
        Comparison::of(&kept::read(&file)?).context(file)
    }

    fn of(text: &str) -> Result<Comparison> {
        Ok(Comparison(kept::lines_of(text)?.1))
    }

    /// The sizes, in order.
    pub fn shapes(&self) -> Vec<Shape> {
        self.0.iter().map(|rate| rate.shape).collect::<IndexSet<_>>().into_iter().collect()
    }

    /// The rate of a library or [`OURS`] at a size.
    pub fn rate(&self, shape: Shape, library: &str) -> Option<f64> {
        let mut rates = self.0.iter();
        rates.find(|rate| rate.shape == shape && rate.library == library)?.gflops
    }

    /// The rate of the fastest library at a size.
    fn best(&self, shape: Shape) -> Option<f64> {
        let here = self.0.iter().filter(|rate| rate.shape == shape);
        let theirs = here.filter(|rate| !rate.library.starts_with(OURS));
        theirs.filter_map(|rate| rate.gflops).reduce(f64::max)
    }

    /// Of ours over this library, at all sizes: this quantile, of 0 to 1. Over the best one,
    /// where none is named; then ours has a vendor's instructions where there is such a kernel.
    pub fn quantile(&self, q: f64, library: Option<&str>) -> Option<f64> {
        let ratios = self.shapes().into_iter().filter_map(|shape| {
            let standard = self.rate(shape, OURS);
            Some(match library {
                Some(library) => standard? / self.rate(shape, library)?,
                None => self.rate(shape, OURS_BY_VENDOR).or(standard)? / self.best(shape)?,
            })
        });
        let ratios = Vec::from_iter(ratios);
        (!ratios.is_empty()).then(|| quantile(&ratios, q))
    }
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
    );

    #[test]
    fn ours_is_held_against_the_best_library_at_each_size() {
        let comparison = Comparison::of(KEPT).unwrap();
        let thin = Shape { m: 4, n: 8, k: 8 };
        assert_eq!(comparison.shapes(), [Shape::cube(8), thin]);
        assert_eq!(comparison.quantile(0.0, None), Some(0.5));
        assert_eq!(comparison.quantile(0.5, Some("X")), Some(1.25));
        // It was wrong at its only size.
        assert_eq!(comparison.quantile(0.5, Some("Y")), None);
        assert_eq!(comparison.best(Shape::cube(8)), Some(30.0));
    }

    #[test]
    fn a_damaged_comparison_is_refused_or_has_its_lines() {
        damage::must_be_survived(KEPT.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            if let Ok(comparison) = Comparison::of(&text) {
                assert_eq!(comparison.0.len(), text.lines().count().saturating_sub(1));
                comparison.quantile(0.5, None);
            }
        });
    }
}
