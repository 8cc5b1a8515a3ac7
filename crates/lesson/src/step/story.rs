//! What was told, screen by screen, and the keys that lead through it. On a terminal of its own each
//! screen has a headline, text in lines of at most 80 columns (with `--present` in 60, with fewer
//! words), and the keys at the bottom.

use common::error::{Error, Result, UserRequest};
use common::session::Call;
use console::{Term, measure_text_width};
use crossterm::event::KeyCode::{
    self, Backspace, Char, Down, Enter, Esc, Left, PageDown, PageUp, Right, Up,
};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use diagnostics::terminal::wrap;
use indicatif::ProgressBar;
use watchdog::events::{Event, Sender};

use super::card::{Card, Part, Words, bold, style};
use super::pane::{Key, Pane, SCROLL, SPACE, Scroll, label, labels, meaning};
use super::screen;

/// What a key does between the steps.
#[derive(Clone, Copy)]
enum Does {
    Next,
    Back,
    Why,
    Kernel,
    Ahead,
    Now,
    Quit,
}

/// The keys on the screen that was told last, or on one before it.
fn keys(is_now: bool) -> [Key<Does>; 6] {
    let (next, other): (_, Key<Does>) = match is_now {
        true => ("next", (&[Char('n')], "ahead", Does::Ahead)),
        false => ("forward", (&[Esc], "now", Does::Now)),
    };
    [
        (&[Enter, SPACE, Right, PageDown], next, Does::Next),
        (&[Char('b'), Left, PageUp], "back", Does::Back),
        (&[Char('w')], "why", Does::Why),
        (&[Char('k')], "kernel", Does::Kernel),
        other,
        (&[Char('q')], "quit", Does::Quit),
    ]
}

/// Those that turn its pages first, where it has any.
const TURN: [Key<Scroll>; 2] = [
    (&[Down, PageDown, Right, SPACE, Enter], "", Scroll::NextPage),
    (&[Up, PageUp], "", Scroll::PageBefore),
];
/// What leads back from a text.
const BACK: [Key<()>; 1] = [(&[Esc, Enter, Left, Char('b'), Char('q')], "back", ())];
/// Those where a number is asked for.
#[rustfmt::skip]
const ASKED: [Key<Does>; 3] = [
    (&[Enter], "(alone: skip)", Does::Next),
    (&[Backspace], "", Does::Back),
    (&[Char('q')], "quit", Does::Quit),
];

/// A screen: what was told in a part of the lesson, and what there is to show when asked.
pub(super) struct Slide {
    title: String,
    text: String,
    why: String,
    kernel: String,
}

/// What is told, to whom, and on which screen.
pub(super) struct State {
    /// How often it was asked to say nothing, and to await no key.
    pub quiet: usize,
    /// The lesson's title.
    pub title: String,
    /// To a room, through a projector.
    pub present: bool,
    /// Standard input and standard error are a terminal, which it has taken.
    pub attended: bool,
    /// Drawn where it has no terminal, while something takes long.
    pub spinner: ProgressBar,
    /// To tell the watching process that a person is awaited.
    pub events: Sender,
    /// Everything that was told.
    pub story: Vec<Slide>,
    pub part: Option<Part>,
    /// How its first screen is called.
    pub headline: String,
    /// What takes time now.
    pub busy: String,
    /// Something was told since a key was last awaited.
    pub unseen: bool,
    /// Do not wait before the next kernel, its question, or its result.
    pub hurried: bool,
    /// The kernel that was begun last.
    pub card: Option<Card>,
    /// What the room expects of the kernel, as it was typed.
    pub prediction: Option<f64>,
}

impl State {
    /// Begins a part of the lesson, with this mark behind its title: "matmul_naive: building", as
    /// far as it belongs to a kernel.
    pub fn begin(&mut self, part: Part, mark: &str) {
        use Part::*;
        self.part = Some(part);
        let Words { title, says, .. } = part.words();
        let says = says[usize::from(self.present)].to_string();
        let (title, says) = match (&self.card, part) {
            (None, _) | (_, Drivers | Device | Properties | Limits) => (title.into(), says),
            (Some(card), Kernel) => (format!("kernel {}", card.name), card.says.clone()),
            (Some(card), _) => (format!("{}: {title}{mark}", card.name), says),
        };
        self.headline.clone_from(&title);
        self.turn(title);
        if !says.is_empty() {
            self.note(&style(says).dim().to_string());
        }
    }

