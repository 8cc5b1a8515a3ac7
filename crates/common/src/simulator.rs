//! What Oclgrind, the simulator, reports of a kernel: its log, sorted by what is wrong. Each
//! row takes its own reports from the file, and what is reported fails the row.

use std::collections::BTreeSet;

/// Names the file for its reports, which else go to standard error.
pub const LOG_VARIABLE: &str = "OCLGRIND_LOG";

const BEYOND_ITS_ARRAY: &str = "an index is beyond the end of an array of fixed length";

/// What it looks for, the words of its log that stand for it, and what these mean.
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
        ("exceeds static array", BEYOND_ITS_ARRAY),
        ("Invalid ", "an access that OpenCL forbids"),
    ]),
    ("uninitialised", &[
        ("ninitialized ", "a value is used that was never written"),
    ]),
    ("barriers", &[
        ("divergence", "some items of a group reach a barrier and others do not"),
    ]),
];

/// What it is known to report of right kernels: a kind, with what words the report begins or
/// what a line that takes part has, and how to see that it errs.
#[rustfmt::skip]
const DOUBTS: [(&str, &[&str], &str); 5] = [
    ("bounds", &[BEYOND_ITS_ARRAY],
     "its compiler folds the indices of nested arrays into one, so a walk through all rows is \
      reported, too: walk with two indices, and a false report goes"),
    ("other", &[GAVE_UP, "Work item needed to access private memory"],
     "the simulator itself gives up here, as 21.10 does on frexp, modf and their like with a \
      private variable: what it did not see is not judged"),
    ("uninitialised", &["atomic_xchg", "atomic_cmpxchg"],
     "it takes the old value, which an exchange returns, for used: fill the buffer before, and \
      a false report goes"),
    ("uninitialised", &[".lo", ".hi", ".even", ".odd"],
     "it takes lanes that a half of a vector leaves out for used: write the halves lane by \
      lane, and a false report goes"),
    ("races", &["cmpxchg"],
     "it takes the plain read before a compare and exchange, which is tried again, for a race: \
      read by atomic_or(p, 0), and a false report goes"),
];

/// How it begins to say that it gave up itself: what it has computed is not the kernel's.
const GAVE_UP: &str = "OCLGRIND FATAL ERROR";

/// Whether it gave up on a kernel that it cannot run.
pub fn has_given_up(log: &str) -> bool {
    log.contains(GAVE_UP)
}

/// What is wrong in certain lines of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// One of [`kinds`], or "other".
    pub kind: &'static str,
    /// In words.
    pub meaning: String,
    /// The lines that take part.
    pub lines: BTreeSet<Line>,
    /// How often it was reported.
    pub times: usize,
}

impl Fault {
    /// Why a right kernel may be reported for this, and how to see it.
    pub fn doubt(&self) -> Option<&'static str> {
        let shows = |words: &&str| {
            let mut lines = self.lines.iter();
            self.meaning.starts_with(words) || lines.any(|line| line.code.contains(words))
        };
        let mut doubts = DOUBTS.iter().filter(|(kind, ..)| *kind == self.kind);
        let doubt = doubts.find(|(_, words, _)| words.iter().any(shows));
        doubt.map(|(.., how)| *how)
    }
}

/// A line of a kernel file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// The file that the kernel's own includes, where it is one of that.
    pub included: Option<String>,
    /// What stands there; of an included file that is not known.
    pub code: String,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.included {
            Some(file) => write!(f, "line {} of {file}", self.number),
            None => write!(f, "line {}: {}", self.number, self.code),
        }
    }
}

/// What it looks for, whether it reports it or not.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(kind, _)| *kind)
}

/// The faults of a log: reports of the same meaning and lines are one.
pub fn faults(log: &str) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    for (title, lines) in reports(log) {
        let (kind, meaning) = meaning(title);
        let mut known = faults.iter_mut();
        match known.find(|fault| fault.meaning == meaning && fault.lines == lines) {
            Some(fault) => fault.times += 1,
            None => faults.push(Fault {
                kind,
                meaning: meaning.into(),
                lines,
                times: 1,
            }),
        }
    }
    faults
}

/// Whether the log ends with the remark that nothing more is reported: the counts are too
/// low then, and what runs later is not looked at.
pub fn is_cut(log: &str) -> bool {
    log.contains(" suppressing ")
}

