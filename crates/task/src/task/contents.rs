//! What a task's buffers hold on the host.

use std::borrow::Cow;

use super::{Fill, Plan, Task};
use common::error::{Error, Result};
use verify::element::Elements;
use verify::matrix::Matrix;
use verify::problem::Problem;

impl Task {
    /// What all buffers hold at first, by their names, but for those that kernels write.
    ///
    /// # Errors
    /// When a formula makes no sense.
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

    /// What the buffer with this number holds at first; `before` are those before it, by
    /// their names. The operands of a product are `problem`'s.
    ///
    /// # Errors
    /// When a formula makes no sense.
    pub fn contents(
        &self,
        at: usize,
        plan: &Plan,
        problem: Option<&Problem>,
        before: &[(&str, &Elements)],
    ) -> Result<Option<Elements>> {
        let (buffer, [[rows, columns], used]) = (&self.buffers[at], plan.shapes[at]);
        let Some(fill) = buffer.role.fill() else {
            return Ok(None);
        };
        let (fill, seed) = match fill {
            Fill::Numbers(fill, seed) => (*fill, *seed),
            Fill::Drawn(draw, seed) => {
                return Ok(Some(draw.elements(buffer.ty, rows * columns, *seed)));
            }
            Fill::Made(_, elements) => return Ok(Some((**elements).clone())),
            Fill::Each(formula) => {
                let elements = formula.elements(buffer.ty, rows * columns, &plan.scope, before);
                return elements.map(Some).map_err(Error::Usage);
            }
        };
        let operand = match (problem, buffer.name.as_str()) {
            (Some(problem), "A") => Some(problem.a()),
            (Some(problem), "B") => Some(problem.b()),
            _ => None,
        };
        let own = || Matrix::filled(used[0], used[1], buffer.ty, fill, seed);
        let matrix = operand.map_or_else(|| Cow::Owned(own()), Cow::Borrowed);
        let matrix = match used == [rows, columns] {
            true => matrix,
            false => Cow::Owned(matrix.resized(rows, columns)),
        };
        Ok(Some(match buffer.transposed {
            true => matrix.transposed().data,
            false => matrix.into_owned().data,
        }))
    }
}