    /// Begins a screen.
    pub fn turn(&mut self, title: String) {
        self.unseen = true;
        self.print(&format!("\n{}", headline(&title, self.columns())));
        // Why a part is, and what is new in the kernel and why, as the lesson and the kernel's own
        // comment say it.
        let mut why = self.part.map_or(String::new(), |part| {
            format!("{}\n\n{}\n\n", bold(&self.headline), part.words().why.replace('\n', " "))
        });
        let mut kernel = "No kernel has begun yet.".to_string();
        if let Some(Card { name, says, facts, comment, marked, .. }) = &self.card {
            let facts: String = facts.iter().map(|fact| format!("{fact}\n")).collect();
            why += &format!("{}\n{facts}\n{comment}", bold(format!("{name}: {says}")));
            kernel.clone_from(marked);
        }
        self.story.push(Slide { title, text: String::new(), why, kernel });
    }

    /// Tells something that is no call.
    pub fn note(&mut self, text: &str) {
        let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
        self.tell(&lines.join("\n"));
    }

    /// Tells a call with its arguments; the result behind it, or below where there is no room.
    pub fn call(&mut self, call: &Call) {
        let returned = style(&call.returned);
        let returned = match call.failed {
            true => returned.red().bold(),
            false => returned.green(),
        };
        let arguments = call.arguments.iter();
        let shown = arguments.filter(|argument| !(self.present && argument.starts_with('~')));
        let shown: Vec<&str> = shown.map(|argument| argument.trim_start_matches('~')).collect();
        let arguments = shown.join(", ");
        let call = format!("  {}({arguments})", style(call.name).cyan().bold());
        let line = format!("{call} -> {returned}");
        self.tell(&match measure_text_width(&line) <= self.columns() {
            true => line,
            false => format!("{call}\n      -> {returned}"),
        });
    }

    /// Tells something, on the screen that was begun last.
    pub fn tell(&mut self, text: &str) {
        self.unseen = true;
        self.print(text);
        if let Some(slide) = self.story.last_mut() {
            slide.text += &format!("{text}\n");
        }
        self.draw();
    }

    fn columns(&self) -> usize {
        if self.present { 60 } else { 80 }
    }

    /// Lines on standard error, where it has no terminal, with the spinner out of the way. A reader
    /// that has gone away is no error.
    fn print(&self, text: &str) {
        if !self.attended {
            let lines = wrap::lines(text, self.columns());
            let line = |line: &String| drop(Term::stderr().write_line(line));
            self.spinner.suspend(|| lines.iter().for_each(line));
        }
    }

    /// Shows the screen that was begun last, while no key is awaited.
    pub fn draw(&self) {
        if self.attended
            && let Some(Slide { title, text, .. }) = self.story.last()
        {
            self.show(&mut Pane::default(), [title, text, &self.busy], &[]);
        }
    }

    fn show(&self, pane: &mut Pane, [title, text, status]: [&str; 3], keys: &[String]) {
        let (columns, rows) = screen::size();
        let columns = columns.min(self.columns());
        let head = if title.is_empty() { String::new() } else { headline(title, columns) };
        screen::draw(pane.frame(&head, text.trim_end(), status, keys, (columns, rows)));
    }

    /// Waits for a key, if there is somebody to press one and something to read.
    pub fn pause(&mut self) -> Result<()> {
        let is_to_read = std::mem::take(&mut self.unseen) && !self.story.is_empty();
        match is_to_read && self.attended && !self.hurried {
            true => self.while_paused(State::answer_keys),
            false => Ok(()),
        }
    }

    /// Does something that a person may take any time for: the process that watches must not take
    /// it for a hang.
    pub fn while_paused<T>(&mut self, wait: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let paused = self.events.send(&Event::Paused);
        self.busy.clear();
        // A terminal that has gone away gives no keys: the first one that is awaited says so.
        let _ = enable_raw_mode();
        let waited = wait(self);
        let _ = disable_raw_mode();
        paused.and(self.events.send(&Event::Resumed))?;
        waited
    }

