//! `--watch` on a terminal: a screen that checks a puzzle's file after every save, with a key
//! for everything else. What the keys show is what the commands of the same names print: each
//! is run as a process, which the next key or save ends.

use std::io::{IsTerminal, stdin, stdout};
use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use common::Error;
use common::file::workspace;
use common::source::Source;
use crossterm::event::KeyCode::{self, Backspace, Char, Enter, Esc};
use crossterm::style::Stylize;
use diagnostics::terminal::stream::Stream;
use diagnostics::terminal::wrap::lines;
use lesson::step::pane::{Key, Pane, SCROLL, meaning, name, named};
use lesson::step::screen::{self, Input, input_within};
use watchdog::watch::{News, Saves};

use super::background::Background;
use super::folder::Folder;
use super::is_tried;
use super::puzzle::{Kind, Puzzle};
use super::turn::Turn;
use super::verdict::Verdict;
use super::written::{before_hints, markdown};

/// How long a key is waited for until files and checks are looked at.
const TICK: Duration = Duration::from_millis(100);

/// The columns of the bar of what is solved.
const BAR: usize = 30;

/// Goes to the next one.
const NEXT: KeyCode = Char('n');

/// What a key does, and what lies over the check then.
type Does = for<'a> fn(&mut Front<'a>) -> Result<Over>;

/// The keys.
#[rustfmt::skip]
const KEYS: [Key<Does>; 14] = [
    (&[Esc, Backspace, Enter], "back", |_| Ok(Over::Nothing)),
    (&[Char('h')], "hint", |front| front.told("--hint")),
    (&[Char('s')], "solution", |front| front.solution()),
    (&[NEXT], "next", |front| front.go_to_next()),
    (&[Char('l')], "list", |front| front.list()),
    (&[Char('?')], "keys", |_| Ok(Over::text(all_keys()))),
    (&[Char('q')], "quit", |_| Ok(Over::End)),
    (&[Char('e')], "your editor ($VISUAL or $EDITOR) with this file", |front| front.edit()),
    (&[Char('d')], "what differs between your file and the solution", |front| front.told("--diff")),
    (&[Char('t')], "the memory traffic of each line", |front| front.inspected("trace")),
    (&[Char('a')], "the innermost loop in machine code", |front| front.inspected("asm")),
    (&[Char('o')], "the page that is about it", |front| front.page()),
    (&[Char('r')], "check it once more", |front| front.check_again().map(|()| Over::Nothing)),
    (&[Char('x')], "the file as it came; yours is kept beside it", |front| front.told("--reset")),
];
/// So many of them stand below the screen.
const BELOW: usize = 7;

/// What lies over the check.
enum Over {
    Nothing,
    Text(Shown),
    /// It was ended.
    End,
}

/// Whether there is a screen, and somebody who has keys.
pub fn is_possible() -> bool {
    let is_plain = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_plain
}

/// Opens the screen of one of these puzzles.
pub fn open(puzzles: &[&Puzzle], turn: Turn) -> Result<ExitCode> {
    let mut front = Front {
        saves: Saves::of(&[&turn.file], "")?,
        saved: last_saved(puzzles, turn.folder).map(|(when, _)| when),
        check: Shown::of(&turn.words(None))?,
        puzzles,
        turn,
        over: Over::Nothing,
        drawn: Vec::new(),
    };
    enter()?;
    let ran = front.run();
    screen::leave();
    ran.map(|()| ExitCode::SUCCESS)
}

fn enter() -> Result<()> {
    screen::enter(Stream::Output, None).map_err(Error::Io)?;
    screen::take_keys();
    Ok(())
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
    over: Over,
    /// What is seen.
    drawn: Vec<String>,
}

