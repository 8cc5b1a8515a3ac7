//! Oclgrind on the learner's kernel: its log, as what each of its detectors saw.

use std::collections::BTreeSet;

use common::command;
use diagnostics::tokens::Tokens;
use diagnostics::types;
use watchdog::simulator::{Fault, FaultKind, Log};

use crate::judge::exchange;
use crate::judge::observation::{Detection, Detector, Evidence, Observation, Part};

/// Lines shown of each detector; more repeat the story.
const SHOWN: usize = 4;

/// That it is missing, and what is not known for that.
pub fn missing() -> Observation {
    let setup = command::setup("--full");
    let says = format!(
        "is not on this machine: races, bad accesses and values that were never written are not \
         looked for; {setup} installs it"
    );
    Observation::new(Detector::Oclgrind(Part::All), Detection::NotRun, says)
}

/// Sorts the log of a kernel file of this text into detectors: one for each kind of fault, and
/// one for what is new.
pub fn sort(log: &Log, text: &str) -> Vec<Observation> {
    let all = FaultKind::ALL.into_iter();
    let all = all.map(|kind| (kind, observation(kind, log, text)));
    let all = all.filter(|(kind, seen)| *kind != FaultKind::Other || !seen.is_silent());
    all.map(|(_, seen)| seen).collect()
}

/// Where it errs for what a whole kernel does.
fn doubt(kind: FaultKind, log: &Log, text: &str) -> Option<&'static str> {
    let is_ordered = text.contains("mem_fence") || text.contains("atomic_work_item_fence");
    let of_kind = || log.faults.iter().filter(|one| one.kind == kind);
    match kind {
        FaultKind::Uninitialised if text.contains("image2d_t") => {
            Some("it takes what functions of images return for unwritten")
        }
        FaultKind::Uninitialised if takes_parts_of_sixteen(text) => {
            Some("it takes lanes 8 to 15 for unwritten where several of them are taken at once")
        }
        // What was exchanged goes on as unwritten.
        FaultKind::Uninitialised => of_kind().find_map(Fault::doubt),
        FaultKind::Races if is_ordered && text.contains("atom") && !log.races_in_a_group => {
            Some("it does not follow what fences and atomics order between groups")
        }
        _ => None,
    }
}

/// Whether several lanes of a vector of 16 are taken at once.
fn takes_parts_of_sixteen(text: &str) -> bool {
    let words = Tokens::of(text);
    let is_vector = |word: &str| {
        let of = word.strip_suffix("16").unwrap_or_default();
        types::is_known(of) || of == "half"
    };
    let takes = |at: usize| {
        let part = words.text(at + 1);
        let lanes = part.strip_prefix(['s', 'S']).unwrap_or_default();
        words.text(at) == "." && (["hi", "even", "odd"].contains(&part) || lanes.len() > 1)
    };
    words.all().any(|at| is_vector(words.text(at))) && words.all().any(takes)
}

/// Why a right kernel may be reported for this.
fn doubt_of(fault: &Fault, text: &str) -> Option<&'static str> {
    let lines = || fault.lines.iter().map(|line| line.number).collect();
    let is_excused = fault.kind != FaultKind::Races || exchange::is_tried_again(text, &lines());
    fault.doubt().filter(|_| is_excused)
}

/// What one detector found.
fn observation(kind: FaultKind, log: &Log, text: &str) -> Observation {
    let detector = Detector::Oclgrind(Part::Faults(kind));
    let faults: Vec<&Fault> = log.faults.iter().filter(|one| one.kind == kind).collect();
    let Some(first) = faults.first() else {
        return Observation::new(detector, Detection::Silent, "saw nothing");
    };
    let mut seen = Observation::new(detector, Detection::Fault, &*first.meaning);
    let doubts: Option<BTreeSet<&str>> = faults.iter().map(|one| doubt_of(one, text)).collect();
    let doubts = doubts.unwrap_or_else(|| doubt(kind, log, text).into_iter().collect());
    if !doubts.is_empty() {
        seen.outcome = Detection::Doubtful;
    }
    let doubts = doubts.into_iter();
    let doubts = doubts.map(|how| format!("may be a false report: {how}").into());
    seen.details.extend(doubts);
    for (at, fault) in faults.iter().take(SHOWN).enumerate() {
        if at > 0 && faults[at - 1].meaning != fault.meaning {
            seen.details.push(fault.meaning.clone().into());
        }
        seen.details.push(match fault.times {
            1 => "once:".into(),
            // The counts are too low where it stopped.
            times if log.is_cut => format!("at least {times} times:").into(),
            times => format!("{times} times:").into(),
        });
        let lines = fault.lines.iter().cloned();
        seen.details.extend(lines.map(Evidence::Line));
    }
    if faults.len() > SHOWN {
        let more = faults.len() - SHOWN;
        seen.details.push(format!("and in {more} more places").into());
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
        let sort = |log: &str, text| sort(&Log::of(log), text);
        let seen = sort(LOG, "");
        let races = &seen[0];
        let shown = |one: &Observation| -> Vec<String> {
            one.details.iter().map(Evidence::to_string).collect()
        };
        assert_eq!(races.detector.to_string(), "Oclgrind: races");
        assert_eq!(races.outcome, Detection::Fault);
        assert_eq!(shown(races), ["once:", "line 1: a = b;", "line 2: b = 1;"]);
        let bounds = shown(&seen[1]);
        assert!(bounds[0].starts_with("may be a false report"));
        assert_eq!(bounds[1..], ["once:", "line 1: a = b;"]);
        assert_eq!(seen[2].outcome, Detection::Silent);
        assert_eq!(seen[3].outcome, Detection::Silent);
        let value = "Uninitialized value\n\tAt line 1 (column 9) of input.cl:\n\t  a = b;\n";
        let of = |text| sort(value, text).swap_remove(2).outcome;
        assert_eq!(of(""), Detection::Fault);
        assert_eq!(of("read_only image2d_t a"), Detection::Doubtful);
        let of_sixteen = "float16 q; float8 a = q.lo + q.hi;";
        assert_eq!(of(of_sixteen), Detection::Doubtful);
        assert_eq!(of("uint16 q; uint2 a = q.sfe;"), Detection::Doubtful);
        assert_eq!(of("float16 q; float a = q.lo.x + q.sf;"), Detection::Fault);
        assert_eq!(of("float8 q; float4 a = q.lo + q.hi;"), Detection::Fault);
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
        let seen = sort(&Log::default(), "");
        assert_eq!(seen.len(), 4);
        assert!(seen.iter().all(|one| one.outcome == Detection::Silent));
    }

    #[test]
    fn a_damaged_log_is_sorted_all_the_same() {
        damage::must_be_survived(LOG.as_bytes(), |bytes| {
            let log = Log::of(&String::from_utf8_lossy(bytes));
            assert!(sort(&log, "").len() <= 5);
        });
    }
}
