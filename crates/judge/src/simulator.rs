//! Oclgrind on the learner's kernel: its log, as what each of its detectors saw.

use std::collections::BTreeSet;

use common::simulator::{Fault, Line, faults, is_cut, kinds};

use crate::observation::{Detection, Observation};

/// Lines shown of each detector; more repeat the story.
const SHOWN: usize = 4;

/// Where it errs for what a whole kernel does.
const OF_IMAGES: &str = "it takes what functions of images return for unwritten";
const OF_FENCES: &str = "it does not follow what fences and atomics order between groups";

/// That it is missing, and what is not known for that.
pub fn missing() -> Observation {
    let says = "is not on this machine: races, bad accesses and values that were never \
                written are not looked for; ./setup --full installs it";
    Observation::new("Oclgrind", Detection::NotRun, says)
}

/// Sorts the log of a kernel file of this text into detectors: one for each kind of fault, and
/// one for what is new.
pub fn sort(log: &str, text: &str) -> Vec<Observation> {
    let faults = faults(log);
    // The counts are too low where it stopped.
    let at_least = if is_cut(log) { "at least " } else { "" };
    let of = |kind: &str| {
        let ours: Vec<&Fault> = faults.iter().filter(|fault| fault.kind == kind).collect();
        observation(kind, &ours, at_least)
    };
    let other = Some(of("other")).filter(|other| !other.is_silent());
    let mut all: Vec<Observation> = kinds().map(of).chain(other).collect();
    let is_ordered = text.contains("mem_fence") || text.contains("atomic_work_item_fence");
    let is_local = log.contains("data race at local");
    for (kind, may_err, why) in [
        ("uninitialised", text.contains("image2d_t"), OF_IMAGES),
        (
            "races",
            is_ordered && text.contains("atom") && !is_local,
            OF_FENCES,
        ),
    ] {
        let is_doubtful =
            |one: &&mut Observation| may_err && one.is_fault() && one.detector.ends_with(kind);
        if let Some(one) = all.iter_mut().find(is_doubtful) {
            one.outcome = Detection::Doubtful;
            one.details
                .insert(0, format!("may be a false report: {why}"));
        }
    }
    all
}

/// What one detector found.
fn observation(kind: &str, faults: &[&Fault], at_least: &str) -> Observation {
    let detector = format!("Oclgrind: {kind}");
    let Some(first) = faults.first() else {
        return Observation::new(detector, Detection::Silent, "saw nothing");
    };
    let mut seen = Observation::new(detector, Detection::Fault, &*first.meaning);
    if let Some(doubts) = faults
        .iter()
        .map(|one| one.doubt())
        .collect::<Option<Vec<_>>>()
    {
        seen.outcome = Detection::Doubtful;
        let doubts: BTreeSet<&str> = doubts.into_iter().collect();
        let doubts = doubts
            .into_iter()
            .map(|how| format!("may be a false report: {how}"));
        seen.details.extend(doubts);
    }
    for (at, fault) in faults.iter().take(SHOWN).enumerate() {
        if at > 0 && faults[at - 1].meaning != fault.meaning {
            seen.details.push(fault.meaning.clone());
        }
        seen.details.push(match fault.times {
            1 => "once:".into(),
            times => format!("{at_least}{times} times:"),
        });
        seen.details.extend(fault.lines.iter().map(Line::to_string));
    }
    if faults.len() > SHOWN {
        let more = faults.len() - SHOWN;
        seen.details.push(format!("and in {more} more places"));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\nRead-write data race at local memory address 0x10\n\tKernel: f\n\t\n\
        \tFirst entity:  Global(1,0,0)\n\tAt line 2 (column 9) of input.cl:\n\t  b = 1;\n\t\n\
        \tSecond entity: Global(0,0,0)\n\tAt line 1 (column 9) of input.cl:\n\t  a = b;\n\t\n\n\
        Index (15) exceeds static array size (15)\n\tAt line 1 (column 9) of input.cl:\n\t  a = b;\n\n\
        Something new\n\nOclgrind: 5000 errors generated - suppressing further errors\n";

    #[test]
    fn each_kind_of_fault_has_a_detector_and_the_lines_are_quoted() {
        let seen = sort(LOG, "");
        let races = &seen[0];
        assert_eq!(races.detector, "Oclgrind: races");
        assert_eq!(races.outcome, Detection::Fault);
        assert_eq!(races.details, ["once:", "line 1: a = b;", "line 2: b = 1;"]);
        assert!(seen[1].details[0].starts_with("may be a false report"));
        assert_eq!(seen[1].details[1..], ["once:", "line 1: a = b;"]);
        assert_eq!(seen[2].outcome, Detection::Silent);
        assert_eq!(seen[3].outcome, Detection::Silent);
        let value = "Uninitialized value\n\tAt line 1 (column 9) of input.cl:\n\t  a = b;\n";
        let of = |text| sort(value, text).swap_remove(2).outcome;
        assert_eq!(of(""), Detection::Fault);
        assert_eq!(of("read_only image2d_t a"), Detection::Doubtful);
        let race = LOG.replace("local", "global");
        let of = |log, text| sort(log, text).swap_remove(0).outcome;
        let last_group = "mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_inc(count)";
        assert_eq!(of(&*race, "atomic_inc(count)"), Detection::Fault);
        assert_eq!(of(&*race, last_group), Detection::Doubtful);
        assert_eq!(of(LOG, last_group), Detection::Fault);
        assert_eq!(seen[4].says, "Something new");
        assert_eq!(seen.len(), 5);
    }

    #[test]
    fn an_empty_log_is_silence_of_four_detectors() {
        let seen = sort("", "");
        assert_eq!(seen.len(), 4);
        assert!(seen.iter().all(|one| one.outcome == Detection::Silent));
    }

    #[test]
    fn a_damaged_log_is_sorted_all_the_same() {
        damage::must_be_survived(LOG.as_bytes(), |bytes| {
            let log = String::from_utf8_lossy(bytes);
            assert!(sort(&log, "").len() <= 5);
        });
    }
}
