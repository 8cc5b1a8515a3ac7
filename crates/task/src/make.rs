//! From a [`Form`] to a [`Task`]: its names get values, its launches their kernels' signatures.

mod args;
mod launch;
mod product;

use common::error::{AtField, Error, Result};
use verify::element::Type;
use verify::formula::{Formula, Scope};
use verify::matrix;

use crate::form::{Check, Form, LaunchForm, Or};
use crate::names::holds;
use crate::signature::Signature;
use crate::sizes::{SIDES, Sizes};
use crate::task::{Buffer, Right, Task, Work};

pub use args::Maker;
pub use launch::{launch, of_kernel};

/// What a task is made for.
pub(crate) struct For<'a> {
    /// The sizes, where no shape says them.
    pub sizes: &'a Sizes,
    /// Of a product the type of C, where no driver tells.
    pub ty: Type,
    /// What inputs hold that are random.
    pub random: matrix::Fill,
    /// The seed of the first of them.
    pub seed: u64,
    /// What a driver tells of the file's kernels.
    pub signatures: &'a [Signature],
}

impl Form {
    /// The task for these sizes, its inputs filled from this seed. The signatures are those
    /// of its file's kernels; without them elements are floats, or of the types that the
    /// arguments name.
    ///
    /// # Errors
    /// [`Error::At`] when the fields do not fit one another, or the kernel.
    pub fn task(&self, sizes: &Sizes, seed: u64, signatures: &[Signature]) -> Result<Task> {
        let scope = self.scope(sizes)?;
        let given = For { sizes, ty: Type::Float, random: matrix::Fill::Random, seed, signatures };
        let task = self.made(&scope, &given)?;
        if self.check.is_none() && self.layout().is_none() {
            let why = "check is missing: what must come out? { same_as = \"FILE.cl\" }, a formula of \
                       the index i, or \"none\" where nobody says";
            return Err(wrong("check", why));
        }
        task.plan()?;
        Ok(task)
    }

    /// The task, its macros and names having the values that are in scope.
    pub(crate) fn made(&self, scope: &Scope, given: &For) -> Result<Task> {
        let launches = self.launches();
        let mut task = match self.layout() {
            Some(layout) => self.product(layout, &launches, scope, given)?,
            None => self.other(&launches, scope, given)?,
        };
        let text = |key, text| filled(text, scope).at(key);
        task.variant = text("variant", &self.variant)?;
        task.says = text("says", &self.says)?;
        let from = self.from.as_ref().map(|from| text("from", from));
        task.made_from = from.transpose()?;
        task.defines = self.defines(scope)?;
        task.options = self.words(scope);
        for (name, _) in self.names.firsts() {
            let value = scope.get(name).unwrap_or_default();
            task.names.push((name.into(), value.to_string().into()));
        }
        task.needs.clone_from(&self.needs);
        task.vendor_specific = self.vendor_specific;
        task.too_large = !holds("fits", &self.fits, scope)?;
        task.preferred = match &self.preferred {
            Some(condition) => condition.value(scope).at("preferred")? > 0.0,
            None => false,
        };
        Ok(task)
    }

    fn other(&self, forms: &[LaunchForm], scope: &Scope, given: &For) -> Result<Task> {
        let sizes: Vec<(String, usize)> = match &self.shape {
            None => given.sizes.clone().into_iter().collect(),
            Some(shape) => {
                let side = |(name, size): (&&str, &Formula)| {
                    Ok(((*name).into(), size.count(scope).at("shape")?))
                };
                SIDES.iter().zip(shape).map(side).collect::<Result<_>>()?
            }
        };
        let mut maker = Maker::of(given.random, given.seed);
        let mut launches = Vec::new();
        for form in forms {
            launches.push(maker.launch(form, of_kernel(given.signatures, form)?)?);
        }
        let is_size = |name: &str| sizes.iter().any(|(size, _)| size == name);
        let other = |(name, value): &&(String, Formula)| is_size(name) && value.text() != name;
        if let Some((name, value)) = maker.names.iter().find(other) {
            let why = format!(
                "args: the kernel's {name} is {value}, and a size of the task is called {name}, too: \
                 a formula's {name} could be either\n  next: {{ name = \"...\", value = {value} }}"
            );
            return Err(wrong("args", why));
        }
        let mut kernels = launches.iter().map(|one| &one.kernel);
        let own = kernels.clone().find(|name| **name == self.launch.function);
        let kernel = own.or(kernels.next_back()).cloned().unwrap_or_default();
        self.must_compare(&maker)?;
        let buffers = maker.buffers;
        let work = match (&self.bytes, &self.flops) {
            (None, Some(flops)) => Work::Flop(flops.clone()),
            (bytes, _) => Work::Bytes(bytes.clone().unwrap_or(Formula::of("0"))),
        };
        Ok(Task {
            right: self.right(&buffers)?,
            kernel,
            sizes,
            names: maker.names,
            buffers,
            launches,
            work,
            ..Task::default()
        })
    }

