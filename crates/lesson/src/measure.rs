//! Verify, then time, then print: what happens to every kernel.

use std::rc::Rc;
use std::time::Instant;

use common::element::Type;
use common::error::{Error, Result};
use common::matrix::Fill;
use common::memory::Poison;
use common::problem::Problem;
use common::program::Program;
use common::record::{Record, Work};
use common::session::Launch;
use common::shape::Shape;
use common::timing::{self, Runs, Sample, Timing, WARM_UP};
use common::verify;
use language::tokens::Tokens;
use narrate::{Beat, Card};

use crate::lesson::Lesson;
use crate::product::Product;
use crate::ready::Ready;
use crate::refusal::refused;
use crate::step::Step;
use crate::task::Task;

impl Lesson {
    /// Prints a table of steps, each verified and timed, but for those that `--only`
    /// leaves out; no table where it leaves out all.
    pub fn measure_all(&mut self, steps: &[Step], problem: &Problem) -> Result<()> {
        let wanted = steps.iter().filter(|step| self.flags().wants_step(step));
        let programme: Vec<String> = wanted.map(Step::name).collect();
        let is_empty = programme.is_empty();
        self.console.narrator.programme(programme);
        self.peak()?;
        if is_empty {
            return Ok(());
        }
        self.table("GFLOP/s")?;
        for step in steps {
            self.measure_task(&Product { step, problem })?;
        }
        self.tell_chosen()
    }

    /// Verifies, times and prints one step, unless `--only` asks for others.
    ///
    /// # Errors
    /// When it does not build or the device fails. A wrong result is a printed
    /// row, and makes the lesson end with status 1.
    pub fn measure(&mut self, step: &Step, problem: &Problem) -> Result<()> {
        self.measure_task(&Product { step, problem })
    }

    /// The same for any kernel.
    pub fn measure_task(&mut self, task: &dyn Task) -> Result<()> {
        let (runs, show) = (self.runs()?, self.flags().show);
        self.measured_row(task, runs, show)
    }

    /// Verifies and times one step, and tells and prints nothing.
    pub fn measured(
        &mut self,
        step: &Step,
        problem: &Problem,
        runs: Option<Runs>,
    ) -> Result<Record> {
        let _hush = self.console.narrator.hush();
        let record = self.run(&Product { step, problem }, runs, false)?;
        Ok(self.console.simulator.judge(record))
    }

    /// Runs one step on matrices that count 1, 2, 3, ..., and prints A, B and C.
    pub fn demonstrate(&mut self, step: &Step, shape: Shape) -> Result<()> {
        if !self.flags().wants(&step.kernel) {
            return Ok(());
        }
        let problem = &Problem::new(shape, self.flags().ty, Fill::Count, 0);
        self.say("")?;
        self.console.show("A", &problem.a)?;
        self.console.show("B", &problem.b)?;
        self.measured_row(&Product { step, problem }, None, true)
    }

    fn measured_row(&mut self, task: &dyn Task, runs: Option<Runs>, show: bool) -> Result<()> {
        if !self.flags().wants_step(task.step()) {
            return Ok(());
        }
        let begun = self.record_of(task)?;
        let narrator = self.console.narrator.clone();
        narrator.kernel(|| self.card(task))?;
        let prints = self.prints(task)?;
        if prints {
            // It would write into the progress line.
            self.console.hide_progress(true);
        }
        let done = self.once(begun, |lesson| {
            narrator.again(|| {
                let record = lesson.run(task, runs, show)?;
                lesson.console.row(record)
            })
        });
        if prints {
            self.console.hide_progress(false);
        }
        done
    }

    /// One kernel on its whole way, which lesson 2 walks call by call: build, arguments,
    /// launch, read, check, and only then time.
    fn run(&mut self, task: &dyn Task, runs: Option<Runs>, show: bool) -> Result<Record> {
        let mut record = self.record_of(task)?;
        let name = record.kernel.clone();
        let prints = self.prints(task)?;
        if prints && runs.is_some() {
            self.say(format!(
                "  {name} calls printf: it runs once, and is not timed"
            ))?;
        }
        // To print takes longer than all else, and warming up are hundreds of runs.
        let runs = runs.filter(|_| !prints);

        // Build.
        let Some((program, launch)) = self.build(task, &mut record)? else {
            return Ok(record);
        };

        // Arguments.
        let ready = task.ready(self, &program, launch)?;
        let launches = &ready.launches;
        let session = &*self.session()?;

        // Launch. Every run starts from poison.
        self.console.narrator.beat(Beat::Poison)?;
        ready.poison(session)?;
        self.console
            .begin(Beat::Launch, format!("running {name}"))?;
        let events = match session.launch_all(launches) {
            Ok(events) => events,
            // The last word on a group's shape is the driver's.
            Err(error) => match refused(&error) {
                Some(reason) => return Ok(record.skip(reason)),
                None => return Err(error),
            },
        };
        self.console.narrator.beat(Beat::Wait)?;
        session.wait(launches, &events)?;
        events.iter().for_each(|event| session.tell_times(event));

        // Read.
        self.console.narrator.beat(Beat::Read)?;
        let result = ready.output.read(session)?;

        // Check.
        self.console
            .begin(Beat::Check, format!("checking {name}"))?;
        if let (true, Some(matrix)) = (show, task.matrix(&result)) {
            self.console.show(&format!("C by {name}"), &matrix)?;
        }
        self.console.narrator.note(|| task.bound());
        let only_shown = (show || prints) && runs.is_none();
        let right = match ready.check(task, session, &result)? {
            Ok(right) => right,
            // What is only shown runs once: it may print.
            Err(wrong) if only_shown => return Ok(record.fail(wrong)),
            Err(wrong) => return Ok(record.fail(self.differs(task, &ready, &result, wrong)?)),
        };
        self.console.narrator.note(|| right.to_string());
        let begun = Instant::now();
        let first = (right, &result[..]);
        let second = if only_shown {
            None
        } else {
            match self.over_a_number(task, &ready, first)? {
                Ok(second) => second,
                Err(wrong) => return Ok(record.fail(wrong)),
            }
        };

        // Time. The last run must be right like the first.
        if let Some(runs) = runs {
            self.predict(&record)?;
            let timing = self.time(&ready, runs, begun, second)?;
            match ready.check_again(task, session, first)? {
                Ok(is_same) => record.varies = !is_same,
                Err(wrong) => {
                    return Ok(record.fail(format!(
                        "right at first, but after the timed runs:\n{}",
                        verify::facts_of(&wrong)
                    )));
                }
            }
            record.timed(&timing, task.work(), self.limit(task)?);
        }
        record.right(right);
        Ok(record)
    }

