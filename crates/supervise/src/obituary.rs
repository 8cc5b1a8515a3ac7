//! How a child came to its end that did not come to it by itself, in words.

use std::process::ExitStatus;
use std::time::Duration;

/// Of a child that crashed while it was doing this.
pub(super) fn of_crash(status: ExitStatus, doing: &str) -> String {
    let (cause, next) = if doing.starts_with("building") {
        (
            "the driver's compiler failed, for example on a function that calls itself",
            "take away what was written last; another driver may say what is wrong with it",
        )
    } else {
        (
            "the kernel read or wrote outside its buffers, asked for more local memory than \
             there is, or the driver's compiler failed",
            "cargo run -p course -- inspect FILE --only KERNEL   names the line of a bad access; \
             if every kernel dies: cargo run -p course -- doctor",
        )
    };
    format!(
        "the process died ({}) while {doing}\n  likely cause: {cause}\n  next: {next}",
        cause_of_death(status)
    )
}

/// Of a child that had done and said everything, and crashed on its way out.
pub(super) fn of_crash_at_the_end(status: ExitStatus) -> String {
    format!(
        "the process died ({}) when all was done, and what it said stands\n  \
         likely cause: the driver does not end cleanly, or a kernel wrote where nobody looked\n  \
         next: cargo run -p course -- inspect FILE   sees every access",
        cause_of_death(status)
    )
}

/// Of a child that began nothing new for so long, and was ended.
pub(super) fn of_hang(timeout: Duration, doing: &str) -> String {
    format!(
        "no end after {} seconds while {doing}; the process was ended\n  \
         likely cause: an endless loop, or a barrier that not every item of a group reaches\n  \
         next: look at the kernel's loops and barriers; if the kernel is only slow, \
         use a smaller --size or a longer --timeout",
        timeout.as_secs()
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
    let name = match signal {
        4 => "SIGILL: an instruction that this CPU does not have",
        6 => "SIGABRT: the driver gave up",
        7 => "SIGBUS: bad memory access",
        8 => "SIGFPE: integer division by zero",
        9 => "SIGKILL: ended from outside, perhaps for want of memory",
        11 => "SIGSEGV: bad memory access",
        15 => "SIGTERM: ended from outside",
        _ => "a signal",
    };
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
