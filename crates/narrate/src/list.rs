//! The list of kernels to jump to: those that were told, and those that come.

use common::error::{Error, Result, UserRequest};
use common::numbers::significant;
use text::screen::crossterm::event::KeyCode;

use super::bars::Bar;
use super::beat::Beat;
use super::piece::{bold, style};
use super::stage::{Key, Stage, View};
use super::state::Slide;

const KEYS: [Key; 4] = [
    ("Up Down", "choose"),
    ("Enter", "go there"),
    ("Esc", "back"),
    ("q", "quit"),
];
/// Lines above the first row.
const ABOVE: usize = 2;

/// Where a row leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To this screen of before.
    Told(usize),
    /// To this kernel, which has not begun.
    Ahead(String),
}

/// A kernel to jump to.
#[derive(Clone, Debug)]
pub(super) struct Row {
    kernel: String,
    says: String,
    target: Target,
}

/// A row for each kernel that was told, and for each of the `programme` that was not.
pub(super) fn rows(story: &[Slide], results: &[Bar], programme: &[String]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (at, slide) in story.iter().enumerate() {
        let kernel = slide.cards.name();
        let begins = slide.beat == Some(Beat::Kernel);
        if begins && rows.iter().all(|row| row.kernel != kernel) {
            let known = results.iter().find(|bar| bar.name == kernel);
            let rate = known.map(|bar| format!("{} {}", significant(bar.rate), bar.unit));
            rows.push(Row {
                kernel: kernel.into(),
                says: rate.unwrap_or("told".into()),
                target: Target::Told(at),
            });
        }
    }
    for kernel in programme {
        if rows.iter().all(|row| row.kernel != *kernel) {
            rows.push(Row {
                kernel: kernel.clone(),
                says: "ahead".into(),
                target: Target::Ahead(kernel.clone()),
            });
        }
    }
    rows
}

/// Has somebody choose a row.
pub(super) fn choose(stage: &Stage, rows: &[Row]) -> Result<Option<Target>> {
    let is_told = |row: &&Row| matches!(row.target, Target::Told(_));
    let told = rows.iter().filter(is_told).count();
    let mut chosen = told.saturating_sub(1);
    loop {
        stage.show_anew(shown(rows, chosen));
        chosen = match stage.key()? {
            KeyCode::Up | KeyCode::Char('k') => chosen.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => chosen + 1,
            KeyCode::Home | KeyCode::PageUp => 0,
            KeyCode::End | KeyCode::PageDown => rows.len(),
            KeyCode::Enter | KeyCode::Right => {
                return Ok(rows.get(chosen).map(|row| row.target.clone()));
            }
            KeyCode::Esc | KeyCode::Left | KeyCode::Char('b') => return Ok(None),
            KeyCode::Char('q') => return Err(Error::Asked(UserRequest::Quit)),
            _ => chosen,
        };
        chosen = chosen.min(rows.len().saturating_sub(1));
    }
}

fn shown(rows: &[Row], chosen: usize) -> View {
    let names = rows.iter().map(|row| row.kernel.chars().count());
    let width = names.max().unwrap_or(0);
    let mut lines = vec![bold("The kernels of this lesson"), String::new()];
    if rows.is_empty() {
        lines.push("No kernel is known yet: the first table names its own.".into());
    }
    lines.extend(rows.iter().enumerate().map(|(i, row)| {
        let mark = if i == chosen { '>' } else { ' ' };
        let line = format!("{mark} {:<width$}  {}", row.kernel, row.says);
        if i == chosen {
            style(line).reverse().to_string()
        } else {
            line
        }
    }));
    View {
        marked: Some(ABOVE + chosen),
        ..View::of(lines, &KEYS)
    }
}
