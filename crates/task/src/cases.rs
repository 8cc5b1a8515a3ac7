//! What an exercise asks beside its kernel's task: with which macros and where it must be right,
//! and where what it does is counted.

use std::collections::BTreeSet;

use common::error::{AtField, Result};

use crate::form::{Count, Form, Named};
use crate::sizes::{Sizes, in_words};

/// The seed of an exercise's inputs.
pub const SEED: u64 = 1;

impl Form {
    /// The last of its variants, which is counted and timed.
    pub fn last_variant(&self) -> Form {
        self.in_variants().pop().unwrap_or_default()
    }

    /// Size at which the simulator counts.
    pub fn counted(&self) -> Sizes {
        if self.counted.is_empty() {
            return self.small();
        }
        self.counted.clone()
    }

    /// What tells this launch from others: ", ROWS = 4", or nothing.
    pub fn variant(&self) -> String {
        let names = self.variants.iter().flat_map(Named::firsts);
        let names: BTreeSet<&str> = names.map(|(name, _)| name).collect();
        let own = self.define.firsts();
        let own = own.filter(|(name, _)| names.contains(name));
        own.map(|(name, value)| format!(", {name} = {value}")).collect()
    }

    /// The name of the size at which is counted, as the kernel is told it, and at most how
    /// much of what there may be, in the order of `Count`.
    pub fn targets(&self) -> Result<(String, Vec<(Count, f64)>)> {
        let counted = self.counted();
        let task = self.task(&counted, SEED, &[])?;
        let plan = task.plan()?;
        let scope = &plan.scopes[task.own()];
        let told = counted.iter().map(|(name, size)| {
            let told = scope.get(name).map_or(*size, |size| size as usize);
            (name.clone(), told)
        });
        let name = in_words(&told.collect());
        let targets = self.at_most.iter();
        let targets = targets.map(|(count, most)| Ok((*count, most.value(scope).at("at-most")?)));
        Ok((name, targets.collect::<Result<_>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn damaged_data_are_refused_or_a_launch() {
        let page = include_str!("../../../exercises/06-local-memory/2-two-barriers/README.md");
        let (_, data) = page.split_once("```toml\n").unwrap();
        let (data, _) = data.split_once("\n```").unwrap();
        let whole = Form::of(data, Path::new("")).unwrap();
        assert!(whole.task(&whole.counted(), SEED, &[]).is_ok());
        damage::must_be_survived(data.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let Ok(task) = Form::of(&text, Path::new("")) else {
                return;
            };
            let _ = task.targets();
            for launch in task.in_variants() {
                let _ = (launch.variant(), launch.drawn(7), launch.counted());
            }
        });
    }
}
