//! Oclgrind, the simulator, which sees every access of a kernel: where it lies, what it is to look
//! for, and its log, sorted by what is wrong. Each row takes its own reports from it, and what is
//! reported fails the row.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::device::icd::LIBRARY_VARIABLE;
use common::outcome::Skip;
use common::record::Record;

use crate::worker::{self, Work};

/// Oclgrind as a library that is loaded at run time: its wrapper does not catch one.
/// The variable OCLGRIND_LIBRARY says where it lies, if it lies elsewhere.
pub fn oclgrind() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("OCLGRIND_LIBRARY") {
        return Some(PathBuf::from(path)).filter(|path| path.is_file());
    }
    let folders = ["lib/oclgrind", "local/lib/oclgrind", "local/lib"];
    let mut paths =
        folders.map(|one| Path::new("/usr").join(one).join("liboclgrind-rt.so")).into_iter();
    paths.find(|path| path.is_file())
}

/// Sends a worker to Oclgrind, which this library is, to look for everything that it can look for.
/// A race is one also where both items write the same value.
pub fn look_for_faults(work: &mut Work, library: &Path) {
    work.args(["--device", "oclgrind"])
        .env("OCLGRIND_UNIFORM_WRITES", "1")
        .env("OCLGRIND_DATA_RACES", "1")
        .env("OCLGRIND_UNINITIALIZED", "1")
        .env("OCLGRIND_CHECK_API", "1")
        .env("OCLGRIND_MAX_ERRORS", "5000");
    as_written(work, library);
}

/// Sends a worker to Oclgrind, which runs kernels as written, not as optimised, so that it sees
/// every access of the source.
pub fn as_written(work: &mut Work, library: &Path) {
    work.env(LIBRARY_VARIABLE, library).env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
}

/// Names the file for its reports, which else go to standard error.
pub const LOG_VARIABLE: &str = "OCLGRIND_LOG";

/// What it looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// Items of which one needs what the other writes, in no set order.
    Races,
    /// Accesses that are not allowed there.
    Bounds,
    /// Values that were never written.
    Uninitialised,
    /// Barriers that not all items reach.
    Barriers,
    /// What is new.
    Other,
}

impl FaultKind {
    /// All of them, in the order in which they are told.
    pub const ALL: [FaultKind; 5] = [
        FaultKind::Races,
        FaultKind::Bounds,
        FaultKind::Uninitialised,
        FaultKind::Barriers,
        FaultKind::Other,
    ];

    /// As the screen and the pages call it.
    pub fn name(self) -> &'static str {
        ["races", "bounds", "uninitialised", "barriers", "other"][self as usize]
    }
}

/// The words of its log that stand for a kind of fault, what these mean where they do not say it, and
/// how to see that it errs, where it is known to report that of right kernels.
#[rustfmt::skip]
const MEANINGS: [(FaultKind, &str, Option<&str>, Option<&str>); 12] = [
    (FaultKind::Races, "Read-write data race",
     Some("one item writes what another reads, in no set order"), None),
    (FaultKind::Races, "Write-write data race",
     Some("two items write the same element, in no set order, be it the same value or not"), None),
    (FaultKind::Races, "data race", Some("two items use the same element, in no set order"), None),
    (FaultKind::Bounds, "not aligned",
     Some("a vector is read or written at an address that is no multiple of its size"), None),
    (FaultKind::Bounds, "Invalid read",
     Some("something outside of every array is read"), None),
    (FaultKind::Bounds, "Invalid write",
     Some("something is written outside of every array"), None),
    (FaultKind::Bounds, "exceeds static array",
     Some("an index is beyond the end of an array of fixed length"), Some(FOLDED)),
    (FaultKind::Bounds, "Invalid ", Some("an access that OpenCL forbids"), None),
    (FaultKind::Uninitialised, "ninitialized ",
     Some("a value is used that was never written"), None),
    (FaultKind::Barriers, "divergence",
     Some("some items of a group reach a barrier and others do not"), None),
    (FaultKind::Other, GAVE_UP, None, Some(GIVES_UP)),
    (FaultKind::Other, "Work item needed to access private memory", None, Some(GIVES_UP)),
];

const FOLDED: &str = "its compiler folds the indices of nested arrays into one, so a walk through \
                      all rows is reported, too: walk with two indices, and a false report goes";
const GIVES_UP: &str = "the simulator itself gives up here, as 21.10 does on frexp, modf and their \
                        like with a private variable: what it did not see is not judged";

