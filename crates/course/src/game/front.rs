//! `--watch` on a terminal: a screen that checks a puzzle's file after every save, with a key
//! for everything else. What the keys show is what the commands of the same names print: each
//! is run as a process, which the next key or save ends.

use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use common::{file::workspace, source::Source};
use crossterm::event::KeyCode::{Backspace, Char, Enter, Esc};
use crossterm::style::Stylize;
use lesson::step::pane::{Key, Pane, SCROLL, labels, meaning};
use lesson::step::screen;
use watchdog::watch::{News, Saves};

use super::puzzle::{Kind, Puzzle};
use super::written::{before_hints, markdown};
use super::{Turn, background::Background, folder::Folder, is_tried, verdict::Verdict};

/// The columns of the bar of what is solved.
const BAR: usize = 30;

/// What a key does, and what lies over the check then.
type Does = for<'a> fn(&mut Front<'a>) -> Result<Option<Shown>>;

/// The keys.
#[rustfmt::skip]
const KEYS: [Key<Does>; 14] = [
    (&[Esc, Backspace, Enter], "back", |_| Ok(None)),
    (&[Char('h')], "hint", |front| front.told("--hint")),
    (&[Char('s')], "solution", |front| front.solution()),
    (&[Char('n')], "next", |front| front.go_to_next()),
    (&[Char('l')], "list", |front| front.list()),
    (&[Char('?')], "keys", |_| all_keys()),
    (&[Char('q')], "quit", |front| { front.ended = true; Ok(None) }),
    (&[Char('e')], "your editor ($VISUAL or $EDITOR) with this file", |front| front.edit()),
    (&[Char('d')], "what differs between your file and the solution", |front| front.told("--diff")),
    (&[Char('t')], "the memory traffic of each line", |front| front.inspected("trace")),
    (&[Char('a')], "the innermost loop in machine code", |front| front.inspected("asm")),
    (&[Char('o')], "the page that is about it", |front| front.page()),
    (&[Char('r')], "check it once more", |front| front.check_again().map(|()| None)),
    (&[Char('x')], "the file as it came; yours is kept beside it", |front| front.told("--reset")),
];
/// So many of them stand below the screen.
const BELOW: usize = 7;

/// Takes the terminal and its keys, where there are both, until [`open`] gives them back.
pub fn enter() -> std::io::Result<()> {
    screen::enter(diagnostics::terminal::stream::Stream::Output, None)?;
    crossterm::terminal::enable_raw_mode().inspect_err(|_| screen::leave())
}

/// Plays one of these puzzles on the screen.
pub fn open(puzzles: &[&Puzzle], turn: Turn) -> Result<ExitCode> {
    let played = || -> Result<()> {
        let saves = Saves::of(&[&turn.file], "")?;
        let saved = last_saved(puzzles, turn.folder).map(|(when, _)| when);
        let check = Shown::of(&turn.words(None))?;
        Front { puzzles, saved, turn, saves, check, over: None, ended: false }.run()
    };
    let played = played();
    screen::leave();
    played.map(|()| ExitCode::SUCCESS)
}

struct Front<'a> {
    /// All of them.
    puzzles: &'a [&'a Puzzle],
    /// When the last of them had been saved.
    saved: Option<SystemTime>,
    /// What is watched.
    turn: Turn<'a>,
    saves: Saves,
    check: Shown,
    /// What lies over the check.
    over: Option<Shown>,
    ended: bool,
}

impl<'a> Front<'a> {
    fn run(&mut self) -> Result<()> {
        while !self.ended {
            self.draw();
            match screen::key() {
                // Control-C; and without its terminal it has nothing to do.
                Err(_) => return Ok(()),
                Ok(Some(key)) => {
                    if let Some(does) = meaning(&KEYS, key) {
                        self.over = does(self)?;
                    } else if let Some(to) = meaning(&SCROLL, key) {
                        self.over.as_mut().unwrap_or(&mut self.check).pane.scroll(to);
                    }
                }
                Ok(None) => {}
            }
            match self.saves.wait(Duration::ZERO) {
                News::Interrupted => return Ok(()),
                // Of a file that is gone the check says so.
                News::Saved | News::Gone => self.check_again()?,
                _ => {}
            }
            // Another puzzle, whose file the learner has changed and saved: that is worked on now.
            if let Some((when, other)) = last_saved(self.puzzles, self.turn.folder)
                && self.saved.replace(when) < Some(when)
                && other != self.turn.puzzle
                && is_tried(other, &self.turn.folder.file(other))
            {
                self.turn_to(other)?;
            }
        }
        Ok(())
    }

    /// Ends the check that runs, and begins another.
    fn check_again(&mut self) -> Result<()> {
        self.check = Shown::of(&self.turn.words(None))?;
        self.over = None;
        Ok(())
    }

    fn turn_to(&mut self, puzzle: &'a Puzzle) -> Result<()> {
        self.turn.turn_to(puzzle);
        self.saves.turn_to(&self.turn.file, "")?;
        self.check_again()
    }

    /// What its command says with this flag.
    fn told(&self, flag: &str) -> Result<Option<Shown>> {
        Shown::of(&self.turn.words(Some(flag))).map(Some)
    }

    /// All of them, not this one's.
    fn list(&self) -> Result<Option<Shown>> {
        let words = ["exercise", "--list"].map(String::from).into_iter();
        Shown::of(&words.chain(self.turn.of_set()).collect::<Vec<_>>()).map(Some)
    }

