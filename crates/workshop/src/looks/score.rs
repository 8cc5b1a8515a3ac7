//! Rightly named, silent, or wrongly named: of a kernel at each size, and of all.

use common::numbers::percent;
use common::record::Record;
use serde_json::{Value, json};

use super::corpus::WrongKernel;

/// What became of a kernel at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// The result is right.
    Right,
    /// A kind of the cause was named, and none other.
    Named,
    /// Nothing was said.
    Silent,
    /// Something was said that is not the cause.
    Wrongly,
}

/// What is said of a kernel at one size.
pub struct Verdict {
    size: &'static str,
    device: String,
    fate: Fate,
    looks: Vec<String>,
}

impl Verdict {
    /// From what the record says of a wrong result, if it is wrong.
    pub fn new(size: &'static str, kernel: &WrongKernel, record: &Record) -> Verdict {
        let failed = record.failed.as_deref();
        let lines = failed.into_iter().flat_map(str::lines);
        // What was written where nobody may is told before.
        let look = |line: &'_ str| -> Option<String> {
            let line = line.trim();
            let is_overrun = line.starts_with("overrun: ");
            let look = line
                .strip_prefix("looks like: ")
                .or(is_overrun.then_some(line))?;
            Some(look.into())
        };
        let looks = lines.filter_map(look);
        let looks: Vec<String> = looks.collect();
        let mut kinds = looks
            .iter()
            .filter(|look| *look != "nothing known")
            .map(|look| kind(look));
        let fits = |kind: &str| kernel.kinds.iter().any(|known| known == kind);
        let fate = match (failed, kinds.clone().next()) {
            (None, _) => Fate::Right,
            (Some(_), None) => Fate::Silent,
            (Some(_), Some(_)) if kinds.all(fits) => Fate::Named,
            (Some(_), Some(_)) => Fate::Wrongly,
        };
        let device = format!("{}, {}", record.device, record.platform);
        Verdict {
            size,
            device,
            fate,
            looks,
        }
    }
}

/// What stands before the colon.
fn kind(look: &str) -> &str {
    look.split(':').next().unwrap_or(look)
}

/// What is said of a kernel at all sizes.
pub struct Score {
    kernel: String,
    kinds: Vec<String>,
    cause: String,
    verdicts: Vec<Verdict>,
}

impl Score {
    /// The score of a kernel.
    pub fn new(kernel: &WrongKernel, verdicts: Vec<Verdict>) -> Score {
        Score {
            kernel: kernel.name.clone(),
            kinds: kernel.kinds.clone(),
            cause: kernel.cause.clone(),
            verdicts,
        }
    }

    /// What ran it.
    pub fn device(&self) -> Option<&str> {
        self.verdicts.first().map(|one| &*one.device)
    }

    fn count(&self, fate: Fate) -> usize {
        self.verdicts.iter().filter(|one| one.fate == fate).count()
    }

    /// How often a fault was named that it does not have.
    pub fn wrongly(&self) -> usize {
        self.count(Fate::Wrongly)
    }

    /// The line of data/looks/score.jsonl.
    pub fn summary(&self) -> Value {
        json!({
            "kernel": self.kernel,
            "kind": self.kinds[0],
            "named": self.count(Fate::Named),
            "silent": self.count(Fate::Silent),
            "wrongly": self.count(Fate::Wrongly),
        })
    }

    /// The same with all that was said.
    pub fn whole(&self) -> Value {
        let mut value = self.summary();
        let told = |one: &Verdict| (one.size.to_string(), json!(one.looks));
        value["looks_like"] = self.verdicts.iter().map(told).collect();
        value
    }

    /// For people: the kernel, and what was said where it was not the cause.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{:<32} {} named, {} silent, {} wrongly: {}\n",
            self.kernel,
            self.count(Fate::Named),
            self.count(Fate::Silent),
            self.wrongly(),
            self.cause
        );
        for one in &self.verdicts {
            if matches!(one.fate, Fate::Silent | Fate::Wrongly) {
                let looks = one.looks.join(" | ");
                text += &format!("    {:?} at {}: {looks}\n", one.fate, one.size);
            }
        }
        text
    }
}

/// All of it in a line.
pub fn sum(scores: &[Score]) -> String {
    let count = |fate| scores.iter().map(|score| score.count(fate)).sum::<usize>();
    let (named, silent, wrongly) = (
        count(Fate::Named),
        count(Fate::Silent),
        count(Fate::Wrongly),
    );
    let all = named + silent + wrongly;
    format!(
        "{} kernels, {all} wrong results: {named} named rightly ({}), {silent} silent, \
         {wrongly} named wrongly",
        scores.len(),
        percent(named as f64 / all.max(1) as f64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fate(kinds: &[&str], failed: Option<&str>) -> Fate {
        let kernel = WrongKernel {
            name: "k".into(),
            file: "k.cl".into(),
            kinds: kinds.iter().map(|kind| kind.to_string()).collect(),
            cause: "words".into(),
        };
        let record = Record {
            failed: failed.map(String::from),
            ..Record::default()
        };
        Verdict::new("64", &kernel, &record).fate
    }

    #[test]
    fn what_is_said_must_be_the_cause_and_nothing_else() {
        let zero = "9 are wrong\n  looks like: zero: all 0\n  C[0] must be 1";
        assert_eq!(fate(&["zero", "last rows"], Some(zero)), Fate::Named);
        assert_eq!(fate(&["factor"], Some(zero)), Fate::Wrongly);
        let both = "9 are wrong\n  looks like: zero: all 0\n  looks like: last rows: 8";
        assert_eq!(fate(&["zero", "last rows"], Some(both)), Fate::Named);
        assert_eq!(fate(&["zero"], Some(both)), Fate::Wrongly);
        let nothing = "9 are wrong\n  looks like: nothing known";
        assert_eq!(fate(&["zero"], Some(nothing)), Fate::Silent);
        assert_eq!(fate(&["zero"], Some("9 are wrong")), Fate::Silent);
        assert_eq!(fate(&["zero"], None), Fate::Right);
    }
}