impl<'a> Front<'a> {
    fn run(&mut self) -> Result<()> {
        loop {
            self.draw();
            match input_within(TICK) {
                // Without its terminal it has nothing to do.
                Err(_) | Ok(Some(Input::Interrupt)) => return Ok(()),
                Ok(Some(Input::Resized)) => self.drawn.clear(),
                Ok(Some(Input::Key(key))) => self.answer(key)?,
                Ok(None) => {}
            }
            if matches!(self.over, Over::End) {
                return Ok(());
            }
            match self.saves.wait(Duration::ZERO) {
                News::Interrupted => return Ok(()),
                // Of a file that is gone the check says so.
                News::Saved | News::Gone => self.check_again()?,
                _ => {}
            }
            if let Some(other) = self.saved_elsewhere() {
                self.turn_to(other)?;
            }
        }
    }

    /// Ends the check that runs, and begins another.
    fn check_again(&mut self) -> Result<()> {
        self.check = Shown::of(&self.turn.words(None))?;
        self.over = Over::Nothing;
        Ok(())
    }

    fn turn_to(&mut self, puzzle: &'a Puzzle) -> Result<()> {
        self.turn.turn_to(puzzle);
        self.saves.turn_to(&self.turn.file, "")?;
        self.check_again()
    }

    /// Another puzzle, whose file the learner has changed and saved: that is worked on now.
    fn saved_elsewhere(&mut self) -> Option<&'a Puzzle> {
        let (when, other) = last_saved(self.puzzles, self.turn.folder)?;
        if self.saved.replace(when) >= Some(when) || other == self.turn.puzzle {
            return None;
        }
        is_tried(other, &self.turn.folder.file(other)).then_some(other)
    }

    fn answer(&mut self, key: KeyCode) -> Result<()> {
        if let Some(does) = meaning(&KEYS, key) {
            self.over = does(self)?;
        } else if let Some(to) = meaning(&SCROLL, key) {
            let shown = match &mut self.over {
                Over::Text(shown) => shown,
                _ => &mut self.check,
            };
            shown.pane.scroll(to);
        }
        Ok(())
    }

    /// What its command says with this flag.
    fn told(&self, flag: &str) -> Result<Over> {
        Ok(Over::Text(Shown::of(&self.turn.words(Some(flag)))?))
    }

    /// All of them, not this one's.
    fn list(&self) -> Result<Over> {
        let words = ["exercise", "--list"].map(String::from).into_iter();
        Ok(Over::Text(Shown::of(&words.chain(self.turn.of_set()).collect::<Vec<_>>())?))
    }

    /// What this command says of the kernel.
    fn inspected(&self, tool: &str) -> Result<Over> {
        let (puzzle, file) = (self.turn.puzzle, self.turn.file.to_string_lossy());
        if puzzle.kind == Kind::Program {
            return Ok(Over::text("  It is no kernel.".into()));
        }
        let words = [tool, &puzzle.id, "--source", &file].map(String::from);
        Ok(Over::Text(Shown::of(&words)?))
    }

    /// Nobody is to see it by mistake.
    fn solution(&self) -> Result<Over> {
        if is_tried(self.turn.puzzle, &self.turn.file) {
            return self.told("--solution");
        }
        let command = self.turn.puzzle.command();
        let says = "You have not changed your file yet. The solution all the same:";
        Ok(Over::text(format!("  {says}\n    {command} --solution")))
    }

    /// The page that the puzzle belongs to.
    fn page(&self) -> Result<Over> {
        let page = Source::read(&workspace().join(&self.turn.puzzle.page))?;
        // A problem's solutions are not read by mistake.
        Ok(Over::text(markdown(before_hints(&page.text), 0)))
    }

    fn go_to_next(&mut self) -> Result<Over> {
        let progress = self.turn.folder.progress();
        match progress.next_after(self.turn.puzzle, self.puzzles) {
            Some(next) if next != self.turn.puzzle => self.turn_to(next).map(|()| Over::Nothing),
            _ => Ok(Over::text("  All others are solved.".into())),
        }
    }

    /// The learner's editor has the terminal until it ends. What it saves is seen.
    fn edit(&mut self) -> Result<Over> {
        let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
        let editor = { named }.find(|name| !name.is_empty());
        let editor = editor.unwrap_or("vi".into());
        screen::leave();
        // By a shell, since it may have flags.
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{editor} \"$1\""), "sh"]);
        let ended = shell.arg(&self.turn.file).status();
        enter()?;
        self.drawn.clear();
        Ok(match ended.is_ok_and(|status| status.success()) {
            true => Over::Nothing,
            false => Over::text(format!("  {editor} failed; EDITOR names another")),
        })
    }

    fn draw(&mut self) {
        let size = screen::size();
        let progress = self.turn.folder.progress();
        let done = progress.count_done(self.puzzles);
        let all = self.puzzles.len();
        let blocks = (BAR * done).div_ceil(all.max(1));
        let bar = ["█".repeat(blocks), "░".repeat(BAR - blocks)].concat();
        let (puzzle, bar) = (self.turn.puzzle, bar.green());
        let (seen, hints) = (progress.of(&puzzle.id).hints, puzzle.words.hints.len());
        let gauge = format!("{done} of {all} solved  {bar}  {seen} of {hints} hints seen");
        let keys = self.keys();
        let state = self.state();
        let (pane, text) = match &mut self.over {
            Over::Text(shown) => shown.laid_out(size.0),
            _ => self.check.laid_out(size.0),
        };
        let rows = pane.frame(vec![gauge], text, &state, &keys, size);
        // What is timed meanwhile may need this very core.
        if rows != self.drawn {
            screen::draw(&rows);
            self.drawn = rows;
        }
    }

    /// How it stands, in a line.
    fn state(&mut self) -> String {
        let Some(job) = &mut self.check.job else {
            return String::new();
        };
        // It tells the verdict before it ends.
        let is_busy = job.is_busy();
        let state = match job.verdict() {
            _ if is_busy => {
                let (seconds, most) = (job.begun.elapsed().as_secs(), self.turn.how.timeout);
                format!("checking, {seconds} s; a launch ends after {most} s").cyan()
            }
            Some(Verdict::Done) => {
                format!(" ✓ solved; {}: next ", name(NEXT)).black().on_green().bold()
            }
            Some(Verdict::Unproven) => "~ right, not proven".to_string().yellow(),
            None | Some(Verdict::NotRun) => "? it did not run".to_string().yellow(),
            Some(_) => "✗ not solved yet; each save is checked".to_string().red(),
        };
        state.to_string()
    }

    /// The keys below what is seen now.
    fn keys(&self) -> Vec<(String, String)> {
        // Where nothing lies over the check there is no way back.
        named(&KEYS[usize::from(!matches!(self.over, Over::Text(_)))..BELOW])
    }
}

/// All keys in words.
fn all_keys() -> String {
    let keys = [named(&KEYS), named(&SCROLL)].concat();
    let keys = keys.iter().map(|(key, does)| format!("  {key}  {does}\n"));
    let saves = "Each save is checked. Saving another exercise's file changes to that one.";
    keys.collect::<String>() + "\n" + saves
}

impl Over {
    fn text(page: String) -> Self {
        Over::Text(Shown { page, ..Shown::default() })
    }
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
    /// What this command says.
    fn of(words: &[String]) -> Result<Shown> {
        let job = Some(Background::start(words, true)?);
        Ok(Shown { job, page: "...".into(), ..Shown::default() })
    }

    /// All of it so far, colours and all, in lines of so many columns.
    fn laid_out(&mut self, columns: usize) -> (&mut Pane, Vec<String>) {
        let said = self.job.as_ref().map(Background::said).filter(|said| !said.is_empty());
        let text = said.as_ref().unwrap_or(&self.page);
        (&mut self.pane, lines(text.trim_end(), columns))
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
