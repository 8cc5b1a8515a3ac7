//! Why a step cannot run on this device: known before it is built, or before it is
//! launched, or said by the driver. It is skipped then, with the reason.

use common::element::Type;
use common::error::{Error, Result};
use common::ndrange::NdRange;
use common::numbers::bytes;
use common::record::Record;
use opencl3::error_codes::{CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE};
use opencl3::kernel::Kernel;

use crate::lesson::Lesson;
use crate::step::{Axes, Step};
use crate::task::Task;

impl Lesson {
    /// Why a kernel cannot run at all, known before it is built.
    pub(crate) fn cannot_begin(&mut self, task: &dyn Task) -> Result<Option<String>> {
        let step = task.step();
        if self.is_another_variant(step) {
            return Ok(Some("another variant was asked for".into()));
        }
        if let (Type::Int, Some(reason)) = (task.ty(), step.no_integers) {
            return Ok(Some(reason.into()));
        }
        for kernel in step.kernels() {
            if let Some(reason) = self.left_out(kernel)? {
                return Ok(Some(reason));
            }
        }
        if let Some(reason) = self.padding_does_not_fit(task)? {
            return Ok(Some(reason));
        }
        // Some compilers fail on a group that their device cannot run.
        let limits = &self.session()?.device.limits;
        let range = task.range();
        let refusal = range.refusal(limits, usize::MAX);
        Ok(match step.axes {
            Axes::OneGroup => refusal.map(|_| {
                format!(
                    "one group cannot hold {} items; see it with --size 3",
                    range.group_size()
                )
            }),
            _ => refusal.filter(|_| step.exact_group),
        })
    }

    /// Why the padded matrices are too large, where the problem's own are not.
    fn padding_does_not_fit(&mut self, task: &dyn Task) -> Result<Option<String>> {
        let (step, ty) = (task.step(), task.ty());
        let s = step.padded(task.shape());
        let too_many = step.shares_are_not_countable(s);
        if too_many.is_some() {
            return Ok(too_many);
        }
        let copies: usize = step.helpers.iter().map(|one| step.room_for(one, s)).sum();
        if copies == 0 && (s == task.shape() || !step.host_pads) {
            return Ok(None);
        }
        let session = self.session()?;
        let fits = s
            .must_be_countable()
            .map_err(Error::Usage)
            .and_then(|()| session.must_fit(s, ty, (copies * ty.size()) as u64));
        let what = match step.shares {
            1 => format!("padded to {s}"),
            shares => format!("with {shares} shares of C"),
        };
        Ok(fits.err().map(|error| format!("{what}: {error}")))
    }

    fn is_another_variant(&self, step: &Step) -> bool {
        match self.flags().variant.as_deref() {
            None => false,
            Some("") => !self.console.report.rows().is_empty(),
            Some(name) => step.name() != name,
        }
    }

    /// Why a kernel is left out: a learner's own file need not hold every kernel of
    /// the lesson, and one that has died is not launched once more.
    pub fn left_out(&self, kernel: &str) -> Result<Option<String>> {
        let mut died = self.console.died.iter();
        if let Some(died) = died.find(|record| record.function() == kernel) {
            return Ok(Some(format!("{} died in this run", died.kernel)));
        }
        if self.flags().source.is_none() {
            return Ok(None);
        }
        let source = self.source()?;
        let there = source.kernels().iter().any(|name| name == kernel);
        Ok((!there).then(|| format!("not in {}", source.path.display())))
    }

    /// The launch in groups that this kernel has room for on this device; none where
    /// there are none, and the record then says why. It gets the kernel's memory and
    /// the group, too.
    pub(crate) fn launch_shape(
        &mut self,
        kernel: &Kernel,
        task: &dyn Task,
        record: &mut Record,
    ) -> Result<Option<NdRange>> {
        let session = self.session()?;
        let device = &session.device;
        let id = device.cl().id();
        record.private_bytes = kernel.get_private_mem_size(id).ok();
        record.local_bytes = kernel.get_local_mem_size(id).ok();
        let local = record.local_bytes.unwrap_or(0);
        if local > device.limits.local_mem_bytes {
            record.skipped = Some(format!(
                "needs {} of local memory, the device has {} (CL_DEVICE_LOCAL_MEM_SIZE)",
                bytes(local),
                bytes(device.limits.local_mem_bytes)
            ));
            return Ok(None);
        }
        let mut range = task.range();
        let room = session.room(kernel, range.local());
        if !task.step().has_exact_group() {
            range = range.in_groups_of_at_most(room);
        }
        record.group = range.local().to_vec();
        record.skipped = range.refusal(&device.limits, room);
        Ok(record.skipped.is_none().then_some(range))
    }
}

/// The driver's refusal as a reason: this launch does not suit this device, and nothing
/// has run.
pub(crate) fn refused(error: &Error) -> Option<String> {
    let Error::OpenCl {
        code: code @ (CL_INVALID_WORK_GROUP_SIZE | CL_INVALID_WORK_ITEM_SIZE),
        during,
        here,
    } = error
    else {
        return None;
    };
    let here = here.iter().map(|here| format!(": {here}"));
    let here: String = here.collect();
    Some(format!("the driver refuses ({code}) {during}{here}"))
}
