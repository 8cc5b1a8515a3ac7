//! Verify, then time, then print: what happens to every kernel.

use std::time::{Duration, Instant};

use opencl3::kernel::Kernel;
use opencl3::memory::Buffer;

use crate::cli;
use crate::element::{Elements, Type};
use crate::error::{Error, Result};
use crate::lesson::Lesson;
use crate::matrix::{Fill, Matrix, Shape};
use crate::report::{Record, Work, bytes};
use crate::session::{Arg, NdRange};
use crate::step::{Axes, Step};
use crate::timing::{self, Runs, Timing};
use crate::verify::{self, CANARY_BYTES, Problem, Right};

/// A kernel is run for so long before it is timed, so that clocks have risen.
const WARM_UP: Duration = Duration::from_millis(30);

/// A and B on the device, and what they were made for.
pub(crate) struct Operands {
    made_for: String,
    a: Buffer<u8>,
    b: Buffer<u8>,
}

/// How a kernel came out.
pub(crate) enum Outcome {
    /// Right, and timed unless nothing is to be timed.
    Right(Right, Option<Timing>),
    /// Wrong, with what it looks like.
    Wrong(String),
}

impl Lesson {
    /// Verifies, times and prints one step, unless `--only` asks for others.
    ///
    /// # Errors
    /// When it does not build or the device fails. A wrong result is a printed
    /// row, and makes the lesson end with status 1.
    pub fn measure(&mut self, step: &Step, problem: &Problem) -> Result<()> {
        if !self.flags.wants(&step.kernel) {
            return Ok(());
        }
        let runs = self.runs()?;
        let record = self.measured(step, problem, runs)?;
        self.row(record)
    }

    /// Verifies and times one step, and prints nothing.
    ///
    /// # Errors
    /// Those of [`Lesson::measure`].
    pub fn measured(
        &mut self,
        step: &Step,
        problem: &Problem,
        runs: Option<Runs>,
    ) -> Result<Record> {
        let name = step.name();
        let mut record = self.record(&name, &step.says, problem.shape)?;
        if let Some(reason) = self.cannot_begin(step, problem)? {
            record.skipped = Some(reason);
            return Ok(record);
        }
        let program = self.program(&step.defines)?;
        let kernel = program.kernel(&step.kernel, &Step::signature(problem.ty))?;
        record.build_seconds = program.build_seconds;
        let range = step.range(step.shape(problem.shape));
        let range = match self.launch_shape(&kernel, range, step.has_exact_group(), &mut record)? {
            Ok(range) => range,
            Err(reason) => {
                record.skipped = Some(reason);
                return Ok(record);
            }
        };
        record.traffic_formulas = step.traffic;
        record.traffic_elements = step.counts(problem.shape, &range.local)?;
        let outcome = match self.multiply(step, problem, &kernel, &range, runs) {
            // The last word on a group's shape is the driver's.
            Err(Error::OpenCl { code, during }) if is_refusal(code) => {
                record.skipped = Some(format!("the driver refuses ({code}) {during}"));
                return Ok(record);
            }
            outcome => outcome?,
        };
        match outcome {
            Outcome::Wrong(wrong) => record.failed = Some(wrong),
            Outcome::Right(right, timing) => {
                record.right(right);
                let limit = self.peak.map(|peak| peak.gflops);
                let limit = limit.filter(|_| problem.ty == Type::Float);
                if let Some(timing) = timing {
                    record.timed(&timing, Work::Flop(problem.shape.flop()), limit);
                }
            }
        }
        Ok(record)
    }

