//! What a child process that checked a kernel has to say: a right result, a wrong
//! one, a failed build, a crash or a hang.

use std::process::Output;

use common::record::Record;
use toolbox::child::Finished;

use crate::observation::{Observation, Outcome};

/// What a lesson's end and its records say about the result.
pub fn judge(detector: String, output: &Output) -> Observation {
    let child = Finished::from(output);
    let (outcome, says, details) = match output.status.code() {
        Some(0 | 1) => {
            let records: Vec<Record> = child.records().collect();
            return of_records(detector, &records);
        }
        Some(4) => {
            let details = diagnostic(&child.message());
            (Outcome::Fault, "does not build".into(), details)
        }
        // The message of a process that died or hung, without the advice below it.
        Some(5) => (Outcome::Fault, child.complaint(), Vec::new()),
        _ => {
            let says = format!("did not run: {}", child.complaint());
            (Outcome::NotRun, says, Vec::new())
        }
    };
    Observation {
        detector,
        outcome,
        says,
        details,
    }
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
fn of_records(detector: String, records: &[Record]) -> Observation {
    let wrong: Vec<&Record> = records
        .iter()
        .filter(|record| record.failed.is_some())
        .collect();
    let verified = records.iter().filter(|record| record.verified).count();
    let skipped = records.iter().find_map(|record| record.skipped.as_deref());
    match (wrong.first(), verified, skipped) {
        (Some(record), ..) => {
            let why = record.failed.as_deref().unwrap_or_default();
            let mut lines = why.lines().map(|line| line.trim().to_string());
            let says = lines.next().unwrap_or_default();
            let mut details: Vec<String> = lines.take(2).collect();
            if records.len() > 1 {
                let (wrong, all) = (wrong.len(), records.len());
                details.insert(0, format!("in {}", record.kernel));
                details.push(format!("{wrong} of {all} variants are wrong"));
            }
            Observation {
                detector,
                outcome: Outcome::Fault,
                says,
                details,
            }
        }
        (None, 0, Some(why)) => {
            Observation::new(detector, Outcome::NotRun, format!("skipped: {why}"))
        }
        (None, 0, None) => Observation::new(detector, Outcome::NotRun, "nothing ran"),
        (None, ..) => Observation::new(detector, Outcome::Silent, "right"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(failed: Option<&str>) -> Record {
        Record {
            kernel: "f 8x8".into(),
            verified: failed.is_none(),
            failed: failed.map(String::from),
            ..Record::default()
        }
    }

    #[test]
    fn one_wrong_variant_is_a_fault() {
        let records = [
            record(None),
            record(Some("3 are wrong\n  looks like: rain\n  C[0] is 1\n  map")),
        ];
        let seen = of_records("result".into(), &records);
        assert_eq!(seen.outcome, Outcome::Fault);
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
    fn no_record_is_no_success() {
        assert_eq!(of_records("result".into(), &[]).outcome, Outcome::NotRun);
    }

    #[test]
    fn of_a_builds_message_the_spans_are_told() {
        let message = "a.cl does not build\n  line 3\n(--raw-log shows more)";
        assert_eq!(diagnostic(message), ["  line 3"]);
    }
}
