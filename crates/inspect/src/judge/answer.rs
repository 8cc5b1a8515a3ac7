//! What follows from how a worker ended that checked a kernel: a right result, a wrong one, a
//! failed build, a crash or a hang; and from what a simulator reported.

use std::path::Path;

use anyhow::Result;
use common::error::{Failure, Kind};
use common::failure::Told;
use common::record::{Of, Record};
use common::source::Source;
use common::stage::{Death, How, Stage, Whose};
use verify::matrix::Fill;
use verify::{Differences, numbers};
use watchdog::simulator::{Fault, FaultKind, as_written, doubt, gave_up, oclgrind};
use watchdog::worker::{Ended, Work};

use crate::judge::asked;
use crate::judge::observation::{Detection, Detector, Evidence, Observation};
use crate::judge::other::Other;

/// How a worker ended with a case.
#[derive(Clone, Debug)]
pub enum End {
    /// It went on to the next, or came to its end.
    Done,
    /// It refused what was asked.
    Refused(Failure),
    /// It died.
    Died(Death),
    /// The same, where nothing follows for the kernel, and why.
    Excused(Told),
}

impl End {
    /// How a worker ended.
    pub fn of(ended: &Ended) -> End {
        let mut deaths = ended.records.iter().filter_map(Record::death);
        if let Some(death) = ended.death.as_ref().or(deaths.next()) {
            return End::Died(death.clone());
        }
        match &ended.failure {
            // The records say it.
            Some(Failure { kind: Kind::Wrong, .. }) | None => End::Done,
            Some(failure) => End::Refused(failure.clone()),
        }
    }

    /// What it said, with the next thing to try; nothing where it went on.
    pub fn told(&self) -> Told {
        match self {
            End::Done => Told::default(),
            End::Refused(failure) => failure.told.clone(),
            End::Died(death) => death.told(),
            End::Excused(why) => why.clone(),
        }
    }

    /// The same for people; nothing where nothing follows for the kernel.
    pub fn message(&self) -> String {
        match self {
            End::Excused(_) => String::new(),
            end => end.told().to_string(),
        }
    }

    /// Whose kernel failed, where it is known.
    fn whose(&self) -> Option<Whose> {
        match self {
            End::Done | End::Excused(_) => None,
            End::Refused(failure) if failure.is_of_check() => Some(Whose::Reference),
            End::Refused(failure) => failure.stage.whose(),
            End::Died(death) => death.whose(),
        }
    }

    /// Whether what the learner's kernel is held against failed itself.
    pub fn is_of_check(&self) -> bool {
        self.whose() == Some(Whose::Reference)
    }

    /// Whether that failed, or what fills a buffer.
    pub fn is_of_another(&self) -> bool {
        matches!(self.whose(), Some(Whose::Reference | Whose::Fill))
    }

    /// Whether the learner's kernel took the process down, other than by coming to no end.
    pub fn is_crash(&self) -> bool {
        let End::Died(death) = self else { return false };
        matches!(death.how, How::Signal(_) | How::Exited(_)) && !self.is_of_another()
    }

    /// Whether nobody knows whether the kernel would have come to an end: a compiler had no time,
    /// or the drivers died before there was a kernel.
    pub fn is_undecided(&self) -> bool {
        match self {
            End::Done | End::Refused(_) => false,
            End::Excused(_) => true,
            End::Died(death) => match death.stage {
                Stage::Loading | Stage::Limits | Stage::Starting => true,
                _ => death.is_hang() && death.stage.is_building() && !self.is_of_another(),
            },
        }
    }
}

/// Why nothing is known of a size at which the process died, where threads with more of a stack came
/// to an end.
pub fn out_of_stack() -> Told {
    let happened = "it died: its private memory is beyond the stack of a thread of this device; with \
                    one of 1 GiB it ends";
    let next = "smaller arrays or groups, or global memory; after `ulimit -s 1048576` it can be \
                checked here";
    Told {
        cause: Some("the stack holds the private arrays of all items of a group".into()),
        ..Told::new(happened, Some(next))
    }
}

/// What a worker's end and its records say about the result.
pub fn judge(detector: Detector, end: &End, records: &[Record]) -> Observation {
    let told = end.told();
    let below = |told: &Told| {
        let next = told.next.as_ref().map(|next| format!("next: {next}"));
        told.cause.clone().into_iter().chain(next)
    };
    let is_own = !end.is_of_another() && !end.is_undecided();
    let is_skipped = || records.iter().any(|one| one.skipped().is_some());
    let seen = |outcome, says: &str| Observation::new(detector.clone(), outcome, says);
    match end {
        End::Done => of_records(detector, records),
        End::Excused(why) => seen(Detection::NotRun, &why.happened).with(below(why)),
        // Without the advice below it.
        End::Died(death) if is_own => {
            Observation { hung: death.is_hang(), ..seen(Detection::Fault, told.in_short()) }
        }
        End::Refused(failure) => match failure.kind {
            Kind::Usage if is_skipped() => of_records(detector, records),
            Kind::Build if is_own => {
                let log = failure.log.clone().unwrap_or_default();
                Observation::of_build(detector, "does not build", log)
            }
            Kind::Unlaunchable if is_own => seen(Detection::Fault, "cannot be launched")
                .with(std::iter::once(told.happened.clone()).chain(below(&told))),
            _ => seen(Detection::NotRun, &format!("did not run: {}", told.in_short())),
        },
        End::Died(_) => seen(Detection::NotRun, &format!("did not run: {}", told.in_short())),
    }
}

