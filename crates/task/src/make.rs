//! From a [`Form`] to a [`Task`]: its names get values, its launches their kernels' signatures.

mod args;
mod product;

use common::error::{AtField, Error, Result};
use verify::element::Type;
use verify::formula::{Formula, Scope};
use verify::matrix;

use crate::form::{Check, Form, LaunchForm, Or};
use crate::names::holds;
use crate::signature::Signature;
use crate::sizes::{SIDES, Sizes};
use crate::task::{Arg, Launch, Right, Task, Work};

pub use args::Maker;

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
        let preferred = self.preferred.as_ref().map_or(Ok(0.0), |one| one.value(scope));
        task.preferred = preferred.at("preferred")? > 0.0;
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
        let mut maker = Maker { random: given.random, seed: given.seed, ..Maker::default() };
        let mut launches = Vec::new();
        for form in forms {
            if !form.kernel.as_os_str().is_empty() {
                let why = "launches: kernel is a file, and they all have the task's: say function";
                return Err(form.wrong("kernel", why));
            }
            let signature = of_kernel(given.signatures, form)?;
            let args = maker.args(form, signature)?;
            launches.push(launch(form, signature, args)?);
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
        let work = match (&self.bytes, &self.flops) {
            (None, Some(flops)) => Work::Flop(flops.clone()),
            (bytes, _) => Work::Bytes(bytes.clone().unwrap_or_default()),
        };
        Ok(Task {
            right: self.right(&maker)?,
            kernel,
            sizes,
            names: maker.names,
            buffers: maker.buffers,
            launches,
            work,
            ..Task::default()
        })
    }

    fn right(&self, Maker { buffers, mixed, .. }: &Maker) -> Result<Right> {
        let outputs = buffers.iter().filter(|one| one.role.is_result());
        let outputs: Vec<&str> = outputs.map(|one| &*one.name).collect();
        let first = || {
            let why = "check is of an output, and no argument is out or inout";
            outputs.first().map(ToString::to_string).ok_or_else(|| wrong("check", why))
        };
        let right = match &self.check {
            None => return Ok(Right::Unchecked),
            Some(Or::Plain(formula)) if formula.text() == "none" => return Ok(Right::Unchecked),
            Some(Or::Plain(formula)) => Right::Each(vec![(first()?, formula.clone())]),
            // Which is still to be run.
            Some(Or::Table(Check { same_as: Some(_), .. })) => first().map(|_| Right::Unchecked)?,
            Some(Or::Table(Check { tolerance: Some(_), .. })) => {
                let why = "check: tolerance is for same_as; a result is held to a formula by the \
                           magnitude of its terms: leave it out, or give a kernel that is plainly \
                           right";
                return Err(wrong("check.tolerance", why));
            }
            Some(Or::Table(Check { any_of, .. })) if !any_of.is_empty() => {
                Right::AnyOf(first()?, any_of.clone())
            }
            Some(Or::Table(Check { each, .. })) => {
                if let Some(name) = each.keys().find(|name| !outputs.contains(&&***name))
                    && !outputs.is_empty()
                {
                    let all = outputs.join(", ");
                    let why =
                        format!("check: no output is called {name}; there are {all}, and same_as");
                    return Err(wrong(&format!("check.{name}"), why));
                }
                Right::Each(each.clone().into_iter().collect())
            }
        };
        let is_compared = |name: &&String| match &right {
            Right::Each(all) => all.iter().any(|(one, _)| one == *name),
            Right::AnyOf(one, _) => one == *name,
            _ => true,
        };
        if let Some(name) = mixed.iter().find(is_compared) {
            let why = format!(
                "check: {name} is a struct of several types, whose fields the course cannot compare: \
                 give the fields as arrays, or say check = \"none\""
            );
            return Err(wrong("check", why));
        }
        Ok(right)
    }
}

/// Items of a group where nobody says how many, by the dimensions.
const GROUPS: [&[usize]; 3] = [&[64], &[8, 8], &[4, 4, 4]];

/// A launch with these arguments.
pub fn launch(form: &LaunchForm, signature: Option<&Signature>, args: Vec<Arg>) -> Result<Launch> {
    let told = match &form.global[..] {
        [] => &form.groups,
        global => global,
    };
    let dimensions = told.len();
    if !(1..=3).contains(&dimensions) {
        let why = "global has one to three dimensions: global = [\"n\"]";
        return Err(form.wrong("global", why));
    }
    let numbers =
        |of: &[usize]| -> Vec<Formula> { of.iter().copied().map(Formula::from).collect() };
    let required = signature.and_then(|one| one.required.as_ref());
    let group = match (&form.local[..], &form.local_hint[..], required) {
        ([], _, Some(required)) => numbers(&required[..dimensions]),
        ([], [], None) => numbers(&exact(GROUPS[dimensions - 1], &form.global)),
        ([], hint, None) => hint.to_vec(),
        (local, ..) => local.to_vec(),
    };
    if group.len() != dimensions {
        let why = format!("local has {} dimensions, global {dimensions}", group.len());
        return Err(form.wrong("local", &why));
    }
    let items = |(groups, side): (&Formula, &Formula)| format!("({groups})*({side})").into();
    Ok(Launch {
        kernel: signature.map_or(&form.function, |one| &one.kernel).clone(),
        over: match &form.global[..] {
            [] => told.iter().zip(&group).map(items).collect(),
            global => global.to_vec(),
        },
        fixed: !form.local.is_empty() || required.is_some(),
        group,
        args,
        offset: form.offset.clone(),
        traffic: form.traffic.clone(),
        key: form.key.clone(),
    })
}

/// The sides of a group that divide as many items as are said by a plain number.
fn exact(group: &[usize], items: &[Formula]) -> Vec<usize> {
    let mut group = group.to_vec();
    for (side, items) in group.iter_mut().zip(items) {
        if let Ok(items) = items.text().parse::<usize>() {
            *side = (*side).min(1 << items.trailing_zeros().min(6));
        }
    }
    group
}

/// The signature of a launch's kernel: the only one, where none is named. None where no driver
/// told.
pub fn of_kernel<'s>(
    signatures: &'s [Signature],
    form: &LaunchForm,
) -> Result<Option<&'s Signature>> {
    let function = &*form.function;
    let found = match (signatures, function) {
        ([], _) => return Ok(None),
        ([only], "") => Some(only),
        _ => signatures.iter().find(|one| one.kernel == function),
    };
    let missing = || {
        let names: Vec<&str> = signatures.iter().map(|one| &*one.kernel).collect();
        // PoCL's header gives what it defines itself such names, by macros.
        let is_defined = names.iter().any(|name| name.strip_prefix("_cl_") == Some(function));
        let why = match function {
            "" => "function is missing: the file has the kernels".into(),
            _ if is_defined => format!(
                "function: {function} is a function of OpenCL C, and no kernel may have its name; \
                 there are:"
            ),
            _ => format!("function: the file has no kernel {function}; there are:"),
        };
        form.wrong("function", &format!("{why} {}", names.join(", ")))
    };
    found.map(Some).ok_or_else(missing)
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
