//! A lesson that goes on after a kernel that took its process down.
//!
//! Whenever a kernel begins, and when it has ended, a child says so in its file of
//! events, and every record goes there, too. When a kernel takes the child down, the
//! parent adds how ([`next`]) and starts the lesson again, with the same file. The
//! new child walks through the lesson as the first one did; but what was measured before it
//! takes from the file, and it says nothing until it is where the first one ended: there
//! it makes the row of the kernel that died. Rows, limits and the host's rates of before are
//! there, so that factors come out as if one process had done it all. Behind a trial that takes
//! its process down the next child goes on in the same way.

use common::stage::{Death, How, Stage};
use common::{failure::Told, record::Record, timing::Peak};

use crate::events::{self, Event, Lost, Written};

/// What one kernel, or one loop of the host, came to in a child before this one.
#[derive(Default)]
pub struct Measured {
    kernel: String,
    function: String,
    /// Several where `--step` ran it again.
    pub records: Vec<Record>,
    /// How it took the child down, of which no record tells yet.
    pub death: Option<Death>,
    /// False where the child ended first.
    ended: bool,
}

/// What children before this one measured, in order; what this one has come to is
/// taken away.
#[derive(Default)]
pub struct Earlier {
    kernels: std::collections::VecDeque<Measured>,
    /// How the last one was lost in a trial, until that comes next.
    pub lost: Option<Lost>,
    /// The device's limits, if they were measured.
    pub peak: Option<Peak>,
}

impl Earlier {
    /// Reads the file that the environment names; nothing in the first child.
    pub fn from_environment() -> Earlier {
        let written = events::folder().map(|folder| Written::at(&folder.join(events::NAME)));
        written.as_ref().map(Earlier::of).unwrap_or_default()
    }

    fn of(written: &Written) -> Earlier {
        let mut earlier = Earlier::default();
        for event in written.events() {
            let last = earlier.kernels.back_mut();
            match (event, last) {
                (Event::Peak(peak), _) => earlier.peak = Some(peak),
                (Event::Lost(lost), _) => earlier.lost = Some(lost),
                (Event::Begun { kernel, function }, _) => {
                    let begun = Measured { kernel, function, ..Measured::default() };
                    earlier.kernels.push_back(begun);
                }
                (Event::Record(record, _), Some(own)) if !own.ended || own.death.is_some() => {
                    own.death = None;
                    own.records.push(*record);
                }
                // The host's loops do not begin: they cannot die.
                (Event::Record(record, _), _) => earlier.kernels.push_back(Measured {
                    kernel: record.kernel.clone(),
                    records: vec![*record],
                    ended: true,
                    ..Measured::default()
                }),
                (Event::Died(death), Some(open)) if !open.ended => {
                    (open.death, open.ended) = (Some(death), true);
                }
                (Event::Ended, Some(open)) if !open.ended => open.ended = true,
                (Event::Ended, _) => earlier.lost = None,
                _ => {}
            }
        }
        earlier
    }

    /// True where this child has come to where the one before it ended.
    pub fn is_over(&self) -> bool {
        self.kernels.is_empty() && self.lost.is_none()
    }

    /// What this kernel came to, if it comes next and came to its end, or took its child down.
    pub fn take(&mut self, kernel: &str) -> Option<Measured> {
        self.kernels.front().filter(|next| next.kernel == kernel)?;
        self.kernels.pop_front().filter(|next| next.ended)
    }

    /// The kernels that took a child down, by their functions, and how.
    fn deaths(&self) -> impl Iterator<Item = (&str, &Death)> {
        self.kernels.iter().flat_map(|one| {
            let told = one.records.iter().filter_map(Record::death);
            told.chain(&one.death).map(|death| (&*one.function, death))
        })
    }
}

