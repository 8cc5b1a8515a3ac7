//! What a child process that checked a kernel has to say: a right result, a wrong
//! one, a failed build, a crash or a hang.

use common::record::Record;
use process::Finished;
use verify::numbers;

use crate::observation::{Detection, Observation};
use crate::task::child::FILLING;

/// What a lesson's end and its records say about the result.
pub fn judge(detector: &str, child: &Finished) -> Observation {
    let seen = |outcome, says: String| Observation::new(detector, outcome, says);
    let is_skipped = || child.records().any(|record| record.skipped().is_some());
    match child.status.code() {
        Some(2) if is_skipped() => of_records(detector, &child.records().collect::<Vec<_>>()),
        Some(0 | 1) => of_records(detector, &child.records().collect::<Vec<_>>()),
        Some(4 | 5) if is_of_another(child) => {
            let says = child.complaint();
            let says = match says.strip_suffix(':') {
                Some(kernel) => format!("{kernel} does not build"),
                None => says,
            };
            seen(Detection::NotRun, format!("did not run: {says}"))
        }
        Some(4) => of_build(detector, &child.message()),
        // The message of a process that died or hung, without the advice below it.
        Some(5) => seen(Detection::Fault, child.complaint()),
        _ => {
            let says = format!("did not run: {}", child.complaint());
            seen(Detection::NotRun, says)
        }
    }
}

/// Whether it ended beside the learner's kernel: in what is held against it, or in what fills a
/// buffer.
pub fn is_of_another(child: &Finished) -> bool {
    let complaint = child.complaint();
    if complaint.contains(&format!("while {FILLING};")) {
        return true;
    }
    ["the reference ", "the filling kernel "]
        .iter()
        .any(|what| {
            let doing = ["running", "building"].map(|doing| format!("while {doing} {what}"));
            complaint.starts_with(what) || doing.iter().any(|doing| complaint.contains(doing))
        })
}

/// A kernel that does not build, or cannot be launched like this.
fn of_build(detector: &str, message: &str) -> Observation {
    let fails = message.contains(" does not build");
    let says = if fails {
        "does not build"
    } else {
        "cannot be launched"
    };
    Observation::new(detector, Detection::Fault, says).with(diagnostic(message))
}

/// A build's message without what is known already, or is about a lesson's flags.
fn diagnostic(message: &str) -> Vec<String> {
    let lines = message.lines().map(str::trim_end);
    let spans = lines.filter(|line| {
        let is_heading = line.ends_with(" does not build");
        !is_heading && !line.starts_with("(--raw-log ")
    });
    spans.map(String::from).collect()
}

/// A lesson may launch a kernel in several variants: one wrong one is a fault.
pub fn of_records(detector: &str, records: &[Record]) -> Observation {
    let wrong: Vec<&Record> = records.iter().filter(|one| one.wrong().is_some()).collect();
    let verified = records.iter().filter(|record| record.is_right()).count();
    let skipped = records.iter().find_map(|record| record.skipped());
    if let Some(first) = wrong.first() {
        let mut seen = wrong_result(detector, first);
        seen.details.truncate(2);
        if records.len() > 1 {
            let (wrong, all) = (wrong.len(), records.len());
            let variants = format!("{wrong} of {all} variants are wrong");
            seen.details.insert(0, format!("in {}", first.kernel));
            seen.details.push(variants);
        }
        return seen;
    }
    match (verified, skipped) {
        (0, Some(why)) => Observation::new(detector, Detection::NotRun, format!("skipped: {why}")),
        (0, None) => Observation::new(detector, Detection::NotRun, "nothing ran"),
        _ if records.iter().all(|one| one.compared() == Some(0)) => {
            let says = "it ran; its result is not judged";
            Observation::new(detector, Detection::NotJudged, says)
        }
        _ => Observation::new(detector, Detection::Silent, right(records)),
    }
}

/// "right", and of a single result how much was compared with what.
fn right(records: &[Record]) -> String {
    let [record] = records else {
        return "right".into();
    };
    let compared = record.compared();
    let compared = compared.map(|count| format!(", {} compared", numbers::count(count, "element")));
    let within = Some(&record.says).filter(|says| record.lesson == 0 && !says.is_empty());
    let within = within.map(|says| format!(": {says}"));
    format!(
        "right{}{}",
        compared.unwrap_or_default(),
        within.unwrap_or_default()
    )
}

/// A wrong result in words: what is wrong; below, what it looks like and examples.
pub fn wrong_result(detector: &str, record: &Record) -> Observation {
    let why = record.wrong().unwrap_or_default();
    let mut lines = why.lines().map(str::trim);
    let says = lines.next().unwrap_or_default();
    Observation::new(detector, Detection::Fault, says).with(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::outcome::Outcome;

    fn record(failed: Option<&str>) -> Record {
        Record {
            kernel: "f 8x8".into(),
            outcome: match failed {
                Some(wrong) => Outcome::Wrong(wrong.into()),
                None => Outcome::RIGHT,
            },
            ..Record::default()
        }
    }

    #[test]
    fn one_wrong_variant_is_a_fault() {
        let records = [
            record(None),
            record(Some("3 are wrong\n  looks like: rain\n  C[0] is 1\n  map")),
        ];
        let seen = of_records("result", &records);
        assert_eq!(seen.outcome, Detection::Fault);
        assert_eq!(seen.says, "3 are wrong");
        let details = [
            "in f 8x8",
            "looks like: rain",
            "C[0] is 1",
            "1 of 2 variants are wrong",
        ];
        assert_eq!(seen.details, details);
    }

    #[test]
    fn what_nobody_compared_is_not_called_right() {
        let compared = |count| Record {
            outcome: Outcome::Right {
                compared: count,
                varies: false,
            },
            ..record(None)
        };
        let says = |count| of_records("result", &[compared(count)]).says;
        assert_eq!(says(Some(4)), "right, 4 elements compared");
        assert_eq!(says(None), "right");
        assert!(says(Some(0)).contains("not judged"), "{}", says(Some(0)));
    }

    #[test]
    fn no_record_is_no_success() {
        assert_eq!(of_records("result", &[]).outcome, Detection::NotRun);
    }

    #[test]
    fn of_a_builds_message_the_spans_are_told() {
        let message = "a.cl does not build\n  line 3\n(--raw-log shows more)";
        assert_eq!(diagnostic(message), ["  line 3"]);
    }
}
