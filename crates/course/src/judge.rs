//! What a child process that checked a kernel has to say: a right result, a wrong
//! one, a failed build, a crash or a hang.

use std::process::Output;

use common::record::Record;

use crate::observation::{Observation, Outcome};

/// What a lesson's end and its records say about the result.
pub fn judge(detector: String, output: &Output) -> Observation {
    let text = String::from_utf8_lossy(&output.stdout);
    let records: Vec<Record> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|record: &Record| record.platform != "host")
        .collect();
    let says = error(&String::from_utf8_lossy(&output.stderr));
    let first = says.first().map_or("no message", |line| line.trim());
    let (outcome, says, details) = match output.status.code() {
        Some(0 | 1) => return of_records(detector, &records),
        Some(4) => (Outcome::Fault, "does not build".into(), diagnostic(&says)),
        // The message of a process that died or hung, without the advice below it.
        Some(5) => (Outcome::Fault, first.to_string(), Vec::new()),
        _ => (Outcome::NotRun, format!("did not run: {first}"), Vec::new()),
    };
    Observation {
        detector,
        outcome,
        says,
        details,
    }
}

/// The lines of the message after "error:", without what the driver wrote before.
fn error(stderr: &str) -> Vec<String> {
    let at = stderr.find("error:").map_or(0, |at| at + "error:".len());
    let lines = stderr[at..].trim().lines();
    lines.map(|line| line.trim_end().to_string()).collect()
}

/// A build's message without what is known already, or is about a lesson's flags.
fn diagnostic(says: &[String]) -> Vec<String> {
    let spans = says.iter().filter(|line| {
        let is_heading = line.ends_with(" does not build");
        !is_heading && !line.starts_with("(--raw-log ")
    });
    spans.cloned().collect()
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
    fn the_message_begins_behind_the_drivers_words() {
        let lines = error("driver: hm\nerror: a.cl does not build\n  line 3\n");
        assert_eq!(lines, ["a.cl does not build", "  line 3"]);
        assert_eq!(diagnostic(&lines), ["  line 3"]);
    }
}