    /// Uploads the operands, sets the arguments, verifies and times.
    fn multiply(
        &mut self,
        step: &Step,
        problem: &Problem,
        kernel: &Kernel,
        range: &NdRange,
        runs: Option<Runs>,
    ) -> Result<Outcome> {
        let name = &step.name();
        let session = self.session()?;
        let s = step.shape(problem.shape);
        self.upload(step, problem)?;
        let c_bytes = s.m * s.n * problem.ty.size();
        let mut c = session.buffer(c_bytes + CANARY_BYTES)?;
        if let Some(Operands { a, b, .. }) = &self.operands {
            let sizes = [s.m, s.n, s.k].map(|size| Arg::Int(size as i32));
            let [m, n, k] = sizes;
            let buffers = [Arg::Buffer(a), Arg::Buffer(b), Arg::Buffer(&c)];
            let [a, b, c] = buffers;
            session.set_args(kernel, name, &[m, n, k, a, b, c])?;
        }
        let result = |bytes: &[u8]| {
            let padded = Matrix {
                rows: s.m,
                cols: s.n,
                data: Elements::from_bytes(problem.ty, &bytes[..c_bytes]),
            };
            step.result(padded, problem.shape)
        };
        let check = |bytes: &[u8]| {
            let canary = verify::canary_alive(bytes, c_bytes, problem.ty);
            verify::check(problem, &result(bytes), canary).map_err(|wrong| wrong.to_string())
        };
        let outcome = self.verify_and_time(
            kernel,
            name,
            range,
            (&mut c, c_bytes, problem.ty),
            runs,
            check,
        )?;
        if self.flags.show {
            let bytes = session.read(&c, c_bytes)?;
            self.show(&format!("C by {name}"), &result(&bytes))?;
        }
        Ok(outcome)
    }

    /// A and B on the device in the step's layout; kept for the next step.
    fn upload(&mut self, step: &Step, problem: &Problem) -> Result<()> {
        let made_for = format!(
            "{:?} {} {} {:?}",
            step.layout, step.multiples, problem.shape, problem.fill
        );
        let fresh = |operands: &Operands| operands.made_for == made_for;
        if self.operands.as_ref().is_some_and(fresh) {
            return Ok(());
        }
        self.doing("uploading the matrices")?;
        let session = self.session()?;
        // Freed first, so that the device never holds two sets.
        self.operands = None;
        let (a, b) = step.operands(problem);
        self.operands = Some(Operands {
            made_for,
            a: session.upload(a.data.as_bytes())?,
            b: session.upload(b.data.as_bytes())?,
        });
        Ok(())
    }

    /// Runs a kernel whose arguments are set on a poisoned result, has the
    /// result checked, and only then times it. Every launch starts from poison,
    /// and the last one must leave the very bytes that the first one left.
    /// `out` holds `bytes` bytes of result and the canary behind them.
    ///
    /// # Errors
    /// When the device fails.
    pub(crate) fn verify_and_time(
        &mut self,
        kernel: &Kernel,
        name: &str,
        range: &NdRange,
        (out, bytes, ty): (&mut Buffer<u8>, usize, Type),
        runs: Option<Runs>,
        check: impl Fn(&[u8]) -> Result<Right, String>,
    ) -> Result<Outcome> {
        let session = self.session()?;
        let whole = bytes + CANARY_BYTES;
        self.doing(format!("running {name}"))?;
        session.write(out, &verify::poisoned(bytes, ty))?;
        session.run(kernel, name, range)?;
        let first = session.read(out, whole)?;
        self.doing(format!("checking {name}"))?;
        let right = match check(&first) {
            Ok(right) => right,
            Err(wrong) => return Ok(Outcome::Wrong(wrong)),
        };
        let Some(runs) = runs else {
            return Ok(Outcome::Right(right, None));
        };
        self.doing(format!("timing {name}"))?;
        let begin = Instant::now();
        while begin.elapsed() < WARM_UP {
            session.run(kernel, name, range)?;
        }
        let timing = timing::measure(
            runs,
            |run| {
                self.doing(format!("timing {name}, run {run}"))?;
                session.fill(out, verify::poison(ty), bytes)?;
                session.finish()
            },
            || session.run(kernel, name, range),
        )?;
        let last = session.read(out, whole)?;
        if last != first {
            return Ok(Outcome::Wrong(
                "the result was right at first and another in the last run\n  \
                 looks like: a race"
                    .into(),
            ));
        }
        Ok(Outcome::Right(right, Some(timing)))
    }

