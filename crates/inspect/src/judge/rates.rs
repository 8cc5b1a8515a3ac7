//! A kernel's rates, as shares of what its device copied and computed in the same run.

use common::{device::Kind, record::Record, timing::Peak};
use task::form::{Form, Least, Limit};
use verify::numbers::{percent, seconds, significant};

use crate::judge::observation::{Detection, Detector, Observation};

/// How fast it is.
#[derive(serde::Serialize)]
pub struct Rates {
    /// Median of its times.
    pub seconds_median: f64,
    /// How far these lie apart, as a share of it.
    spread: f64,
    gbytes_per_second: Option<f64>,
    share_of_copy: Option<f64>,
    gflops: Option<f64>,
    share_of_compute: Option<f64>,
    /// Operations for a byte at which the device computes as long as it copies.
    ridge: Option<f64>,
    /// Why they tell little.
    #[serde(skip_serializing_if = "Option::is_none")]
    busy: Option<String>,
    #[serde(skip)]
    kind: Option<Kind>,
}

/// How fast a record's kernel is, by what its task must move and compute.
pub fn speed(record: &Record, size: &task::sizes::Sizes, task: &Form) -> Option<Rates> {
    let median = record.seconds_median?;
    let scope = task.scope(size).ok()?;
    let rate = |formula: &Option<verify::formula::Formula>| {
        let amount = formula.as_ref()?.value(&scope).ok()?;
        Some(amount / median / 1e9)
    };
    let (bytes, flops) = (rate(&task.bytes), rate(&task.flops));
    // Others can but lower them.
    let after = record.limits_after;
    let limits = record.limits;
    let limits = limits.map(|one| after.map_or(one, |other| one.and(other)));
    let of = |rate: Option<f64>, limit: fn(&Peak) -> f64| Some(rate? / limit(limits.as_ref()?));
    Some(Rates {
        busy: busy(record),
        seconds_median: median,
        kind: record.kind,
        spread: record.spread.unwrap_or(0.0),
        gbytes_per_second: bytes,
        share_of_copy: of(bytes, |limits| limits.gbytes_per_second),
        gflops: flops,
        share_of_compute: of(flops, |limits| limits.gflops),
        ridge: limits.map(|limit| limit.gflops / limit.gbytes_per_second),
    })
}

/// From which share on a time was waited for, or two limits differ, because others were at work.
const BUSY: f64 = 0.15;

/// What shows that others used the machine while a kernel was timed.
fn busy(record: &Record) -> Option<String> {
    if let Some(share) = record.waited_share.filter(|share| *share > BUSY) {
        let share = percent(share);
        return Some(format!("a thread waited for a core {share} of the time"));
    }
    let (before, after) = (record.limits?, record.limits_after?);
    let all = [
        (before.gbytes_per_second, after.gbytes_per_second, "GB/s"),
        (before.gflops, after.gflops, "GFLOP/s"),
    ];
    let differ = |(one, other, _): &(f64, f64, _)| (one - other).abs() > BUSY * one.max(*other);
    let (before, after, unit) = all.into_iter().find(differ)?;
    let [before, after] = [before, after].map(significant);
    Some(format!("the device did {before} {unit} before it, and {after} after it"))
}

