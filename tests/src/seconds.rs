//! What each test costs: the CPU seconds of what it ran, with all that these began, since a wall
//! clock says more of the machine's other work. A line for each test in `target/tmp/seconds`, of
//! which `tests/tests/the_costliest.rs` tells ten at the suite's end.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::Once;
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::files::scratch_folder;

thread_local! {
    /// libtest runs each test on a thread of its own, of the test's name. What belongs to
    /// a thread is dropped at its end, whether the test passes or fails.
    static COST: Cost = Cost {
        test: thread::current().name().unwrap_or_default().to_string(),
        begin: Instant::now(),
        cpu: Cell::new(0.0),
    };
}

struct Cost {
    test: String,
    begin: Instant,
    cpu: Cell<f64>,
}

/// The file below the tests' folder where they are noted.
pub const SECONDS: &str = "seconds";

fn file() -> PathBuf {
    scratch_folder("").join(SECONDS)
}

/// Adds a line.
fn note(line: &str) {
    let file = OpenOptions::new().append(true).open(file());
    // A table without it is no reason to fail a test.
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

/// Notes that a case of this thread's test is left out.
pub fn left_out() {
    count();
    note("left out\n");
}

/// Begins to count the seconds of this thread's test, unless that was done before. The
/// first test begins a new table.
pub fn count() {
    static NEW: Once = Once::new();
    NEW.call_once(|| {
        File::create(file()).expect("the target folder can be written");
    });
    COST.with(|_| ());
}

/// Waits for a child, and counts what it and its own children took.
pub fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let _ = waitid(WaitId::Pid(Pid::from_child(child)), ENDED);
    take_status(child)
}

/// The same if it has ended.
pub fn try_wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let now = ENDED | WaitIdOptions::NOHANG;
    match waitid(WaitId::Pid(Pid::from_child(child)), now)? {
        Some(_) => take_status(child).map(Some),
        None => Ok(None),
    }
}

/// An ended child's figures stand in /proc until somebody takes its status.
const ENDED: WaitIdOptions = WaitIdOptions::EXITED.union(WaitIdOptions::NOWAIT);

fn take_status(child: &mut Child) -> io::Result<ExitStatus> {
    if let Ok(stat) = fs::read_to_string(format!("/proc/{}/stat", child.id())) {
        let behind_the_name = stat.rsplit(')').next().unwrap_or_default();
        // user, system; and the same of children that it has waited for
        let ticks = behind_the_name.split_whitespace().skip(11).take(4);
        let ticks: f64 = ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
        COST.with(|cost| cost.cpu.set(cost.cpu.get() + ticks / TICKS));
    }
    child.wait()
}

/// Of a second, on every Linux (`getconf CLK_TCK`).
const TICKS: f64 = 100.0;

impl Drop for Cost {
    fn drop(&mut self) {
        let (cpu, wall) = (self.cpu.get(), self.begin.elapsed().as_secs_f64());
        note(&format!("{cpu:7.2} {wall:7.2} {}\n", self.test));
    }
}
