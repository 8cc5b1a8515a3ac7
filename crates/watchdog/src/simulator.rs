//! Oclgrind, the simulator, which sees every access of a kernel: where it lies, what it is to look
//! for, and its log, sorted by what is wrong. Each row takes its own reports from it, and what is
//! reported fails the row.

use std::path::{Path, PathBuf};

use common::{outcome::Skip, record::Record, source::Line};
use diagnostics::{exchange::is_tried_again, tokens::Tokens, types};

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

/// Sends a worker to Oclgrind, which this library is, and which runs kernels as written, not as
/// optimised, so that it sees every access of the source.
pub fn as_written(work: &mut Work, library: &Path) {
    work.env(common::device::drivers::LIBRARY_VARIABLE, library)
        .env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
}

/// Names the file for its reports, which else go to standard error.
pub const LOG_VARIABLE: &str = "OCLGRIND_LOG";
/// How it begins to say that it gave up itself: what it has computed is not the kernel's.
const GAVE_UP: &str = "OCLGRIND FATAL ERROR";
/// The last that it says where it has reported so much that it says no more.
const CUT: &str = " suppressing ";

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

/// Words of a report's title, and what it means where the title does not say it.
const MEANINGS: [(&str, FaultKind, &str); 9] = [
    (READ_WRITE, Races, "one item writes what another reads, in no set order"),
    (
        "Write-write data race",
        Races,
        "two items write the same element, in no set order, be it the same value or not",
    ),
    (
        "not aligned",
        Bounds,
        "a vector is read or written at an address that is no multiple of its size",
    ),
    ("Invalid read", Bounds, "something outside of every array is read"),
    ("Invalid write", Bounds, "something is written outside of every array"),
    (BEYOND, Bounds, "an index is beyond the end of an array of fixed length"),
    ("ninitialized ", Uninitialised, "a value is used that was never written"),
    ("divergence", Barriers, "some items of a group reach a barrier and others do not"),
    (GAVE_UP, Other, ""),
];
const BEYOND: &str = "exceeds static array";
const READ_WRITE: &str = "Read-write data race";

/// What is wrong in certain lines of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// The words by which it is known; none where it is new.
    known_by: &'static str,
    /// In words; the report's own where they are new.
    pub meaning: String,
    /// The lines that take part.
    pub lines: std::collections::BTreeSet<Line>,
}

impl Fault {
    /// Those of a log, where a report is a paragraph; of the same meaning and lines they are one.
    pub fn all(log: &str) -> Vec<Fault> {
        let mut all = Vec::new();
        for report in log.split("\n\n").map(str::trim_start) {
            let title = report.lines().next().unwrap_or_default();
            // Remarks of its own are no faults.
            if title.is_empty() || title.starts_with("Oclgrind: ") {
                continue;
            }
            let known = MEANINGS.iter().find(|(words, ..)| title.contains(words));
            let (known_by, kind, meaning) = *known.unwrap_or(&("", Other, ""));
            let meaning = if meaning.is_empty() { title } else { meaning }.into();
            let lines = report.split("At line ").skip(1).filter_map(line).collect();
            let fault = Fault { kind, known_by, meaning, lines };
            if !all.contains(&fault) {
                all.push(fault);
            }
        }
        all
    }
}

/// The line in "31 (column 37) of input.cl:", which is the kernel's own file; below it stands the
/// line, of an included file another one.
fn line(place: &str) -> Option<Line> {
    let mut lines = place.lines();
    let (number, rest) = lines.next()?.split_once(' ')?;
    let file = rest.split_once("of ").map_or("", |(_, file)| file.trim_end_matches(':'));
    let included = Some(file).filter(|file| !["", "input.cl"].contains(file)).map(String::from);
    let code = lines.next().filter(|_| included.is_none()).unwrap_or_default().trim().into();
    Some(Line { number: number.parse().ok()?, included, code })
}

/// Why the simulator gave up on a kernel that it cannot run, if it did.
pub fn gave_up(log: &str) -> Option<&str> {
    log.rsplit_once(GAVE_UP)?.1.lines().nth(1).map(str::trim)
}

