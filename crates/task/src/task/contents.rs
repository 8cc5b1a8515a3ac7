//! What a task's buffers hold on the host.

use std::borrow::Cow;

use super::{Fill, Plan, Right, Task};
use common::error::{Error, Result};
use verify::element::Elements;
use verify::matrix::Matrix;
use verify::problem::Problem;

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
                let matrix =
                    |rows, cols, data: &Elements| Matrix { rows, cols, data: data.clone() };
                let operands = [matrix(shape.m, shape.k, a), matrix(shape.k, shape.n, b)];
                Some(Problem::of(operands, self.ty))
            }
            _ => None,
        }
    }
}