/// A lesson may launch a kernel in several variants: one wrong one is a fault.
pub fn of_records(detector: Detector, records: &[Record]) -> Observation {
    let wrong = records.iter().filter_map(|one| Some((one, one.wrong()?)));
    let wrong: Vec<_> = wrong.collect();
    let verified = records.iter().filter(|record| record.is_right()).count();
    let skipped = records.iter().find_map(|record| record.skipped());
    if let Some((record, first)) = wrong.first() {
        let mut seen = wrong_result(detector, first);
        if records.len() > 1 {
            let (wrong, all) = (wrong.len(), records.len());
            let launches = format!("{wrong} of {all} launches are wrong");
            let mut kernel = format!("in {}", record.kernel);
            if let Some(Fill::Far(far)) = record.fill {
                kernel += &format!(", {}", Other::Numbers(far).in_short());
            }
            seen.details.insert(0, kernel.into());
            seen.details.push(launches.into());
        }
        return seen;
    }
    match (verified, skipped) {
        (0, Some(why)) => Observation::new(detector, Detection::NotRun, format!("skipped: {why}")),
        (0, None) => Observation::new(detector, Detection::NotRun, "nothing ran"),
        _ if records.iter().all(|one| one.compared() == Some(0)) => {
            let why = records.iter().find(|one| !one.says.is_empty());
            let why = why.map_or(String::new(), |one| format!(": {}", one.says));
            let says = format!("it ran; its result is not judged{why}");
            Observation::new(detector, Detection::NotJudged, says)
        }
        _ => Observation::new(detector, Detection::Silent, right(records)),
    }
}

/// "right", and of a single result how much was compared with what.
fn right(records: &[Record]) -> String {
    let [record] = records else { return "right".into() };
    let compared = record.compared();
    let compared = compared.map(|count| format!(", {} compared", numbers::count(count, "element")));
    let within = Some(&record.says).filter(|says| record.of == Of::Task && !says.is_empty());
    let within = within.map(|says| format!(": {says}"));
    format!("right{}{}", compared.unwrap_or_default(), within.unwrap_or_default())
}

/// A wrong result in words: what is wrong; below, what it looks like, or an example.
pub fn wrong_result(detector: Detector, wrong: &Differences) -> Observation {
    let details = wrong.lines().skip(1).take(2);
    let details = details.map(|line| line.trim().to_string());
    Observation::new(detector, Detection::Fault, wrong.in_short()).with(details)
}

/// What the simulator sees of a kernel in this file that a worker runs: its records, and an answer
/// for the result and one for each kind of fault; one alone where it is not on this machine.
pub fn simulated(
    mut work: Work,
    how: &asked::How,
    file: &Path,
) -> Result<(Vec<Record>, Vec<Observation>)> {
    let Some(library) = oclgrind() else {
        let says = format!(
            "is not on this machine: races, bad accesses and values that were never written are \
             not looked for; {} installs it",
            common::command::setup("--full")
        );
        let missing = Observation::new(Detector::Oclgrind, Detection::NotRun, says);
        return Ok((Vec::new(), vec![missing]));
    };
    as_written(&mut work, &library);
    work.env("OCLGRIND_DATA_RACES", "1")
        // One is that also where both items write the same value.
        .env("OCLGRIND_UNIFORM_WRITES", "1")
        .env("OCLGRIND_UNINITIALIZED", "1")
        .env("OCLGRIND_CHECK_API", "1")
        .env("OCLGRIND_MAX_ERRORS", "5000")
        .args(["--device", "oclgrind"]);
    let ended = asked::finish(work, how)?;
    let (end, log) = (End::of(&ended), &*ended.log);
    let mut result = judge(Detector::Simulated, &end, &ended.records);
    if gave_up(log).is_some() && result.is_fault() {
        result.outcome = Detection::Doubtful;
    }
    let mut seen = sorted(log, &Source::read(file).map_or(String::new(), |one| one.text));
    if !matches!(end, End::Done) {
        for one in seen.iter_mut().filter(|one| one.is_silent()) {
            one.outcome = Detection::NotRun;
            one.says = "saw nothing, up to where it was ended".into();
        }
    }
    seen.insert(0, result);
    Ok((ended.records, seen))
}

