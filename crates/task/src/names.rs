//! The names that a form's formulas know, its macros among them, and what they come to; and what a
//! tuner chooses among: of a form's `tune` a value for each name.

use common::error::{AtField, Result};
use common::program;
use verify::{Formula, Scope, Type};

use crate::form::{Form, Named, Tried};
use crate::sizes::Sizes;

impl Form {
    /// The forms that have one value for each name: one for each of the variants and of the values
    /// in lists, the first one's changing slowest.
    pub fn in_variants(&self) -> Vec<Form> {
        let none = [Named::default()];
        let variants = if self.variants.is_empty() { &none[..] } else { &self.variants };
        let mut all = Vec::new();
        for macros in variants {
            let mut own = self.define.clone();
            own.extend(macros.firsts().map(|(name, value)| (name.into(), value.clone())));
            for define in own.each() {
                for names in self.names.each() {
                    all.push(Form { define: define.clone(), names, ..self.clone() });
                }
            }
        }
        all
    }

    /// The last of its variants, which is counted and timed.
    pub fn last_variant(&self) -> Form {
        self.in_variants().pop().unwrap_or_default()
    }

    /// What tells this launch from others: ", ROWS = 4", or nothing.
    pub fn variant(&self) -> String {
        let varies = |name: &str| self.variants.iter().any(|one| one.says(name));
        let own = self.define.firsts().filter(|(name, _)| varies(name));
        own.map(|(name, value)| format!(", {name} = {value}")).collect()
    }

    /// What its formulas know at these sizes.
    pub fn scope(&self, sizes: &Sizes) -> Result<Scope> {
        let mut scope = Scope::default();
        for (name, size) in sizes {
            scope.set(name, *size as f64);
        }
        self.scope_within(&scope)
    }

    /// The same where they know this: each name may use any other, whatever their order.
    pub(crate) fn scope_within(&self, given: &Scope) -> Result<Scope> {
        let mut scope = given.clone();
        let mut open: Vec<_> = self.define.firsts().chain(self.names.firsts()).collect();
        while let Some((at, value)) =
            open.iter().enumerate().find_map(|(at, one)| Some((at, one.1.value(&scope).ok()?)))
        {
            scope.set(open.remove(at).0, value);
        }
        // A macro may be any text.
        let is_macro = |name: &str| self.define.firsts().any(|(own, _)| own == name);
        if let Some((name, formula)) = open.iter().find(|(name, _)| !is_macro(name)) {
            formula.value(&scope).at(&format!("names.{name}"))?;
        }
        Ok(scope)
    }

    /// The macros at these sizes that are numbers.
    pub fn macros(&self, sizes: &Sizes) -> Result<Vec<(String, usize)>> {
        self.defines(&self.scope(sizes)?)
    }

    /// What the compiler is given at these sizes.
    pub fn build_options(&self, ty: Type, sizes: &Sizes) -> Result<String> {
        let scope = self.scope(sizes)?;
        Ok(program::options(ty, &self.defines(&scope)?) + &self.words(&scope))
    }

    /// Of that what is no number, behind a space.
    pub(crate) fn words(&self, scope: &Scope) -> String {
        let texts = self.define.firsts().filter(|one| is_text(*one, scope));
        // A comment is a space to the preprocessor, and no end of the option.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("/**/");
        let texts = texts.map(|(name, text)| format!(" -D {name}={}", words(text.text())));
        let mut all: String = texts.collect();
        if !self.options.is_empty() {
            all += &format!(" {}", self.options);
        }
        all
    }

    pub(crate) fn defines(&self, scope: &Scope) -> Result<Vec<(String, usize)>> {
        let numbers = self.define.firsts().filter(|one| !is_text(*one, scope));
        let value = |(name, _): (&str, _)| {
            Ok((name.into(), Formula::from(name).count(scope).at(&format!("define.{name}"))?))
        };
        numbers.map(value).collect()
    }
}

/// A value for each name, in the order of the names.
pub type Choice = Vec<(String, Tried)>;

impl Form {
    /// How many choices there are without any condition.
    pub fn combinations(&self) -> usize {
        self.tune.values().map(Vec::len).fold(1, usize::saturating_mul)
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
                    form.define.extend([(name.clone(), *value)])
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

/// Whether a macro is any text: no formula of what is known, or a number that counts nothing.
fn is_text((name, formula): (&str, &Formula), scope: &Scope) -> bool {
    let is_number = formula.text().trim().parse::<f64>().is_ok();
    scope.get(name).is_none() || is_number && formula.count(scope).is_err()
}

/// Whether all conditions hold.
pub(crate) fn holds(key: &str, conditions: &[Formula], scope: &Scope) -> Result<bool> {
    let mut all = true;
    for (at, condition) in conditions.iter().enumerate() {
        all &= condition.value(scope).at(&format!("{key}[{at}]"))? != 0.0;
    }
    Ok(all)
}
