//! Oclgrind on the learner's copy: its log is sorted here into detectors, with the
//! lines of the copy.

use std::collections::BTreeSet;

pub use toolbox::simulator::{Simulation, run, trace};

use crate::observation::{Detection, Observation};

/// Lines shown of each detector; more repeat the story.
const SHOWN: usize = 4;

/// What Oclgrind looks for, the words of its log that stand for it, and what
/// these mean.
#[rustfmt::skip]
const KINDS: [(&str, &[(&str, &str)]); 4] = [
    ("races", &[
        ("Read-write data race", "one item writes what another reads, in no set order"),
        ("Write-write data race", "two items write the same element, in no set order"),
        ("data race", "two items use the same element, in no set order"),
    ]),
    ("bounds", &[
        ("not aligned", "a vector is read or written at an address that is no multiple of its size"),
        ("Invalid read", "something outside of every array is read"),
        ("Invalid write", "something is written outside of every array"),
        ("exceeds static array", "an index is beyond the end of an array of fixed length"),
        ("Invalid ", "an access that OpenCL forbids"),
    ]),
    ("uninitialised", &[
        ("ninitialized ", "a value is used that nobody has written"),
    ]),
    ("barriers", &[
        ("divergence", "some items of a group reach a barrier and others do not"),
    ]),
];

/// That it is missing, and what is not known for that.
pub fn missing() -> Observation {
    let says = "is not on this machine: nobody looks for races, bad accesses and values that \
                were never written; ./setup --full installs it";
    Observation::new("Oclgrind", Detection::NotRun, says)
}

/// Sorts a log into detectors. A report begins with a line that is not indented;
/// the lines below it tell where.
pub fn sort(log: &str, text: &str) -> Vec<Observation> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in log.lines() {
        if line.starts_with(|c: char| c.is_alphanumeric()) {
            let lines = BTreeSet::new();
            entries.push(Entry { title: line, lines });
        } else if let (Some(entry), Some(number)) = (entries.last_mut(), line_number(line)) {
            entry.lines.insert(number);
        }
    }
    // Its remark that it writes no more is no fault, but the counts are too low.
    let is_cut = log.contains(" suppressing ");
    let at_least = if is_cut { "at least " } else { "" };
    entries.retain(|entry| !entry.title.starts_with("Oclgrind: "));
    let mut seen = Vec::new();
    for (detector, meanings) in KINDS {
        let is_ours = |entry: &Entry| entry.meaning(meanings).is_some();
        let (ours, others): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(is_ours);
        entries = others;
        seen.push(observation(detector, &ours, meanings, text, at_least));
    }
    if !entries.is_empty() {
        seen.push(observation("other", &entries, &[], text, at_least));
    }
    seen
}

/// One entry of the log.
struct Entry<'a> {
    title: &'a str,
    /// Lines of the kernel file that take part.
    lines: BTreeSet<usize>,
}

impl Entry<'_> {
    fn meaning<'m>(&self, meanings: &'m [(&str, &str)]) -> Option<&'m str> {
        let known = meanings
            .iter()
            .find(|(words, _)| self.title.contains(words));
        known.map(|(_, meaning)| *meaning)
    }
}

/// The number in "At line 31 (column 37) of input.cl:".
fn line_number(line: &str) -> Option<usize> {
    let after = line.trim().strip_prefix("At line ")?;
    after.split(' ').next()?.parse().ok()
}

/// Reports of one detector, those of the same meaning and lines counted together.
fn observation(
    detector: &str,
    entries: &[Entry],
    meanings: &[(&str, &str)],
    text: &str,
    at_least: &str,
) -> Observation {
    let detector = format!("Oclgrind: {detector}");
    let mut groups: Vec<(&str, &BTreeSet<usize>, usize)> = Vec::new();
    for entry in entries {
        let meaning = entry.meaning(meanings).unwrap_or(entry.title);
        let mut known = groups.iter_mut();
        match known.find(|group| (group.0, group.1) == (meaning, &entry.lines)) {
            Some(group) => group.2 += 1,
            None => groups.push((meaning, &entry.lines, 1)),
        }
    }
    let Some((says, ..)) = groups.first() else {
        return Observation::new(detector, Detection::Silent, "saw nothing");
    };
    let mut seen = Observation::new(detector, Detection::Fault, *says);
    for (at, (meaning, lines, count)) in groups.iter().take(SHOWN).enumerate() {
        if at > 0 && groups[at - 1].0 != *meaning {
            seen.details.push(meaning.to_string());
        }
        seen.details.push(match count {
            1 => "once:".into(),
            count => format!("{at_least}{count} times:"),
        });
        seen.details
            .extend(lines.iter().map(|line| quote(*line, text)));
    }
    if groups.len() > SHOWN {
        let more = groups.len() - SHOWN;
        seen.details.push(format!("and in {more} more places"));
    }
    seen
}

/// A line of the copy, with its number.
fn quote(number: usize, text: &str) -> String {
    let line = text.lines().nth(number.saturating_sub(1)).unwrap_or("");
    format!("line {number}: {}", line.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\nRead-write data race at local memory address 0x10\n\tKernel: f\n\t\n\
        \tFirst entity:  Global(1,0,0)\n\tAt line 2 (column 9) of input.cl:\n\t  b = 1;\n\t\n\
        \tSecond entity: Global(0,0,0)\n\tAt line 1 (column 9) of input.cl:\n\t  a = b;\n\t\n\n\
        Read-write data race at local memory address 0x14\n\
        \tAt line 1 (column 9) of input.cl:\n\tAt line 2 (column 9) of input.cl:\n\n\
        Index (15) exceeds static array size (15)\n\tAt line 1 (column 9) of input.cl:\n\n\
        Something new\n\nOclgrind: 5000 errors generated - suppressing further errors\n";

    #[test]
    fn reports_of_the_same_lines_are_counted_and_the_lines_quoted() {
        let seen = sort(LOG, "a = b;\n  b = 1;\n");
        let races = &seen[0];
        assert_eq!(races.detector, "Oclgrind: races");
        assert_eq!(races.outcome, Detection::Fault);
        assert_eq!(
            races.details,
            ["at least 2 times:", "line 1: a = b;", "line 2: b = 1;"]
        );
        assert_eq!(seen[1].details, ["once:", "line 1: a = b;"]);
        assert_eq!(seen[2].outcome, Detection::Silent);
        assert_eq!(seen[3].outcome, Detection::Silent);
        assert_eq!(seen[4].says, "Something new");
        assert_eq!(seen.len(), 5);
    }

    #[test]
    fn an_empty_log_is_silence_of_four_detectors() {
        let seen = sort("", "");
        assert_eq!(seen.len(), 4);
        assert!(seen.iter().all(|one| one.outcome == Detection::Silent));
    }
}
