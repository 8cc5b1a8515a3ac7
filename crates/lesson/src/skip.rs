//! Why a kernel is skipped: known before it is built, or before it is launched, or said by the driver.

use common::error::{AtField, Error, Result};
use common::record::{Of, Record};
use common::session::Need;
use opencl3::error_codes::{CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE};
use opencl3::kernel::Kernel;
use task::form;
use task::{Arg, Plan, Role, Task};
use verify::formula::Scope;
use verify::numbers::bytes;

use crate::lesson::Lesson;

impl Lesson {
    /// Why a task cannot run at all, known before it is built.
    pub(crate) fn cannot_begin(&mut self, task: &Task, plan: &Plan) -> Result<Option<String>> {
        let is_another = match self.flags().variant.as_deref() {
            None => false,
            Some("") => !self.console.report.rows().is_empty(),
            Some(name) => task.name() != name,
        };
        if is_another {
            return Ok(Some("another variant was asked for".into()));
        }
        if let Some(reason) = self.lacks(&task.needs, &plan.scope)? {
            return Ok(Some(reason));
        }
        for kernel in task.kernels() {
            if let Some(reason) = self.left_out(kernel)? {
                return Ok(Some(reason));
            }
        }
        if let Some(reason) = self.does_not_fit(task, plan)? {
            return Ok(Some(reason));
        }
        // Some compilers fail on a group that their device cannot run.
        let limits = &self.session()?.device.limits;
        let (own, range) = (task.own_launch(), &plan.ranges[task.own()]);
        let refusal = range.refusal(limits, usize::MAX).filter(|_| own.fixed);
        Ok(refusal.map(|refusal| match own.over == own.group {
            true => {
                let items = range.group_size();
                format!("one group cannot hold {items} items; see it with --size 3")
            }
            false => refusal,
        }))
    }

    /// Why a task is none for this device or these sizes, where it says so itself.
    ///
    /// # Errors
    /// When a formula has no value.
    pub fn lacks(&mut self, needs: &[form::Need], scope: &Scope) -> Result<Option<String>> {
        let mut scope = scope.clone();
        let capability = self.session()?.device.limits.nvidia_compute_capability;
        scope.set("CAPABILITY", capability as f64);
        for (at, one) in needs.iter().enumerate() {
            let value = one.that.value(&scope).at(&format!("needs[{at}].that"))?;
            if value <= 0.0 {
                return Ok(Some(one.r#else.clone()));
            }
        }
        Ok(None)
    }

    /// Why its memory is too large, where the problem's own is not.
    fn does_not_fit(&mut self, task: &Task, plan: &Plan) -> Result<Option<String>> {
        let session = self.session()?;
        let mut roles = task.buffers.iter().map(|one| &one.role);
        let beside = roles.position(|role| matches!(role, Role::LaidOut | Role::Between));
        let Some(named) = plan.padded().or(beside) else {
            return Ok(None);
        };
        let all = task.buffers.iter().zip(&plan.shapes);
        let needs = all.map(|(buffer, [[rows, columns], _])| {
            let bytes = (rows * columns * buffer.ty.size()) as u64;
            match buffer.role {
                Role::In(_) => Need::read(bytes),
                Role::Out | Role::InOut(_) => Need::written(bytes),
                Role::LaidOut | Role::Between => Need::between(bytes),
            }
        });
        let fits = session.must_have_room(needs, Some(task.ty));
        let (name, [[rows, columns], _]) = (&task.buffers[named].name, plan.shapes[named]);
        let what = format!("with {name} of {rows} x {columns}");
        Ok(fits.err().map(|error| format!("{what}: {error}")))
    }

    /// Why a kernel is left out: a learner's own file need not hold every kernel of
    /// the lesson, and one that has died is not launched once more.
    pub fn left_out(&self, kernel: &str) -> Result<Option<String>> {
        let mut died = self.console.died.iter();
        if let Some(died) = died.find(|record| record.function() == kernel) {
            return Ok(Some(format!("{} died in this run", died.kernel)));
        }
        // Of a task's the driver has told its kernels, whatever macros made their names.
        if self.flags().source.is_none() || self.of == Of::Task {
            return Ok(None);
        }
        let source = self.source_of(kernel)?;
        let missing = source.must_define(kernel).is_err();
        Ok(missing.then(|| format!("not in {}", source.path.display())))
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
        let scope = task.scope_of(task.own_launch(), &plan.scope)?;
        let given = task.own_launch().args.iter().filter_map(|arg| match arg {
            Arg::Local(length) => length.count(&scope).ok(),
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
            let required = session.required(kernel, range.local().len());
            if let Some(required) = required.filter(|_| !launch.fixed) {
                range.regroup(&required);
            }
            let room = session.room(kernel, range.local());
            if !launch.fixed {
                range.shrink_groups(room);
            }
            refusal = refusal.or(range.refusal(&device.limits, room));
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
