//! Oclgrind, the simulator, which sees every access of a kernel: where it lies, what it is to look
//! for, and its log, sorted by what is wrong. Each row takes its own reports from it, and what is
//! reported fails the row.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::device::drivers::LIBRARY_VARIABLE;
use common::outcome::Skip;
use common::record::Record;

use crate::worker::{self, Work};

/// Oclgrind as a library that is loaded at run time: its wrapper does not catch one.
/// The variable OCLGRIND_LIBRARY says where it lies, if it lies elsewhere.
pub fn oclgrind() -> Option<PathBuf> {
    let usual = ["lib/oclgrind", "local/lib/oclgrind", "local/lib"];
    let usual = usual.map(|folder| Path::new("/usr").join(folder).join("liboclgrind-rt.so"));
    let named = std::env::var_os("OCLGRIND_LIBRARY");
    let paths = named.map_or(usual.to_vec(), |named| vec![named.into()]);
    paths.into_iter().find(|path| path.is_file())
}

/// Sends a worker to Oclgrind, which this library is, to look for everything that it can look for.
/// A race is one also where both items write the same value.
pub fn look_for_faults(work: &mut Work, library: &Path) {
    as_written(work, library);
    work.env("OCLGRIND_UNIFORM_WRITES", "1")
        .env("OCLGRIND_DATA_RACES", "1")
        .env("OCLGRIND_UNINITIALIZED", "1")
        .env("OCLGRIND_CHECK_API", "1")
        .env("OCLGRIND_MAX_ERRORS", "5000")
        .args(["--device", "oclgrind"]);
}

/// Sends a worker to Oclgrind, which runs kernels as written, not as optimised, so that it sees
/// every access of the source.
pub fn as_written(work: &mut Work, library: &Path) {
    work.env(LIBRARY_VARIABLE, library).env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
}

/// Names the file for its reports, which else go to standard error.
pub const LOG_VARIABLE: &str = "OCLGRIND_LOG";

/// What it looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

use FaultKind::*;

impl FaultKind {
    /// All of them, in the order in which they are told.
    pub const ALL: [FaultKind; 5] = [Races, Bounds, Uninitialised, Barriers, Other];

    /// As the screen and the pages call it.
    pub fn name(self) -> &'static str {
        ["races", "bounds", "uninitialised", "barriers", "other"][self as usize]
    }
}

/// Words of a report's title, and of one of its lines; what that means, where the title does not
/// say it; and how to see that it errs, where it is known to report that of right kernels.
type Meaning = (FaultKind, &'static str, &'static str, Option<&'static str>, Option<&'static str>);

#[rustfmt::skip]
const MEANINGS: [Meaning; 10] = [
    (Races, "Read-write data race", "cmpxchg", READ_WRITE,
     Some("it takes the plain read before a compare and exchange that is tried again for a race: \
           read by atomic_or(p, 0), and a false report goes")),
    (Races, "Read-write data race", "", READ_WRITE, None),
    (Races, "Write-write data race", "",
     Some("two items write the same element, in no set order, be it the same value or not"), None),
    (Bounds, "not aligned", "",
     Some("a vector is read or written at an address that is no multiple of its size"), None),
    (Bounds, "Invalid read", "", Some("something outside of every array is read"), None),
    (Bounds, "Invalid write", "", Some("something is written outside of every array"), None),
    (Bounds, "exceeds static array", "",
     Some("an index is beyond the end of an array of fixed length"),
     Some("its compiler folds the indices of nested arrays into one, so a walk through all rows is \
           reported, too: walk with two indices, and a false report goes")),
    (Uninitialised, "ninitialized ", "xchg", UNWRITTEN,
     Some("it takes the old value, which an exchange returns, for used: fill the buffer before, \
           and a false report goes")),
    (Uninitialised, "ninitialized ", "", UNWRITTEN, None),
    (Barriers, "divergence", "",
     Some("some items of a group reach a barrier and others do not"), None),
];
const READ_WRITE: Option<&str> = Some("one item writes what another reads, in no set order");
const UNWRITTEN: Option<&str> = Some("a value is used that was never written");

/// How it begins to say that it gave up itself: what it has computed is not the kernel's.
const GAVE_UP: &str = "OCLGRIND FATAL ERROR";
const GIVES_UP: &str = "the simulator itself gives up here, as 21.10 does on frexp, modf and their \
                        like with a private variable: what it did not see is not judged";

/// What is wrong in certain lines of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// In words.
    pub meaning: String,
    /// The lines that take part.
    pub lines: BTreeSet<Line>,
    /// Why a right kernel may be reported for this, and how to see it.
    pub doubt: Option<&'static str>,
}

