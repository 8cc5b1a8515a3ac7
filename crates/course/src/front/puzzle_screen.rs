//! One exercise or broken kernel: its check after every save, and a key for the rest.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use common::source::Source;
use process::watch::saves::News;
use text::screen::crossterm::event::KeyCode;
use text::screen::crossterm::style::Stylize;
use text::screen::pane::{Pane, Scroll};
use text::wrap::lines;

use super::{Begin, Course, Then};
use crate::game::background::Background;
use crate::game::how::How;
use crate::game::progress::Progress;
use crate::game::puzzle::{Check, Puzzle};
use crate::game::{self, watch};

pub struct PuzzleScreen<'a> {
    pub puzzle: &'a Puzzle,
    pub how: How,
    file: PathBuf,
    check: Shown,
    /// What was asked for besides; it lies over the check.
    beside: Option<Shown>,
    others: Others,
    /// Whether the file is to be given back is asked.
    asks: bool,
    /// What is said below, until the next key.
    says: String,
    is_gone: bool,
}

/// A command, and what it says.
struct Shown {
    job: Background,
    pane: Pane,
}

impl Shown {
    fn of(words: &[String]) -> Result<Shown> {
        let job = Background::start(words, true)?;
        Ok(Shown {
            job,
            pane: Pane::default(),
        })
    }
}

