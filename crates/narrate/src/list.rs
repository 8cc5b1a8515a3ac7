//! The list of kernels to jump to: those that were told, and those that come.

use common::error::{Error, Result, UserRequest};
use text::screen::crossterm::event::KeyCode::{self, Char};

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

/// A kernel to jump to, what is said of it, and where it leads.
pub(super) type Row = (String, String, Target);

/// A row for each kernel that was told, and for each of the `programme` that was not.
pub(super) fn rows(story: &[Slide], results: &[Bar], programme: &[String]) -> Vec<Row> {
    let told = story.iter().enumerate();
    let told = told.filter(|(_, slide)| slide.beat == Some(Beat::Kernel));
    let told = told.map(|(at, slide)| {
        let kernel = slide.cards.name();
        let bar = results.iter().find(|bar| bar.name == kernel);
        let says = bar.map_or("told".into(), Bar::says);
        (kernel.to_string(), says, Target::Told(at))
    });
    let ahead = programme.iter();
    let ahead = ahead.map(|name| (name.clone(), "ahead".into(), Target::Ahead(name.clone())));
    let mut rows: Vec<Row> = Vec::new();
    for row in told.chain(ahead) {
        if rows.iter().all(|(kernel, ..)| *kernel != row.0) {
            rows.push(row);
        }
    }
    rows
}

/// Has somebody choose a row.
pub(super) fn choose(stage: &Stage, rows: &[Row]) -> Result<Option<Target>> {
    let is_told = |row: &&Row| matches!(row.2, Target::Told(_));
    let last = rows.len().saturating_sub(1);
    let mut chosen = rows.iter().filter(is_told).count().saturating_sub(1);
    loop {
        stage.show_from(shown(rows, chosen), 0);
        chosen = match stage.key()? {
            KeyCode::Up | Char('k') => chosen.saturating_sub(1),
            KeyCode::Down | Char('j') => last.min(chosen + 1),
            KeyCode::Home | KeyCode::PageUp => 0,
            KeyCode::End | KeyCode::PageDown => last,
            KeyCode::Enter | KeyCode::Right => {
                return Ok(rows.get(chosen).map(|(.., target)| target.clone()));
            }
            KeyCode::Esc | KeyCode::Left | Char('b') => return Ok(None),
            Char('q') => return Err(Error::Asked(UserRequest::Quit)),
            _ => chosen,
        };
    }
}

fn shown(rows: &[Row], chosen: usize) -> View {
    let names = rows.iter().map(|(kernel, ..)| kernel.chars().count());
    let width = names.max().unwrap_or(0);
    let mut lines = vec![bold("The kernels of this lesson"), String::new()];
    if rows.is_empty() {
        lines.push("No kernel is known yet: the first table names its own.".into());
    }
    lines.extend(rows.iter().enumerate().map(|(i, (kernel, says, _))| {
        let line = format!(" {kernel:<width$}  {says}");
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