    /// Shows this, scrolls it, and waits for a key that does not. Control-C and a
    /// terminal that has gone away are errors: wishes to end.
    fn key(
        &self,
        pane: &mut Pane,
        shown: [&str; 3],
        labels: &[String],
        scrolls: &[Key<Scroll>],
    ) -> Result<KeyCode> {
        loop {
            self.show(pane, shown, labels);
            match screen::key() {
                Ok(Some(key)) => match meaning(scrolls, key) {
                    Some(to) if pane.scroll(to) => {}
                    _ => return Ok(key),
                },
                Ok(None) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                    return Err(Error::Asked(UserRequest::Interrupt));
                }
                Err(_) => return Err(Error::Asked(UserRequest::Quit)),
            }
        }
    }

    /// Answers keys until one leads on from the screen that was told last; the others lead back
    /// through what was told, and to what more there is to say.
    fn answer_keys(&mut self) -> Result<()> {
        let now = self.story.len() - 1;
        let mut at = now;
        loop {
            let (keys, slide) = (keys(at == now), &self.story[at]);
            let shown = [&*slide.title, &*slide.text, ""];
            match meaning(&keys, self.key(&mut Pane::default(), shown, &labels(&keys), &TURN)?) {
                Some(Does::Next) if at == now => return Ok(()),
                Some(Does::Next) => at += 1,
                Some(Does::Back) => at = at.saturating_sub(1),
                Some(Does::Now) => at = now,
                Some(Does::Ahead) => {
                    self.hurried = true;
                    return Ok(());
                }
                Some(Does::Why) => self.read(&slide.why)?,
                Some(Does::Kernel) => self.read(&slide.kernel)?,
                Some(Does::Quit) => return Err(Error::Asked(UserRequest::Quit)),
                None => {}
            }
        }
    }

    /// Shows a text until a key leads back.
    fn read(&self, text: &str) -> Result<()> {
        let labels = [labels(&SCROLL), labels(&BACK)].concat();
        // A key that leads nowhere leaves the reader at the line where he is.
        let mut pane = Pane::default();
        let shown = ["", text, ""];
        while meaning(&BACK, self.key(&mut pane, shown, &labels, &SCROLL)?).is_none() {}
        Ok(())
    }

    /// A number that is typed, or nothing.
    pub fn number(&mut self, what: &str, such_as: &str) -> Result<Option<f64>> {
        let Some(Slide { title, text, .. }) = self.story.last() else { return Ok(None) };
        let labels = [vec![label(what, such_as)], labels(&ASKED)].concat();
        let mut typed = String::new();
        loop {
            let shown = [&**title, text, &format!("  > {typed}")];
            let key = self.key(&mut Pane::default(), shown, &labels, &[])?;
            match (meaning(&ASKED, key), key) {
                (Some(Does::Quit), _) => return Err(Error::Asked(UserRequest::Quit)),
                (Some(Does::Back), _) => drop(typed.pop()),
                (Some(_), _) => match parse(&typed) {
                    None if !typed.is_empty() => typed.clear(),
                    number => return Ok(number),
                },
                (_, Char(c)) if typed.len() < 12 && "0123456789.,x%".contains(c) => typed.push(c),
                _ => {}
            }
        }
    }
}

fn headline(title: &str, columns: usize) -> String {
    let rest = columns.saturating_sub(measure_text_width(title) + 4);
    bold(format!("── {title} {}", "─".repeat(rest)))
}

/// `2`, `0.5`, `0,5`, `2x`, `30%`; nothing below or at zero.
fn parse(typed: &str) -> Option<f64> {
    let number = typed.trim_end_matches(['x', '%']).replace(',', ".");
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_understood_as_people_type_them() {
        for (typed, number) in [("2", 2.0), ("0,5", 0.5), ("2.5x", 2.5), ("30%", 30.0)] {
            assert_eq!(parse(typed), Some(number));
        }
        for nothing in ["", "x", "0", "1.2.3", "%"] {
            assert_eq!(parse(nothing), None, "{nothing}");
        }
    }
}
