//! What a tuner chooses among: of a form's `tune` a value for each name.

use common::error::{AtField, Result};
use verify::formula::Scope;

use crate::form::{Form, Tried};

/// A value for each name, in the order of the names.
pub type Choice = Vec<(String, Tried)>;

impl Form {
    /// How many choices there are without any condition.
    pub fn combinations(&self) -> usize {
        let counts = self.tune.values().map(Vec::len);
        counts.fold(1, usize::saturating_mul)
    }

    /// All choices that `where` allows, the first name's value changing slowest. One that breaks a
    /// condition is left out as soon as the condition has a value, with all that the names behind
    /// could add.
    pub fn choices(&self, given: &Scope) -> Result<Vec<Choice>> {
        let mut all = vec![Choice::new()];
        for (name, values) in &self.tune {
            let mut longer = Vec::new();
            for (choice, value) in
                all.iter().flat_map(|one| values.iter().map(move |value| (one, value)))
            {
                let mut choice = choice.clone();
                choice.push((name.clone(), value.clone()));
                if self.may_be(&choice, given)? {
                    longer.push(choice);
                }
            }
            all = longer;
        }
        Ok(all)
    }

    /// Whether a choice, of the first names at least, breaks no condition.
    ///
    /// # Errors
    /// When it is of all names, and one has no value.
    pub fn may_be(&self, choice: &Choice, given: &Scope) -> Result<bool> {
        let mut scope = given.clone();
        for (name, value) in choice {
            if let Tried::One(value) = value {
                scope.set(name.clone(), *value as f64);
            }
        }
        let mut holds = true;
        for (at, condition) in self.r#where.iter().enumerate() {
            match condition.value(&scope) {
                Err(why) if choice.len() == self.tune.len() => {
                    Err(why).at(&format!("where[{at}]"))?;
                }
                value => holds &= value != Ok(0.0),
            }
        }
        Ok(holds)
    }

    /// The form with the values of a choice, and nothing left to choose.
    pub fn chosen(&self, choice: &Choice) -> Form {
        let mut form = self.clone();
        form.tune.clear();
        form.r#where.clear();
        for (name, value) in choice {
            match value {
                Tried::One(value) if name != "local" => {
                    form.define.extend([(name.clone(), *value)]);
                }
                Tried::One(side) => form.launch.local = vec![(*side).into()],
                Tried::Sides(sides) => {
                    form.launch.local = sides.iter().copied().map(Into::into).collect();
                }
            }
        }
        form
    }
}
