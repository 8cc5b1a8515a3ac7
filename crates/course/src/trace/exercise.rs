//! A learner's file of an exercise, traced as its check counts it.

use std::path::PathBuf;

use analysis::launched::{Size, Wanted};
use analysis::trace::screen::Screen;
use anyhow::{Context, Result};
use common::Error;
use common::shape::Shape;
use process::lessons;
use serde_json::{Value, json};

use crate::exercises::counts::Count;
use crate::exercises::exercise::{Exercise, all};
use crate::exercises::spec::Spec;
use crate::game::which::{find, own_file};

/// An exercise, and the file that is traced.
pub struct Own {
    /// Which one.
    pub exercise: Exercise,
    file: PathBuf,
    /// Its launch at which is counted.
    spec: Spec,
}

impl Own {
    /// The exercise that the first word means, by number, name or file; none where the word
    /// is a kernel's name.
    ///
    /// # Errors
    /// [`Error::Usage`] where the learner has no such file.
    pub fn meant(wanted: &Wanted) -> Result<Option<Own>> {
        let word = &wanted.kernel;
        let is_name = word.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && (wanted.source.is_some() || lessons::with_kernel(word)?.is_some()) {
            return Ok(None);
        }
        let mut all = all()?;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            find(&all, word)?;
        }
        let Some(at) = all.iter().position(|one| one.puzzle.is_meant_by(word)) else {
            return Ok(None);
        };
        let exercise = all.swap_remove(at);
        let file = match &wanted.source {
            Some(file) => file.clone(),
            None => own_file(&exercise.puzzle, word)?,
        };
        let spec = exercise.spec.launches().pop();
        let spec = spec.context("an exercise has a launch")?;
        Ok(Some(Own {
            exercise,
            file,
            spec,
        }))
    }

    /// The kernel of the exercise in that file.
    ///
    /// # Errors
    /// [`Error::Usage`] for words that say how it is launched: the exercise says that.
    pub fn wanted(&self, asked: &Wanted, is_launch_chosen: bool) -> Result<Wanted> {
        if asked.size.is_some() || !asked.variant.is_empty() || is_launch_chosen {
            let why = format!(
                "{} says how its kernel is launched: leave a size, a variant and flags of the \
                 launch out",
                self.name()
            );
            return Err(Error::Usage(why).into());
        }
        Ok(Wanted {
            kernel: self.spec.task.function.clone(),
            source: Some(self.file.clone()),
            size: Some(Size::Shape(self.size())),
            ..asked.clone()
        })
    }

    /// "exercise 4.2".
    pub fn name(&self) -> String {
        format!("exercise {}", self.exercise.puzzle.id)
    }

    fn size(&self) -> Shape {
        self.spec.counted
    }

    /// Sectors of all lines, and how many the exercise allows, where it counts them.
    fn sectors(&self, screen: &Screen) -> Result<Option<[f64; 2]>> {
        let all = screen.figures.sectors() as f64;
        let (_, targets) = self.spec.targets()?;
        let mut targets = targets.into_iter();
        let most = targets.find(|(count, _)| *count == Count::Sectors);
        Ok(most.map(|(_, most)| [all, most]))
    }

    /// Sectors of all lines beside the target, in a sentence.
    pub fn sum(&self, screen: &Screen) -> Result<String> {
        let sectors = self.sectors(screen)?;
        Ok(sectors.map_or(String::new(), |[all, most]| {
            let name = self.name();
            format!("\nAll lines together move {all} sectors; {name} allows {most}.\n")
        }))
    }

    /// The same for programs.
    pub fn json(&self, screen: &Screen) -> Result<Value> {
        let sectors = self.sectors(screen)?;
        Ok(json!({
            "id": self.exercise.puzzle.id,
            "sectors": sectors.map(|[all, _]| all),
            "at_most": sectors.map(|[_, most]| most),
        }))
    }
}
