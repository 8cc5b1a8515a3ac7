//! What runs beside a product's kernel in every run.

use common::Result;
use verify::formula::Formula;

use super::{launch, wrong};
use crate::form::LaunchForm;
use crate::task::{Arg, Buffer, Role, Task};

impl LaunchForm {
    /// Becomes part of a product, whose kernel then works on what this one writes or reads.
    pub(super) fn join(&self, task: &mut Task, shares: usize) -> Result<()> {
        let is_last = self.reduces.is_some();
        let of = self.packs.as_deref().or(self.reduces.as_deref());
        let of = of.unwrap_or_default();
        let operand = task.buffer(of).ok_or_else(|| {
            let why = format!("{}: there is no operand {of:?}", self.function);
            wrong(&format!("{}packs", self.key), why)
        })?;
        let (sides, ty) = (operand.used.clone(), operand.ty);
        let [rows, columns] = sides.each_ref().map(|side| format!("{side}P"));
        let (name, room, role) = if is_last {
            let rows = format!("{shares}*{rows}");
            ("shares of C".to_string(), rows, Role::Between)
        } else {
            (format!("{of} laid out"), rows.clone(), Role::LaidOut)
        };
        let room = [Formula::from(room), Formula::from(&*columns)];
        task.buffers.push(Buffer::matrix(&name, ty, room, role));

        let [own, laid_out] = [of, &name].map(|name| Arg::Buffer(name.into()));
        let at = task.own();
        let product = task.launches[at].args.iter_mut();
        let replaced = product.filter(|arg| **arg == own);
        replaced.for_each(|arg| *arg = laid_out.clone());
        let (from, to) = if is_last {
            (laid_out, own)
        } else {
            (own, laid_out)
        };
        let [rows_told, columns_told] = sides;
        let args = vec![
            Arg::int("rows", rows_told),
            Arg::int("columns", columns_told),
            from,
            to,
        ];
        let mut form = self.clone();
        // As many items as the operand has elements, as it is padded.
        if form.global.is_empty() {
            form.global = vec![columns.into(), rows.into()];
        }
        if form.local_hint.is_empty() {
            form.local_hint = vec![16.into(), 1.into()];
        }
        let launch = launch(&form, None, args)?;
        let at = if is_last { task.launches.len() } else { at };
        task.launches.insert(at, launch);
        Ok(())
    }
}
