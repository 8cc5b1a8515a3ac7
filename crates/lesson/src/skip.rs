//! Why a kernel is skipped: known before it is built, or before it is launched, or said by the driver.

use common::error::{AtField, Error, Result};
use common::ndrange;
use common::record::{Of, Record};
use common::session::{Need, side_of};
use opencl3::error_codes::{CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE};
use opencl3::kernel::Kernel;
use task::form;
use task::{Arg, Buffer, Fill, Plan, Role, Task};
use verify::formula::Scope;
use verify::numbers::bytes;

use crate::lesson::Lesson;

impl Lesson {
    /// Refuses a task that cannot run at all, before it is built.
    pub(crate) fn must_be_able(&mut self, task: &Task, plan: &Plan) -> Result<()> {
        let is_another = match self.flags().variant.as_deref() {
            None => false,
            Some("") => !self.console.report.rows().is_empty(),
            Some(name) => task.name() != name,
        };
        if is_another {
            return Err(Error::skipped("another variant was asked for"));
        }
        let is_drawn = |one: &Buffer| matches!(one.role.fill(), Some(Fill::Numbers(..)));
        if self.flags().extreme && !task.buffers.iter().any(is_drawn) {
            return Err(Error::skipped("its lesson fills it with numbers of its own"));
        }
        self.must_have(&task.needs, &plan.scope)?;
        for kernel in task.kernels() {
            self.must_not_be_left_out(kernel)?;
        }
        self.must_fit(task, plan)?;
        // Some compilers fail on a group that their device cannot run.
        let limits = &self.session()?.device.limits;
        let (own, range) = (task.own_launch(), &plan.ranges[task.own()]);
        let refusal = range.refusal(limits, usize::MAX).filter(|_| own.fixed);
        let Some(refusal) = refusal else {
            return Ok(());
        };
        let items = ndrange::count(range.local());
        Err(Error::skipped(match own.over == own.group {
            true => format!("one group cannot hold {items} items; see it with --size 3"),
            false => refusal,
        }))
    }

    /// Refuses a task that says itself that it is none for this device, or for these sizes.
    pub fn must_have(&mut self, needs: &[form::Need], scope: &Scope) -> Result<()> {
        let mut scope = scope.clone();
        let capability = self.session()?.device.limits.nvidia_compute_capability;
        scope.set("CAPABILITY", capability as f64);
        for one in needs {
            if one.that.value(&scope).at("needs")? <= 0.0 {
                return Err(Error::skipped(&*one.r#else));
            }
        }
        Ok(())
    }

    /// Refuses memory that is too large, where the problem's own is not.
    fn must_fit(&mut self, task: &Task, plan: &Plan) -> Result<()> {
        let session = self.session()?;
        let mut roles = task.buffers.iter().map(|one| &one.role);
        let beside = roles.position(|role| matches!(role, Role::LaidOut | Role::Between));
        let Some(named) = plan.padded().or(beside) else {
            return Ok(());
        };
        let all = task.buffers.iter().zip(&plan.shapes);
        let needs = all.map(|(buffer, [[rows, columns], _])| {
            let bytes = (rows * columns * buffer.ty.size()) as u64;
            match buffer.role {
                Role::In(_) => Need::Read(bytes),
                Role::Out | Role::InOut(_) => Need::Written(bytes),
                Role::LaidOut | Role::Between => Need::Between(bytes),
            }
        });
        let (name, [[rows, columns], _]) = (&task.buffers[named].name, plan.shapes[named]);
        let what = format!("with {name} of {rows} x {columns}");
        let size = |bytes| Some(side_of(bytes, task.ty));
        let fits = session.must_have_room(&needs.collect::<Vec<_>>(), size);
        fits.map_err(|error| Error::skipped(format!("{what}: {error}")))
    }

    /// Refuses a kernel that is left out: a learner's own file need not hold every kernel of
    /// the lesson, and one that has died is not launched once more.
    fn must_not_be_left_out(&self, kernel: &str) -> Result<()> {
        let mut died = self.console.died.iter();
        if let Some(died) = died.find(|record| record.function() == kernel) {
            return Err(Error::skipped(format!("{} died in this run", died.kernel)));
        }
        // Of a task's the driver has told its kernels, whatever macros made their names.
        if self.flags().source.is_none() || self.of == Of::Task {
            return Ok(());
        }
        let source = self.source_of(kernel)?;
        let known = source.must_define(kernel);
        known.map_err(|_| Error::skipped(format!("not in {}", source.path.display())))
    }

    /// Puts every launch into groups that its kernel has room for on this device. The record gets
    /// the own kernel's memory and group.
    ///
    /// # Errors
    /// [`Error::Skipped`] where there are none.
    pub(crate) fn fit_groups(
        &mut self,
        task: &Task,
        plan: &mut Plan,
        kernels: &[Kernel],
        record: &mut Record,
    ) -> Result<()> {
        let session = self.session()?;
        let device = &session.device;
        let own = task.own();
        let kernel = &kernels[own];
        record.private_bytes = kernel.get_private_mem_size(device.cl().id()).ok();
        record.local_bytes = kernel.get_local_mem_size(device.cl().id()).ok();
        let given = task.own_launch().args.iter().filter_map(|arg| match arg {
            Arg::Local(length) => length.count(&plan.scopes[own]).ok(),
            _ => None,
        });
        let local = record.local_bytes.unwrap_or(0) + given.sum::<usize>() as u64;
        // NVIDIA's driver gives more than it tells of: the launch says whether it does.
        if local > device.limits.local_mem_bytes && !task.vendor_specific {
            return Err(Error::skipped(format!(
                "needs {} of local memory, the device has {} (CL_DEVICE_LOCAL_MEM_SIZE)",
                bytes(local),
                bytes(device.limits.local_mem_bytes)
            )));
        }
        let mut refusal = None;
        let all = task.launches.iter().zip(kernels).zip(&mut plan.ranges);
        for ((launch, kernel), range) in all {
            refusal = refusal.or(session.fit_groups(kernel, range, launch.fixed));
        }
        record.group = plan.ranges[own].local().to_vec();
        refusal.map_or(Ok(()), |why| Err(Error::skipped(why)))
    }
}

/// The driver's refusal as a reason: this launch does not suit this device, and nothing
/// has run.
pub(crate) fn refused(error: Error) -> Error {
    let Error::OpenCl {
        code: code @ (CL_INVALID_WORK_GROUP_SIZE | CL_INVALID_WORK_ITEM_SIZE),
        during,
        here,
    } = &error
    else {
        return error;
    };
    let here = here.iter().map(|here| format!(": {here}"));
    let here: String = here.collect();
    Error::skipped(format!("the driver refuses ({code}) {during}{here}"))
}