/// Why a right kernel of this text may be reported for these faults of one kind, and how to see it.
/// Without the text its lines alone tell.
pub fn doubt(faults: &[&Fault], log: &str, text: Option<&str>) -> Option<&'static str> {
    let has = |words: &str| text.is_some_and(|text| text.contains(words));
    let names = |one: &Fault, words| one.lines.iter().any(|line| line.code.contains(words));
    let is_tried_again = |one: &&Fault| {
        let lines = one.lines.iter().map(|line| line.number).collect();
        one.known_by == READ_WRITE
            && names(one, "cmpxchg")
            && text.is_none_or(|text| is_tried_again(text, &lines))
    };
    Some(match faults.first()?.kind {
        Races if faults.iter().all(is_tried_again) => {
            "it takes the plain read before a compare and exchange that is tried again for a race: \
             read by atomic_or(p, 0), and a false report goes"
        }
        Races
            if (has("mem_fence") || has("atomic_work_item_fence"))
                && has("atom")
                && !log.contains("data race at local") =>
        {
            "it does not follow what fences and atomics order between groups"
        }
        Bounds if faults.iter().all(|one| one.known_by == BEYOND) => {
            "its compiler folds the indices of nested arrays into one, so a walk through all rows \
             is reported, too: walk with two indices, and a false report goes"
        }
        // What was exchanged goes on as unwritten.
        Uninitialised if faults.iter().any(|one| names(one, "xchg")) => {
            "it takes the old value, which an exchange returns, for used: fill the buffer before, \
             and a false report goes"
        }
        Uninitialised if has("image2d_t") => {
            "it takes what functions of images return for unwritten"
        }
        Uninitialised if text.is_some_and(takes_parts_of_sixteen) => {
            "it takes lanes 8 to 15 for unwritten where several of them are taken at once"
        }
        Other if faults.iter().all(|one| one.known_by == GAVE_UP) => {
            "the simulator itself gives up here, as 21.10 does on frexp, modf and their like with \
             a private variable: what it did not see is not judged"
        }
        _ => return None,
    })
}

/// Whether several lanes of a vector of 16 are taken at once.
fn takes_parts_of_sixteen(text: &str) -> bool {
    let words = Tokens::of(text);
    let is_vector = |at| words.text(at).strip_suffix("16").is_some_and(types::is_known);
    let is_taken = |at: usize| match words.text(at + 1) {
        "hi" | "even" | "odd" => words.text(at) == ".",
        part => words.text(at) == "." && part.starts_with(['s', 'S']) && part.len() > 2,
    };
    words.all().any(is_vector) && words.all().any(is_taken)
}

/// The simulator's log, as far as it is written.
pub struct Simulator {
    log: PathBuf,
    /// What it held when it was looked at last.
    read: String,
}

impl Simulator {
    /// Of the log that the environment names; none where somebody else reads it.
    pub fn from_environment() -> Option<Simulator> {
        let log = std::env::var_os(LOG_VARIABLE).filter(|_| !worker::is_heard())?;
        Some(Simulator { log: log.into(), read: String::new() })
    }

