//! The memory that the host has left for a lesson: a GPU's lesson holds its matrices there,
//! too, and a system ends a process that takes more, often without a word. The other limits of a
//! process, too.

use std::sync::{LazyLock, Mutex};
use std::thread::{self, Builder};

/// What a driver's compiler and its threads may take beside the matrices, in bytes.
const DRIVERS: u64 = 512 << 20;

/// Bytes that were left when this was first asked, so before there were matrices, and the name of the
/// limit: "ulimit -v". `None` where the system does not tell.
pub fn room() -> Option<(u64, &'static str)> {
    static ROOM: LazyLock<Option<(u64, &str)>> = LazyLock::new(|| {
        // Linux alone tells what it could give to this process now.
        let told = |name| bytes("/proc/meminfo", name);
        let free = told("MemAvailable:").map(|free| free + told("SwapFree:").unwrap_or(0));
        let free = free.map(|free| (free, "the host's free memory"));
        // What this process may still take.
        let limit = ulimits().into_iter().find(|(flag, _)| *flag == 'v').map(|(_, kibibytes)| {
            let taken = bytes("/proc/self/status", "VmSize:").unwrap_or(0);
            (beside_drivers((kibibytes << 10).saturating_sub(taken)), "ulimit -v")
        });
        free.into_iter().chain(limit).min()
    });
    *ROOM
}

/// Something is left for a small problem in any case: it may fit.
fn beside_drivers(left: u64) -> u64 {
    left.saturating_sub(DRIVERS).max(left / 2)
}

/// The figure behind a name in one of the system's tables, which are in KiB.
fn bytes(table: &str, name: &str) -> Option<u64> {
    let table = std::fs::read_to_string(table).ok()?;
    let figure = table.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = figure.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

/// The limits that a lesson may meet: "ulimit -v 400000, ulimit -t 1"; empty where none is set.
pub fn ulimits_in_words() -> String {
    let limits = ulimits().into_iter();
    let told = limits.map(|(flag, limit)| format!("ulimit -{flag} {limit}"));
    told.collect::<Vec<_>>().join(", ")
}

/// The limits that the system sets for a process, each by the letter of `ulimit`, in its unit.
pub fn ulimits() -> Vec<(char, u64)> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        // The unit of `ulimit`, and the bytes, seconds or processes that are enough for any.
        let limits = [
            (Resource::As, 'v', 1024, u64::MAX),
            (Resource::Data, 'd', 1024, u64::MAX),
            (Resource::Cpu, 't', 1, u64::MAX),
            (Resource::Fsize, 'f', 1024, u64::MAX),
            (Resource::Stack, 's', 1024, 4 << 20),
            (Resource::Nproc, 'u', 1, 1000),
            (Resource::Nofile, 'n', 1, 64),
        ];
        let limits = limits.into_iter();
        let set = limits.filter_map(|(resource, flag, unit, enough)| {
            let limit = getrlimit(resource).current;
            Some((flag, limit.filter(|limit| *limit < enough)? / unit))
        });
        set.collect()
    }
    #[cfg(not(unix))]
    Vec::new()
}

/// Whether this process is given so many more threads at the same time, which a system may refuse:
/// by `ulimit -u`, a container's limit, or for want of memory. To be asked
/// before they are started by what panics where it is given none: the standard library's
/// `spawn`, and the crate matrixmultiply.
pub fn gives_threads(count: usize) -> bool {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // None ends before all have begun.
        let closed = gate.lock();
        let begins = |_| Builder::new().spawn_scoped(scope, || drop(gate.lock())).is_ok();
        let are_given = (0..count).all(begins);
        drop(closed);
        are_given
    })
}

/// What a variable says; one that is empty says nothing.
pub fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_what_is_free() {
        let all = bytes("/proc/meminfo", "MemTotal:").expect("Linux tells");
        let swap = bytes("/proc/meminfo", "SwapTotal:").expect("Linux tells");
        assert!(room().is_some_and(|(bytes, _)| bytes > 0 && bytes <= all + swap));
        assert_eq!(bytes("/proc/meminfo", "NoSuchThing:"), None);
        assert_eq!(bytes("/nonexistent", "MemTotal:"), None);
    }

    #[test]
    fn a_few_gives_threads_here() {
        assert!(gives_threads(0) && gives_threads(3));
    }

    #[test]
    fn a_driver_keeps_its_share_but_never_more_than_half() {
        let left = [4096, 1024, 512, 8].map(|mib| beside_drivers(mib << 20) >> 20);
        assert_eq!(left, [3584, 512, 256, 4]);
    }

    #[test]
    fn an_empty_variable_says_nothing() {
        // Cargo sets them for its tests.
        assert_eq!(variable("CARGO_PKG_NAME"), Some("common".into()));
        assert_eq!(std::env::var_os("CARGO_PKG_VERSION_PRE"), Some("".into()));
        assert_eq!(variable("CARGO_PKG_VERSION_PRE"), None);
        assert_eq!(variable("OPENCL_COURSE_NOBODY_SETS_THIS"), None);
    }
}