    /// Refuses structs of several types, of which no element can be compared.
    fn must_compare(&self, maker: &Maker) -> Result<()> {
        let is_compared = |name: &&String| match &self.check {
            Some(Or::Plain(word)) => word != "none",
            Some(Or::Table(check)) => check.each.is_empty() || check.each.contains_key(*name),
            None => false,
        };
        let Some(name) = maker.mixed.iter().find(is_compared) else {
            return Ok(());
        };
        let why = format!(
            "check: {name} is a struct of several types, whose fields the course cannot compare: \
             give the fields as arrays, or say check = \"none\""
        );
        Err(wrong("check", why))
    }

    fn right(&self, buffers: &[Buffer]) -> Result<Right> {
        let mut outputs = buffers.iter().filter(|one| one.role.is_result());
        let first = || {
            let out = outputs.clone().next();
            let why = "check is of an output, and no argument is out or inout";
            out.map(|out| out.name.clone()).ok_or_else(|| wrong("check", why))
        };
        Ok(match &self.check {
            None => Right::Unchecked,
            Some(Or::Plain(word)) if word == "none" => Right::Unchecked,
            Some(Or::Plain(formula)) => {
                let formula = Formula::from(&**formula);
                let read = formula.must_be_read();
                read.map_err(|why| wrong("check", format!("check: {why}")))?;
                Right::Each(vec![(first()?, formula)])
            }
            // Which is still to be run.
            Some(Or::Table(check)) if check.same_as.is_some() => {
                first().map(|_| Right::Unchecked)?
            }
            Some(Or::Table(check)) if check.tolerance.is_some() => {
                let why = "check: tolerance is for same_as; a result is held to a formula by the \
                           magnitude of its terms: leave it out, or give a kernel that is plainly \
                           right";
                return Err(wrong("check.tolerance", why));
            }
            Some(Or::Table(check)) if !check.any_of.is_empty() => {
                Right::AnyOf(first()?, check.any_of.clone())
            }
            Some(Or::Table(Check { each, .. })) => {
                let names: Vec<&str> = outputs.clone().map(|one| one.name.as_str()).collect();
                if let Some(name) = each.keys().find(|name| !names.contains(&name.as_str()))
                    && outputs.any(|_| true)
                {
                    let names = names.join(", ");
                    let why = format!(
                        "check: no output is called {name}; there are {names}, and same_as"
                    );
                    return Err(wrong(&format!("check.{name}"), why));
                }
                Right::Each(each.clone().into_iter().collect())
            }
        })
    }
}

/// A text with the values of the formulas that stand in braces.
fn filled(text: &str, scope: &Scope) -> std::result::Result<String, String> {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (formula, rest) = part.split_once('}').ok_or("a brace is not closed")?;
        filled += &format!("{}{rest}", Formula::from(formula).value(scope)?);
    }
    Ok(filled)
}

impl LaunchForm {
    /// That one of its fields makes no sense.
    fn wrong(&self, field: &str, why: &str) -> Error {
        wrong(&format!("{}{field}", self.key), why)
    }
}

/// That a field makes no sense.
pub fn wrong(key: &str, why: impl Into<String>) -> Error {
    Error::Usage(why.into()).at(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn operands_and_result_survive_padding_and_layout() {
        for layout in ["row-major", "column-major", "b-transposed"] {
            let form = "pad = [16, 8, 8]\nglobal = [1]\nlocal = [1]\nsize = '37x53x53'";
            let form = format!("{form}\nproduct = '{layout}'");
            let form = Form::of(&form, Path::new("")).unwrap();
            let task = form.task(&form.size, 1, &[]).unwrap();
            let plan = task.plan().unwrap();
            let a = task.contents(0, &plan, None, &[]).unwrap().unwrap();
            assert_eq!(a.len(), 48 * 56);
            // A stands in for C: what goes out comes back.
            let c = task.product(&plan, &[("C".into(), a)]).unwrap();
            assert_eq!(c, *task.problem().unwrap().a(), "{layout}");
        }
    }

    #[test]
    fn a_macro_and_a_name_may_follow_from_the_sizes() {
        let form = "size = { n = 40 }\ndefine = { TS = 'min(16, half)' }\nnames = { half = 'n/2' }\n\
                    global = ['half']\nlocal = ['TS']\nargs = ['n', { out = 'n' }]\ncheck = '1'";
        let form = Form::of(form, Path::new("")).unwrap();
        let task = form.task(&form.size, 1, &[]).unwrap();
        assert_eq!(task.defines, [("TS".into(), 16)]);
        assert_eq!(task.plan().unwrap().ranges[0].global(), [32]);
    }

    #[test]
    fn a_plain_number_of_items_is_not_rounded_up() {
        for (items, global) in [("1", 1), ("100", 100), ("1024", 1024), ("'n'", 128)] {
            let form = format!(
                "size = {{ n = 100 }}\nglobal = [{items}]\nargs = [{{ out = 'n' }}]\ncheck = '1'"
            );
            let form = Form::of(&form, Path::new("")).unwrap();
            let range = &form.ranges(&form.size).unwrap()[0];
            assert_eq!(range.global(), [global], "{items}");
        }
    }
}
