//! From a task's text to a [`Task`].

use crate::product::{Layout, product};
use crate::task::{self, Buffer, Task, Work};
use common::{Error, Result};
use verify::element::Type;
use verify::formula::Formula;
use verify::matrix;
use verify::problem::Problem;
use verify::shape::Shape;

use crate::file::{Check, TaskFile};
use crate::form::Or;
use crate::form::{Maker, range, wrong};
use crate::signature::Signature;
use crate::sizes::Sizes;

impl TaskFile {
    /// The task for these sizes, its inputs filled from this seed. The signatures are those
    /// of its file's kernels; without them elements are floats, or of the types that the
    /// arguments name.
    ///
    /// # Errors
    /// [`Error::Usage`] when the fields do not fit one another, or the kernel.
    pub fn task(&self, sizes: &Sizes, seed: u64, signatures: &[Signature]) -> Result<Task> {
        let mut task = match self.product {
            Some(layout) => self.product(layout, sizes, seed, signatures)?,
            None => self.other(sizes, seed, signatures)?,
        };
        task.defines = self.define.clone().into_iter().collect();
        task.plan()?;
        Ok(task)
    }

    fn product(
        &self,
        layout: Layout,
        sizes: &Sizes,
        seed: u64,
        signatures: &[Signature],
    ) -> Result<Task> {
        let side = |name: &str| {
            let why = format!("size: a product has M, N and K; {name} is missing");
            sizes.get(name).copied().ok_or(wrong(&why))
        };
        let shape = Shape {
            m: side("M")?,
            n: side("N")?,
            k: side("K")?,
        };
        shape.must_be_countable().map_err(Error::Usage)?;
        let form = &self.launches()[0];
        let signature = of_kernel(signatures, &form.function)?;
        let function = signature.map_or(&form.function, |one| &one.kernel);
        let ty = signature.and_then(|one| Some(one.args.get(3)?.element));
        let problem = Problem::new(shape, ty.unwrap_or(Type::Float), matrix::Fill::Random, seed);
        let mut task = product(function, &problem, layout, true);
        if let Some(pad) = &self.pad {
            for ((_, padded), (name, multiple)) in
                task.names.iter_mut().zip(["M", "N", "K"].iter().zip(pad))
            {
                *padded = Formula::from(format!("({multiple})*ceil({name}/({multiple}))"));
            }
        }
        let (over, group, fixed) = range(form, signature)?;
        let launch = &mut task.launches[0];
        (launch.over, launch.group, launch.fixed) = (over, group, fixed);
        Ok(task)
    }

    fn other(&self, sizes: &Sizes, seed: u64, signatures: &[Signature]) -> Result<Task> {
        let mut maker = Maker::of(matrix::Fill::Random, seed);
        let mut launches = Vec::new();
        for form in self.launches() {
            launches.push(maker.launch(&form, of_kernel(signatures, &form.function)?)?);
        }
        let is_size = |name: &str| sizes.keys().any(|size| size == name);
        let other = |(name, value): &&(String, Formula)| is_size(name) && value.text() != name;
        if let Some((name, value)) = maker.names.iter().find(other) {
            return Err(wrong(&format!(
                "args: the kernel's {name} is {value}, and a size of the task is called {name}, too: \
                 a formula's {name} could be either\n  next: {{ name = \"...\", value = {value} }}"
            )));
        }
        let own = launches.iter().find(|one| one.kernel == self.function);
        let kernel = own
            .or(launches.last())
            .map_or(String::new(), |own| own.kernel.clone());
        self.must_compare(&maker)?;
        let buffers = maker.buffers;
        let work = match (&self.bytes, &self.flops) {
            (None, Some(flops)) => Work::Flop(flops.clone()),
            (bytes, _) => Work::Bytes(bytes.clone().unwrap_or(Formula::of("0"))),
        };
        Ok(Task {
            right: self.right(&buffers)?,
            kernel,
            sizes: sizes
                .iter()
                .map(|(name, size)| (name.clone(), *size))
                .collect(),
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
        match maker.mixed.iter().find(is_compared) {
            None => Ok(()),
            Some(name) => Err(wrong(&format!(
                "check: {name} is a struct of several types, whose fields the course cannot \
                 compare: give the fields as arrays, or say check = \"none\""
            ))),
        }
    }

    fn right(&self, buffers: &[Buffer]) -> Result<task::Right> {
        let mut outputs = buffers.iter().filter(|one| one.role.is_result());
        let first = || {
            let out = outputs.clone().next();
            out.map(|out| out.name.clone())
                .ok_or_else(|| wrong("check is of an output, and no argument is out or inout"))
        };
        Ok(match &self.check {
            None => {
                return Err(wrong(
                    "check is missing: what must come out? { same_as = \"FILE.cl\" }, a formula of \
                     the index i, or \"none\" where nobody says",
                ));
            }
            Some(Or::Plain(word)) if word == "none" => task::Right::Unchecked,
            Some(Or::Plain(formula)) => {
                let formula = Formula::from(&**formula);
                formula
                    .must_be_read()
                    .map_err(|why| wrong(&format!("check: {why}")))?;
                task::Right::Each(vec![(first()?, formula)])
            }
            // Which is still to be run.
            Some(Or::Table(Check {
                same_as: Some(_), ..
            })) => first().map(|_| task::Right::Unchecked)?,
            Some(Or::Table(Check {
                tolerance: Some(_), ..
            })) => {
                return Err(wrong(
                    "check: tolerance is for same_as; a result is held to a formula by the \
                     magnitude of its terms: leave it out, or give a kernel that is plainly right",
                ));
            }
            Some(Or::Table(Check { any_of, .. })) if !any_of.is_empty() => {
                task::Right::AnyOf(first()?, any_of.clone())
            }
            Some(Or::Table(Check { each, .. })) => {
                let names: Vec<&str> = outputs.clone().map(|one| one.name.as_str()).collect();
                if let Some(name) = each.keys().find(|name| !names.contains(&name.as_str()))
                    && outputs.any(|_| true)
                {
                    return Err(wrong(&format!(
                        "check: no output is called {name}; there are {}, and same_as",
                        names.join(", ")
                    )));
                }
                task::Right::Each(each.clone().into_iter().collect())
            }
        })
    }
}

/// The signature of a kernel: the only one, where none is named. None where no driver told.
pub fn of_kernel<'s>(signatures: &'s [Signature], function: &str) -> Result<Option<&'s Signature>> {
    let names: Vec<&str> = signatures.iter().map(|one| one.kernel.as_str()).collect();
    match (signatures, function) {
        ([], _) => Ok(None),
        ([only], "") => Ok(Some(only)),
        (_, "") => Err(wrong(&format!(
            "function is missing: the file has the kernels {}",
            names.join(", ")
        ))),
        _ => match signatures.iter().find(|one| one.kernel == function) {
            Some(one) => Ok(Some(one)),
            None => Err(wrong(&format!(
                "function: the file has no kernel {function}; there are: {}",
                names.join(", ")
            ))),
        },
    }
}
