//! The list of kernels to jump to: those that were told, and those that come.

use common::error::{Error, Result, UserRequest};
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

/// A kernel to jump to, and what is said of it.
pub(super) struct Row {
    kernel: String,
    says: String,
    target: Target,
}

/// A row for each kernel that was told, and for each of the `programme` that was not.
pub(super) fn rows(story: &[Slide], results: &[Bar], programme: &[String]) -> Vec<Row> {
    let told = story
        .iter()
        .enumerate()
        .filter(|(_, slide)| slide.beat == Some(Beat::Kernel));
    let told = told.map(|(at, slide)| {
        let kernel = slide.cards.name();
        let bar = results.iter().find(|bar| bar.name == kernel);
        let says = bar.map_or("told".into(), Bar::says);
        (kernel, says, Target::Told(at))
    });
    let ahead = programme.iter().map(|kernel| {
        let target = Target::Ahead(kernel.clone());
        (kernel.as_str(), "ahead".into(), target)
    });
    let mut rows: Vec<Row> = Vec::new();
    for (kernel, says, target) in told.chain(ahead) {
        if rows.iter().all(|row| row.kernel != kernel) {
            let kernel = kernel.into();
            rows.push(Row {
                kernel,
                says,
                target,
            });
        }
    }
    rows
}

/// Has somebody choose a row.
pub(super) fn choose(stage: &Stage, rows: &[Row]) -> Result<Option<Target>> {
    let is_told = |row: &&Row| matches!(row.target, Target::Told(_));
    let last = rows.len().saturating_sub(1);
    let mut chosen = rows.iter().filter(is_told).count().saturating_sub(1);
    loop {
        stage.show_anew(shown(rows, chosen));
        chosen = match stage.key()? {
            KeyCode::Up | KeyCode::Char('k') => chosen.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => last.min(chosen + 1),
            KeyCode::Home | KeyCode::PageUp => 0,
            KeyCode::End | KeyCode::PageDown => last,
            KeyCode::Enter | KeyCode::Right => {
                return Ok(rows.get(chosen).map(|row| row.target.clone()));
            }
            KeyCode::Esc | KeyCode::Left | KeyCode::Char('b') => return Ok(None),
            KeyCode::Char('q') => return Err(Error::Asked(UserRequest::Quit)),
            _ => chosen,
        };
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
        let line = format!(" {:<width$}  {}", row.kernel, row.says);
        if i == chosen {
            style(format!(">{line}")).reverse().to_string()
        } else {
            format!(" {line}")
        }
    }));
    View {
        marked: Some(ABOVE + chosen),
        ..View::of(lines, &KEYS)
    }
}
