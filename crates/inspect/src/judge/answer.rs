//! What follows from how a worker ended that checked a kernel: a right result, a wrong one, a
//! failed build, a crash or a hang.

use common::error::{Failure, Kind};
use common::failure::Told;
use common::record::{Of, Record};
use common::stage::{Death, How};
use common::stage::{Stage, Whose};
use verify::matrix::Fill;
use verify::{Differences, numbers};
use watchdog::worker::Ended;

use crate::judge::observation::{Detection, Detector, Observation};
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
        let End::Died(death) = self else {
            return false;
        };
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
    let [record] = records else {
        return "right".into();
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::observation::Evidence;
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
        let seen = of_records(Detector::Named("speed"), &records);
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
            of_records(Detector::Named("speed"), &[right]).says
        };
        assert_eq!(says(Some(4)), "right, 4 elements compared");
        assert_eq!(says(None), "right");
        assert!(says(Some(0)).contains("not judged"), "{}", says(Some(0)));
    }

    #[test]
    fn no_record_is_no_success() {
        assert_eq!(of_records(Detector::Named("speed"), &[]).outcome, Detection::NotRun);
    }
}
