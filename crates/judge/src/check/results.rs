//! What came of a check: at each size, and in all.

use common::outcome::{Outcome, Skip};
use common::record::Record;
use process::{Finished, child_status};

use crate::answer::{is_of_another, judge, of_records};
use crate::how::Seen;
use crate::observation::{Detection, Observation};
use crate::subject::Subject;
use crate::task::other::Other;
use crate::verdict::Verdict;
use task::sizes::{Sizes, in_words};

/// Of all that is tried beside sizes.
const OTHERS: &str = "with other numbers";

/// Why nothing is known of a size at which the process died, where that is not the kernel's fault.
const DRIVER_DIED: &str = "the driver died, where the simulator sees no fault";

/// A size at which it is checked.
#[derive(Clone, Default)]
pub struct At {
    /// Its sizes; none of a lesson's own.
    pub size: Sizes,
    /// How it differs from what the file says.
    pub drawn: Option<&'static str>,
    /// The same of its numbers, or of what else is no size.
    pub other: Option<Other>,
    /// Whether it is timed there, where anything is.
    pub timed: bool,
}

/// What came of that.
pub struct Tried {
    /// Where.
    pub at: At,
    /// A line for each variant.
    pub records: Vec<Record>,
    /// The child that ended with it; none where it went on to the next.
    pub end: Option<Finished>,
    /// Whether that died where a simulator sees no fault of the kernel: nothing follows for it.
    pub is_of_driver: bool,
}

/// What came of all.
pub struct Results {
    /// In the order in which they were tried.
    pub tried: Vec<Tried>,
    /// What was not tried or compared, and why.
    pub untried: Vec<String>,
}

impl Tried {
    /// What is to be read of it.
    pub fn seen(&self) -> Observation {
        let size = in_words(&self.at.size);
        let words = ["result", &size, self.at.drawn.unwrap_or_default()];
        let words: Vec<&str> = words.into_iter().filter(|one| !one.is_empty()).collect();
        let detector = words.join(", ");
        match &self.end {
            Some(_) if self.is_of_driver => {
                Observation::new(detector, Detection::NotRun, DRIVER_DIED)
            }
            Some(child) => judge(&detector, child),
            None => of_records(&detector, &self.records),
        }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        if let Some(child) = &self.end {
            return child_status(child.status);
        }
        // As a child that runs no other ends.
        match self.records.iter().map(Verdict::of).max() {
            Some(Verdict::Wrong) => 1,
            Some(Verdict::Unlaunchable) => 2,
            _ => 0,
        }
    }

    /// Whether there was no time for it.
    pub(super) fn is_too_long(&self) -> bool {
        let mut all = self.records.iter();
        all.any(|one| one.skipped() == Some(&Skip::TooLong))
    }

    /// Why it could not be tried.
    pub fn why(&self) -> String {
        if self.is_of_driver {
            return DRIVER_DIED.into();
        }
        let skipped = self.records.iter().find_map(|one| one.skipped());
        let child = self.end.iter().map(Finished::message).next();
        skipped.map(Skip::to_string).or(child).unwrap_or_default()
    }

    /// That another one is right, too.
    pub(super) fn and(&mut self, other: Tried) {
        let words = |at: &At| at.drawn.and_then(|words| words.split(": ").last());
        for (record, of_other) in self.records.iter_mut().zip(other.records) {
            if self.at.drawn != Some(OTHERS) {
                record.says = words(&self.at).unwrap_or_default().into();
            }
            record.says += &format!("; {}", words(&other.at).unwrap_or_default());
            if let Outcome::Right {
                compared: Some(compared),
                ..
            } = &mut record.outcome
            {
                *compared += of_other.compared().unwrap_or(0);
            }
        }
        self.at.drawn = Some(OTHERS);
    }

    /// What follows from it alone.
    pub fn verdict(&self) -> Verdict {
        let of_records = self.records.iter().map(Verdict::of).max();
        match (self.status(), of_records) {
            (0..=2, Some(verdict)) => verdict,
            (0..=4, _) => Verdict::Unlaunchable,
            _ if self.is_of_driver => Verdict::Undecided,
            _ if self.is_of_another() => Verdict::Unlaunchable,
            _ => Verdict::Wrong,
        }
    }

    /// Whether it ended in a kernel beside the learner's.
    pub(super) fn is_of_another(&self) -> bool {
        self.end.as_ref().is_some_and(is_of_another)
    }

    /// Whether no other size is worth a try: it does not build, cannot start, or came to no end.
    pub(super) fn is_hopeless(&self) -> bool {
        let Some(child) = &self.end else { return false };
        let hung = child.complaint().starts_with("no end after");
        let is_refused = matches!(self.status(), 2..=4) || self.is_of_another();
        hung || is_refused && self.at.other.is_none()
    }
}

impl Results {
    /// The last one that did not come to its own end.
    pub fn end(&self) -> Option<(&Tried, &Finished)> {
        let last = self.tried.iter().rfind(|one| one.status() > 1)?;
        Some((last, last.end.as_ref()?))
    }

    /// What follows from all: where a file says what is right, what is wrong elsewhere is another
    /// thing.
    pub fn verdict(&self, subject: &Subject) -> Verdict {
        let of = |one: &Tried| match one.verdict() {
            Verdict::Wrong if one.at.drawn.is_some() && subject.has_file() => Verdict::Limited,
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
        self.tried.iter().map(Tried::status).max().unwrap_or(0)
    }

    /// What is to be read of it.
    pub fn seen(&self) -> Seen {
        let told = self.end().filter(|(one, _)| !one.is_of_driver);
        let message = told.map_or("", |(_, child)| child.stderr.trim());
        Seen {
            observations: self.tried.iter().map(Tried::seen).collect(),
            status: self.largest(),
            message: message.into(),
        }
    }

    /// Whether a simulator is worth a try: not for what does not build, or cannot start.
    pub fn may_be_simulated(&self) -> bool {
        let is_refused = |one: &Tried| matches!(one.status(), 2 | 4) || one.is_of_another();
        !self.tried.iter().any(is_refused)
    }

    /// Where it ran.
    pub fn device(&self) -> Option<String> {
        let record = self.tried.iter().flat_map(|one| &one.records).next()?;
        Some(format!("{} ({})", record.device, record.platform))
    }

    /// Where it is wrong first: at numbers, if it is, for which a small size may stand.
    pub fn wrong(&self) -> Option<&At> {
        let wrong = |one: &&Tried| one.verdict() == Verdict::Wrong;
        let mut all = self.tried.iter().filter(wrong).map(|one| &one.at);
        all.clone().find(|at| at.other.is_some()).or(all.next())
    }

    /// Whether it is wrong at this size, or with other numbers.
    pub(super) fn is_wrong_at(&self, size: &Sizes) -> bool {
        let at = self.wrong();
        at.is_some_and(|at| at.other.is_some() || at.size == *size)
    }
}