    /// The record of a kernel that has just run, and failed if something was reported
    /// since this was asked last.
    pub fn judge(&mut self, record: Record) -> Record {
        /// Faults that a row tells, the first ones.
        const SHOWN: usize = 3;
        let now = std::fs::read(&self.log).unwrap_or_default();
        let now = String::from_utf8_lossy(&now).into_owned();
        let before = std::mem::replace(&mut self.read, now);
        // Each context of OpenCL begins it anew.
        let news = self.read.strip_prefix(&*before).unwrap_or(&self.read);
        let mut faults = Fault::all(news);
        faults.retain(|one| doubt(&[one], news, None).is_none());
        if let Some(why) = gave_up(news) {
            // Its result says nothing.
            record.skip(Skip::Since(format!(
                "the simulator cannot run this kernel ({why}); with \
                 OCLGRIND_BUILD_OPTIONS=-cl-opt-disable it may"
            )))
        } else if !faults.is_empty() {
            let more = if news.contains(CUT) { ", and says no more" } else { "" };
            let count = faults.len();
            let mut told = vec![format!("the simulator has reported {count} fault(s){more}:")];
            for fault in faults.iter().take(SHOWN) {
                told.push(format!("  {}", fault.meaning));
                told.extend(fault.lines.iter().map(|line| format!("    {line}")));
            }
            record.reported(told)
        } else if before.contains(CUT) && record.is_right() {
            let why = "the simulator had reported so much before that it says no more: run this \
                       kernel alone, with --only";
            record.skip(Skip::Since(why.into()))
        } else {
            record
        }
    }
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
        let faults = Fault::all(LOG);
        let kinds: Vec<_> = faults.iter().map(|one| one.kind).collect();
        assert_eq!(kinds, [Races, Bounds, Other]);
        let lines: Vec<String> = faults[0].lines.iter().map(Line::to_string).collect();
        assert_eq!(lines, ["line 1: a = b;", "line 2: b = 1;"]);
        let of_include = "Invalid write\n\tAt line 3 (column 1) of a/inc.h:\n\t  not its line;\n";
        let line = Fault::all(of_include)[0].lines.first().unwrap().to_string();
        assert_eq!(line, "line 3 of a/inc.h");
        assert_eq!(faults[2].meaning, "Something new");
        assert!(Fault::all("").is_empty());
    }

    #[test]
    fn an_index_beyond_its_own_row_proves_nothing() {
        let certain = |log: &str| doubt(&[&Fault::all(log)[0]], log, None).is_none();
        assert!(!certain("Index (15) exceeds static array size (15)\n\tAt line 1 of x\n"));
        assert!(certain("Invalid read of size 4\n\tAt line 1 of x\n"));
        assert!(!certain("OCLGRIND FATAL ERROR (./src/plugins/Uninitialized.cpp:194)\n"));
        let unset = |code| format!("Uninitialized value\n\tAt line 1 of input.cl:\n\t  {code}\n");
        assert!(certain(&unset("y = x;")) && !certain(&unset("atomic_xchg(y, x);")));
        let race = |title| {
            format!("{title} data race\n\tAt line 1 of input.cl:\n\t  atomic_cmpxchg(y, 0, 1);\n")
        };
        assert!(!certain(&race("Read-write")) && certain(&race("Write-write")));
    }

    const REPORT: &str = "\nInvalid write of size 4 at global memory address 0x10\n\tKernel: f\n\
        \tAt line 3 (column 5) of input.cl:\n\t  C[-1] = 0;\n";

    fn right() -> Record {
        Record { outcome: Outcome::RIGHT, ..Record::default() }
    }

    #[test]
    fn a_report_fails_the_row_of_the_kernel_that_ran_and_no_other() {
        let path = std::env::temp_dir().join(format!("course-log-{}", std::process::id()));
        std::fs::write(&path, REPORT).unwrap();
        let mut simulator = Simulator { log: path.clone(), read: REPORT.into() };
        assert!(simulator.judge(right()).is_right(), "of an earlier run");
        std::fs::write(&path, REPORT.repeat(2)).unwrap();
        let judged = simulator.judge(right());
        let words = judged.wrong().unwrap().to_string();
        assert!(words.contains("line 3: C[-1] = 0;"), "{words}");
        assert!(simulator.judge(right()).is_right(), "nothing new");
        let cut = format!(
            "{}\nOclgrind: 1000 errors generated - suppressing further errors\n",
            REPORT.repeat(3)
        );
        std::fs::write(&path, cut).unwrap();
        let words = simulator.judge(right()).why().unwrap();
        assert!(words.contains("1 fault(s), and says no more"), "{words}");
        let after = simulator.judge(right());
        assert!(after.skipped().is_some());
        let limit = "OCLGRIND FATAL ERROR (x.cpp:1)\nUnsupported instruction: freeze\n";
        std::fs::write(&path, limit).unwrap();
        let own = simulator.judge(right().fail("all is wrong"));
        assert!(own.skipped().is_some_and(|why| why.to_string().contains("freeze")));
        std::fs::remove_file(path).unwrap();
    }
}