/// The same of what it reports of lines with these words.
#[rustfmt::skip]
const DOUBTS: [(FaultKind, &[&str], &str); 2] = [
    (FaultKind::Uninitialised, &["atomic_xchg", "atomic_cmpxchg"],
     "it takes the old value, which an exchange returns, for used: fill the buffer before, and \
      a false report goes"),
    (FaultKind::Races, &["cmpxchg"],
     "it takes the plain read before a compare and exchange that is tried again for a race: \
      read by atomic_or(p, 0), and a false report goes"),
];

/// How it begins to say that it gave up itself: what it has computed is not the kernel's.
const GAVE_UP: &str = "OCLGRIND FATAL ERROR";

/// What is wrong in certain lines of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// In words.
    pub meaning: String,
    /// The lines that take part.
    pub lines: BTreeSet<Line>,
    /// How often it was reported.
    pub times: usize,
    doubt: Option<&'static str>,
}

impl Fault {
    /// Why a right kernel may be reported for this, and how to see it.
    pub fn doubt(&self) -> Option<&'static str> {
        let shows = |words: &&str| self.lines.iter().any(|line| line.code.contains(words));
        let mut doubts = DOUBTS.iter().filter(|(kind, ..)| *kind == self.kind);
        let doubt = doubts.find(|(_, words, _)| words.iter().any(shows));
        self.doubt.or(doubt.map(|(.., how)| *how))
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

/// A log, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Reports of the same meaning and lines are one.
    pub faults: Vec<Fault>,
    /// Whether it ends with the remark that nothing more is reported: the counts are too low then,
    /// and what runs later is not looked at.
    pub is_cut: bool,
    /// Whether the simulator gave up on a kernel that it cannot run.
    pub has_given_up: bool,
    /// On which instruction, where it says so.
    pub unsupported: Option<String>,
    /// Whether items of a group race for local memory.
    pub races_in_a_group: bool,
}

impl Log {
    /// Reads it.
    pub fn of(log: &str) -> Log {
        let mut faults: Vec<Fault> = Vec::new();
        for (title, lines) in reports(log) {
            let (kind, meaning, doubt) = meaning(title);
            let mut known = faults.iter_mut();
            match known.find(|fault| fault.meaning == meaning && fault.lines == lines) {
                Some(fault) => fault.times += 1,
                None => {
                    faults.push(Fault { kind, meaning: meaning.into(), lines, times: 1, doubt })
                }
            }
        }
        let mut lines = log.lines();
        let unsupported = lines.find(|line| line.starts_with("Unsupported instruction"));
        Log {
            faults,
            is_cut: log.contains(" suppressing "),
            has_given_up: log.contains(GAVE_UP),
            unsupported: unsupported.map(|line| line.trim().into()),
            races_in_a_group: log.contains("data race at local"),
        }
    }
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
            lines.insert(Line { number, included, code: code.unwrap_or_default().trim().into() });
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

/// The kind of a report, what is wrong, in the report's own words where they are new, and its doubt.
fn meaning(title: &str) -> (FaultKind, &str, Option<&'static str>) {
    let known = MEANINGS.iter().find(|(_, words, ..)| title.contains(words));
    known.map_or((FaultKind::Other, title, None), |(kind, _, meaning, doubt)| {
        (*kind, meaning.unwrap_or(title), *doubt)
    })
}

/// Faults that a row tells, the first ones.
const SHOWN: usize = 3;
/// Why a kernel's row says nothing.
const SILENT: &str = "the simulator had reported so much before that it says no more: run this \
                      kernel alone, with --only";

/// The simulator's log, as far as it is written.
pub struct Simulator {
    /// None where somebody else reads it.
    log: Option<PathBuf>,
    /// What it held when it was looked at last.
    read: String,
}

impl Simulator {
    /// The log that the environment names. What it holds already is an earlier run's.
    pub fn from_environment() -> Simulator {
        let is_read = worker::is_heard();
        let log = std::env::var_os(LOG_VARIABLE).filter(|_| !is_read);
        let log = log.map(PathBuf::from);
        let read = log.as_ref().map_or(String::new(), text);
        Simulator { log, read }
    }

    /// The record of a kernel that has just run, and failed if something was reported
    /// since this was asked last.
    pub fn judge(&mut self, record: Record) -> Record {
        let was_cut = Log::of(&self.read).is_cut;
        let mut news = Log::of(&self.news());
        if let Some(what) = news.unsupported {
            // It ends the kernel, whose result says nothing.
            let why = format!(
                "the simulator cannot run this kernel ({what}); \
                 with OCLGRIND_BUILD_OPTIONS=-cl-opt-disable it may"
            );
            return record.skip(Skip::Since(why));
        }
        news.faults.retain(|one| one.doubt().is_none());
        if !news.faults.is_empty() {
            record.reported(in_words(&news))
        } else if was_cut && record.is_right() {
            record.skip(Skip::Since(SILENT.into()))
        } else {
            record
        }
    }