    /// What this command says of the kernel.
    fn inspected(&self, tool: &str) -> Result<Option<Shown>> {
        let (puzzle, file) = (self.turn.puzzle, self.turn.file.to_string_lossy());
        if puzzle.kind == Kind::Program {
            return Shown::text("  It is no kernel.");
        }
        Shown::of(&[tool, &puzzle.id, "--source", &file].map(String::from)).map(Some)
    }

    /// Nobody is to see it by mistake.
    fn solution(&self) -> Result<Option<Shown>> {
        if is_tried(self.turn.puzzle, &self.turn.file) {
            return self.told("--solution");
        }
        let command = self.turn.puzzle.command();
        let says = "You have not changed your file yet. The solution all the same:";
        Shown::text(format!("  {says}\n    {command} --solution"))
    }

    /// The page that the puzzle belongs to.
    fn page(&self) -> Result<Option<Shown>> {
        let page = Source::read(&workspace().join(&self.turn.puzzle.page))?;
        // A problem's solutions are not read by mistake.
        Shown::text(markdown(before_hints(&page.text), 0))
    }

    fn go_to_next(&mut self) -> Result<Option<Shown>> {
        let progress = self.turn.folder.progress();
        match progress.next_after(self.turn.puzzle, self.puzzles) {
            Some(next) if next != self.turn.puzzle => self.turn_to(next).map(|()| None),
            _ => Shown::text("  All others are solved."),
        }
    }

    /// The learner's editor has the terminal until it ends. What it saves is seen.
    fn edit(&mut self) -> Result<Option<Shown>> {
        screen::leave();
        // By a shell, since it may have flags.
        let script = r#"eval "${VISUAL:-${EDITOR:-vi}} \"\$1\"""#;
        let ended = Command::new("sh").args(["-c", script, "sh"]).arg(&self.turn.file).status();
        enter()?;
        match ended.is_ok_and(|status| status.success()) {
            true => Ok(None),
            false => Shown::text(
                "  The editor failed: VISUAL, else EDITOR, else vi. EDITOR names another.",
            ),
        }
    }

    fn draw(&mut self) {
        let progress = self.turn.folder.progress();
        let (done, all) = (progress.count_done(self.puzzles), self.puzzles.len());
        let blocks = (BAR * done).div_ceil(all.max(1));
        let bar = ["█".repeat(blocks), "░".repeat(BAR - blocks)].concat().green();
        let puzzle = self.turn.puzzle;
        let (seen, hints) = (progress.of(&puzzle.id).hints, puzzle.words.hints.len());
        let gauge = format!("{done} of {all} solved  {bar}  {seen} of {hints} hints seen");
        let state = self.state();
        // Where nothing lies over the check there is no way back.
        let keys = labels(&KEYS[usize::from(self.over.is_none())..BELOW]);
        let shown = self.over.as_mut().unwrap_or(&mut self.check);
        let said = shown.job.as_ref().map(Background::said).filter(|said| !said.is_empty());
        let text = said.as_ref().unwrap_or(&shown.page).trim_end();
        screen::draw(shown.pane.frame(&gauge, text, &state, &keys, screen::size()));
    }

    /// How it stands, in a line.
    fn state(&mut self) -> String {
        let Some(job) = &mut self.check.job else { return String::new() };
        // It tells the verdict before it ends.
        let is_busy = job.is_busy();
        let state = match job.verdict() {
            _ if is_busy => {
                let (seconds, most) = (job.begun.elapsed().as_secs(), self.turn.how.timeout);
                format!("checking, {seconds} s; a launch ends after {most} s").cyan()
            }
            Some(Verdict::Done) => " ✓ solved; n: next ".to_string().black().on_green().bold(),
            Some(Verdict::Unproven) => "~ right, not proven".to_string().yellow(),
            None | Some(Verdict::NotRun) => "? it did not run".to_string().yellow(),
            Some(_) => "✗ not solved yet; each save is checked".to_string().red(),
        };
        state.to_string()
    }
}

/// All keys in words.
fn all_keys() -> Result<Option<Shown>> {
    let keys = [labels(&KEYS), labels(&SCROLL)].concat();
    let keys: String = keys.iter().map(|key| format!("  {key}\n")).collect();
    let saves = "Each save is checked. Saving another exercise's file changes to that one.";
    Shown::text(keys + "\n" + saves)
}

/// A text that scrolls: what a command says, or a page.
#[derive(Default)]
struct Shown {
    /// The command that says it; none of a page.
    job: Option<Background>,
    /// The page, or what is shown until the command says something.
    page: String,
    pane: Pane,
}

impl Shown {
    fn text(page: impl Into<String>) -> Result<Option<Shown>> {
        Ok(Some(Shown { page: page.into(), ..Shown::default() }))
    }

    /// What this command says.
    fn of(words: &[String]) -> Result<Shown> {
        let job = Some(Background::start(words, true)?);
        Ok(Shown { job, page: "...".into(), ..Shown::default() })
    }
}

/// The puzzle whose file was saved last, and when.
fn last_saved<'a>(puzzles: &[&'a Puzzle], folder: &Folder) -> Option<(SystemTime, &'a Puzzle)> {
    let saved = puzzles.iter().filter_map(|puzzle| {
        let file = std::fs::metadata(folder.file(puzzle)).ok()?;
        Some((file.modified().ok()?, *puzzle))
    });
    saved.max_by_key(|(when, _)| *when)
}
