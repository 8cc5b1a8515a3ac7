//! What came of a check: at each size, and in all.

use common::error::{Kind, UNCHECKED, worst};
use common::outcome::Outcome;
use verify::draw::Far;

use crate::judge::answer::{End, judge};
use crate::judge::asked::{Case, Origin};
use crate::judge::observation::{Detector, Observation, Seen, Verdict};
use crate::judge::{other::Other, subject::Subject};

/// What came of a case.
pub struct Tried {
    /// Which.
    pub case: Case,
    /// With which other numbers it is right, too.
    pub others: Vec<Other>,
    /// A line for each variant.
    pub records: Vec<common::record::Record>,
    /// How its worker ended with it.
    pub end: End,
}

/// What came of all.
#[derive(Default)]
pub struct Results {
    /// In the order in which they were tried.
    pub tried: Vec<Tried>,
    /// What was not tried or compared, and why.
    pub untried: Vec<String>,
    /// What seems to be wrong where it is, of a kernel that is right as its file says.
    pub reason: Reason,
}

/// Why a kernel is wrong at a size that its file does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// It may be for other sizes.
    #[default]
    Size,
    /// Each element is off by a share.
    Share,
    /// Another run leaves other elements.
    Chance,
    /// Its results are right: a simulator sees a fault.
    Fault,
}

impl Tried {
    /// What is to be read of it.
    pub fn seen(&self) -> Observation {
        let mut case = vec![task::sizes::in_words(&self.case.sizes)];
        case.extend(self.words());
        case.retain(|one| !one.is_empty());
        judge(Detector::Result(case.join(", ")), &self.end, &self.records)
    }

    /// How it differs from what the file says.
    pub fn words(&self) -> Option<String> {
        match self.others[..] {
            [] => self.case.origin.words(),
            _ => Some("with other numbers".into()),
        }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match &self.end {
            end if end.is_of_check() => UNCHECKED,
            End::Refused(failure) => failure.status(),
            End::Died(_) | End::Excused(_) => 5,
            End::Done => match self.of_records() {
                Some(Verdict::Wrong) => 1,
                Some(Verdict::Unlaunchable) => 2,
                _ => 0,
            },
        }
    }

    fn of_records(&self) -> Option<Verdict> {
        self.records.iter().map(Verdict::of).max()
    }

    /// That another one is right, too.
    pub(super) fn and(&mut self, other: Tried) {
        if self.others.is_empty() {
            self.others.extend(self.case.origin.other());
        }
        self.others.extend(other.case.origin.other());
        let words: Vec<&str> = self.others.iter().map(|other| other.in_short()).collect();
        for (record, of_other) in self.records.iter_mut().zip(other.records) {
            record.says = words.join("; ");
            if let Outcome::Right { compared: Some(compared), .. } = &mut record.outcome {
                *compared += of_other.compared().unwrap_or(0);
            }
        }
    }

    /// What follows from it alone.
    pub fn verdict(&self) -> Verdict {
        match &self.end {
            End::Done => self.of_records().unwrap_or(Verdict::Unlaunchable),
            end if end.is_of_check() && !self.case.is_try() => Verdict::Unchecked,
            end if end.is_of_another() => Verdict::Unlaunchable,
            End::Refused(failure) => match failure.kind {
                Kind::Usage => self.of_records().unwrap_or(Verdict::Unlaunchable),
                Kind::Ended(_) => Verdict::Undecided,
                _ => Verdict::Unlaunchable,
            },
            end if end.is_undecided() => Verdict::Undecided,
            _ => Verdict::Wrong,
        }
    }

    /// Whether no other size is worth a try: it does not build, cannot start, or came to no end.
    pub(super) fn is_hopeless(&self) -> bool {
        match &self.end {
            End::Done => false,
            End::Died(death) if death.is_hang() => true,
            _ if self.case.origin.other().is_some() => false,
            end => matches!(self.status(), 2..=4) || end.is_of_another(),
        }
    }
}

impl Results {
    /// The last one that did not come to its own end.
    pub fn end(&self) -> Option<&Tried> {
        let last = self.tried.iter().rfind(|one| one.status() > 1)?;
        (!matches!(last.end, End::Done)).then_some(last)
    }

    /// What follows from all: where a file says what is right, what is wrong elsewhere is another
    /// thing.
    pub fn verdict(&self, subject: &Subject) -> Verdict {
        let of = |one: &Tried| match one.verdict() {
            Verdict::Wrong if one.case.is_try() && subject.has_file() => Verdict::Limited,
            verdict => verdict,
        };
        let worst = self.tried.iter().map(of).max();
        worst.unwrap_or(Verdict::Unlaunchable)
    }

    /// The exit status that follows.
    pub fn status(&self, subject: &Subject) -> u8 {
        match self.verdict(subject) {
            Verdict::Limited => 1,
            Verdict::Unlaunchable => self.largest().max(2),
            _ => self.largest(),
        }
    }

    /// The largest of all exit statuses.
    pub fn largest(&self) -> u8 {
        worst(self.tried.iter().map(Tried::status))
    }

    /// What is to be read of it.
    pub fn seen(&self) -> Seen {
        Seen {
            observations: self.tried.iter().map(Tried::seen).collect(),
            status: self.largest(),
            message: self.end().map_or(String::new(), |one| one.end.message()),
        }
    }

    /// Whether a simulator is worth a try: not for what does not build, or cannot start.
    pub fn may_be_simulated(&self) -> bool {
        let is_refused = |one: &Tried| matches!(one.status(), 2 | 4) || one.end.is_of_another();
        !self.tried.iter().any(is_refused)
    }

    /// Where a simulator is to look beside the file's own sizes: where it is wrong, if it is, since
    /// there the fault has a line; else where numbers lie on both sides of what a kernel decides by.
    pub fn beside(&self) -> Option<Case> {
        if let Some(one) = self.wrong() {
            return Some(one.case.clone());
        }
        let first = self.tried.iter().find(|one| one.case.is_try())?;
        let is_right = |one: &Tried| one.others.contains(&Other::Numbers(Far::Ties));
        let mut case = first.case.clone();
        if self.tried.iter().any(is_right) {
            case.origin = Origin::With(Other::Numbers(Far::Ties));
        }
        Some(case)
    }

    /// Where it ran.
    pub fn device(&self) -> Option<String> {
        let record = self.tried.iter().flat_map(|one| &one.records).next()?;
        Some(format!("{} ({})", record.device, record.platform))
    }

    /// Where it is wrong first: at numbers, if it is, for which a small size may stand.
    pub fn wrong(&self) -> Option<&Tried> {
        let wrong = |one: &&Tried| one.verdict() == Verdict::Wrong;
        let mut wrong = self.tried.iter().filter(wrong);
        let is_other = |one: &&Tried| one.case.origin.other().is_some();
        wrong.clone().find(is_other).or(wrong.next())
    }
}