    /// What was added to the log. Each context of OpenCL begins it anew.
    fn news(&mut self) -> String {
        let now = self.log.as_ref().map_or(String::new(), text);
        let before = std::mem::replace(&mut self.read, now);
        let added = self.read.strip_prefix(&*before);
        added.unwrap_or(&self.read).to_string()
    }
}

fn text(log: &PathBuf) -> String {
    String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned()
}

/// The first faults with their lines, and how many reports there are: a line each.
fn in_words(log: &Log) -> Vec<String> {
    let Log { faults, is_cut, .. } = log;
    let reports: usize = faults.iter().map(|fault| fault.times).sum();
    let more = if *is_cut { ", and says no more" } else { "" };
    let mut lines = vec![format!("the simulator has reported {reports} fault(s){more}:")];
    for fault in faults.iter().take(SHOWN) {
        lines.push(format!("  {}", fault.meaning));
        lines.extend(fault.lines.iter().map(|line| format!("    {line}")));
    }
    if faults.len() > SHOWN {
        lines.push(format!("  and {} more", faults.len() - SHOWN));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::outcome::Outcome;

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
        let Log { faults, is_cut, .. } = Log::of(LOG);
        let kinds: Vec<_> = faults.iter().map(|one| (one.kind.name(), one.times)).collect();
        assert_eq!(kinds, [("races", 2), ("bounds", 1), ("other", 1)]);
        let lines: Vec<String> = faults[0].lines.iter().map(Line::to_string).collect();
        assert_eq!(lines, ["line 1: a = b;", "line 2: b = 1;"]);
        let of_include = "Invalid write\n\tAt line 3 (column 1) of a/inc.h:\n\t  not its line;\n";
        let line = Log::of(of_include).faults[0].lines.first().unwrap().to_string();
        assert_eq!(line, "line 3 of a/inc.h");
        assert_eq!(faults[2].meaning, "Something new");
        assert!(is_cut && Log::of("") == Log::default());
    }

    #[test]
    fn an_index_beyond_its_own_row_proves_nothing() {
        let certain = |log: &str| Log::of(log).faults[0].doubt().is_none();
        assert!(!certain("Index (15) exceeds static array size (15)\n\tAt line 1 of x\n"));
        assert!(certain("Invalid read of size 4\n\tAt line 1 of x\n"));
        assert!(!certain("OCLGRIND FATAL ERROR (./src/plugins/Uninitialized.cpp:194)\n"));
        let unset = |code| format!("Uninitialized value\n\tAt line 1 of input.cl:\n\t  {code}\n");
        assert!(certain(&unset("y = x;")) && !certain(&unset("atomic_xchg(y, x);")));
    }

    const REPORT: &str = "\nInvalid write of size 4 at global memory address 0x10\n\tKernel: f\n\
        \tAt line 3 (column 5) of input.cl:\n\t  C[-1] = 0;\n";

    fn right() -> Record {
        Record { outcome: Outcome::RIGHT, ..Record::default() }
    }

    #[test]
    fn a_report_fails_the_row_of_the_kernel_that_ran_and_no_other() {
        let path = std::env::temp_dir().join(format!("course-log-{}", std::process::id()));
        fs::write(&path, REPORT).unwrap();
        let mut simulator = Simulator { log: Some(path.clone()), read: REPORT.into() };
        assert!(simulator.judge(right()).is_right(), "of an earlier run");
        fs::write(&path, REPORT.repeat(2)).unwrap();
        let judged = simulator.judge(right());
        let words = judged.wrong().unwrap().to_string();
        assert!(words.contains("line 3: C[-1] = 0;"), "{words}");
        assert!(simulator.judge(right()).is_right(), "nothing new");
        let cut = format!(
            "{}\nOclgrind: 1000 errors generated - suppressing further errors\n",
            REPORT.repeat(3)
        );
        fs::write(&path, cut).unwrap();
        let words = simulator.judge(right()).why().unwrap();
        assert!(words.contains("1 fault(s), and says no more"), "{words}");
        let after = simulator.judge(right());
        assert!(after.skipped().is_some());
        let limit = "OCLGRIND FATAL ERROR (x.cpp:1)\nUnsupported instruction: freeze\n";
        fs::write(&path, limit).unwrap();
        let own = simulator.judge(right().fail("all is wrong"));
        assert!(own.skipped().is_some_and(|why| why.to_string().contains("freeze")));
        fs::remove_file(path).unwrap();
    }
}