    /// Whether the kernel's own text calls `printf`.
    fn prints(&self, task: &dyn Task) -> Result<bool> {
        let kernel = self.source()?.kernel(&task.step().kernel);
        Ok(kernel.is_some_and(|kernel| {
            let tokens = Tokens::of(&kernel.code);
            tokens.all().any(|i| tokens.text(i) == "printf")
        }))
    }

    /// The kernel, built, and how it is launched here; none where it is skipped, and
    /// the record then says why.
    fn build(
        &mut self,
        task: &dyn Task,
        record: &mut Record,
    ) -> Result<Option<(Rc<Program>, Launch)>> {
        record.skipped = self.cannot_begin(task)?;
        if record.skipped.is_some() {
            return Ok(None);
        }
        let (step, shape) = (task.step(), task.shape());
        let program = match self.program(&step.defines) {
            Err(Error::Build(log)) if step.vendor_specific => {
                let first = log.lines().next().unwrap_or_default();
                let reason = format!("one vendor's words, not this compiler's: {first}");
                record.skipped = Some(reason);
                return Ok(None);
            }
            program => program?,
        };
        let kernel = program.kernel(&step.kernel, &task.signature())?;
        record.build_seconds = program.build_seconds;
        let Some(range) = self.launch_shape(&kernel, task, record)? else {
            return Ok(None);
        };
        record.traffic_formulas = step.traffic;
        record.traffic_elements = step.count(step.traffic, shape, &record.group)?;
        record.helpers = step.helped(shape)?;
        let launch = Launch::new(kernel, record.kernel.as_str(), range);
        Ok(Some((program, launch)))
    }

    /// Warms up, unless that was begun long ago, then times a task's kernels;
    /// before every run what they all write is poisoned, which does not count. Nothing
    /// is told meanwhile: these are the figures of every lesson. A slow kernel's `second`
    /// run, which was checked, counts as one of the timed ones: it was as warm as they.
    pub(crate) fn time(
        &mut self,
        ready: &Ready,
        runs: Runs,
        begun: Instant,
        second: Option<Sample>,
    ) -> Result<Timing> {
        let _hush = self.console.narrator.hush();
        let session = self.session()?;
        let launches = &ready.launches;
        let name = &ready.own().name;
        self.console.doing(format!("timing {name}"))?;
        while begun.elapsed() < WARM_UP {
            session.run(launches)?;
        }
        let counts = |one: &Sample| runs == Runs::Enough && one.is_slow();
        timing::measure(
            runs,
            second.filter(counts),
            |run| {
                self.console.doing(format!("timing {name}, run {run}"))?;
                ready.poison_again(&session, Poison::Nan)
            },
            || session.run(launches),
        )
    }

    /// What the device can do at best in the unit of this task; nobody measures that
    /// for other types than float.
    fn limit(&mut self, task: &dyn Task) -> Result<Option<f64>> {
        let peak = self.peak()?.filter(|_| task.ty() == Type::Float);
        Ok(peak.map(|peak| match task.work() {
            Work::Flop(_) => peak.gflops,
            Work::Bytes(_) => peak.gbytes_per_second,
        }))
    }

    /// Asks the room what the timing will say.
    fn predict(&mut self, record: &Record) -> Result<()> {
        let before = self.console.report.compared_with(record);
        let before = before.map(|row| row.kernel.as_str());
        self.console.narrator.predict(&record.kernel, before)
    }

    /// The record as far as it is known before the kernel is built.
    fn record_of(&mut self, task: &dyn Task) -> Result<Record> {
        let defines = task.step().defines.iter().cloned();
        Ok(Record {
            ty: Some(task.ty()),
            made_from: task.step().origin.name(),
            chosen: task.step().chosen,
            vendor_specific: task.step().vendor_specific,
            defines: defines.collect(),
            ..self.record(&task.step().name(), &task.step().says, task.shape())?
        })
    }

    /// What the narrator says of a kernel before it begins.
    fn card(&self, task: &dyn Task) -> Result<Card> {
        let step = task.step().clone();
        Ok(Card {
            name: step.name(),
            kernel: step.kernel,
            says: step.says,
            source: self.source()?,
            geometry: task.geometry(),
            defines: step.defines,
            facts: task.facts(),
        })
    }
}
