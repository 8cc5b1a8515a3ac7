//! What is asked: for a prediction, and to which kernel to jump, of those that were told and
//! those that come.

use common::error::{Error, Result, UserRequest};
use text::screen::crossterm::event::KeyCode::{self, Char};

use super::beat::Beat;
use super::outcome::{Bar, Prediction};
use super::piece::{Piece, bold, style};
use super::stage::{Key, Stage, View};
use super::state::{Slide, State};

impl State {
    /// Asks what the next measurement will say, and keeps the answer.
    pub fn ask_the_room(&mut self, name: &str, before: Option<&str>) -> Result<()> {
        self.hurried = false;
        self.begin(Beat::Time);
        self.unseen = false;
        let Some(stage) = self.stage.clone().filter(|_| self.until.is_none()) else {
            return Ok(());
        };
        let (question, example) = match before {
            Some(before) => (
                format!("How many times as fast as {before} will {name} be?"),
                ("a factor", "such as 2 or 0.5"),
            ),
            None => (
                format!("What share of the device's limit will {name} reach, in percent?"),
                ("a number", "such as 5"),
            ),
        };
        self.tell(Piece::Note(bold(&question)));
        let answer = self.while_paused(|state| {
            state.tell_place(state.now(), &question)?;
            state.number(&stage, example)
        })?;
        self.prediction = answer.map(|number| match before {
            Some(_) => Prediction::Factor(number),
            None => Prediction::Share(number / 100.0),
        });
        // Stands above the result, which has it once more, beside the measured one.
        let answer = answer.map_or("no prediction".into(), |n| format!("predicted: {n}"));
        if !self.present {
            self.lead.push(Piece::Note(answer));
        }
        self.unseen = false;
        Ok(())
    }

    /// A number that is typed, or nothing.
    fn number(&self, stage: &Stage, example: Key) -> Result<Option<f64>> {
        let mut typed = String::new();
        loop {
            let mut view = self.view(self.now());
            view.keys = vec![example, ("Enter", "(alone: skip)"), ("q", "quit")];
            view.typed = Some(typed.clone());
            stage.show_from(view, 0);
            match (stage.key()?, parse(&typed)) {
                (KeyCode::Enter, number) if number.is_some() || typed.is_empty() => {
                    return Ok(number);
                }
                (KeyCode::Enter, _) => typed.clear(),
                (KeyCode::Backspace, _) => drop(typed.pop()),
                (Char('q'), _) => return Err(Error::Asked(UserRequest::Quit)),
                (Char(c), _) if typed.len() < 12 && "0123456789.,x%".contains(c) => {
                    typed.push(c);
                }
                _ => {}
            }
        }
    }
}

/// `2`, `0.5`, `0,5`, `2x`, `30%`; nothing below or at zero.
fn parse(typed: &str) -> Option<f64> {
    let number = typed.trim_end_matches(['x', '%']).replace(',', ".");
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number)
}

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