/// What the next child is told, if one is to go on behind the trial or the kernel that took this one
/// down. There must be an end: nothing where neither was begun, where somebody ended the child, where
/// the compiler was at work (the next kernel stands in the same file), and where the kernel has died
/// before.
pub(crate) fn next(written: &Written, death: &Death) -> Option<Vec<Event>> {
    use Event::{Failed, Leaving};
    if matches!(death.how, How::Stopped(_)) {
        return None;
    }
    let is_end = |one: &Event| matches!(one, Failed(_) | Leaving(_) | Event::Stage(_));
    let last = written.events().rfind(|one| !is_end(one));
    if let Some(Event::Trial { what, begun, .. }) = last {
        let taken = begun.elapsed().unwrap_or_default();
        return Some(vec![Event::Lost(Lost { what, death: death.clone(), taken })]);
    }
    let before = Earlier::of(written);
    let open = before.kernels.back().filter(|last| !last.ended && !death.stage.is_building())?;
    let has_died = before.deaths().any(|(died, _)| died == open.function);
    let stage = Stage::StartingAgain(open.kernel.clone());
    (!has_died).then(|| vec![Event::Died(death.clone()), Event::Doing(stage)])
}

/// How the lesson ended, and below it how kernels died before, which perhaps nobody
/// has told yet.
pub(crate) fn after_earlier_deaths(written: &Written, death: &Death) -> Told {
    let mut told = death.told();
    for (_, earlier) in Earlier::of(written).deaths() {
        told.happened += &format!("\n  before that: {}", earlier.told().happened);
    }
    told
}

