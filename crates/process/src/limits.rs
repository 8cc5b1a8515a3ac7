//! The limits that the system sets for a process, as `ulimit` shows them.

/// Those that a lesson may meet: "ulimit -v 400000, ulimit -t 1"; empty where none is set.
pub fn set_here() -> String {
    let told = set().into_iter();
    let told = told.map(|(flag, limit)| format!("ulimit -{flag} {limit}"));
    told.collect::<Vec<_>>().join(", ")
}

/// Whether files may only have a certain length.
pub fn is_set_for_files() -> bool {
    set().iter().any(|(flag, _)| *flag == 'f')
}

/// Each by the letter of `ulimit`, in its unit.
#[cfg(unix)]
fn set() -> Vec<(char, u64)> {
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

/// Other systems have none.
#[cfg(not(unix))]
fn set() -> Vec<(char, u64)> {
    Vec::new()
}
