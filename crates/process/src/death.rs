//! How a child came to its end that did not come to it by itself, in words: what happened,
//! what it was doing, and who may be to blame for that.

#[cfg(all(test, unix))]
mod tests;

use std::process::ExitStatus;
use std::time::Duration;

use common::host::{self, Group};
use common::stage::Stage;

/// How a child died, and what may mend that.
pub struct Death {
    /// In words.
    pub how: String,
    /// In few words, without what it was doing.
    pub cause: String,
    /// It was ended because it did not end.
    pub by_hang: bool,
    /// It was loading drivers.
    pub in_loading: bool,
    /// PoCL dies like this on a damaged file of its cache.
    pub as_by_a_cache: bool,
}

impl Death {
    /// Of a child that ended with this status while it was doing this.
    pub fn by(status: ExitStatus, doing: &Stage) -> Death {
        const ABRT_BUS: [i32; 2] = [6, 7];
        Death {
            how: of_death(status, doing),
            cause: cause_of_death(status),
            by_hang: false,
            in_loading: *doing == Stage::Loading,
            as_by_a_cache: signal(status).is_some_and(|signal| ABRT_BUS.contains(&signal)),
        }
    }

    /// Of a child that began nothing new for so long, and was ended.
    pub fn by_hang(timeout: Duration, doing: &Stage) -> Death {
        let advice = if doing.is_building() || doing.is_in_a_kernel() {
            "likely cause: an endless loop, or a barrier that not every item of a group reaches\n  \
             next: look at the kernel's loops and barriers; if the kernel is only slow, \
             use a smaller --size or a longer --timeout"
        } else {
            "likely cause: the driver hangs, and no kernel of yours was running; or the machine \
             is very busy\n  \
             next: a longer --timeout; cargo run -p course -- doctor   asks each driver by itself"
        };
        let seconds = timeout.as_secs();
        let how = "the process was ended";
        Death {
            how: format!("no end after {seconds} seconds while {doing}; {how}\n  {advice}"),
            cause: format!("no end after {seconds} s"),
            by_hang: true,
            in_loading: *doing == Stage::Loading,
            as_by_a_cache: false,
        }
    }

    /// Of a child whose device failed: it has told how.
    pub fn told(how: &str) -> Death {
        Death {
            how: how.into(),
            cause: how.lines().next().unwrap_or_default().into(),
            by_hang: false,
            in_loading: false,
            as_by_a_cache: true,
        }
    }
}

fn of_death(status: ExitStatus, doing: &Stage) -> String {
    let (cause, next) = match signal(status) {
        None => (
            "something called exit(), which the course does not do here: a driver that gave up, \
             on a full disk or a folder that it cannot write for example; its own words stand \
             above, if it had any",
            "cargo run -p course -- doctor   looks at the driver and at its folders",
        ),
        Some(9) => (
            &*for_want_of_memory(host::tightest()),
            "a smaller --size, if memory is short: `free -h` shows it, and `dmesg` who was ended",
        ),
        Some(24 | 25) => (
            "a limit of this system",
            "raise the limit (`ulimit -a` shows all of them), or use a smaller --size",
        ),
        Some(_) if doing.is_building() => (
            "the driver's compiler failed, for example on a function that calls itself, or on \
             a barrier that only some items reach",
            "take away what was written last; another driver may say what is wrong with it",
        ),
        Some(_) if doing.is_in_a_kernel() => (
            "the kernel read or wrote outside its buffers, asked for more private or local \
             memory than there is, or the driver's compiler failed",
            "cargo run -p course -- inspect FILE --only KERNEL   names the line of a bad access; \
             if every kernel dies: cargo run -p course -- doctor",
        ),
        Some(_) => (
            "the driver failed, and no kernel of yours was running",
            "cargo run -p course -- doctor   says what of this machine the drivers can use",
        ),
    };
    // It may have been one of the limits that this process runs under.
    let limits = match limits_in_words() {
        limits if limits.is_empty() || signal(status).is_none() => String::new(),
        limits => format!("; or a limit that is set here: {limits}"),
    };
    let died = cause_of_death(status);
    format!(
        "the process died ({died}) while {doing}\n  likely cause: {cause}{limits}\n  next: {next}"
    )
}

fn for_want_of_memory(group: Option<Group>) -> String {
    let limit = group.map_or(String::new(), |group| {
        let mebibytes = group.limit >> 20;
        format!("; this container or cgroup may take {mebibytes} MiB")
    });
    format!("it was killed, possibly out of memory{limit}")
}

/// Of a child that somebody ended while it was doing this.
pub fn of_stop(status: ExitStatus, doing: &Stage) -> String {
    format!(
        "the process was ended from outside ({}) while {doing}: nothing is wrong with the kernel\n  \
         next: the same command once more",
        cause_of_death(status)
    )
}

/// Of a child that had done and said everything, and crashed on its way out.
pub fn of_crash_at_the_end(status: ExitStatus) -> String {
    format!(
        "the process died ({}) when all was done, and what it said stands\n  \
         likely cause: the driver does not end cleanly, or a kernel wrote where nobody looked\n  \
         next: cargo run -p course -- inspect FILE   sees every access",
        cause_of_death(status)
    )
}

/// Whether somebody ended the process, by Ctrl-C or by kill: that is no crash.
pub fn was_stopped(status: ExitStatus) -> bool {
    const HUP_INT_QUIT_TERM: [i32; 4] = [1, 2, 3, 15];
    signal(status).is_some_and(|signal| HUP_INT_QUIT_TERM.contains(&signal))
}

/// How a process ended that should not have, in words.
pub fn cause_of_death(status: ExitStatus) -> String {
    let Some(signal) = signal(status) else {
        return status.to_string();
    };
    let begin = format!("{signal} ");
    let mut signals = include_str!("signals.txt").lines();
    let name = signals.find_map(|line| line.strip_prefix(&begin));
    let name = name.unwrap_or("a signal");
    format!("signal {signal}, {name}")
}

/// The signal that ended a process, where the system has signals.
fn signal(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = status.code().and(None);
    signal
}

/// The limits that a lesson may meet: "ulimit -v 400000, ulimit -t 1"; empty where none is set.
pub fn limits_in_words() -> String {
    let limits = limits().into_iter();
    let told = limits.map(|(flag, limit)| format!("ulimit -{flag} {limit}"));
    told.collect::<Vec<_>>().join(", ")
}

/// The limits that the system sets for a process, each by the letter of `ulimit`, in its unit.
pub fn limits() -> Vec<(char, u64)> {
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
        let set = limits
            .into_iter()
            .filter_map(|(resource, flag, unit, enough)| {
                let limit = getrlimit(resource).current;
                Some((flag, limit.filter(|limit| *limit < enough)? / unit))
            });
        set.collect()
    }
    #[cfg(not(unix))]
    Vec::new()
}
