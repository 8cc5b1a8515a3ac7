//! How long each test takes, from its first command to its end: a line for each in
//! `target/tmp/seconds`, which `tests/slowest` prints.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Once;
use std::thread;
use std::time::Instant;

use crate::files::scratch_folder;

thread_local! {
    /// libtest runs each test on a thread of its own, of the test's name. What belongs to
    /// a thread is dropped at its end, whether the test passes or fails.
    static WATCH: Watch = Watch {
        test: thread::current().name().unwrap_or_default().to_string(),
        begin: Instant::now(),
    };
}

struct Watch {
    test: String,
    begin: Instant,
}

/// Where the seconds are noted.
fn file() -> PathBuf {
    scratch_folder("").join("seconds")
}

/// Begins to count the seconds of this thread's test, unless that was done before. The
/// first test begins a new table.
pub fn count() {
    static NEW: Once = Once::new();
    NEW.call_once(|| {
        File::create(file()).expect("the target folder can be written");
    });
    WATCH.with(|_| ());
}

impl Drop for Watch {
    fn drop(&mut self) {
        let line = format!("{:7.2} {}\n", self.begin.elapsed().as_secs_f64(), self.test);
        let file = OpenOptions::new().append(true).open(file());
        // A table without this test is no reason to fail it.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}
