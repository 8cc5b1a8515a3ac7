//! How long threads have waited for a core, where others have all of them. Linux alone tells.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

/// The time that each thread of a process was ready to run and got no core.
pub struct Waits {
    /// Its number, or "self".
    process: String,
    threads: BTreeMap<OsString, Duration>,
}

impl Waits {
    /// Up to now.
    pub fn of(process: impl ToString) -> Waits {
        let process = process.to_string();
        let entries = fs::read_dir(format!("/proc/{process}/task"));
        let threads = entries.into_iter().flatten().flatten();
        let waited = threads.filter_map(|thread| {
            // On a core, waiting for one, and how often; in nanoseconds.
            let told = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            let waited = told.split_whitespace().nth(1)?.parse().ok()?;
            Some((thread.file_name(), Duration::from_nanos(waited)))
        });
        let threads = waited.collect();
        Waits { process, threads }
    }

    /// What has come to it by now, of the thread that waited longest.
    pub fn since(&self) -> Duration {
        let now = Waits::of(&self.process).threads.into_iter();
        let more = now.map(|(thread, waited)| {
            let before = self.threads.get(&thread).copied();
            waited.saturating_sub(before.unwrap_or_default())
        });
        more.max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[cfg(target_os = "linux")]
    #[test]
    fn one_of_more_threads_than_cores_waits() {
        let before = Waits::of("self");
        let begun = Instant::now();
        let spin = || while begun.elapsed() < Duration::from_millis(200) {};
        let more = std::thread::available_parallelism().map_or(1, usize::from) + 1;
        std::thread::scope(|scope| {
            for _ in 0..more {
                scope.spawn(spin);
            }
            std::thread::sleep(Duration::from_millis(150));
            assert!(before.since() > Duration::from_millis(5));
        });
        assert_eq!(Waits::of("no process").since(), Duration::ZERO);
    }
}
