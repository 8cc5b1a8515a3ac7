//! Verify, then time, then print: what happens to every kernel. One that was wrong may differ from run
//! to run, and one that was right may be so by what C held: so it runs once more.

use std::time::{Duration, Instant};

use common::error::{Error, Result};
use common::record::{Of, Record, Work};
use common::timing::{self, Runs, Sample, Timing, WARM_UP};
use common::{outcome::Outcome, session::Launch, source::Source, stage::Stage};
use opencl3::error_codes::{CL_INVALID_KERNEL_NAME, CL_INVALID_PROGRAM_EXECUTABLE};
use opencl3::kernel::Kernel;
use task::{Plan, Task};
use verify::{Differences, Look};
use verify::{element::Type, poison::Poison};

use crate::ready::{Ready, Results};
use crate::{ablate::alone, bind::refused, lesson::Lesson, step::Part};

impl Lesson {
    /// Verifies and times a task, and tells and prints nothing.
    pub fn measured(&mut self, task: &Task, runs: Option<Runs>) -> Result<Record> {
        let _hush = self.console.hush();
        let record = self.record_of(task)?;
        let record = self.run(task, runs, false, record)?;
        Ok(self.console.judged(record))
    }

    /// A task of another file, ready to be run.
    ///
    /// # Errors
    /// [`Error::Skipped`] where it cannot be.
    pub fn prepared<'t>(&mut self, task: &'t Task, source: &Source) -> Result<Ready<'t>> {
        let mut plan = task.plan()?;
        let options = task.build_options(task.ty);
        let program = self.built_once(source, &options)?;
        let kernels = task.kernels_of(&program)?;
        let mut record = Record::default();
        self.fit_groups(task, &mut plan, &kernels, &mut record)?;
        self.bind(task, plan, kernels)
    }

    /// One kernel on its whole way, which lesson 2 walks call by call: build, arguments,
    /// launch, read, check, and only then time.
    pub fn run(
        &mut self,
        task: &Task,
        runs: Option<Runs>,
        show: bool,
        mut record: Record,
    ) -> Result<Record> {
        let source = self.source_of(&task.kernel)?;
        let prints = source.text.contains("printf")
            && source.kernel(&task.kernel).is_some_and(|kernel| {
                let tokens = diagnostics::tokens::Tokens::of(&kernel.code);
                tokens.all().any(|i| tokens.text(i) == "printf")
            });
        if prints {
            // It would write into the progress line.
            self.console.hide_progress(true);
            if runs.is_some() {
                let name = &record.kernel;
                self.say(format!("  {name} calls printf: it runs once, and is not timed"))?;
            }
        }
        // To print takes longer than all else, and warming up are hundreds of runs.
        let runs = runs.filter(|_| !prints);
        let once = (show || prints) && runs.is_none();
        let done = self.run_to_its_end(task, runs, show, once, &mut record);
        if prints {
            self.console.hide_progress(false);
        }
        record.after(done)
    }

    fn run_to_its_end(
        &mut self,
        task: &Task,
        runs: Option<Runs>,
        show: bool,
        once: bool,
        record: &mut Record,
    ) -> Result<Outcome> {
        let name = record.kernel.clone();
        let (plan, kernels) = self.build(task, record)?;
        let ready = self.bind(task, plan, kernels)?;

        // Launch. Every run starts from poison.
        let session = &*self.session()?;
        self.console.part(Part::Poison)?;
        ready.poison(session, Poison::Nan)?;
        self.console.begin(Part::Launch, Stage::running(&name))?;
        // The last word on a group's shape is the driver's.
        let events = session.launch_all(&ready.launches).map_err(refused)?;
        self.console.part(Part::Wait)?;
        session.wait(&ready.launches, &events)?;
        events.iter().for_each(|event| session.tell_times(event));

        // Read.
        self.console.part(Part::Read)?;
        let results = ready.read(session)?;

        // Check.
        self.console.begin(Part::Check, Stage::Checking(name.clone()))?;
        if let (true, Some(matrix)) = (show, task.product(&ready.plan, &results)) {
            self.console.show(&format!("C by {name}"), &matrix)?;
        }
        self.console.note(|| task.bound(ready.problem.as_deref()));
        let compared = match ready.check(session, &results) {
            Err(Error::Wrong(wrong)) if !once => {
                return Err(Error::Wrong(self.differs(&ready, &results, wrong)?));
            }
            checked => checked?,
        };
        self.console.note(|| format!("{compared} elements compared: right"));
        let begun = Instant::now();
        let first = (compared, &results);
        let second = if once { None } else { self.over_a_number(&ready, first)? };
        let varies = match runs {
            Some(runs) => self.timed(&ready, runs, begun, second, first, record)?,
            None => false,
        };
        Ok(Outcome::Right { compared: Some(compared), varies })
    }

    /// Times it. The last run must be right like the first; whether it differs from that.
    fn timed(
        &mut self,
        ready: &Ready,
        runs: Runs,
        begun: Instant,
        second: Option<Sample>,
        first: (usize, &Results),
        record: &mut Record,
    ) -> Result<bool> {
        if let Some(step) = &self.console.step {
            let before = self.console.report.compared_with(record);
            step.predict(&record.kernel, before.map(|row| row.kernel.as_str()))?;
        }
        let waits = watchdog::Waits::of("self");
        let timing = self.time(ready, &ready.launches, runs, begun, second)?;
        if record.of == Of::Task {
            let waited = waits.since().as_secs_f64() / waits.from.elapsed().as_secs_f64();
            record.waited_share = Some(waited);
        }
        let is_same = match ready.check_again(&*self.session()?, first) {
            Err(Error::Wrong(wrong)) => {
                let when = "right at first, but after the timed runs:";
                return Err(Error::Wrong(wrong.facts().under(when)));
            }
            is_same => is_same?,
        };
        // What the device can do at best: nobody measures that for other types than float, nor for
        // one vendor's units that take other operands.
        let is_known = ready.task.ty == Type::Float && !ready.task.by_units();
        let limit = self.peak()?.filter(|_| is_known).map(|peak| match ready.plan.work {
            Work::Flop(_) => peak.gflops,
            Work::Bytes(_) => peak.gbytes_per_second,
        });
        record.timed(&timing, ready.plan.work, limit);
        Ok(!is_same)
    }

    /// The kernels, built, and how they are launched here.
    ///
    /// # Errors
    /// [`Error::Skipped`] where the task cannot run here.
    pub fn build(&mut self, task: &Task, record: &mut Record) -> Result<(Plan, Vec<Kernel>)> {
        let mut plan = task.plan()?;
        self.must_be_able(task, &plan)?;
        // Tasks without macros share a program; macros are made for one kernel, so that is built alone.
        let mut source = self.source_of(&task.kernel)?;
        if !task.defines.is_empty() && self.of != Of::Task {
            source = alone(&source, &task.kernels().collect::<Vec<_>>()).into();
        }
        self.console.begin(Part::Build, Stage::building(source.path.display()))?;
        let program = match self.built_once(&source, &task.build_options(self.flags.ty)) {
            Err(Error::Build(log)) if task.vendor_specific => {
                let log = log.to_string();
                let first = log.lines().next().unwrap_or_default();
                let reason = format!("not every compiler can build it, nor can this one: {first}");
                return Err(Error::skipped(reason));
            }
            program => program?,
        };
        record.build_seconds = program.build_seconds;
        let kernels = match task.kernels_of(&program) {
            // Its file has it, and leaves it out where the compiler lacks what it needs. Mesa has no
            // program then.
            Err(Error::OpenCl {
                code: CL_INVALID_KERNEL_NAME | CL_INVALID_PROGRAM_EXECUTABLE,
                ..
            }) if task.vendor_specific && source.kernel(&task.kernel).is_some() => {
                return Err(Error::skipped("this compiler has not what it needs"));
            }
            kernels => kernels?,
        };
        self.fit_groups(task, &mut plan, &kernels, record)?;
        let own = task.own_launch();
        record.traffic_formulas = own.traffic.clone();
        record.traffic_elements = task.counts(&plan, task.own(), &record.group)?;
        record.helpers = task.helped(&plan)?;
        Ok((plan, kernels))
    }

    /// Warms up, unless that was begun long ago, then times these of a task's kernels;
    /// before every run what they all write is poisoned, which does not count. Nothing
    /// is told meanwhile: these are the figures of every lesson. A slow kernel's `second`
    /// run, which was checked, counts as one of the timed ones: it was as warm as they.
    pub(crate) fn time(
        &mut self,
        ready: &Ready,
        launches: &[Launch],
        runs: Runs,
        begun: Instant,
        second: Option<Sample>,
    ) -> Result<Timing> {
        let _hush = self.console.hush();
        let session = self.session()?;
        let name = &ready.own().name;
        let stage = |run| Stage::Timing { kernel: name.clone(), run };
        self.console.doing(stage(None))?;
        let in_a_row = self.flags.in_a_row;
        let mut least = Duration::MAX;
        while begun.elapsed() < WARM_UP || (in_a_row && least == Duration::MAX) {
            let from = Instant::now();
            session.run(launches)?;
            least = least.min(from.elapsed());
        }
        let times = match in_a_row {
            true => timing::in_a_row(least),
            false => 1,
        };
        let counts = |one: &Sample| runs == Runs::Enough && one.is_slow();
        let timing = timing::measure(
            runs,
            second.filter(counts),
            |run| {
                self.console.doing(stage(Some(run)))?;
                ready.poison(&session, Poison::Nan)
            },
            || match times {
                1 => session.run(launches),
                _ => session.run_in_a_row(launches, times),
            },
        )?;
        Ok(timing.of_each(times))
    }

    /// The record as far as it is known before the kernel is built.
    pub fn record_of(&mut self, task: &Task) -> Result<Record> {
        Ok(Record {
            variant: task.variant.clone(),
            ty: Some(task.ty),
            made_from: task.made_from.clone(),
            chosen: task.chosen,
            vendor_specific: task.vendor_specific,
            uncompared: task.uncompared(),
            defines: task.defines.iter().cloned().collect(),
            ..self.record(&task.name(), &task.says, task.shape())?
        })
    }

    /// What is wrong with a result, and whether a second run gives another one. Not in a
    /// simulator, which is slow and finds a race by itself.
    pub(crate) fn differs(
        &mut self,
        ready: &Ready,
        results: &Results,
        wrong: Differences,
    ) -> Result<Differences> {
        let session = self.session()?;
        if session.device.is_simulator() {
            return Ok(wrong);
        }
        let _hush = self.console.hush();
        ready.poison(&session, Poison::Nan)?;
        session.run(&ready.launches)?;
        let again = ready.read(&session)?;
        // Makes whole what was written that nobody may write.
        let _ = ready.check(&session, &again)?;
        let both = results.iter().zip(&again).flat_map(|((_, one), (_, other))| {
            (0..one.len()).map(move |i| (one.bits(i), other.bits(i)))
        });
        let count = match both.filter(|(one, other)| one != other).count() {
            0 => return Ok(wrong),
            1 => "another element".to_string(),
            count => format!("{count} other elements"),
        };
        let look = format!(
            "differs: a second run gave {count}: a race, or something was read that was \
             never written"
        );
        let mut wrong = wrong.facts();
        wrong.looks.insert(0, Look::Fact(look));
        Ok(wrong)
    }

    /// A second run, over a C that held a number before the launch, and not NaN: a kernel
    /// may take NaN for nothing and add to everything else. What it took; nothing in a simulator,
    /// which has no time for that.
    ///
    /// # Errors
    /// [`Error::Wrong`] where it is.
    pub(crate) fn over_a_number(
        &mut self,
        ready: &Ready,
        first: (usize, &Results),
    ) -> Result<Option<Sample>> {
        let session = self.session()?;
        if session.device.is_simulator() {
            return Ok(None);
        }
        let _hush = self.console.hush();
        let again = |poison: Poison| -> Result<Sample> {
            ready.poison(&session, poison)?;
            let sample = Sample::of(|| session.run(&ready.launches))?;
            ready.check_again(&session, first)?;
            Ok(sample)
        };
        let is_wrong = |poison| match again(poison) {
            Err(Error::Wrong(_)) => Ok(true),
            tried => tried.map(|_| false),
        };
        let wrong = match again(Poison::Number) {
            Err(Error::Wrong(wrong)) => wrong,
            tried => return tried.map(Some),
        };
        // What else changes from run to run, as what local memory holds, may be right here and
        // wrong there by chance, but not again and again.
        for _ in 0..2 {
            if is_wrong(Poison::Nan)? || !is_wrong(Poison::Number)? {
                return Err(Error::Wrong(wrong.facts().under(
                    "right in the first run, wrong in the second: a race, or memory that was \
                     never set",
                )));
            }
        }
        Err(Error::Wrong(wrong.under(
            "right where C held NaN before the launch, wrong where it held a number: C is read \
             before it is written",
        )))
    }
}
