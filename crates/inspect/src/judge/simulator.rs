//! Oclgrind on the learner's kernel: its log, as what each of its detectors saw.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use common::command;
use common::record::Record;
use common::source::Source;
use diagnostics::tokens::Tokens;
use diagnostics::types;
use watchdog::simulator::{Fault, FaultKind, Log, look_for_faults, oclgrind};
use watchdog::worker::Work;

use crate::judge::answer::{End, judge};
use crate::judge::asked::{self, How};
use crate::judge::exchange;
use crate::judge::observation::{Detection, Detector, Evidence, Observation, Part};

/// Faults shown of each detector; more repeat the story.
const SHOWN: usize = 4;

/// What the simulator sees of a kernel in this file that a worker runs: its records, and an answer
/// for the result and one for each kind of fault; one alone where it is not on this machine.
pub fn look(mut work: Work, how: &How, file: &Path) -> Result<(Vec<Record>, Vec<Observation>)> {
    let Some(library) = oclgrind() else {
        let setup = command::setup("--full");
        let says = format!(
            "is not on this machine: races, bad accesses and values that were never written are \
             not looked for; {setup} installs it"
        );
        let missing = Observation::new(Detector::Oclgrind(Part::All), Detection::NotRun, says);
        return Ok((Vec::new(), vec![missing]));
    };
    look_for_faults(&mut work, &library);
    let ended = asked::finish(work, how)?;
    let (end, log) = (End::of(&ended), Log::of(&ended.log));
    let mut result = judge(Detector::Oclgrind(Part::Result), &end, &ended.records);
    if log.gave_up.is_some() && result.is_fault() {
        result.outcome = Detection::Doubtful;
    }
    let mut seen = sort(&log, &Source::read(file).map_or(String::new(), |one| one.text));
    if !matches!(end, End::Done) {
        for one in seen.iter_mut().filter(|one| one.is_silent()) {
            one.outcome = Detection::NotRun;
            one.says = "saw nothing, up to where it was ended".into();
        }
    }
    seen.insert(0, result);
    Ok((ended.records, seen))
}

/// Sorts the log of a kernel file of this text into detectors: one for each kind of fault, and
/// one for what is new.
fn sort(log: &Log, text: &str) -> Vec<Observation> {
    let mut seen = Vec::from(FaultKind::ALL.map(|kind| observation(kind, log, text)));
    seen.pop_if(|other| other.is_silent());
    seen
}

fn observation(kind: FaultKind, log: &Log, text: &str) -> Observation {
    let detector = Detector::Oclgrind(Part::Faults(kind));
    let faults: Vec<&Fault> = log.faults.iter().filter(|one| one.kind == kind).collect();
    let Some(first) = faults.first() else {
        return Observation::new(detector, Detection::Silent, "saw nothing");
    };
    let doubts = doubts(&faults, log, text);
    let outcome = if doubts.is_empty() { Detection::Fault } else { Detection::Doubtful };
    let mut seen = Observation::new(detector, outcome, &*first.meaning)
        .with(doubts.iter().map(|how| format!("may be a false report: {how}")));
    let mut above = None;
    for fault in faults.iter().take(SHOWN) {
        match above.replace(&fault.meaning) {
            None => (),
            Some(above) if *above == fault.meaning => seen.details.push("and:".into()),
            Some(_) => seen.details.push(fault.meaning.as_str().into()),
        }
        seen.details.extend(fault.lines.iter().cloned().map(Evidence::Line));
    }
    if faults.len() > SHOWN {
        seen.details.push(format!("and in {} more places", faults.len() - SHOWN).into());
    }
    seen
}

/// Why a right kernel may be reported for these faults of a kind: each of them, or one for what the
/// whole kernel does.
fn doubts(faults: &[&Fault], log: &Log, text: &str) -> BTreeSet<&'static str> {
    let kind = faults[0].kind;
    let is_ordered = text.contains("mem_fence") || text.contains("atomic_work_item_fence");
    let of_each = faults.iter().map(|fault| {
        let lines = fault.lines.iter().map(|line| line.number).collect();
        let is_excused = kind != FaultKind::Races || exchange::is_tried_again(text, &lines);
        fault.doubt.filter(|_| is_excused)
    });
    let of_each: Option<BTreeSet<_>> = of_each.collect();
    let of_all = || match kind {
        FaultKind::Uninitialised if text.contains("image2d_t") => {
            Some("it takes what functions of images return for unwritten")
        }
        FaultKind::Uninitialised if takes_parts_of_sixteen(text) => {
            Some("it takes lanes 8 to 15 for unwritten where several of them are taken at once")
        }
        // What was exchanged goes on as unwritten.
        FaultKind::Uninitialised => faults.iter().find_map(|one| one.doubt),
        FaultKind::Races if is_ordered && text.contains("atom") && !log.races_in_a_group => {
            Some("it does not follow what fences and atomics order between groups")
        }
        _ => None,
    };
    of_each.unwrap_or_else(|| of_all().into_iter().collect())
}

/// Whether several lanes of a vector of 16 are taken at once.
fn takes_parts_of_sixteen(text: &str) -> bool {
    let words = Tokens::of(text);
    let is_vector = |at: usize| {
        let of = words.text(at).strip_suffix("16");
        of.is_some_and(|of| types::is_known(of) || of == "half")
    };
    let takes = |at: usize| match words.text(at + 1) {
        "hi" | "even" | "odd" => words.text(at) == ".",
        part => words.text(at) == "." && part.starts_with(['s', 'S']) && part.len() > 2,
    };
    words.all().any(is_vector) && words.all().any(takes)
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
        assert_eq!(shown(races), ["line 1: a = b;", "line 2: b = 1;"]);
        let bounds = shown(&seen[1]);
        assert!(bounds[0].starts_with("may be a false report"));
        assert_eq!(bounds[1..], ["line 1: a = b;"]);
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
