//! A kernel's rates, as shares of what its device copied and computed in the same run.

use common::device::Kind;
use common::formula::{Formula, Scope};
use common::numbers::{percent, seconds, significant};
use common::record::Record;
use serde::Serialize;

use crate::task::file::{Sizes, TaskFile};

/// How fast it is.
#[derive(Serialize)]
pub struct Rates {
    pub seconds_median: f64,
    pub spread: f64,
    gbytes_per_second: Option<f64>,
    pub share_of_copy: Option<f64>,
    gflops: Option<f64>,
    pub share_of_compute: Option<f64>,
    /// Operations for a byte at which the device computes as long as it copies.
    ridge: Option<f64>,
    /// Whose rates these are.
    #[serde(skip)]
    pub kind: Option<Kind>,
}

/// How fast a record's kernel is, by what its task must move and compute.
pub fn speed(record: &Record, size: &Sizes, task: &TaskFile) -> Option<Rates> {
    let median = record.seconds_median?;
    let mut scope = Scope::default();
    let defines = task.define.iter();
    for (name, value) in size.iter().chain(defines) {
        scope.set(name, *value as f64);
    }
    let rate = |formula: &Option<Formula>| {
        let amount = formula.as_ref()?.value(&scope).ok()?;
        Some(amount / median / 1e9)
    };
    let (bytes, flops) = (rate(&task.bytes), rate(&task.flops));
    let limits = record.limits;
    Some(Rates {
        seconds_median: median,
        kind: record.kind,
        spread: record.spread.unwrap_or(0.0),
        gbytes_per_second: bytes,
        share_of_copy: bytes
            .zip(limits)
            .map(|(rate, limit)| rate / limit.gbytes_per_second),
        gflops: flops,
        share_of_compute: flops.zip(limits).map(|(rate, limit)| rate / limit.gflops),
        ridge: limits.map(|limit| limit.gflops / limit.gbytes_per_second),
    })
}

impl Rates {
    /// In a sentence.
    pub fn words(&self) -> String {
        let mut words = format!(
            "{} (±{})",
            seconds(self.seconds_median),
            percent(self.spread)
        );
        let rates = [
            (
                self.gbytes_per_second,
                self.share_of_copy,
                "GB/s",
                "of a copy",
            ),
            (
                self.gflops,
                self.share_of_compute,
                "GFLOP/s",
                "of multiply-adds",
            ),
        ];
        for (rate, share, unit, of) in rates {
            let Some(rate) = rate else { continue };
            words += &format!("; {} {unit}", significant(rate));
            if let Some(share) = share {
                words += &format!(", {} {of} here", percent(share));
            }
        }
        if let (Some(bytes), Some(flops), Some(ridge)) =
            (self.gbytes_per_second, self.gflops, self.ridge)
        {
            let intensity = flops / bytes;
            let binds = if intensity < ridge {
                "memory"
            } else {
                "arithmetic"
            };
            words += &format!(
                "; {} operations a byte, the ridge is at {}: {binds} binds",
                significant(intensity),
                significant(ridge)
            );
        }
        words
    }
}
