//! Why a step cannot run on this device: known before it is built, or before it is
//! launched, or said by the driver. It is skipped then, with the reason.

use common::element::Type;
use common::error::{Error, Result};
use common::ndrange::NdRange;
use common::numbers::bytes;
use common::problem::Problem;
use common::record::Record;
use opencl3::kernel::Kernel;

use crate::lesson::Lesson;
use crate::step::{Axes, Step};

impl Lesson {
    /// Why a step cannot run at all, known before it is built.
    pub(crate) fn cannot_begin(
        &mut self,
        step: &Step,
        problem: &Problem,
    ) -> Result<Option<String>> {
        if let (Type::Int, Some(reason)) = (problem.ty, step.no_integers) {
            return Ok(Some(reason.into()));
        }
        for kernel in step.kernels() {
            if let Some(reason) = self.left_out(kernel)? {
                return Ok(Some(reason));
            }
        }
        if let Some(reason) = self.padding_does_not_fit(step, problem)? {
            return Ok(Some(reason));
        }
        let device = &self.session()?.device;
        let range = step.range(step.shape(problem.shape));
        if let (Axes::OneGroup, Some(_)) = (step.axes, range.refusal(&device.limits, usize::MAX)) {
            return Ok(Some(format!(
                "one group cannot hold {} items; see it with --size 3",
                range.group_size()
            )));
        }
        // Some compilers fail on a group that their device cannot run.
        let refusal = range.refusal(&device.limits, usize::MAX);
        Ok(refusal.filter(|_| step.has_exact_group()))
    }

    /// Why the padded matrices are too large, where the problem's own are not.
    fn padding_does_not_fit(&mut self, step: &Step, problem: &Problem) -> Result<Option<String>> {
        let s = step.padded(problem.shape);
        let copies: usize = step
            .preparations_for(problem.shape)
            .map(|preparation| preparation.operand.size(s).iter().product::<usize>())
            .sum();
        if s == problem.shape && copies == 0 {
            return Ok(None);
        }
        let session = self.session()?;
        let bytes = (copies * problem.ty.size()) as u64;
        let fits = s
            .must_be_countable()
            .and_then(|()| session.must_fit(s, problem.ty, bytes));
        Ok(fits.err().map(|error| format!("padded to {s}: {error}")))
    }

    /// Why a kernel is left out: a learner's own file need not hold every kernel of
    /// the lesson, and one that has died is not launched once more.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn left_out(&self, kernel: &str) -> Result<Option<String>> {
        let died = self.has_died(kernel);
        if died.is_some() || self.flags().source.is_none() {
            return Ok(died);
        }
        let source = self.source()?;
        let there = source.kernels().iter().any(|name| name == kernel);
        Ok((!there).then(|| format!("not in {}", source.path.display())))
    }

    /// The launch in groups that this kernel has room for on this device, or why
    /// there are none; notes the kernel's memory and the group in the record.
    pub fn launch_shape(
        &mut self,
        kernel: &Kernel,
        range: NdRange,
        exact: bool,
        record: &mut Record,
    ) -> Result<Result<NdRange, String>> {
        let session = self.session()?;
        let device = &session.device;
        let id = device.cl().id();
        record.private_bytes = kernel.get_private_mem_size(id).ok();
        record.local_bytes = kernel.get_local_mem_size(id).ok();
        let local = record.local_bytes.unwrap_or(0);
        if local > device.limits.local_mem_bytes {
            return Ok(Err(format!(
                "needs {} of local memory, the device has {} (CL_DEVICE_LOCAL_MEM_SIZE)",
                bytes(local),
                bytes(device.limits.local_mem_bytes)
            )));
        }
        let room = session.room(kernel, &range.local);
        let range = if exact {
            range
        } else {
            range.in_groups_of_at_most(room)
        };
        record.group = range.local.clone();
        Ok(match range.refusal(&device.limits, room) {
            Some(reason) => Err(reason),
            None => Ok(range),
        })
    }
}

/// CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE: this launch does not
/// suit this device, and nothing has run.
pub(crate) fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::OpenCl {
            code: -54 | -55,
            ..
        }
    )
}

/// Such an error as a reason.
pub(crate) fn refused(error: &Error) -> String {
    let Error::OpenCl { code, during, here } = error else {
        return error.to_string();
    };
    let here = here
        .as_ref()
        .map_or_else(String::new, |here| format!(": {here}"));
    format!("the driver refuses ({code}) {during}{here}")
}
