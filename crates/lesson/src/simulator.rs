//! What a simulator reports against a kernel, in the row of that kernel: a right result
//! does not make up for it.

use std::fs;
use std::path::PathBuf;

use common::outcome::Skip;
use common::record::Record;
use common::simulator::{LOG_VARIABLE, Log};

/// Faults that a row tells, the first ones.
const SHOWN: usize = 3;
/// Why a kernel's row says nothing.
const SILENT: &str = "the simulator had reported so much before that it says no more: run this \
                      kernel alone, with --only";

/// The simulator's log, as far as it is written.
pub(crate) struct Simulator {
    /// None where somebody else reads it.
    log: Option<PathBuf>,
    /// What it held when it was looked at last.
    read: String,
}

impl Simulator {
    /// The log that the environment names. What it holds already is an earlier run's.
    pub fn from_environment() -> Simulator {
        let is_read = process::worker::is_heard();
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
            record.reported(&in_words(&news))
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

/// The first faults with their lines, and how many reports there are.
fn in_words(log: &Log) -> String {
    let Log { faults, is_cut, .. } = log;
    let reports: usize = faults.iter().map(|fault| fault.times).sum();
    let more = if *is_cut { ", and says no more" } else { "" };
    let mut lines = vec![format!(
        "the simulator has reported {reports} fault(s){more}:"
    )];
    for fault in faults.iter().take(SHOWN) {
        lines.push(format!("  {}", fault.meaning));
        lines.extend(fault.lines.iter().map(|line| format!("    {line}")));
    }
    if faults.len() > SHOWN {
        lines.push(format!("  and {} more", faults.len() - SHOWN));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::outcome::Outcome;

    const REPORT: &str = "\nInvalid write of size 4 at global memory address 0x10\n\tKernel: f\n\
        \tAt line 3 (column 5) of input.cl:\n\t  C[-1] = 0;\n";

    fn right() -> Record {
        Record {
            outcome: Outcome::RIGHT,
            ..Record::default()
        }
    }

    #[test]
    fn a_report_fails_the_row_of_the_kernel_that_ran_and_no_other() {
        let path = std::env::temp_dir().join(format!("course-log-{}", std::process::id()));
        fs::write(&path, REPORT).unwrap();
        let mut simulator = Simulator {
            log: Some(path.clone()),
            read: REPORT.into(),
        };
        assert!(simulator.judge(right()).is_right(), "of an earlier run");
        fs::write(&path, REPORT.repeat(2)).unwrap();
        let judged = simulator.judge(right());
        let words = judged.wrong().unwrap();
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
        assert!(
            own.skipped()
                .is_some_and(|why| why.to_string().contains("freeze"))
        );
        fs::remove_file(path).unwrap();
    }
}
