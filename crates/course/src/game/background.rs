//! A command of the course as a process of its own, which can be ended at any moment, with
//! all that it has started: whatever a kernel does, nobody waits for it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use colored::control::SHOULD_COLORIZE;
use watchdog::scratch::Scratch;
use watchdog::watch::saves::{News, Saves};
use watchdog::{end_group, in_a_group, this_program};

/// Set where a screen with keys shows what a command prints: it then names keys, not
/// commands.
const KEYS_VARIABLE: &str = "OPENCL_COURSE_KEYS";

/// Whether what is printed stands above keys.
pub fn is_above_keys() -> bool {
    std::env::var_os(KEYS_VARIABLE).is_some()
}

/// A command that runs, or has run. It ends with its owner.
pub struct Background {
    child: Child,
    begun: Instant,
    status: Option<u8>,
    /// For what it says, and its temporary files: a process that is ended leaves them behind.
    folder: Scratch,
}

impl Background {
    /// Begins a command that prints where this one does, or for a screen with keys.
    pub fn start(words: &[String], on_screen: bool) -> Result<Background> {
        let folder = Scratch::new()?;
        let mut command = this_program().context("cannot find this program's own path")?;
        let command = in_a_group(&mut command)
            .args(words)
            .env("TMPDIR", &folder.0);
        command.stdin(Stdio::null());
        if on_screen {
            let said = File::create(said_in(&folder))?;
            command.stdout(said.try_clone()?).stderr(said);
            command.env(KEYS_VARIABLE, "1");
            if SHOULD_COLORIZE.should_colorize() {
                command.env("CLICOLOR_FORCE", "1");
            }
        }
        Ok(Background {
            child: command.spawn().context("the course cannot start itself")?,
            begun: Instant::now(),
            status: None,
            folder,
        })
    }

    /// What it has said so far, colours and all.
    pub fn said(&self) -> String {
        let said = fs::read(said_in(&self.folder)).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }

    /// Its exit status, once it has ended; 5 if it was ended.
    pub fn status(&mut self) -> Option<u8> {
        if self.status.is_none() {
            let ended = self.child.try_wait().ok().flatten();
            self.status = ended.map(|status| status.code().map_or(5, |code| code as u8));
        }
        self.status
    }

    /// Waits for its end, and no longer than until something happens to a file.
    pub fn until_a_save(mut self, saves: &mut Saves) -> News {
        let mut news = News::Nothing;
        while self.status().is_none() && news == News::Nothing {
            news = saves.wait(Duration::from_millis(20));
        }
        news
    }

    /// For how many seconds it has run.
    pub fn seconds(&self) -> u64 {
        self.begun.elapsed().as_secs()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        end_group(&mut self.child);
    }
}

/// Where a command for a screen writes what it says.
fn said_in(folder: &Scratch) -> PathBuf {
    folder.0.join("said")
}
