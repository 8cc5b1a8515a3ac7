//! The limits that the system sets for a process, as `ulimit` shows them.

/// Those that a lesson may meet: "ulimit -v 400000, ulimit -t 1"; empty where none is set.
#[cfg(unix)]
pub fn set_here() -> String {
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
    let told = limits
        .into_iter()
        .filter_map(|(resource, flag, unit, enough)| {
            let limit = getrlimit(resource)
                .current
                .filter(|limit| *limit < enough)?;
            Some(format!("ulimit -{flag} {}", limit / unit))
        });
    told.collect::<Vec<_>>().join(", ")
}

/// Whether files may only have a certain length.
pub fn is_set_for_files() -> bool {
    set_here().contains("ulimit -f")
}

/// Other systems have none.
#[cfg(not(unix))]
pub fn set_here() -> String {
    String::new()
}
