//! Rightly named, silent, or wrongly named: of a kernel at each size, and of all.

use common::numbers::percent;
use common::record::Record;
use serde_json::{Value, json};

use super::corpus::WrongKernel;

/// What became of a kernel at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Naming {
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
pub struct Reading {
    size: &'static str,
    device: String,
    naming: Naming,
    looks: Vec<String>,
}

impl Reading {
    /// From what the record says of a wrong result, if it is wrong.
    pub fn new(size: &'static str, kernel: &WrongKernel, record: &Record) -> Reading {
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
        let naming = match (failed, kinds.clone().next()) {
            (None, _) => Naming::Right,
            (Some(_), None) => Naming::Silent,
            (Some(_), Some(_)) if kinds.all(fits) => Naming::Named,
            (Some(_), Some(_)) => Naming::Wrongly,
        };
        let device = format!("{}, {}", record.device, record.platform);
        Reading {
            size,
            device,
            naming,
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
    readings: Vec<Reading>,
}

impl Score {
    /// The score of a kernel.
    pub fn new(kernel: &WrongKernel, readings: Vec<Reading>) -> Score {
        Score {
            kernel: kernel.name.clone(),
            kinds: kernel.kinds.clone(),
            cause: kernel.cause.clone(),
            readings,
        }
    }

    /// What ran it.
    pub fn device(&self) -> Option<&str> {
        self.readings.first().map(|one| &*one.device)
    }

    fn count(&self, naming: Naming) -> usize {
        self.readings
            .iter()
            .filter(|one| one.naming == naming)
            .count()
    }

    /// How often a fault was named that it does not have.
    pub fn wrongly(&self) -> usize {
        self.count(Naming::Wrongly)
    }

    /// The line of data/symptoms/score.jsonl.
    pub fn summary(&self) -> Value {
        json!({
            "kernel": self.kernel,
            "kind": self.kinds[0],
            "named": self.count(Naming::Named),
            "silent": self.count(Naming::Silent),
            "wrongly": self.count(Naming::Wrongly),
        })
    }

    /// The same with all that was said.
    pub fn whole(&self) -> Value {
        let mut value = self.summary();
        let told = |one: &Reading| (one.size.to_string(), json!(one.looks));
        value["looks_like"] = self.readings.iter().map(told).collect();
        value
    }

    /// For people: the kernel, and what was said where it was not the cause.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{:<32} {} named, {} silent, {} wrongly: {}\n",
            self.kernel,
            self.count(Naming::Named),
            self.count(Naming::Silent),
            self.wrongly(),
            self.cause
        );
        for one in &self.readings {
            if matches!(one.naming, Naming::Silent | Naming::Wrongly) {
                let looks = one.looks.join(" | ");
                text += &format!("    {:?} at {}: {looks}\n", one.naming, one.size);
            }
        }
        text
    }
}

/// All of it in a line.
pub fn sum(scores: &[Score]) -> String {
    let count = |naming| {
        scores
            .iter()
            .map(|score| score.count(naming))
            .sum::<usize>()
    };
    let (named, silent, wrongly) = (
        count(Naming::Named),
        count(Naming::Silent),
        count(Naming::Wrongly),
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

    fn naming(kinds: &[&str], failed: Option<&str>) -> Naming {
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
        Reading::new("64", &kernel, &record).naming
    }

    #[test]
    fn what_is_said_must_be_the_cause_and_nothing_else() {
        let zero = "9 are wrong\n  looks like: zero: all 0\n  C[0] must be 1";
        assert_eq!(naming(&["zero", "last rows"], Some(zero)), Naming::Named);
        assert_eq!(naming(&["factor"], Some(zero)), Naming::Wrongly);
        let both = "9 are wrong\n  looks like: zero: all 0\n  looks like: last rows: 8";
        assert_eq!(naming(&["zero", "last rows"], Some(both)), Naming::Named);
        assert_eq!(naming(&["zero"], Some(both)), Naming::Wrongly);
        let nothing = "9 are wrong\n  looks like: nothing known";
        assert_eq!(naming(&["zero"], Some(nothing)), Naming::Silent);
        assert_eq!(naming(&["zero"], Some("9 are wrong")), Naming::Silent);
        assert_eq!(naming(&["zero"], None), Naming::Right);
    }
}
