//! Verify, then time, then print: what happens to every kernel.

use std::rc::Rc;
use std::time::{Duration, Instant};

use common::element::{Elements, Type};
use common::error::{Error, Result};
use common::matrix::{Fill, Matrix};
use common::program::Program;
use common::record::{Record, Work};
use common::session::{Arg, Launch};
use common::shape::Shape;
use common::timing::{self, Runs, Timing};
use common::verify::{self, Problem, Right};
use indicatif::ProgressDrawTarget;
use narrate::{Beat, Card, Look};
use opencl3::memory::Buffer;

use crate::lesson::Lesson;
use crate::prepare::{LaidOut, Operand};
use crate::refusal::is_refusal;
use crate::step::Step;

/// A kernel is run for so long before it is timed, so that clocks have risen.
const WARM_UP: Duration = Duration::from_millis(30);

/// A and B on the device, and what they were made for.
pub(crate) struct Operands {
    made_for: String,
    pub(crate) a: Buffer<u8>,
    pub(crate) b: Buffer<u8>,
}

/// A product that is ready to run.
pub(crate) struct Ready {
    /// Preparations and kernel, their arguments set.
    pub(crate) launches: Vec<Launch>,
    /// Where the result goes, with a canary behind it.
    pub(crate) c: Buffer<u8>,
    /// Bytes of the result.
    pub(crate) c_bytes: usize,
    laid_out: Vec<LaidOut>,
    // The launches read them: they live as long.
    _given: Rc<Operands>,
}