/// What ends a lesson in which kernels died: each death in a line, and what to do.
pub fn last_words(died: &[Record], lesson: &str, wrong: usize) -> String {
    let deaths = died.iter().filter_map(Record::death).map(Death::told);
    let (mut lines, mut advice) = (Vec::new(), Vec::new());
    for Told { happened, next, .. } in deaths {
        lines.push(happened);
        advice.extend(next.filter(|next| !advice.contains(next)));
    }
    let wrong = match wrong {
        0 => String::new(),
        wrong => format!(", {wrong} gave a wrong result"),
    };
    let count = verify::numbers::count(died.len(), "kernel");
    lines.push(format!("{count} died in {lesson}{wrong}"));
    lines.extend(advice.iter().map(|next| format!("next: {next}")));
    lines.join("\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::error::{Failure, Kind};
    use common::outcome::Outcome;
    use std::time::{Duration, SystemTime};

    fn record(kernel: &str) -> Record {
        Record { kernel: kernel.into(), ..Record::default() }
    }

    fn death(how: &str, stage: Stage) -> Death {
        Death {
            how: How::Device(Told {
                happened: how.into(),
                next: Some("look".into()),
                ..Told::default()
            }),
            stage,
        }
    }

    fn failure() -> Failure {
        Failure::new(Kind::OpenCl, "CL_OUT_OF_RESOURCES".to_string(), Stage::Starting)
    }

    fn begun(kernel: &str) -> Event {
        let function = kernel.split(' ').next().unwrap().into();
        Event::Begun { kernel: kernel.into(), function }
    }

    fn found(kernel: &str) -> Event {
        record(kernel).into()
    }

    #[test]
    fn what_was_measured_comes_back_in_order_and_what_was_not_does_not() {
        let mut before = Earlier::of(&Written::of(&[
            found("host loop"),
            Event::Doing(Stage::running("a")),
            begun("a"),
            found("a"),
            found("a"),
            Event::Ended,
            begun("ablated"),
            Event::Ended,
            begun("b"),
        ]));
        assert!(before.take("a").is_none(), "the host's loop comes first");
        assert_eq!(before.take("host loop").unwrap().records.len(), 1);
        assert_eq!(before.take("a").unwrap().records.len(), 2);
        assert!(before.take("ablated").unwrap().records.is_empty());
        assert!(!before.is_over());
        assert!(before.take("b").is_none(), "it never ended");
        assert!(before.is_over());
    }

    #[test]
    fn a_death_is_noted_once_and_where_no_kernel_ran_there_is_none() {
        let next = |events: &[Event], death: &Death| next(&Written::of(events), death);
        let mut events = vec![Event::Doing(Stage::Loading)];
        assert!(next(&events, &death("crash", Stage::Loading)).is_none());
        events.extend([begun("a"), Event::Doing(Stage::building("a.cl"))]);
        let built = death("crash", Stage::building("a.cl"));
        let words = "all kernels share the file";
        assert!(next(&events, &built).is_none(), "{words}");
        let crash = death("crash", Stage::running("a"));
        events.push(Event::Doing(Stage::running("a")));
        let stopped = Death { how: How::Stopped(15), ..crash.clone() };
        assert!(next(&events, &stopped).is_none(), "somebody wants an end");
        events.extend(next(&events, &crash).unwrap());
        let words = "a child that begins nothing";
        assert!(next(&events, &crash).is_none(), "{words}");
        events.push(begun("a variant"));
        let words = "a kernel that has died before";
        assert!(next(&events, &crash).is_none(), "{words}");
        let told = after_earlier_deaths(&Written::of(&events), &death("no device", Stage::Loading));
        assert_eq!(told.happened, "no device\n  before that: crash");
        let took = || Earlier::of(&Written::of(&events)).take("a").unwrap();
        assert_eq!(took().death.unwrap().told().happened, "crash");
        assert!(took().records.is_empty(), "nobody has told of it");
    }

    #[test]
    fn a_trial_that_was_lost_is_told_where_it_comes_next_and_no_other_time() {
        let next = |events: &[Event], death: &Death| next(&Written::of(events), death);
        let died = death("CL_OUT_OF_RESOURCES", Stage::Starting);
        assert!(next(&[], &died).is_none());
        let mut events = vec![Event::Trial {
            what: 7.into(),
            begun: SystemTime::now(),
            limit: Duration::from_secs(5),
        }];
        events.extend([Event::Failed(failure()), Event::Leaving(5), Event::Stage(false)]);
        events.extend(next(&events, &died).unwrap());
        let mut earlier = Earlier::of(&Written::of(&events));
        assert!(!earlier.is_over());
        let lost = earlier.lost.take().unwrap();
        assert_eq!((lost.what, &*lost.death.how.in_short()), (7.into(), "CL_OUT_OF_RESOURCES"));
        events.push(Event::Ended);
        assert!(Earlier::of(&Written::of(&events)).is_over());
        assert!(next(&events, &died).is_none());
    }

    #[test]
    fn the_last_words_name_every_death_and_say_the_same_advice_once() {
        let died = |happened: &str, next: &str| Record {
            outcome: Outcome::Died(Death {
                how: How::Device(Told {
                    happened: happened.into(),
                    cause: Some("x".into()),
                    next: Some(next.into()),
                }),
                ..death("", Stage::Starting)
            }),
            ..Record::default()
        };
        let all = [died("a crashed", "look"), died("b hung", "wait"), died("c crashed", "look")];
        assert_eq!(
            last_words(&all, "lesson 5", 1),
            "a crashed\n  b hung\n  c crashed\n  \
             3 kernels died in lesson 5, 1 gave a wrong result\n  next: look\n  next: wait"
        );
    }

    #[test]
    fn a_damaged_file_of_events_says_less_and_harms_nobody() {
        let limits = Peak { spreads: None, gflops: 480.0, gbytes_per_second: 40.5 };
        let timed = Record {
            limits: Some(limits),
            gflops: Some(12.5),
            seconds: vec![0.5, 0.25],
            outcome: Outcome::Died(death("crashed", Stage::Starting)),
            ..record("a variant")
        };
        let all = [
            Event::Doing(Stage::running("a variant")),
            begun("a variant"),
            timed.into(),
            Event::Ended,
            found("host loop"),
            Event::Failed(failure()),
            begun("b"),
            Event::Leaving(5),
        ];
        let lines = all.iter().map(|event| serde_json::to_string(event).unwrap() + "\n");
        let file: String = lines.collect();
        damage::must_be_survived(file.as_bytes(), |bytes| {
            let written = Written::of_bytes(bytes);
            assert!(written.stage().to_string().len() <= bytes.len() + 8);
            let mut earlier = Earlier::of(&written);
            let died = earlier.kernels.iter().flat_map(|one| one.records.clone());
            let died: Vec<Record> = died.filter(|one| one.death().is_some()).collect();
            assert!(last_words(&died, "lesson 5", 0).len() <= 9 * bytes.len() + 99);
            earlier.take("a variant");
        });
    }
}
