//! Other processes: the variables by which they find their drivers, those that end with this one, and
//! those that answer in lines of JSON, and may crash or hang over what they are asked.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, ffi::OsString, fs, thread};

use common::device::drivers::{ICD_VARIABLE, LIBRARY_VARIABLE, icd_place};
use common::{file::own_workspace, host, stage::How};
use verify::{cores::cores, numbers::bytes};

/// Variables that are set for a child.
pub type Environment = BTreeMap<&'static str, OsString>;

/// What a lesson finds in its environment besides ours, and beside these variables, which may say the
/// drivers.
pub fn environment(mut all: Environment) -> Environment {
    // Where no drivers are chosen.
    if !all.contains_key(ICD_VARIABLE) && !all.contains_key(LIBRARY_VARIABLE) {
        all.extend(fallback_driver().map(|(variable, path)| (variable, path.into())));
    }
    // Where the system places the threads, two of PoCL's may share a core for a whole launch
    // of less than a millisecond while another core is idle, and the kernel takes twice as
    // long. Who has set one of these variables knows better.
    let chosen = ["POCL_AFFINITY", "POCL_MAX_PTHREAD_COUNT"];
    if chosen.iter().all(|name| std::env::var_os(name).is_none()) {
        all.insert("POCL_AFFINITY", "1".into());
    }
    // The crate matrixmultiply panics where it gets no threads beside those of a driver.
    if !host::gives_threads(2 * cores() + 8) {
        all.insert("MATMUL_NUM_THREADS", "1".into());
    }
    all
}

/// The variable that makes visible what `./setup` put into this workspace, and its value: ICD files
/// for drivers that are installed but not announced, or a CPU driver. `./setup` has written it down,
/// or an empty line, where the system itself offers a device. It holds as long as the system's drivers
/// stay as they were, and where the learner has not chosen drivers by such variables.
pub fn fallback_driver() -> Option<(&'static str, PathBuf)> {
    let folder = own_workspace().join(".opencl");
    let fallbacks = [
        (ICD_VARIABLE, folder.join("vendors")),
        (LIBRARY_VARIABLE, folder.join("intel/libintelocl.so")),
    ];
    if fallbacks.iter().any(|(variable, _)| std::env::var_os(variable).is_some()) {
        return None;
    }
    let uses = written_since(&folder.join("uses"), &icd_place())?;
    // A copy of the workspace was told of another one's.
    let is_it =
        |(variable, path): &(_, PathBuf)| uses == format!("{variable}={}\n", path.display());
    fallbacks.into_iter().find(is_it)
}

/// The text of a file that is younger than the folder with the system's drivers, and than each of
/// its files.
fn written_since(uses: &Path, drivers: &Path) -> Option<String> {
    let time = |path: &Path| fs::metadata(path).and_then(|one| one.modified()).ok();
    let written = time(uses)?;
    let files = fs::read_dir(drivers).into_iter().flatten().flatten();
    let mut places = files.map(|file| file.path()).chain([drivers.to_path_buf()]);
    let is_current = places.all(|place| time(&place).is_none_or(|time| time <= written));
    is_current.then(|| fs::read_to_string(uses).ok()).flatten()
}

/// Has a process end with this one, whoever ends this one and how: nobody would watch it,
/// and a kernel may run for ever. Only Linux can be asked for that. The process must be
/// started and awaited by the same thread, whose end counts.
pub fn end_with_us(command: &mut Command) -> &mut Command {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
        use std::os::unix::process::CommandExt;
        const ESRCH: i32 = 3;
        let us = Some(getpid());
        let bind = move || {
            // Where the system refuses, it is as it is elsewhere.
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            let lives = (getppid() == us).then_some(());
            lives.ok_or_else(|| io::Error::from_raw_os_error(ESRCH))
        };
        // SAFETY: between fork and exec only calls are made that may be made there: two of
        // the system; nothing is allocated (the error is a number), and no lock is taken.
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
pub fn this_program() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    end_with_us(&mut command);
    Ok(command)
}