/// How a kernel came out.
pub enum Outcome {
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
        if !step.kernels().any(|kernel| self.flags.wants(kernel)) {
            return Ok(());
        }
        let begun = self.record(&step.name(), &step.says, problem.shape)?;
        if self.flags.ablate {
            return self.ablate(step, problem, begun);
        }
        let runs = self.runs()?;
        let narrator = self.narrator.clone();
        narrator.kernel(|| self.card(step, problem))?;
        self.once(begun, |lesson| {
            narrator.again(|| {
                let record = lesson.measured_aloud(step, problem, runs)?;
                lesson.row(record)
            })
        })
    }

    /// Verifies and times one step, and tells and prints nothing.
    ///
    /// # Errors
    /// Those of [`Lesson::measure`].
    pub fn measured(
        &mut self,
        step: &Step,
        problem: &Problem,
        runs: Option<Runs>,
    ) -> Result<Record> {
        let narrator = self.narrator.clone();
        let _hush = narrator.hush();
        self.measured_aloud(step, problem, runs)
    }

    fn measured_aloud(
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
        let program = match self.program(&step.defines) {
            Err(Error::Build(log)) if step.vendor_specific => {
                let first = log.lines().next().unwrap_or_default();
                record.skipped = Some(format!("one vendor's words, not this compiler's: {first}"));
                return Ok(record);
            }
            program => program?,
        };
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
        record.preparations = step.prepared(problem.shape)?;
        let launch = Launch {
            kernel,
            name,
            range,
        };
        let outcome = match self.multiply(step, problem, &program, launch, runs) {
            // The last word on a group's shape is the driver's.
            Err(Error::OpenCl { code, during, here }) if is_refusal(code) => {
                let here = here.map_or_else(String::new, |here| format!(": {here}"));
                record.skipped = Some(format!("the driver refuses ({code}) {during}{here}"));
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

    /// Uploads the operands and sets the arguments.
    pub(crate) fn ready(
        &mut self,
        step: &Step,
        problem: &Problem,
        program: &Program,
        launch: Launch,
    ) -> Result<Ready> {
        let session = self.session()?;
        let s = step.shape(problem.shape);
        let given = self.upload(step, problem)?;
        let (mut launches, laid_out) = self.prepare(step, problem, program, &given)?;
        let c_bytes = s.m * s.n * problem.ty.size();
        self.narrator.name_next("C");
        let c = session.buffer(c_bytes + session.canary_bytes())?;
        self.narrator
            .watch(&session.queue, "C", &c, step.look_at_c(s, problem.ty));
        self.narrator.beat(Beat::Arguments)?;
        let [m, n, k] = [s.m, s.n, s.k].map(|size| Arg::Int(size as i32));
        let of = |operand| laid_out.iter().find(|one| one.operand == operand);
        let a = Arg::Buffer(of(Operand::A).map_or(&given.a, |one| &one.buffer));
        let b = Arg::Buffer(of(Operand::B).map_or(&given.b, |one| &one.buffer));
        session.set_args(
            &launch.kernel,
            &launch.name,
            &[m, n, k, a, b, Arg::Buffer(&c)],
        )?;
        launches.push(launch);
        Ok(Ready {
            launches,
            c,
            c_bytes,
            laid_out,
            _given: given,
        })
    }

    /// Verifies and times.
    fn multiply(
        &mut self,
        step: &Step,
        problem: &Problem,
        program: &Program,
        launch: Launch,
        runs: Option<Runs>,
    ) -> Result<Outcome> {
        let session = self.session()?;
        let s = step.shape(problem.shape);
        let name = launch.name.clone();
        let Ready {
            launches,
            mut c,
            c_bytes,
            laid_out,
            _given,
        } = self.ready(step, problem, program, launch)?;
        let narrator = self.narrator.clone();
        let result = |bytes: &[u8]| {
            let padded = Matrix {
                rows: s.m,
                cols: s.n,
                data: Elements::from_bytes(problem.ty, &bytes[..c_bytes]),
            };
            step.result(padded, problem.shape)
        };
        let check = |bytes: &[u8]| {
            narrator.note(|| verify::bound(problem));
            let canary = verify::canary_alive(bytes, c_bytes, session.canary_bytes(), problem.ty);
            let right = verify::check(problem, &result(bytes), canary);
            let right = right.map_err(|wrong| wrong.to_string())?;
            let kept = |one: &LaidOut| one.must_keep_its_canary(&session, problem.ty);
            laid_out.iter().try_for_each(kept).map(|()| right)
        };
        let out = (&mut c, c_bytes, problem.ty);
        let outcome = self.verify_and_time(&launches, out, runs, check)?;
        if self.flags.show {
            let bytes = session.read(&c, c_bytes)?;
            self.show(&format!("C by {name}"), &result(&bytes))?;
        }
        Ok(outcome)
    }

    /// A and B on the device in the step's layout; kept for the next step.
    fn upload(&mut self, step: &Step, problem: &Problem) -> Result<Rc<Operands>> {
        let made_for = format!(
            "{:?} {} {} {:?}",
            step.layout,
            step.shape(problem.shape),
            problem.shape,
            problem.fill
        );
        self.narrator.beat(Beat::Upload)?;
        if let Some(operands) = self.operands.as_ref().filter(|o| o.made_for == made_for) {
            self.narrator
                .note(|| "A and B are there already, laid out as this kernel wants".into());
            return Ok(operands.clone());
        }
        self.doing("uploading the matrices")?;
        let session = self.session()?;
        // Freed first, so that the device never holds two sets.
        self.operands = None;
        self.narrator.forget(&["A", "B"]);
        let (a, b) = step.operands(problem);
        let upload = |name: &'static str, matrix: &Matrix| -> Result<Buffer<u8>> {
            self.narrator.name_next(name);
            let buffer = session.upload(matrix.data.as_bytes())?;
            let Matrix { rows, cols, .. } = *matrix;
            let ty = problem.ty;
            self.narrator
                .watch(&session.queue, name, &buffer, Look { rows, cols, ty });
            Ok(buffer)
        };
        let operands = Rc::new(Operands {
            made_for,
            a: upload("A", &a)?,
            b: upload("B", &b)?,
        });
        self.operands = Some(operands.clone());
        Ok(operands)
    }

    /// Runs kernels whose arguments are set, the last of them on a poisoned result,
    /// has the result checked, and only then times them. Every run starts from
    /// poison, and the last one must leave the very bytes that the first one left.
    /// `out` holds `bytes` bytes of result and the canary behind them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn verify_and_time(
        &mut self,
        launches: &[Launch],
        (out, bytes, ty): (&mut Buffer<u8>, usize, Type),
        runs: Option<Runs>,
        check: impl Fn(&[u8]) -> Result<Right, String>,
    ) -> Result<Outcome> {
        let session = self.session()?;
        let canary = session.canary_bytes();
        let name = launches.last().map_or("", |launch| &launch.name);
        self.narrator.beat(Beat::Poison)?;
        session.write(out, &verify::poisoned(bytes, canary, ty))?;
        self.narrator.beat(Beat::Launch)?;
        self.doing(format!("running {name}"))?;
        let events = session.launch_all(launches)?;
        self.narrator.beat(Beat::Wait)?;
        session.wait_for_last(launches, &events)?;
        events.iter().for_each(|event| session.tell_times(event));
        self.narrator.beat(Beat::Read)?;
        let first = session.read(out, bytes + canary)?;
        self.narrator.beat(Beat::Check)?;
        self.doing(format!("checking {name}"))?;
        let right = match check(&first) {
            Ok(right) => right,
            Err(wrong) => return Ok(Outcome::Wrong(wrong)),
        };
        self.narrator.note(|| right.to_string());
        let Some(runs) = runs else {
            return Ok(Outcome::Right(right, None));
        };
        self.predict(name)?;
        // From here on nothing is told: these are the figures of every lesson.
        let narrator = self.narrator.clone();
        let _hush = narrator.hush();
        let timing = self.time(launches, (out, bytes, ty), runs)?;
        let last = session.read(out, bytes + canary)?;
        if last != first {
            return Ok(Outcome::Wrong(
                "the result was right at first and another in the last run\n  \
                 looks like: a race"
                    .into(),
            ));
        }
        Ok(Outcome::Right(right, Some(timing)))
    }

    /// Asks the room what the timing will say.
    fn predict(&mut self, name: &str) -> Result<()> {
        let mut rows = self.report.rows().iter().rev();
        let before = rows.find(|row| row.rate().is_some());
        self.narrator
            .predict(name, before.map(|row| row.kernel.as_str()))
    }

    /// What the narrator says of a step before it begins.
    fn card(&self, step: &Step, problem: &Problem) -> Result<Card> {
        let s = step.shape(problem.shape);
        let mut facts = Vec::new();
        if s != problem.shape {
            facts.push(format!("{} is padded with zeros to {s}", problem.shape));
        }
        if let Some(traffic) = step.traffic {
            facts.push(format!(
                "global memory: {} loads, {} stores",
                traffic.global_loads, traffic.global_stores
            ));
        }
        Ok(Card {
            name: step.name(),
            kernel: step.kernel.clone(),
            says: step.says.clone(),
            source: self.source()?,
            defines: step.defines.clone(),
            facts,
        })
    }

    /// Warms up, then times kernels whose arguments are set; before every run the
    /// result is filled with poison, which does not count.
    ///
    /// # Errors
    /// When the device fails.
    pub(crate) fn time(
        &mut self,
        launches: &[Launch],
        (out, bytes, ty): (&mut Buffer<u8>, usize, Type),
        runs: Runs,
    ) -> Result<Timing> {
        let session = self.session()?;
        let name = launches.last().map_or("", |launch| &launch.name);
        self.doing(format!("timing {name}"))?;
        let begin = Instant::now();
        while begin.elapsed() < WARM_UP {
            session.run_all(launches)?;
        }
        timing::measure(
            runs,
            |run| {
                self.doing(format!("timing {name}, run {run}"))?;
                session.fill(out, &verify::poison(ty)[..ty.size()], bytes)?;
                session.finish()
            },
            || session.run_all(launches),
        )
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
        let done = self.without_spinner(|lesson| lesson.check_only(step, &problem));
        self.flags.show = show;
        done
    }

    /// Draws no progress meanwhile: a kernel that prints would write into its line.
    fn without_spinner(&mut self, act: impl FnOnce(&mut Lesson) -> Result<()>) -> Result<()> {
        if self.spinner.is_hidden() {
            return act(self);
        }
        self.spinner.finish_and_clear();
        self.spinner.set_draw_target(ProgressDrawTarget::hidden());
        let done = act(self);
        self.spinner.set_draw_target(ProgressDrawTarget::stderr());
        done
    }

    /// Verifies and prints one step without timing it.
    fn check_only(&mut self, step: &Step, problem: &Problem) -> Result<()> {
        let runs = self.flags.runs.replace(0);
        let done = self.measure(step, problem);
        self.flags.runs = runs;
        done
    }
}
