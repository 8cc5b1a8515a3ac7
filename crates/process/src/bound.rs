//! Processes that end with the one that started them.

use std::process::{Child, Command};

/// Has a process end with this one, whoever ends this one and how: nobody would watch it,
/// and a kernel may run for ever. Only Linux can be asked for that. The process must be
/// started and awaited by the same thread, whose end counts.
pub fn end_with_us(command: &mut Command) -> &mut Command {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
        use std::os::unix::process::CommandExt;
        let us = Some(getpid());
        let bind = move || {
            // Where the system refuses, it is as it is elsewhere.
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            if getppid() == us {
                Ok(())
            } else {
                const ESRCH: i32 = 3;
                Err(std::io::Error::from_raw_os_error(ESRCH))
            }
        };
        // SAFETY: between fork and exec only calls are made that may be made there: two of
        // the system; nothing is allocated, and no lock is taken.
        unsafe { command.pre_exec(bind) };
    }
    command
}

/// Puts a process, and all that it will start, into a group of their own, for
/// [`end_group`].
pub fn in_a_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Ends a process of [`in_a_group`] at once, with all that it has started.
pub fn end_group(child: &mut Child) {
    // Of one that was waited for, the number may be another's by now.
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // Whoever has just ended needs no order.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// This very program, as a process that ends with this one.
pub fn this_program() -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    end_with_us(&mut command);
    Ok(command)
}