/// The reports one by one. Each begins with a line that is not indented; the lines below
/// it tell where.
fn reports(log: &str) -> Vec<(&str, BTreeSet<Line>)> {
    let mut reports: Vec<(&str, BTreeSet<Line>)> = Vec::new();
    let mut all = log.lines().peekable();
    while let Some(line) = all.next() {
        if line.starts_with(|c: char| c.is_alphanumeric()) {
            reports.push((line, BTreeSet::new()));
        } else if let (Some((_, lines)), Some((number, included))) =
            (reports.last_mut(), place(line))
        {
            // Below an included file's line it quotes the kernel's own file.
            let code = all.next_if(|below| place(below).is_none() && included.is_none());
            lines.insert(Line {
                number,
                included,
                code: code.unwrap_or_default().trim().into(),
            });
        }
    }
    // Remarks of its own are no faults.
    reports.retain(|(title, _)| !title.starts_with("Oclgrind: "));
    reports
}

/// The number in "At line 31 (column 37) of input.cl:", which is the kernel's own file,
/// and the name of another file.
fn place(line: &str) -> Option<(usize, Option<String>)> {
    let after = line.trim().strip_prefix("At line ")?;
    let number = after.split(' ').next()?.parse().ok()?;
    let file = after.split_once(" of ").map_or("", |(_, file)| file);
    let file = file.trim_end_matches(':');
    let is_other = !file.is_empty() && file != "input.cl";
    Some((number, is_other.then(|| file.into())))
}

/// The kind of a report, and what is wrong; the report's own words where they are new.
fn meaning(title: &str) -> (&'static str, &str) {
    for (kind, meanings) in KINDS {
        let known = meanings.iter().find(|(words, _)| title.contains(words));
        if let Some((_, meaning)) = known {
            return (kind, meaning);
        }
    }
    ("other", title)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\nRead-write data race at local memory address 0x10\n\tKernel: f\n\t\n\
        \tFirst entity:  Global(1,0,0)\n\tAt line 2 (column 9) of input.cl:\n\t  b = 1;\n\t\n\
        \tSecond entity: Global(0,0,0)\n\tAt line 1 (column 9) of input.cl:\n\t  a = b;\n\t\n\n\
        Read-write data race at local memory address 0x14\n\
        \tAt line 1 (column 9) of input.cl:\n\t  a = b;\n\
        \tAt line 2 (column 9) of input.cl:\n\t  b = 1;\n\n\
        Index (15) exceeds static array size (15)\n\tAt line 1 (column 9) of input.cl:\n\n\
        Something new\n\nOclgrind: 5000 errors generated - suppressing further errors\n";

    #[test]
    fn reports_of_the_same_lines_are_one_fault() {
        let faults = faults(LOG);
        let kinds: Vec<_> = faults.iter().map(|one| (one.kind, one.times)).collect();
        assert_eq!(kinds, [("races", 2), ("bounds", 1), ("other", 1)]);
        let lines: Vec<String> = faults[0].lines.iter().map(Line::to_string).collect();
        assert_eq!(lines, ["line 1: a = b;", "line 2: b = 1;"]);
        let of_include = "Invalid write\n\tAt line 3 (column 1) of a/inc.h:\n\t  not its line;\n";
        let line = super::faults(of_include)[0]
            .lines
            .first()
            .unwrap()
            .to_string();
        assert_eq!(line, "line 3 of a/inc.h");
        assert_eq!(faults[2].meaning, "Something new");
        assert!(is_cut(LOG) && !is_cut(""));
    }

    #[test]
    fn an_index_beyond_its_own_row_proves_nothing() {
        let certain = |log: &str| faults(log)[0].doubt().is_none();
        assert!(!certain(
            "Index (15) exceeds static array size (15)\n\tAt line 1 of x\n"
        ));
        assert!(certain("Invalid read of size 4\n\tAt line 1 of x\n"));
        assert!(!certain(
            "OCLGRIND FATAL ERROR (./src/plugins/Uninitialized.cpp:194)\n"
        ));
        let unset = |code| format!("Uninitialized value\n\tAt line 1 of input.cl:\n\t  {code}\n");
        assert!(certain(&unset("y = x;")) && !certain(&unset("atomic_xchg(y, x);")));
    }
}