/// The first message of a process, or how it ended without one. Then it is ended: nobody
/// awaits what its driver does at its own end. It is ended, too, when it and all that it has
/// started hold more than `memory` bytes.
pub fn ask<Answer: serde::de::DeserializeOwned + Send + 'static>(
    command: &mut Command,
    patience: Duration,
    memory: u64,
) -> Result<Answer, String> {
    let failed = |error: io::Error| format!("it cannot be started ({error})");
    let command = command.stdin(Stdio::null());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let (Some(stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("it has no pipes".into());
    };
    let complaint = thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error counts.
        let _ = stderr.read_to_end(&mut bytes);
        diagnostics::terminal::plain(&String::from_utf8_lossy(&bytes))
    });
    let (sender, answers) = channel();
    // Where no thread is given, the process is ended as one that does not answer.
    let _ = thread::Builder::new().spawn(move || {
        let lines = BufReader::new(stdout).split(b'\n').map_while(io::Result::ok);
        // Drivers and kernels may print, too: what is no message is passed over.
        let mut answers = lines.filter_map(|line| serde_json::from_slice(&line).ok());
        answers.next().map(|answer| sender.send(answer))
    });
    let end = Instant::now() + patience;
    let mut held = 0;
    let answer = loop {
        let left = end.saturating_duration_since(Instant::now());
        // How often it is looked at what a process holds.
        let answer = answers.recv_timeout(left.min(Duration::from_millis(100)));
        if memory < u64::MAX {
            held = held_by(child.id());
        }
        let goes_on = matches!(answer, Err(RecvTimeoutError::Timeout)) && held <= memory;
        if !goes_on || left.is_zero() {
            break answer;
        }
    };
    end_group(&mut child);
    let status = child.wait().map_err(failed)?;
    answer.map_err(|why| match why {
        RecvTimeoutError::Timeout if held > memory => {
            format!("it took more than {} of memory, and was ended", bytes(memory))
        }
        RecvTimeoutError::Timeout => format!("no answer after {} seconds", patience.as_secs()),
        RecvTimeoutError::Disconnected => {
            let complaint = complaint.map(|thread| thread.join().unwrap_or_default());
            let complaint = complaint.unwrap_or_default();
            let mut lines = complaint.lines().map(str::trim);
            match (How::of(status), lines.find(|line| !line.is_empty())) {
                // It ended itself, and says why.
                (How::Exited(_), Some(line)) => line.into(),
                (how, Some(line)) => format!("the process died ({}): {line}", how.in_short()),
                (how, None) => format!("the process died ({})", how.in_short()),
            }
        }
    })
}

/// Bytes that a process and all below it hold: private pages that are in memory or swapped out.
/// A limit of the system's (RLIMIT_DATA, RLIMIT_AS) counts mappings, and a GPU's driver maps many
/// times the host's memory without filling it. Only Linux tells this.
fn held_by(process: u32) -> u64 {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = all.filter_map(|entry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let status = fs::read_to_string(entry.path().join("status")).ok()?;
        let number = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        let kilobytes = number("RssAnon:").unwrap_or(0) + number("VmSwap:").unwrap_or(0);
        Some((id, number("PPid:")? as u32, kilobytes << 10))
    });
    let all: Vec<(u32, u32, u64)> = all.collect();
    let mut family = vec![process];
    let mut at = 0;
    while let Some(&parent) = family.get(at) {
        let children = all.iter().filter(|one| one.1 == parent);
        family.extend(children.map(|one| one.0));
        at += 1;
    }
    let held = all.iter().filter(|one| family.contains(&one.0));
    held.map(|one| one.2).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_is_ended_for_what_it_holds_and_not_for_what_it_maps() {
        let mapped: Vec<u8> = Vec::with_capacity(2 << 30);
        assert!(held_by(std::process::id()) < 1 << 30, "{}", mapped.len());
        // It keeps the only line that it is given until that line ends.
        let mut greedy = Command::new("sh");
        greedy.args(["-c", "head -c 300M /dev/zero | tail -n 1; sleep 60"]);
        let patience = Duration::from_secs(30);
        let why = ask::<String>(in_a_group(&mut greedy), patience, 100 << 20);
        let why = why.expect_err("it is ended");
        assert!(why.contains("more than 100 MiB of memory"), "{why}");
    }

    #[test]
    fn what_is_older_than_the_drivers_is_not_believed() {
        let root = Scratch::new().expect("the temporary folder can be written");
        let (uses, drivers) = (root.0.join("uses"), root.0.join("vendors"));
        fs::create_dir(&drivers).expect("the folder can be written");
        assert_eq!(written_since(&uses, &drivers), None, "there is none");
        fs::write(&uses, "\n").expect("the folder can be written");
        assert_eq!(written_since(&uses, &drivers).as_deref(), Some("\n"));
        assert!(written_since(&uses, &root.0.join("no-vendors")).is_some());
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(drivers.join("a.icd"), "").expect("the folder can be written");
        assert_eq!(written_since(&uses, &drivers), None, "a driver came");
    }
}
