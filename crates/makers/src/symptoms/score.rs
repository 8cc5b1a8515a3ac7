//! Rightly named, silent, or wrongly named: of a kernel at each size, and of all.

use common::numbers::percent;
use common::record::Record;
use serde_json::{Value, json};

use super::SIZES;
use super::corpus::WrongKernel;

/// What became of a kernel at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Naming {
    /// The result is right.
    Right,
    /// A kind of the cause was named, and none other.
    Named,
    /// Nothing was said.
    Silent,
    /// Something was said that is not the cause.
    Wrongly,
}

/// What is said of a wrong result: what it looks like, and what was written where nobody may,
/// which is told before.
fn looks(failed: &str) -> Vec<&str> {
    let lines = failed.lines().map(str::trim);
    let looks = lines.filter_map(|line| {
        let look = line.strip_prefix("looks like: ");
        look.or_else(|| line.starts_with("overrun: ").then_some(line))
    });
    looks.collect()
}

fn naming(kinds: &[String], failed: Option<&str>) -> Naming {
    let Some(failed) = failed else {
        return Naming::Right;
    };
    // What stands before the colon.
    let told = looks(failed).into_iter().map(|look| look.split(':').next());
    let mut told = told
        .flatten()
        .filter(|kind| *kind != "nothing known")
        .peekable();
    let fits = |kind: &str| kinds.iter().any(|known| known == kind);
    if told.peek().is_none() {
        Naming::Silent
    } else if told.all(fits) {
        Naming::Named
    } else {
        Naming::Wrongly
    }
}

/// What is said of a kernel at all sizes.
pub struct Score<'k> {
    kernel: &'k WrongKernel,
    /// What ran it.
    pub device: String,
    /// What is said at each size.
    readings: Vec<(Naming, String)>,
}

impl<'k> Score<'k> {
    /// The score of a kernel, from a record at each size.
    pub fn new(kernel: &'k WrongKernel, records: &[Record]) -> Score<'k> {
        let readings = records.iter().map(|record| {
            let failed = record.failed.as_deref();
            (
                naming(&kernel.kinds, failed),
                failed.unwrap_or_default().into(),
            )
        });
        let device = records
            .first()
            .map(|one| format!("{}, {}", one.device, one.platform));
        Score {
            kernel,
            device: device.unwrap_or_default(),
            readings: readings.collect(),
        }
    }

    /// How often it was rightly named, silent, and wrongly named.
    fn counts(&self) -> [usize; 3] {
        [Naming::Named, Naming::Silent, Naming::Wrongly].map(|wanted| {
            self.readings
                .iter()
                .filter(|(one, _)| *one == wanted)
                .count()
        })
    }

    /// How often a fault was named that it does not have.
    pub fn wrongly(&self) -> usize {
        self.counts()[2]
    }

    /// The line of data/symptoms/score.jsonl.
    pub fn summary(&self) -> Value {
        let [named, silent, wrongly] = self.counts();
        json!({
            "kernel": self.kernel.name,
            "kind": self.kernel.kinds[0],
            "named": named,
            "silent": silent,
            "wrongly": wrongly,
        })
    }

    /// The same with all that was said.
    pub fn whole(&self) -> Value {
        let mut value = self.summary();
        let readings = SIZES.iter().zip(&self.readings);
        let told = readings.map(|(size, (_, failed))| (size.to_string(), json!(looks(failed))));
        value["looks_like"] = told.collect();
        value
    }

    /// For people: the kernel, and what was said where it was not the cause.
    pub fn text(&self) -> String {
        let [named, silent, wrongly] = self.counts();
        let WrongKernel { name, cause, .. } = self.kernel;
        let mut text =
            format!("{name:<32} {named} named, {silent} silent, {wrongly} wrongly: {cause}\n");
        for (size, (naming, failed)) in SIZES.iter().zip(&self.readings) {
            if matches!(naming, Naming::Silent | Naming::Wrongly) {
                let looks = looks(failed).join(" | ");
                text += &format!("    {naming:?} at {size}: {looks}\n");
            }
        }
        text
    }
}

/// All of it in a line.
pub fn sum(scores: &[Score]) -> String {
    let counts = scores.iter().map(Score::counts);
    let [named, silent, wrongly] =
        counts.fold([0; 3], |sum, one| [0, 1, 2].map(|at| sum[at] + one[at]));
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
        let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        super::naming(&kinds, failed)
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
