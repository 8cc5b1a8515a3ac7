//! `--notes`: what the speaker sees on a second terminal, while the first one shows the
//! lesson. It reads where the lesson is from that lesson's file of events, and changes
//! nothing.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use common::error::{Error, Result, UserRequest};
use console::Term;
use process::Signals;
use process::stage::{self, Place};
use text::screen::crossterm::event::KeyCode;
use text::screen::pane::Scroll;
use text::screen::{leave, take_keys};

use super::beat::Words;
use super::notes::Notes;
use super::piece::{bold, style};
use super::stage::{Key, Stage, View};

/// How often the first terminal is looked at.
const LOOK: Duration = Duration::from_millis(200);
const KEYS: [Key; 2] = [("Up Down PgUp PgDn", "scroll"), ("q", "quit")];

/// Follows a lesson until a key ends that; where there is no terminal, prints its notes.
///
/// # Errors
/// The wish to interrupt it, and what standard output says.
pub fn follow(lesson: u32, title: &str) -> Result<()> {
    let notes = Notes::of(lesson);
    let title = format!("Lesson {lesson}: {title}");
    let attended = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if !attended || !Term::stderr().is_term() || console::is_dumb() {
        let mut out = std::io::stdout();
        for line in [vec![title], all(&notes)].concat() {
            writeln!(out, "{}", console::strip_ansi_codes(&line))?;
        }
        return Ok(());
    }
    let signals = Signals::heard();
    let stage = Stage::enter(false)?;
    take_keys();
    let done = show(&stage, lesson, &title, &notes, &signals);
    leave();
    signals.obey();
    match done {
        Err(Error::Asked(UserRequest::Quit)) => Ok(()),
        done => done,
    }
}

/// Shows where the lesson is, again and again.
fn show(stage: &Stage, lesson: u32, title: &str, notes: &Notes, signals: &Signals) -> Result<()> {
    let (mut shown, mut slide) = (Vec::new(), None);
    while !signals.came() {
        let places = stage::places(lesson);
        let page = page(notes, &places, stage::now());
        let page = page.unwrap_or_else(|| waiting(lesson, notes));
        // Another screen is read from its top; a minute later it is the same.
        let now = places
            .last()
            .map(|place| (place.title.clone(), place.question.clone()));
        let is_new = shown.is_empty() || now != slide;
        if is_new || page != shown {
            let mut view = View::of(page.clone(), &KEYS);
            view.title = Some(title.into());
            stage.show(view, is_new);
            (shown, slide) = (page, now);
        }
        match stage.key_within(LOOK)? {
            Some(KeyCode::Char('q') | KeyCode::Esc) => return Ok(()),
            key => drop(key.and_then(Scroll::of).map(|to| stage.scroll(to))),
        }
    }
    Ok(())
}

/// What the speaker sees while the lesson is shown.
fn page(notes: &Notes, places: &[Place], now: u64) -> Option<Vec<String>> {
    let place = places.last()?;
    let begun = places.iter().map(|place| place.at).find(|at| *at > 0);
    let used = now.saturating_sub(begun.unwrap_or(now)) / 60;
    let at = notes.reached(places);
    let mut lines = vec![time(notes, at, used), String::new()];
    lines.push(format!("  On the screen  {}", bold(&place.title)));
    if !place.question.is_empty() {
        lines.push(format!("  Its question   {}", place.question));
    }
    let after = at.and_then(|at| notes.parts.get(at + 1));
    let next = match place.next.as_str() {
        "" => after.map_or("the end", |part| &part.name),
        kernel => kernel,
    };
    lines.push(format!("  What comes     {next}"));
    let mut tell = |heading: String, text: &[String]| {
        lines.extend([String::new(), bold(format!("  {heading}"))]);
        lines.extend(text.iter().map(|line| format!("  {line}")));
    };
    if let Some(part) = at.map(|at| &notes.parts[at]) {
        tell(part.heading(), &part.lines);
    }
    if let Some(words) = Words::named(&place.beat) {
        let heading = format!("If somebody asks: {}", words.title);
        tell(heading, &[words.explains()]);
    }
    if let Some(after) = after {
        tell(format!("Then: {}", after.heading()), &after.lines);
    }
    Some(lines)
}

/// Minutes used and left, of the lesson and of this part.
fn time(notes: &Notes, part: Option<usize>, used: u64) -> String {
    let all = notes.minutes;
    let left = match all.checked_sub(used) {
        Some(left) => format!("{left} min left"),
        None => style(format!("{} min over", used - all)).red().to_string(),
    };
    let until = part.map_or(all, |part| notes.until(part));
    let late = match used.saturating_sub(until) {
        0 => "in time".into(),
        late => style(format!("{late} min behind")).yellow().to_string(),
    };
    format!("  {used} min used, {left} of {all}; this part ends at minute {until}: {late}")
}

/// What the speaker sees before the lesson is shown, and after.
fn waiting(lesson: u32, notes: &Notes) -> Vec<String> {
    let command = bold(format!("cargo run -p lesson{lesson:02} -- --present"));
    let begin = format!("  Nobody shows this lesson now. In another terminal: {command}");
    let notes = all(notes).into_iter().map(|line| format!("  {line}"));
    [begin, String::new()].into_iter().chain(notes).collect()
}

/// All notes of a lesson.
fn all(notes: &Notes) -> Vec<String> {
    let mut lines = notes.begin.clone();
    for part in &notes.parts {
        lines.extend([String::new(), bold(part.heading())]);
        lines.extend(part.lines.clone());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speaker_sees_notes_minutes_the_question_and_what_comes() {
        console::set_colors_enabled_stderr(false);
        let place = |beat: &str, kernel: &str, at| Place {
            lesson: 5,
            title: "title".into(),
            beat: beat.into(),
            kernel: kernel.into(),
            question: "How many?".into(),
            next: "matmul_private_sums x2".into(),
            at,
        };
        let places = [
            place("Device", "", 1000),
            place("Time", "matmul_private_sum", 1100),
        ];
        let notes = Notes::of(5);
        let at = |now| page(&notes, &places, now).unwrap().join("\n");
        let shown = at(1000 + 7 * 60 + 5);
        for words in [
            "7 min used, 18 min left of 25",
            "On the screen  title",
            "How many?",
            "What comes     matmul_private_sums x2",
            "Then: matmul_private_sums, 10 minutes",
            "matmul_private_sum, ",
            "Ask:",
            "If somebody asks: timing",
        ] {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
        let late = at(1000 + 60 * 60);
        assert!(late.contains("35 min over of 25"), "{late}");
    }
}
