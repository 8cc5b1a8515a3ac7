//! A command of the course as a process of its own, which can be ended at any moment, with
//! all that it has started: whatever a kernel does, nobody waits for it.

use std::fs::{self, File};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use watchdog::watch::{News, Saves};
use watchdog::{end_group, in_a_group, scratch::Scratch, this_program};

/// Where a screen with keys, which shows what a command prints, looks for the verdict.
pub const VERDICT_VARIABLE: &str = "OPENCL_COURSE_VERDICT";
/// What a command for a screen leaves in its folder.
const SAID: &str = "said";
const VERDICT: &str = "verdict";

/// A command that runs, or has run. It ends with its owner.
pub struct Background {
    child: Child,
    pub begun: Instant,
    /// For what it says, and its temporary files: a process that is ended leaves them behind.
    folder: Scratch,
}

impl Background {
    /// Begins a command that prints where this one does, or for a screen with keys.
    pub fn start(words: &[String], on_screen: bool) -> Result<Background> {
        let folder = Scratch::new()?;
        let mut command = this_program().context("cannot find this program's own path")?;
        let command = in_a_group(&mut command).args(words).env("TMPDIR", &folder.0);
        command.stdin(Stdio::null());
        if on_screen {
            let said = File::create(folder.0.join(SAID))?;
            command.stdout(said.try_clone()?).stderr(said);
            command.env(VERDICT_VARIABLE, folder.0.join(VERDICT));
            command.env("COLUMNS", lesson::step::screen::size().0.to_string());
            if colored::control::SHOULD_COLORIZE.should_colorize() {
                command.env("CLICOLOR_FORCE", "1");
            }
        }
        Ok(Background {
            child: command.spawn().context("the course cannot start itself")?,
            begun: Instant::now(),
            folder,
        })
    }

    /// What it has said so far, colours and all.
    pub fn said(&self) -> String {
        let said = fs::read(self.folder.0.join(SAID)).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }

    /// Whether it still runs.
    pub fn is_busy(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|end| end.is_none())
    }

    /// How the file that it checked came out; nothing where it came to no verdict.
    pub fn verdict(&self) -> Option<super::verdict::Verdict> {
        let told = fs::read(self.folder.0.join(VERDICT)).ok()?;
        serde_json::from_slice(&told).ok()
    }

    /// Waits for its end, and no longer than until something happens to a file.
    pub fn until_a_save(mut self, saves: &mut Saves) -> News {
        let mut news = News::Nothing;
        while self.is_busy() && news == News::Nothing {
            news = saves.wait(Duration::from_millis(20));
        }
        news
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        end_group(&mut self.child);
    }
}