/// The simulator's log of a kernel file of this text: an answer for each kind of fault, and for what
/// is new.
fn sorted(log: &str, text: &str) -> Vec<Observation> {
    /// Faults shown of each kind; more repeat the story.
    const SHOWN: usize = 4;
    use FaultKind::{Barriers, Bounds, Other, Races, Uninitialised};
    let all = Fault::all(log);
    let of_kind = |kind| {
        let faults: Vec<&Fault> = all.iter().filter(|one| one.kind == kind).collect();
        let mut details = Vec::new();
        for (at, fault) in faults.iter().take(SHOWN).enumerate() {
            let is_the_same = at > 0 && faults[at - 1].meaning == fault.meaning;
            details.push(if is_the_same { "and:" } else { &*fault.meaning }.into());
            details.extend(fault.lines.iter().cloned().map(Evidence::Line));
        }
        if faults.len() > SHOWN {
            details.push(format!("and in {} more places", faults.len() - SHOWN).into());
        }
        let mut seen = Observation::of_all(Detector::Faults(kind), "saw nothing", details);
        if let Some(doubt) = doubt(&faults, log, Some(text)) {
            seen.outcome = Detection::Doubtful;
            seen.details.insert(0, format!("may be a false report: {doubt}").into());
        }
        seen
    };
    let mut seen = Vec::from([Races, Bounds, Uninitialised, Barriers, Other].map(of_kind));
    seen.pop_if(|other| other.is_silent());
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::outcome::Outcome;
    use verify::Look;

    fn record(outcome: Outcome) -> Record {
        Record { kernel: "f 8x8".into(), outcome, ..Record::default() }
    }

    #[test]
    fn one_wrong_variant_is_a_fault() {
        let wrong = Differences {
            looks: vec![Look::Chance("rain".into())],
            below: ["  C[0] is 1", "  map"].map(String::from).into(),
            ..Differences::from("3 are wrong")
        };
        let records = [Outcome::RIGHT, Outcome::Wrong(wrong)].map(record);
        let seen = of_records(Detector::Speed, &records);
        assert_eq!(seen.outcome, Detection::Fault);
        assert_eq!(seen.says, "3 are wrong");
        let details = ["in f 8x8", "looks like: rain", "C[0] is 1", "1 of 2 launches are wrong"];
        assert_eq!(seen.details, details.map(Evidence::from));
    }

    #[test]
    fn what_nobody_compared_is_not_called_right() {
        let says = |compared| {
            let varies = false;
            let right = record(Outcome::Right { compared, varies });
            of_records(Detector::Speed, &[right]).says
        };
        assert_eq!(says(Some(4)), "right, 4 elements compared");
        assert_eq!(says(None), "right");
        assert!(says(Some(0)).contains("not judged"), "{}", says(Some(0)));
    }

    #[test]
    fn no_record_is_no_success() {
        assert_eq!(of_records(Detector::Speed, &[]).outcome, Detection::NotRun);
    }

    const LOG: &str = "\nRead-write data race at local memory address 0x10\n\tKernel: f\n\t\n\
        \tFirst entity:  Global(1,0,0)\n\tAt line 2 (column 9) of input.cl:\n\t  b = 1;\n\t\n\
        \tSecond entity: Global(0,0,0)\n\tAt line 1 (column 9) of input.cl:\n\t  a = b;\n\t\n\n\
        Index (15) exceeds static array size (15)\n\tAt line 1 (column 9) of input.cl:\n\t  a = b;\n\n\
        Something new\n\nOclgrind: 5000 errors generated - suppressing further errors\n";

    #[test]
    fn each_kind_of_fault_has_a_detector_and_the_lines_are_quoted() {
        let seen = sorted(LOG, "");
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
        let of = |text| sorted(value, text).swap_remove(2).outcome;
        assert_eq!(of(""), Detection::Fault);
        assert_eq!(of("read_only image2d_t a"), Detection::Doubtful);
        let of_sixteen = "float16 q; float8 a = q.lo + q.hi;";
        assert_eq!(of(of_sixteen), Detection::Doubtful);
        assert_eq!(of("uint16 q; uint2 a = q.sfe;"), Detection::Doubtful);
        assert_eq!(of("float16 q; float a = q.lo.x + q.sf;"), Detection::Fault);
        assert_eq!(of("float8 q; float4 a = q.lo + q.hi;"), Detection::Fault);
        let race = LOG.replace("local", "global");
        let of = |log, text| sorted(log, text).swap_remove(0).outcome;
        let last_group = "mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_inc(count)";
        assert_eq!(of(&*race, "atomic_inc(count)"), Detection::Fault);
        assert_eq!(of(&*race, last_group), Detection::Doubtful);
        assert_eq!(of(LOG, last_group), Detection::Fault);
        assert_eq!(seen[4].says, "Something new");
        assert_eq!(seen.len(), 5);
    }

    #[test]
    fn an_empty_log_is_silence_of_four_detectors() {
        let seen = sorted("", "");
        assert_eq!(seen.len(), 4);
        assert!(seen.iter().all(|one| one.outcome == Detection::Silent));
    }

    #[test]
    fn a_damaged_log_is_sorted_all_the_same() {
        damage::must_be_survived(LOG.as_bytes(), |bytes| {
            assert!(sorted(&String::from_utf8_lossy(bytes), "").len() <= 5);
        });
    }
}
