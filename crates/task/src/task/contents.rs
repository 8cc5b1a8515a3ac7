//! What a task's buffers hold on the host: at first, and what was read, held against what it must be.

use std::borrow::Cow;
use std::rc::Rc;

use super::{Buffer, Fill, Plan, Right, Task};
use common::error::{Error, Result};
use common::session::Format;
use verify::element::Elements;
use verify::formula::Formula;
use verify::matrix::Matrix;
use verify::poison::is_poison;
use verify::problem::Problem;
use verify::{self, Differences, check_each, check_same};

/// A result in a buffer, by its name.
pub type Results = [(String, Elements)];

impl Task {
    /// What all buffers hold at first, by their names, but for those that kernels write.
    pub fn held(&self) -> Result<Vec<(&str, Elements)>> {
        let plan = self.plan()?;
        let mut held: Vec<(&str, Elements)> = Vec::new();
        for (at, buffer) in self.buffers.iter().enumerate() {
            let before: Vec<_> = held.iter().map(|(name, all)| (*name, all)).collect();
            if let Some(elements) = self.contents(at, &plan, None, &before)? {
                held.push((&buffer.name, elements));
            }
        }
        Ok(held)
    }

    /// What the buffer with this number holds at first, as it lies in memory; `before` are those
    /// before it, by their names. The operands of a product are `problem`'s.
    pub fn contents(
        &self,
        at: usize,
        plan: &Plan,
        problem: Option<&Problem>,
        before: &[(&str, &Elements)],
    ) -> Result<Option<Elements>> {
        let [room @ [rows, columns], used] = plan.shapes[at];
        let Some(matrix) = self.filled(at, plan, problem, before)? else {
            return Ok(None);
        };
        let matrix = match used == room {
            true => matrix,
            false => Cow::Owned(matrix.resized(rows, columns)),
        };
        Ok(Some(match self.buffers[at].transposed {
            true => matrix.transposed().data,
            false => matrix.into_owned().data,
        }))
    }

