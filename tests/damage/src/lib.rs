//! Damaged variants of a file, for the tests of whatever reads one: what a full disk, a
//! crash, an editor or a person makes of it: a share of them, all in CI, the same on one day.

mod variants;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, SystemTime};

pub use variants::variants;

/// How many variants of each file are tried where nothing is left out.
pub const VARIANTS: usize = 2000;

/// Of so many one is tried where no ignored tests are asked for: another one each day.
const DAYS: usize = 7;

/// Far longer than any reader takes for one file of some kilobytes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Has every variant of a file read.
///
/// # Panics
/// When reading one panics, or does not end: with the variant, so that it can be looked at.
pub fn must_be_survived(file: &[u8], read: impl Fn(&[u8]) + Send + 'static) {
    let (begun, news) = mpsc::channel();
    let damaged = variants(file).filter(|one| one != file);
    let (first, step) = share();
    let all = damaged.take(VARIANTS).skip(first).step_by(step);
    let all: Vec<Vec<u8>> = all.collect();
    let reader = thread::spawn(move || {
        for variant in all {
            let shown = String::from_utf8_lossy(&variant).into_owned();
            // Nobody waits any more once it took too long.
            let _ = begun.send(shown.clone());
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| read(&variant))) {
                complain("panics", &shown);
                resume_unwind(panic);
            }
        }
    });
    let mut last = String::new();
    loop {
        match news.recv_timeout(PATIENCE) {
            Ok(shown) => last = shown,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                complain("does not end", &last);
                panic!("reading a damaged file does not end");
            }
        }
    }
    if let Err(panic) = reader.join() {
        resume_unwind(panic);
    }
}

/// The first variant of today, and how far it is to the next.
fn share() -> (usize, usize) {
    if std::env::args().any(|word| word.ends_with("ignored")) {
        return (0, 1);
    }
    let since = SystemTime::UNIX_EPOCH.elapsed();
    let today = since.map_or(0, |time| time.as_secs() / (24 * 60 * 60));
    (today as usize % DAYS, DAYS)
}

fn complain(how: &str, variant: &str) {
    use std::io::Write;
    // Standard error is only for whoever looks into the failure.
    let _ = writeln!(std::io::stderr(), "reading {how}:\n{variant}\n(end)");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_panics_is_found() {
        let read = |bytes: &[u8]| assert!(bytes.len() < 12, "too long");
        let found = catch_unwind(|| must_be_survived(b"1 2 3 four\n", read));
        assert!(found.is_err());
        must_be_survived(b"1 2 3 four\n", |_| ());
    }
}
