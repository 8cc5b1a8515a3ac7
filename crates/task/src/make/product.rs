//! A product of matrices: its operands as they lie in memory, its kernel, and what runs beside that
//! in every run.

use common::error::{AtField, Result};
use verify::formula::{Formula, Scope};
use verify::shape::Shape;

use super::{For, launch, of_kernel, wrong};
use crate::form::{Form, LaunchForm, Layout};
use crate::sizes::{SIDES, sides_of};
use crate::task::{Arg, Buffer, Fill, Right, Role, Task, Work};

/// Element `i` of a matrix B in panels of PANEL columns, of which the last has zeros behind.
const PANELS: &str = "if(floor(i/(KP*PANEL))*PANEL + i % PANEL < N && floor(i/PANEL) % KP < K, \
                      B[min(floor(i/PANEL) % KP, K - 1)*N + min(floor(i/(KP*PANEL))*PANEL + i % PANEL, N - 1)], 0)";

impl Form {
    /// MP, NP and KP are what M, N and K are rounded up to, by themselves to nothing; where the host
    /// pads, the matrices have room for them, and the kernel is told these.
    pub(super) fn product(
        &self,
        layout: Layout,
        launches: &[LaunchForm],
        scope: &Scope,
        given: &For,
    ) -> Result<Task> {
        let [Some(m), Some(n), Some(k)] =
            SIDES.map(|name| scope.get(name).map(|side| side as usize))
        else {
            return Err(wrong("size", "size: a product has M, N and K, and one is missing"));
        };
        let shape = Shape { m, n, k };
        shape.must_be_countable().map_err(|why| wrong("size", why))?;
        let own = self.before.len();
        let signature = of_kernel(given.signatures, &launches[own])?;
        let told = signature.and_then(|one| one.args.get(3));
        let ty = told.map_or(given.ty, |one| one.element);
        let inputs = self.inputs.unwrap_or(ty);

        let is_alone = self.before.is_empty() && self.after.is_empty();
        let host_pads = self.pad.is_some() && !self.kernel_pads && is_alone;
        let told = |name: &str| format!("{name}{}", if host_pads { "P" } else { "" }).into();
        let matrix = |name, ty, sides: [&str; 2], transposed, role| Buffer {
            used: sides.map(Formula::from),
            transposed,
            ..Buffer::matrix(name, ty, sides.map(told), role)
        };
        let numbers = |seed| Role::In(Fill::Numbers(given.random, seed));
        let (a, b) = (numbers(given.seed), numbers(given.seed.wrapping_add(1)));
        let all_transposed = layout == Layout::ColumnMajor;
        let b_transposed = all_transposed || layout == Layout::BTransposed;
        let mut buffers = vec![
            matrix("A", inputs, ["M", "K"], all_transposed, a),
            matrix("B", inputs, ["K", "N"], b_transposed, b),
            matrix("C", ty, ["M", "N"], all_transposed, Role::Out),
        ];
        let mut args = SIDES.map(|name| Arg::int(name, told(name))).to_vec();
        args.extend(["A", "B", "C"].map(|name| Arg::Buffer(name.into())));
        if layout == Layout::BPanels {
            let length = "KP*PANEL*ceil(NP/PANEL)";
            let fill = Fill::Each(PANELS.into());
            // The matrix itself stays on the host.
            buffers[1].shape = buffers[1].used.clone();
            buffers.push(Buffer::vector("panels", inputs, length, Role::In(fill)));
            args[4] = Arg::Buffer("panels".into());
        }
        let mut launch = launch(&launches[own], signature, args)?;
        let shares = self.shares.as_ref().map_or(Ok(1), |shares| shares.count(scope));
        let shares = shares.at("shares")?;
        if shares > 1 {
            launch.over.push(shares.into());
            launch.group.push(1.into());
        }
        let mut task = Task {
            kernel: launch.kernel.clone(),
            ty,
            sizes: sides_of(shape),
            names: self.padded(scope)?,
            buffers,
            launches: vec![launch],
            right: Right::Product,
            work: Work::Flop("2*M*N*K".into()),
            ..Task::default()
        };
        let (before, after) = (&launches[..own], &launches[own + 1..]);
        for beside in before.iter().chain(after) {
            beside.join(&mut task, shares)?;
        }
        Ok(task)
    }

    /// MP, NP and KP.
    fn padded(&self, scope: &Scope) -> Result<Vec<(String, Formula)>> {
        let padded = |(at, name): (usize, &&str)| {
            let padded = match &self.pad {
                Some(pad) => {
                    let multiple = pad[at].count(scope).at(&format!("pad[{at}]"))?;
                    format!("{multiple}*ceil({name}/{multiple})")
                }
                None => (*name).into(),
            };
            Ok((format!("{name}P"), Formula::from(padded)))
        };
        SIDES.iter().enumerate().map(padded).collect()
    }
}

impl LaunchForm {
    /// Becomes part of a product, whose kernel then works on what this one writes or reads.
    fn join(&self, task: &mut Task, shares: usize) -> Result<()> {
        let is_last = self.reduces.is_some();
        let of = self.packs.as_deref().or(self.reduces.as_deref());
        let of = of.unwrap_or_default();
        let operand = task.buffer(of).ok_or_else(|| {
            let why = format!("{}: there is no operand {of:?}", self.function);
            self.wrong("packs", &why)
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
        let (from, to) = if is_last { (laid_out, own) } else { (own, laid_out) };
        let [rows_told, columns_told] = sides;
        let args = vec![Arg::int("rows", rows_told), Arg::int("columns", columns_told), from, to];
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