impl<'a> PuzzleScreen<'a> {
    /// Begins with a check.
    pub fn begin((puzzle, file, how): Begin<'a>, course: &Course) -> Result<PuzzleScreen<'a>> {
        let files = course.puzzles.iter().map(|one| course.folder.file(one));
        Ok(PuzzleScreen {
            check: Shown::of(&watch::words(puzzle, &file, &how))?,
            others: Others::of(files),
            puzzle,
            how,
            file,
            beside: None,
            asks: false,
            says: String::new(),
            is_gone: false,
        })
    }

    /// What happened to the file.
    pub fn hear(&mut self, news: News) -> Result<()> {
        match news {
            News::Saved => {
                self.is_gone = false;
                self.check_again()?;
            }
            News::Gone => self.is_gone = true,
            _ => {}
        }
        Ok(())
    }

    /// Whether something runs.
    pub fn is_busy(&mut self) -> bool {
        let mut all = self.beside.iter_mut().chain([&mut self.check]);
        all.any(|shown| shown.job.status().is_none())
    }

    /// Ends the check that runs, and begins another.
    fn check_again(&mut self) -> Result<()> {
        self.check = Shown::of(&watch::words(self.puzzle, &self.file, &self.how))?;
        self.beside = None;
        Ok(())
    }

    /// Another puzzle, whose file the learner has changed and saved.
    pub fn saved_elsewhere(&mut self, course: &Course<'a>) -> Option<&'a Puzzle> {
        let other = *course.puzzles.get(self.others.look()?)?;
        let text = Source::read(&course.folder.file(other)).ok()?.text;
        (other != self.puzzle && other.is_edited(&text)).then_some(other)
    }

    pub fn on(&mut self, key: KeyCode, course: &Course<'a>) -> Result<Then<'a>> {
        self.says.clear();
        if std::mem::take(&mut self.asks) {
            if key == KeyCode::Char('y') {
                self.give_back(course);
            }
            return Ok(Then::Stay);
        }
        if let Some(to) = Scroll::of(key) {
            self.beside
                .as_mut()
                .unwrap_or(&mut self.check)
                .pane
                .scroll(to);
            return Ok(Then::Stay);
        }
        let (command, id, answer) = (
            self.puzzle.kind.command,
            &*self.puzzle.id,
            self.puzzle.kind.answer,
        );
        let file = self.file.to_string_lossy().into_owned();
        let words = match key {
            KeyCode::Char('h') => vec![command, &file, "--hint"],
            KeyCode::Char('s') => vec![command, &file, answer],
            KeyCode::Char('l') => vec![command, "--list"],
            KeyCode::Char('d') if self.puzzle.solution.is_some() => vec![command, &file, "--diff"],
            KeyCode::Char('t') if self.is_kernel() => vec!["trace", id, "--source", &file],
            KeyCode::Char('a') if self.is_kernel() => vec!["asm", id, "--source", &file],
            _ => return self.on_other(key, course),
        };
        let words: Vec<String> = words.into_iter().map(String::from).collect();
        self.beside = Some(Shown::of(&words)?);
        Ok(Then::Stay)
    }

    fn is_kernel(&self) -> bool {
        !matches!(self.puzzle.check, Check::Host(_))
    }

    /// The keys for which no command is run.
    fn on_other(&mut self, key: KeyCode, course: &Course<'a>) -> Result<Then<'a>> {
        match key {
            KeyCode::Char('r') => self.check_again()?,
            KeyCode::Char('x') => self.asks = true,
            KeyCode::Char('n') => return Ok(self.next(course)),
            KeyCode::Char('o') => return Ok(Then::Page(self.puzzle.page.clone())),
            KeyCode::Char('q') => return Ok(Then::Quit),
            KeyCode::Esc | KeyCode::Backspace | KeyCode::Enter => self.beside = None,
            _ => {}
        }
        Ok(Then::Stay)
    }

    fn next(&mut self, course: &Course<'a>) -> Then<'a> {
        let all = course.like(self.puzzle);
        let next = course.folder.progress().next_after(self.puzzle, &all);
        if let Some(next) = next.filter(|next| *next != self.puzzle) {
            return Then::Open(next);
        }
        self.says = format!("all others are {}", self.puzzle.kind.done);
        Then::Stay
    }

    /// The save is seen, and so the file is checked.
    fn give_back(&mut self, course: &Course) {
        self.says = match game::give_back(self.puzzle, &self.file, &course.folder) {
            Ok(Some(kept)) => {
                let name = kept.file_name().unwrap_or(kept.as_os_str());
                format!("yours is kept: {}", name.to_string_lossy())
            }
            Ok(None) => "it is as it came".into(),
            Err(error) => format!("{error:#}"),
        };
    }

    pub fn rows(&mut self, course: &Course, size: (usize, usize)) -> Vec<String> {
        let progress = course.folder.progress();
        let all = course.like(self.puzzle);
        let (done, count) = (progress.count_done(&all), all.len());
        let gauge = format!("{done} of {count} {}", self.puzzle.kind.done);
        let hint = self.next_hint(&progress);
        let keys = self.keys(&hint);
        let state = self.state();
        let Shown { job, pane } = self.beside.as_mut().unwrap_or(&mut self.check);
        let mut text = job.said();
        if text.is_empty() && job.status().is_none() {
            text = "...".into();
        }
        let text = lines(text.trim_end(), size.0);
        pane.frame(vec![gauge], text, &state, &keys, size)
    }

    /// How it stands, in a line.
    fn state(&mut self) -> String {
        if self.asks {
            let question = "Give back the file as it came? Yours is kept beside it.";
            return question.bold().to_string();
        }
        if self.is_gone {
            let gone = "the file is gone; it will be checked when it is back";
            return gone.yellow().to_string();
        }
        let done = self.puzzle.kind.done;
        let job = &mut self.check.job;
        // The file need not be the one whose progress is noted.
        let is_done = job.said().contains(&format!("{}: {done}", self.puzzle.id));
        let state = match job.status() {
            None => {
                let (seconds, most) = (job.seconds(), self.how.timeout);
                format!("checking, {seconds} s; a launch ends after {most} s").cyan()
            }
            Some(0) if is_done => format!("✓ {done}").green().bold(),
            Some(0) => "~ right, not proven".to_string().yellow(),
            Some(2 | 3) => "? it did not run".to_string().yellow(),
            Some(_) => format!("✗ not {done} yet; each save is checked").red(),
        };
        format!("{state}   {}", self.says)
    }

    fn next_hint(&self, progress: &Progress) -> String {
        let (seen, all) = (progress.of(&self.puzzle.id).hints, self.puzzle.hints.len());
        format!("hint {} of {all}", seen.saturating_add(1).min(all))
    }

    fn keys<'k>(&self, hint: &'k str) -> Vec<(&'k str, &'k str)> {
        if self.asks {
            return vec![("y", "yes"), ("any other key", "no")];
        }
        #[rustfmt::skip]
        let mut keys = vec![
            ("Esc", "back"), ("h", hint), ("s", "solution"), ("d", "diff"), ("t", "trace"), ("a", "asm"),
            ("n", "next"), ("l", "list"), ("x", "reset"), ("o", "page"), ("r", "run again"), ("q", "quit"),
        ];
        keys.retain(|(key, _)| match *key {
            "Esc" => self.beside.is_some(),
            "d" => self.puzzle.solution.is_some(),
            "t" | "a" => self.is_kernel(),
            _ => true,
        });
        keys
    }
}

/// How often the other files are looked at.
const EVERY: Duration = Duration::from_millis(300);

/// The files that are not on the screen, and when each was saved last: who saves one of them
/// works on that one now.
struct Others {
    files: Vec<(PathBuf, Option<SystemTime>)>,
    looked: Instant,
}

impl Others {
    fn of(files: impl Iterator<Item = PathBuf>) -> Others {
        let files = files.map(|file| (file.clone(), saved(&file))).collect();
        Others {
            files,
            looked: Instant::now(),
        }
    }

    /// The place of one that was saved since the last look.
    fn look(&mut self) -> Option<usize> {
        if self.looked.elapsed() < EVERY {
            return None;
        }
        self.looked = Instant::now();
        let mut found = None;
        for (at, (file, before)) in self.files.iter_mut().enumerate() {
            let now = saved(file);
            if now.is_some() && now != *before {
                found = Some(at);
            }
            *before = now;
        }
        found
    }
}

fn saved(file: &PathBuf) -> Option<SystemTime> {
    std::fs::metadata(file).ok()?.modified().ok()
}
