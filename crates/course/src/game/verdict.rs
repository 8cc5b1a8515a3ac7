//! What follows from all that the checks saw.

use colored::{ColoredString, Colorize};
use diagnostics::terminal::plain_name;
use inspect::judge::{Detection, Detector, Evidence, Observation, Seen};
use serde::{Deserialize, Serialize};

/// What all checks saw, and what follows.
pub struct Checked {
    pub seen: Seen,
    pub verdict: Verdict,
}

/// What a check comes to, in a line.
#[derive(Default, Deserialize, Serialize)]
pub struct Brief {
    /// None where nobody looked.
    pub verdict: Option<Verdict>,
    /// Who decides, and what it says.
    pub detector: String,
    pub says: String,
    /// What was counted.
    pub counts: String,
}

impl Checked {
    pub fn brief(&self) -> Brief {
        let seen = &self.seen.observations;
        let first = |outcome| seen.iter().find(|one| one.outcome == outcome);
        let decides = first(Detection::Fault).or_else(|| first(Detection::NotRun));
        let [detector, says] = decides.map_or_else(Default::default, |one| {
            // The place, or in words what is wrong.
            let is_line = |one: &&Evidence| matches!(one, Evidence::Line(_));
            let more = one.details.iter().find(is_line).or(one.details.first());
            let more = more.map_or(String::new(), |more| format!(": {more}"));
            [one.detector.to_string(), one.says.clone() + &more]
        });
        let is_count = |one: &&Observation| matches!(one.detector, Detector::Count(_));
        let counts = seen.iter().filter(is_count);
        let counts = counts.map(|one| format!("{} {}", one.detector, one.says));
        Brief {
            verdict: Some(self.verdict),
            detector: plain_name(&detector),
            says: plain_name(&says),
            counts: plain_name(&Vec::from_iter(counts).join(" / ")),
        }
    }
}

/// How a kernel came out.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// Right, without faults, and within the targets.
    Done,
    /// Nothing is found, but what might have found something did not look.
    Unproven,
    /// Something is found against it.
    NotYet,
    /// Nothing is found in the file as it came: this machine's checks miss it.
    Untouched,
    /// It could not be run: there is no device, or it cannot launch this.
    NotRun,
}

impl Verdict {
    /// Judges a file. The first observation is the device's; `edited` says whether the file
    /// differs from what came, and `needs_simulator` whether a right result proves nothing.
    pub fn of(seen: &[Observation], edited: bool, needs_simulator: bool) -> Verdict {
        let is_open = |one: &Observation| match one.outcome {
            Detection::NotRun => needs_simulator || one.is_of_results(),
            outcome => outcome == Detection::Doubtful,
        };
        if seen.iter().any(Observation::is_fault) {
            Verdict::NotYet
        } else if seen.first().is_none_or(|one| one.outcome == Detection::NotRun) {
            Verdict::NotRun
        } else if !edited {
            Verdict::Untouched
        } else if seen.iter().any(is_open) {
            Verdict::Unproven
        } else {
            Verdict::Done
        }
    }

    /// In plain words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Done => "solved",
            Verdict::Unproven => {
                "the result is right, not proven free of races and other faults: what might have \
                 seen one did not run"
            }
            Verdict::NotYet => "not solved yet",
            Verdict::Untouched => {
                "not solved yet: the file is as it came, and nothing on this machine sees its fault"
            }
            Verdict::NotRun => "not decided: the kernel did not run",
        }
    }

    /// A sign and a word or two.
    pub fn in_short(self) -> (ColoredString, &'static str) {
        match self {
            Verdict::Done => ("✓".green(), "solved"),
            Verdict::Unproven => ("~".yellow(), "right, not proven"),
            Verdict::NotYet => ("✗".red().bold(), "not yet"),
            Verdict::NotRun => ("?".yellow(), "did not run"),
            Verdict::Untouched => ("·".dimmed(), "not begun"),
        }
    }

    /// Words about it, in its colour.
    pub fn shown(self, words: &str) -> ColoredString {
        match self {
            Verdict::Done => words.green().bold(),
            Verdict::NotYet | Verdict::Untouched => words.bold(),
            Verdict::Unproven | Verdict::NotRun => words.yellow().bold(),
        }
    }

    /// What is noted from now on, where `before` was noted until now: what the file is, as
    /// far as this machine can tell.
    pub fn mark(self, before: Option<Verdict>) -> Option<Verdict> {
        match self {
            Verdict::Done => Some(Verdict::Done),
            Verdict::Unproven if before != Some(Verdict::Done) => Some(Verdict::Unproven),
            Verdict::NotYet | Verdict::Untouched if before == Some(Verdict::Unproven) => None,
            Verdict::NotYet | Verdict::Untouched => before.map(|_| Verdict::NotYet),
            Verdict::Unproven | Verdict::NotRun => before,
        }
    }

    /// The exit status, where the device's own run ended with this one.
    pub fn status(self, of_device: u8) -> u8 {
        match self {
            Verdict::NotYet | Verdict::Untouched => of_device.max(1),
            // A launch that this device refuses; nothing else ends well and runs nothing.
            Verdict::NotRun if of_device == 0 => 4,
            _ => of_device,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_follows_the_file() {
        let [done, right, broken] = [Verdict::Done, Verdict::Unproven, Verdict::NotYet].map(Some);
        for (verdict, before, after) in [
            (Verdict::Done, broken, done),
            (Verdict::NotYet, done, broken),
            (Verdict::NotYet, broken, broken),
            (Verdict::NotYet, None, None),
            (Verdict::NotYet, right, None),
            (Verdict::Untouched, done, broken),
            (Verdict::Unproven, done, done),
            (Verdict::Unproven, None, right),
            (Verdict::NotRun, done, done),
        ] {
            assert_eq!(verdict.mark(before), after, "{verdict:?}");
        }
    }

    #[test]
    fn silence_is_a_success_only_where_somebody_could_have_spoken() {
        let result = |outcome| Observation::new(Detector::Result("1x1x1".into()), outcome, "");
        let races = |outcome| Observation::new(Detector::Oclgrind, outcome, "");
        let silent = [result(Detection::Silent), races(Detection::Silent)];
        let lonely = [result(Detection::Silent), races(Detection::NotRun)];
        let racy = [result(Detection::Silent), races(Detection::Fault)];
        assert_eq!(Verdict::of(&silent, true, true), Verdict::Done);
        assert_eq!(Verdict::of(&silent, false, true), Verdict::Untouched);
        assert_eq!(Verdict::of(&lonely, true, true), Verdict::Unproven);
        assert_eq!(Verdict::of(&lonely, true, false), Verdict::Done);
        assert_eq!(Verdict::of(&racy, true, false), Verdict::NotYet);
        let stuck = [result(Detection::NotRun)];
        assert_eq!(Verdict::of(&stuck, true, false), Verdict::NotRun);
        let half = [result(Detection::Silent), result(Detection::NotRun)];
        assert_eq!(Verdict::of(&half, true, false), Verdict::Unproven);
    }
}
