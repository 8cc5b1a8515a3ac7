//! The harness of the course's integration tests. They use the course as its
//! users do: they type commands, and look at what is printed and at the exit status.
//!
//! - [`lesson`] and [`program`] name a command, [`Program::run`] runs it, and the
//!   [`Outcome`] is asserted on. No test asserts a time.
//! - A machine without an OpenCL device fails the tests that need one; it does not
//!   skip them.
//! - What a machine may lack (Oclgrind, clinfo, PoCL) is asked for through
//!   [`or_note`]: without it a test says that it did not run. In CI it fails.

mod files;
mod kernels;
mod oclgrind;
mod outcome;
pub mod pty;
mod seconds;
mod session;
mod settings;
mod share;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::thread;

use serde_json::Value;

use files::programs;
pub use files::{
    entries, files_below, library, programs_folder, read, scratch, scratch_folder, workspace,
};
pub use kernels::{kernel_files, kernel_name, kernel_of, kernels_of, ran, with_empty_bodies};
pub use oclgrind::{FAULTS, Oclgrind};
pub use outcome::Outcome;
pub use pty::{Terminal, key};
pub use seconds::SECONDS;
pub use session::{play, play_share, play_slow};
pub use settings::clean;
pub use share::{everything, has_its_day, is_due, this_test_has_its_day};

/// The lessons that launch kernels.
pub const KERNEL_LESSONS: std::ops::RangeInclusive<u32> = 2..=11;

/// A command of a user, from the workspace's root.
pub struct Program {
    command: Command,
}

/// One of the workspace's programs, by name.
pub fn program(name: &str) -> Program {
    let path = programs().get(name);
    let path = path.unwrap_or_else(|| panic!("the workspace has no program {name}"));
    let mut command = Command::new(path);
    clean(command.current_dir(workspace()).stdin(Stdio::null()));
    Program { command }
}

/// A line of bash.
pub fn shell(line: &str) -> Program {
    let mut command = Command::new("bash");
    clean(command.current_dir(workspace()).stdin(Stdio::null())).args(["-c", line]);
    Program { command }
}

/// A lesson that is to run on a device. Fails where the machine has none.
pub fn lesson(number: u32) -> Program {
    device();
    lesson_without_device(number).on_the_chosen_driver()
}

/// A lesson, on a machine that may have no device.
pub fn lesson_without_device(number: u32) -> Program {
    program(&format!("lesson{number:02}"))
}

impl Program {
    /// Adds arguments, separated by spaces.
    pub fn args(mut self, words: &str) -> Program {
        self.command.args(words.split_whitespace());
        self
    }

    /// Adds one argument, which may hold spaces.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Program {
        self.command.arg(argument);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Program {
        self.command.env(name, value);
        self
    }

    /// The same by a line of shell, in which `"$0" "$@"` stands for it.
    pub fn in_shell(self, line: &str) -> Program {
        let mut command = Command::new("bash");
        command.args(["-c", line]).arg(self.command.get_program());
        command.args(self.command.get_args());
        clean(command.current_dir(workspace()).stdin(Stdio::null()));
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Program { command }
    }

    /// The bare command, for a test that watches it itself.
    pub fn command(self) -> Command {
        self.command
    }

    /// Runs it, unless a test has run the same before: for what several tests look at.
    #[track_caller]
    pub fn run_once(self) -> Outcome {
        type Runs = Mutex<HashMap<String, Arc<OnceLock<Outcome>>>>;
        static RUNS: LazyLock<Runs> = LazyLock::new(Runs::default);
        // Arguments, variables and all.
        let line = format!("{:?}", self.command);
        let mut runs = RUNS.lock().unwrap_or_else(|poison| poison.into_inner());
        let run = runs.entry(line).or_default().clone();
        drop(runs);
        run.get_or_init(|| self.run()).clone()
    }

    /// Runs it to its end.
    #[track_caller]
    pub fn run(mut self) -> Outcome {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("a program of ours starts");
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let stderr = thread::spawn(|| all_of(stderr));
        let stdout = all_of(stdout);
        let stderr = stderr.join().expect("it reads");
        let status = seconds::wait(&mut child).expect("a child of ours");
        let outcome =
            Outcome { line: format!("{:?}", self.command), status: status.code(), stdout, stderr };
        let panicked = outcome.stderr.contains("panicked at");
        assert!(!panicked, "no input makes the course panic\n{outcome}");
        outcome
    }
}

/// What a pipe holds until its end.
fn all_of(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Lesson 1's descriptions of this machine's devices; there is at least one.
pub fn devices() -> &'static [Value] {
    static DEVICES: OnceLock<Vec<Value>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let listing = lesson_without_device(1).args("--json").run();
        assert!(
            listing.status == Some(0) && !listing.stdout.is_empty(),
            "these tests need an OpenCL device: run ./setup\n{listing}"
        );
        listing.records()
    })
}

/// The device that lessons choose by themselves.
pub fn device() -> &'static Value {
    let mut devices = devices().iter();
    let chosen = devices.find(|device| device["chosen"] == true);
    &chosen.expect("lesson 1 chooses a device")["device"]
}

/// The `--device` that selects PoCL, if it is there. The CPU driver of most
/// machines, and the one for which the broken kernels say what is seen.
pub fn pocl() -> Option<String> {
    let is_pocl = |listed: &&Value| {
        let platform = listed["device"]["platform"]["name"].as_str();
        platform.is_some_and(|name| name.contains("Portable Computing Language"))
    };
    let found = devices().iter().find(is_pocl);
    or_note(found.map(|listed| format!("--device {}", listed["device"]["index"])), "PoCL")
}

/// Passes on what a machine may lack. Where it does, the test's output says so,
/// and in CI (the variable `CI` is set) the test fails.
pub fn or_note<T>(found: Option<T>, what: &str) -> Option<T> {
    if found.is_none() {
        let in_ci = std::env::var_os("CI").is_some();
        assert!(!in_ci, "in CI nothing is left out: {what} is missing, run ./setup --full");
        // Not by println!, which the test harness keeps to itself.
        let _ = writeln!(
            std::io::stderr(),
            "NOT RUN: {what} is not on this machine; ./setup --full fetches it"
        );
    }
    found
}