impl Fault {
    /// In the report's own words where they are new.
    fn of(title: &str, lines: BTreeSet<Line>) -> Fault {
        let stands =
            |words: &str| words.is_empty() || lines.iter().any(|line| line.code.contains(words));
        let mut all = MEANINGS.into_iter();
        let known = all.find(|(_, words, code, ..)| title.contains(words) && stands(code));
        let gave_up = Some(GIVES_UP).filter(|_| title.contains(GAVE_UP));
        let (kind, .., meaning, doubt) = known.unwrap_or((Other, "", "", None, gave_up));
        Fault { kind, meaning: meaning.unwrap_or(title).into(), lines, doubt }
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
    /// Whether it ends with the remark that nothing more is reported: what runs later is not looked
    /// at.
    pub is_cut: bool,
    /// Why the simulator gave up on a kernel that it cannot run.
    pub gave_up: Option<String>,
    /// Whether items of a group race for local memory.
    pub races_in_a_group: bool,
}

impl Log {
    /// Reads it. A report begins with a line that is not indented; those below it tell where.
    pub fn of(log: &str) -> Log {
        let mut read = Log {
            is_cut: log.contains(" suppressing "),
            races_in_a_group: log.contains("data race at local"),
            ..Log::default()
        };
        let mut all = log.lines().peekable();
        while let Some(title) = all.next() {
            if title.contains(GAVE_UP) {
                read.gave_up = all.next().map(|why| why.trim().into());
            }
            let mut lines = BTreeSet::new();
            while let Some(below) = all.next_if(|line| !begins_a_report(line)) {
                if let Some((number, included)) = place(below) {
                    // Below an included file's line it quotes the kernel's own file.
                    let code = all.next_if(|line| place(line).is_none() && included.is_none());
                    let code = code.unwrap_or_default().trim().into();
                    lines.insert(Line { number, included, code });
                }
            }
            let fault = Fault::of(title, lines);
            // Remarks of its own are no faults.
            let is_remark = title.starts_with("Oclgrind: ") || !begins_a_report(title);
            if !is_remark && !read.faults.contains(&fault) {
                read.faults.push(fault);
            }
        }
        read
    }
}

fn begins_a_report(line: &str) -> bool {
    line.starts_with(char::is_alphanumeric)
}

/// The number in "At line 31 (column 37) of input.cl:", which is the kernel's own file,
/// and the name of another file.
fn place(line: &str) -> Option<(usize, Option<String>)> {
    let (number, rest) = line.trim().strip_prefix("At line ")?.split_once(' ')?;
    let file = rest.split_once("of ").map_or("", |(_, file)| file.trim_end_matches(':'));
    let is_other = !file.is_empty() && file != "input.cl";
    Some((number.parse().ok()?, is_other.then(|| file.into())))
}

/// Faults that a row tells, the first ones.
const SHOWN: usize = 3;

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
        let log = std::env::var_os(LOG_VARIABLE).filter(|_| !worker::is_heard());
        let mut simulator = Simulator { log: log.map(PathBuf::from), read: String::new() };
        simulator.news();
        simulator
    }

    /// The record of a kernel that has just run, and failed if something was reported
    /// since this was asked last.
    pub fn judge(&mut self, record: Record) -> Record {
        let was_cut = Log::of(&self.read).is_cut;
        let mut news = Log::of(&self.news());
        news.faults.retain(|one| one.doubt.is_none());
        if let Some(why) = news.gave_up {
            // Its result says nothing.
            record.skip(Skip::Since(format!(
                "the simulator cannot run this kernel ({why}); with \
                 OCLGRIND_BUILD_OPTIONS=-cl-opt-disable it may"
            )))
        } else if !news.faults.is_empty() {
            record.reported(in_words(&news))
        } else if was_cut && record.is_right() {
            let why = "the simulator had reported so much before that it says no more: run this \
                       kernel alone, with --only";
            record.skip(Skip::Since(why.into()))
        } else {
            record
        }
    }

    /// What was added to the log. Each context of OpenCL begins it anew.
    fn news(&mut self) -> String {
        let now = self.log.as_ref().and_then(|log| fs::read(log).ok()).unwrap_or_default();
        let now = String::from_utf8_lossy(&now).into_owned();
        let before = std::mem::replace(&mut self.read, now);
        self.read.strip_prefix(&*before).unwrap_or(&self.read).into()
    }
}

/// The first faults with their lines, and how many there are: a line each.
fn in_words(log: &Log) -> Vec<String> {
    let more = if log.is_cut { ", and says no more" } else { "" };
    let count = log.faults.len();
    let mut lines = vec![format!("the simulator has reported {count} fault(s){more}:")];
    for fault in log.faults.iter().take(SHOWN) {
        lines.push(format!("  {}", fault.meaning));
        lines.extend(fault.lines.iter().map(|line| format!("    {line}")));
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
        let kinds: Vec<_> = faults.iter().map(|one| one.kind.name()).collect();
        assert_eq!(kinds, ["races", "bounds", "other"]);
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
        let certain = |log: &str| Log::of(log).faults[0].doubt.is_none();
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