    /// The same as a matrix of what is used, before it is padded and laid out.
    pub fn filled<'a>(
        &self,
        at: usize,
        plan: &Plan,
        problem: Option<&'a Problem>,
        before: &[(&str, &Elements)],
    ) -> Result<Option<Cow<'a, Matrix>>> {
        let (buffer, [_, [rows, cols]]) = (&self.buffers[at], plan.shapes[at]);
        let data = match buffer.role.fill() {
            None => return Ok(None),
            Some(Fill::Numbers(fill, seed)) => {
                let operand = match (problem, buffer.name.as_str()) {
                    (Some(problem), "A") => Some(problem.a()),
                    (Some(problem), "B") => Some(problem.b()),
                    _ => None,
                };
                let own = || Matrix::filled(rows, cols, buffer.ty, *fill, *seed);
                let matrix = operand.map_or_else(|| Cow::Owned(own()), Cow::Borrowed);
                return Ok(Some(matrix));
            }
            Some(Fill::Drawn(draw, seed)) => draw.elements(buffer.ty, rows * cols, *seed),
            Some(Fill::Made(_, elements)) => (**elements).clone(),
            Some(Fill::Each(formula)) => {
                let elements = formula.elements(buffer.ty, rows * cols, &plan.scope, before);
                let key = buffer.key.rsplit_once('.').map_or("", |(arg, _)| arg);
                elements.map_err(|why| Error::Usage(why).at(&format!("{key}.fill")))?
            }
        };
        Ok(Some(Cow::Owned(Matrix { rows, cols, data })))
    }

    /// The product that it computes, if it is one: of what a seed makes, or of elements that stand
    /// in it.
    pub fn problem(&self) -> Option<Problem> {
        let Right::Product = self.right else {
            return None;
        };
        let [a, b] = [self.buffer("A")?, self.buffer("B")?];
        let shape = self.shape();
        match (a.role.fill()?, b.role.fill()?) {
            (Fill::Numbers(fill, seed), _) => {
                let problem = Problem::new(shape, self.ty, *fill, *seed);
                Some(problem.with_inputs(a.ty, self.by_units()))
            }
            (Fill::Made(_, a), Fill::Made(_, b)) => {
                let of = |rows, cols, data: &Elements| Matrix { rows, cols, data: data.clone() };
                let operands = [of(shape.m, shape.k, a), of(shape.k, shape.n, b)];
                Some(Problem::of(operands, self.ty))
            }
            _ => None,
        }
    }

    /// The buffers that are read back, in the order of their declaration.
    pub fn judged(&self) -> Vec<&str> {
        match &self.right {
            Right::Product => vec!["C"],
            Right::Each(all) => all.iter().map(|(name, _)| name.as_str()).collect(),
            Right::AnyOf(name, _) => vec![name],
            Right::Same(all) => all.iter().map(|(name, ..)| name.as_str()).collect(),
            Right::Unchecked => Vec::new(),
        }
    }

    /// What kernels write, and nobody compares though other results are.
    pub fn uncompared(&self) -> Vec<String> {
        let judged = self.judged();
        let is_left_out = |one: &&Buffer| {
            one.role.is_result() && !judged.is_empty() && !judged.contains(&&*one.name)
        };
        let left_out = self.buffers.iter().filter(is_left_out);
        left_out.map(|one| one.name.clone()).collect()
    }

    /// What is asked of a result, in a line.
    pub fn bound(&self, problem: Option<&Problem>) -> String {
        let bound = match (&self.right, problem) {
            (Right::Product, Some(problem)) => problem.bound_in_words(),
            (Right::AnyOf(..), _) => "a copy or d * A + B, or nothing is said of the result".into(),
            (Right::Each(all), _) => {
                let is = |(name, formula): &(_, _)| format!("{name}[i] = {formula}");
                all.iter().map(is).collect::<Vec<_>>().join("; ")
            }
            (Right::Same(all), _) => {
                let within = |(name, same): &(String, Rc<verify::Same>)| match same.share {
                    0.0 if same.step > 0.0 => format!("{name} within a step of the reference's"),
                    0.0 => format!("{name} equal to the reference's"),
                    share => format!("{name} within {share:.1e} of the reference's"),
                };
                all.iter().map(within).collect::<Vec<_>>().join("; ")
            }
            (Right::Unchecked, _) => "no reference is given, so the result is not checked".into(),
            (Right::Product, None) => String::new(),
        };
        match self.buffers.iter().any(|one| one.image.is_some()) {
            true => format!("{bound}; nobody watches beside images"),
            false => bound,
        }
    }

    /// Whether the results are right: how many elements were compared. `inputs` is what was read,
    /// by its name.
    ///
    /// # Errors
    /// [`Error::Wrong`] where they are not; others where a formula makes no sense.
    pub fn check(
        &self,
        plan: &Plan,
        problem: Option<&Problem>,
        results: &Results,
        inputs: &[(&str, &Elements)],
    ) -> Result<usize> {
        let found = |name: &str| {
            let result = results.iter().find(|(other, _)| other == name);
            let why = || format!("{}: no result {name} to be checked", self.name());
            let elements = result.map(|(_, elements)| elements);
            elements.ok_or_else(|| Error::Usage(why()))
        };
        let each = |name: &str, formula: &Formula| {
            let (elements, buffer) = (found(name)?, self.buffer(name));
            let has_gaps = buffer.is_some_and(|one| one.has_gaps);
            let step = buffer.and_then(|one| one.image).map_or(0.0, Format::step);
            let checked = check_each(name, elements, has_gaps, step, formula, &plan.scope, inputs);
            checked.map_err(|why| Error::Usage(why).at(&format!("check.{name}")))
        };
        let all: Vec<Result<usize, Differences>> = match &self.right {
            Right::Product => {
                let (Some(problem), Some(c)) = (problem, self.product(plan, results)) else {
                    let why =
                        format!("{}: a product needs A, B and C, and was not checked", self.name());
                    return Err(Error::Usage(why));
                };
                vec![verify::check(problem, &c)]
            }
            Right::Each(all) => {
                let all = all.iter().map(|(name, formula)| each(name, formula));
                all.collect::<Result<_>>()?
            }
            Right::Same(all) => {
                let all = all.iter().map(|(name, same)| Ok(check_same(name, found(name)?, same)));
                all.collect::<Result<_>>()?
            }
            Right::Unchecked => Vec::new(),
            Right::AnyOf(name, all) => {
                let Ok(elements) = found(name) else {
                    return Ok(0);
                };
                if (0..elements.len()).all(|i| is_poison(elements, i)) {
                    return Err(Error::Wrong("the kernel wrote nothing".into()));
                }
                let all = all.iter().map(|formula| each(name, formula));
                let all: Vec<_> = all.collect::<Result<_>>()?;
                all.into_iter().filter(Result::is_ok).take(1).collect()
            }
        };
        let compared: Result<usize, Differences> = all.into_iter().sum();
        compared.map_err(Error::Wrong)
    }

    /// C as the product has it, from the padded one in the kernel's layout.
    pub fn product(&self, plan: &Plan, results: &Results) -> Option<Matrix> {
        let Right::Product = self.right else {
            return None;
        };
        let at = self.buffers.iter().position(|one| one.name == "C")?;
        let (_, data) = results.iter().find(|(name, _)| name == "C")?;
        let [[rows, cols], used] = plan.shapes[at];
        let data = data.clone();
        let c = if self.buffers[at].transposed {
            let lying = Matrix { rows: cols, cols: rows, data };
            lying.transposed()
        } else {
            Matrix { rows, cols, data }
        };
        Some(if used == [rows, cols] { c } else { c.resized(used[0], used[1]) })
    }
}