impl Rates {
    /// Holds it against the share of a limit that is asked for; what is too near is not judged.
    /// Nor is what was timed while others used the machine.
    pub fn beside(&self, at_least: &std::collections::BTreeMap<Limit, Least>) -> Observation {
        let seen = |outcome, says| Observation::new(Detector::Speed, outcome, says);
        let mut asked = Vec::new();
        for (limit, least) in at_least {
            let (share, of) = match limit {
                Limit::Copy => (self.share_of_copy, "the copy rate"),
                Limit::Compute => (self.share_of_compute, "the multiply-add rate"),
            };
            let Some(share) = share else {
                return not_judged("the task says no bytes or flops, or nothing was timed");
            };
            let least = least.on(self.kind);
            let [in_words, spread] = [least, self.spread].map(percent);
            let says = format!("{} of {of} of this run (±{spread})", percent(share));
            if let Some(why) = &self.busy {
                return not_judged(&format!("the machine is busy ({why}); {says}"));
            } else if share >= least {
                asked.push(in_words);
            } else if share * (1.0 + 2.0 * self.spread.max(0.02)) >= least {
                return not_judged(&format!("{says}; too near to {in_words}: check again"));
            } else {
                let says = format!("{says}; too slow, at least {in_words}");
                return seen(Detection::Fault, says);
            }
        }
        let says = format!("{}; at least {}", self.words(), asked.join(" and "));
        seen(Detection::Silent, says)
    }

    /// In a sentence.
    pub fn words(&self) -> String {
        let [time, spread] = [seconds(self.seconds_median), percent(self.spread)];
        let mut words = format!("{time} (±{spread})");
        for (rate, unit, share, of) in [
            (self.gbytes_per_second, "GB/s", self.share_of_copy, "of a copy"),
            (self.gflops, "GFLOP/s", self.share_of_compute, "of multiply-adds"),
        ] {
            let share = share.map(|share| format!(", {} {of} here", percent(share)));
            let rate = rate.map(|rate| format!("; {} {unit}", significant(rate)));
            words.extend(rate.map(|rate| rate + &share.unwrap_or_default()));
        }
        if let (Some(bytes), Some(flops), Some(ridge)) =
            (self.gbytes_per_second, self.gflops, self.ridge)
        {
            let intensity = flops / bytes;
            let binds = ["arithmetic", "memory"][usize::from(intensity < ridge)];
            let [intensity, ridge] = [intensity, ridge].map(significant);
            words +=
                &format!("; {intensity} operations a byte, the ridge is at {ridge}: {binds} binds");
        }
        if let Some(why) = &self.busy {
            words += &format!("; the machine is busy: {why}");
        }
        words
    }
}

/// Says that nobody judged a speed, and why.
pub fn not_judged(why: &str) -> Observation {
    let says = format!("not judged: {why}");
    Observation::new(Detector::Speed, Detection::NotJudged, says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_share_passes_fails_or_is_too_near_to_tell() {
        let limits =
            |gbytes_per_second| Some(Peak { gflops: 1.0, gbytes_per_second, spreads: None });
        let judged = |share, spread, kind, waited, after| {
            let record = Record {
                seconds_median: Some(1.0),
                spread: Some(spread),
                limits: limits(1.0),
                limits_after: limits(after),
                waited_share: Some(waited),
                kind: Some(kind),
                ..Record::default()
            };
            let text = "bytes = 'n'\nat-least = { copy = { cpu = 0.4, gpu = 0.8 } }";
            let task = Form::of(text, Path::new("")).expect("a task");
            let size = [("n".into(), share)].into();
            let speed = speed(&record, &size, &task).expect("a rate");
            speed.beside(&task.at_least).outcome
        };
        let giga = |share: f64| (share * 1e9) as usize;
        use Detection::{Fault, NotJudged, Silent};
        for (share, spread, kind, waited, after, outcome) in [
            (0.5, 0.0, Kind::Cpu, 0.1, 0.9, Silent),
            (0.5, 0.0, Kind::Gpu, 0.1, 1.1, Fault),
            (0.7, 0.1, Kind::Gpu, 0.0, 1.0, NotJudged),
            (0.5, 0.0, Kind::Gpu, 0.4, 1.0, NotJudged),
            (0.5, 0.0, Kind::Gpu, 0.0, 0.7, NotJudged),
            (0.9, 0.0, Kind::Gpu, 0.0, 1.3, NotJudged),
        ] {
            let judged = judged(giga(share), spread, kind, waited, after);
            assert_eq!(judged, outcome, "{share} {waited} {after}");
        }
    }
}
