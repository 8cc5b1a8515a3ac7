//! The memory that the host has left for a lesson: a GPU's lesson holds its matrices there,
//! too, and a system ends a process that takes more, often without a word.

use std::sync::LazyLock;

/// What is left, and what it is left of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes.
    pub bytes: u64,
    /// The limit's name: "ulimit -v".
    pub of: &'static str,
}

/// What a driver's compiler and its threads may take beside the matrices, in bytes.
const DRIVERS: u64 = 512 << 20;

/// What was left when this was first asked, so before there were matrices. `None` where
/// the system does not tell.
pub fn room() -> Option<Room> {
    static ROOM: LazyLock<Option<Room>> = LazyLock::new(|| {
        // Linux alone tells what it could give to this process now.
        let told = |name| bytes("/proc/meminfo", name);
        let free = told("MemAvailable:").map(|free| Room {
            bytes: free + told("SwapFree:").unwrap_or(0),
            of: "the host's free memory",
        });
        let rooms = free.into_iter().chain(address_space());
        rooms.min_by_key(|room| room.bytes)
    });
    *ROOM
}

/// What this process may still take under `ulimit -v`.
#[cfg(unix)]
fn address_space() -> Option<Room> {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::As).current?;
    let taken = bytes("/proc/self/status", "VmSize:").unwrap_or(0);
    Some(Room {
        bytes: beside_drivers(limit.saturating_sub(taken)),
        of: "ulimit -v",
    })
}

/// Other systems have no such limit.
#[cfg(not(unix))]
fn address_space() -> Option<Room> {
    None
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_what_is_free() {
        let all = bytes("/proc/meminfo", "MemTotal:").expect("Linux tells");
        let swap = bytes("/proc/meminfo", "SwapTotal:").expect("Linux tells");
        assert!(room().is_some_and(|room| room.bytes > 0 && room.bytes <= all + swap));
        assert_eq!(bytes("/proc/meminfo", "NoSuchThing:"), None);
        assert_eq!(bytes("/nonexistent", "MemTotal:"), None);
    }

    #[test]
    fn a_driver_keeps_its_share_but_never_more_than_half() {
        let left = [4096, 1024, 512, 8].map(|mib| beside_drivers(mib << 20) >> 20);
        assert_eq!(left, [3584, 512, 256, 4]);
    }
}
