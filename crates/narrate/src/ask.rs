//! Asking for a prediction.

use common::error::{Error, Result, UserRequest};
use text::screen::crossterm::event::KeyCode;

use super::beat::Beat;
use super::outcome::Prediction;
use super::piece::{Piece, bold};
use super::stage::{Key, Stage};
use super::state::State;

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
                (KeyCode::Char('q'), _) => return Err(Error::Asked(UserRequest::Quit)),
                (KeyCode::Char(c), _) if typed.len() < 12 && "0123456789.,x%".contains(c) => {
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
