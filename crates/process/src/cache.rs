//! PoCL keeps what it has compiled in a folder, and believes what it finds there. Where a
//! file of it was cut short (a full disk, a process ended while writing) or overwritten,
//! PoCL 3.1 ends the process (SIGABRT, SIGBUS), or says that a kernel does not exist. So
//! after such a failure the lesson goes on once without the cache.
//!
//! Mesa's cache (rusticl) holds checksums: damaged entries are compiled anew.
//! Intel's CPU runtime keeps no cache on disk.

use std::fs;

use common::device::pocl::{self, cache_folder};

use crate::environment::Environment;
use crate::events::Event;

pub use common::device::pocl::CACHE_VARIABLE;

/// Whether PoCL's cache may be to blame for what happened: it is used, and no other device is.
pub fn may_be_damaged(environment: &Environment, events: &[Event]) -> bool {
    let is_off = environment.iter().any(|(set, _)| *set == CACHE_VARIABLE)
        || std::env::var_os(CACHE_VARIABLE).is_some_and(|value| value == "0");
    let holds_something =
        fs::read_dir(cache_folder()).is_ok_and(|mut files| files.next().is_some());
    let begun = events.iter().rev().find_map(|event| match event {
        Event::Begun(record) => Some(record.platform.contains(pocl::PLATFORM)),
        _ => None,
    });
    !is_off && holds_something && begun != Some(false)
}

/// What to tell the learner.
pub fn message() -> String {
    format!(
        "The driver failed, perhaps on a damaged file in PoCL's cache of compiled kernels.\n  \
         It is tried again without the cache. If that helps, clear it: rm -r {}",
        cache_folder().display()
    )
}