    /// Why a step cannot run at all, known before it is built.
    fn cannot_begin(&mut self, step: &Step, problem: &Problem) -> Result<Option<String>> {
        if let (Type::Int, Some(reason)) = (problem.ty, step.no_integers) {
            return Ok(Some(reason.into()));
        }
        if let Some(reason) = self.not_in_source(&step.kernel)? {
            return Ok(Some(reason));
        }
        if let Some(reason) = self.padding_does_not_fit(step, problem)? {
            return Ok(Some(reason));
        }
        let device = &self.session()?.device;
        let range = step.range(step.shape(problem.shape));
        if let (Axes::OneGroup, Some(_)) = (step.axes, range.refusal(device, usize::MAX)) {
            return Ok(Some(format!(
                "one group cannot hold {} items; see it with --size 3",
                range.group_size()
            )));
        }
        // Some compilers fail on a group that their device cannot run.
        let refusal = range.refusal(device, usize::MAX);
        Ok(refusal.filter(|_| step.has_exact_group()))
    }

    /// Why the padded matrices are too large, where the problem's own are not.
    fn padding_does_not_fit(&mut self, step: &Step, problem: &Problem) -> Result<Option<String>> {
        let s = step.shape(problem.shape);
        if s == problem.shape {
            return Ok(None);
        }
        let session = self.session()?;
        let fits = cli::must_be_countable(s).and_then(|()| session.must_fit(s, problem.ty));
        Ok(fits.err().map(|error| format!("padded to {s}: {error}")))
    }

    /// A learner's own file need not hold every kernel of the lesson.
    pub(crate) fn not_in_source(&self, kernel: &str) -> Result<Option<String>> {
        if self.flags.source.is_none() {
            return Ok(None);
        }
        let source = self.source()?;
        let there = source.kernels().iter().any(|name| name == kernel);
        Ok((!there).then(|| format!("not in {}", source.path.display())))
    }

    /// The launch in groups that this kernel has room for on this device, or why
    /// there are none; notes the kernel's memory and the group in the record.
    pub(crate) fn launch_shape(
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
        let mut room = kernel.get_work_group_size(id).unwrap_or(usize::MAX);
        // Some drivers tell a default here although the kernel names its group.
        let mut required = kernel.get_compile_work_group_size(id).unwrap_or_default();
        required.truncate(range.local.len());
        if required == range.local {
            room = usize::MAX;
        }
        let range = match exact {
            true => range,
            false => range.in_groups_of_at_most(room.min(device.limits.max_work_group_size)),
        };
        record.group = range.local.clone();
        Ok(match range.refusal(device, room) {
            Some(reason) => Err(reason),
            None => Ok(range),
        })
    }

    /// Runs one step on matrices that count 1, 2, 3, ..., and prints A, B and C.
    ///
    /// # Errors
    /// Those of [`Lesson::measure`].
    pub fn demonstrate(&mut self, step: &Step, shape: Shape) -> Result<()> {
        if !self.flags.wants(&step.kernel) {
            return Ok(());
        }
        let (ty, show) = (self.flags.ty, self.flags.show);
        let problem = Problem::new(shape, ty, Fill::Count, 0);
        self.say("")?;
        self.show("A", &problem.a)?;
        self.show("B", &problem.b)?;
        self.flags.show = true;
        self.check_only(step, &problem)?;
        self.flags.show = show;
        Ok(())
    }

    /// Verifies and prints one step without timing it.
    fn check_only(&mut self, step: &Step, problem: &Problem) -> Result<()> {
        let runs = self.flags.runs.replace(0);
        let done = self.measure(step, problem);
        self.flags.runs = runs;
        done
    }
}

/// CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE: this launch does not
/// suit this device, and nothing has run.
fn is_refusal(code: i32) -> bool {
    matches!(code, -54 | -55)
}
