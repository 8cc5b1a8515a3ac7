//! Verify, then time, then print: what happens to every kernel.

use std::panic::Location;
use std::time::{Duration, Instant, SystemTime};

use common::device::Device;
use common::error::{Error, Result};
use common::outcome::Outcome;
use common::record::{Of, Record, Work};
use common::session::Launch;
use common::source::Source;
use common::stage::Stage;
use common::timing::{self, Runs, Sample, Timing, WARM_UP};
use diagnostics::tokens::Tokens;
use opencl3::error_codes::{CL_INVALID_KERNEL_NAME, CL_INVALID_PROGRAM_EXECUTABLE};
use opencl3::kernel::Kernel;
use serde_json::Value;
use task::read::Rows;
use task::table::{Table, given};
use task::{Buffer, Fill, Plan, Task};
use verify::element::Type;
use verify::formula::Formula;
use verify::problem::Problem;
use watchdog::Waits;
use watchdog::events::{Begun, Event, Lost};
use watchdog::resume::Earlier;

use crate::lesson::Lesson;
use crate::ready::Ready;
use crate::skip::refused;
use crate::step::{Card, Part};
use verify::poison::Poison;

impl Lesson {
    /// The tasks of one of a file's tables, for a problem and the lesson's device.
    #[track_caller]
    pub fn tasks(&mut self, text: &str, table: &str, problem: &Problem) -> Result<Vec<Task>> {
        let of = Location::caller().file();
        let session = self.session()?;
        let Device { limits, kind, .. } = &session.device;
        let rows = Table::read(Rows { text, of })?;
        let tasks = rows.tasks(table, &given(limits, *kind, problem), problem)?;
        for row in rows.rows(table) {
            let name = &row.launch.function;
            let is_launched = tasks.iter().any(|task| task.kernel == *name);
            if self.flags().only.contains(name) && !is_launched {
                let conditions: Vec<&str> = row.r#where.iter().map(Formula::text).collect();
                self.left_out = Some((name.clone(), conditions.join(" and ")));
            }
        }
        Ok(tasks)
    }

    /// Verifies, times and prints them.
    #[track_caller]
    pub fn measure_table(&mut self, text: &str, table: &str, problem: &Problem) -> Result<()> {
        let of = Location::caller().file();
        let tasks = self.tasks(text, table, problem)?;
        let measured = self.measure_all(&tasks);
        measured.map_err(|error| Rows { text, of }.placed(error))
    }

    /// The same below a heading, where people ask for what stands beside the lesson's line: with
    /// `--long`, or by a kernel's name.
    #[track_caller]
    pub fn measure_beside(
        &mut self,
        heading: &str,
        text: &str,
        table: &str,
        problem: &Problem,
    ) -> Result<()> {
        let flags = self.flags();
        if flags.long || flags.json || !flags.only.is_empty() {
            return self.measure_below(heading, text, table, problem);
        }
        self.more.push(heading.into());
        Ok(())
    }

    /// The same below a heading, if one of them is asked for.
    #[track_caller]
    pub fn measure_below(
        &mut self,
        heading: &str,
        text: &str,
        table: &str,
        problem: &Problem,
    ) -> Result<()> {
        let of = Location::caller().file();
        let tasks = self.tasks(text, table, problem)?;
        let measured = self.measure_against(heading, tasks, |_| Ok(()));
        measured.map_err(|error| Rows { text, of }.placed(error))
    }

    /// Those of these tasks that are asked for, below a heading, when they were told what is right.
    pub fn measure_against(
        &mut self,
        heading: &str,
        mut tasks: Vec<Task>,
        right: impl FnOnce(&mut [Task]) -> Result<()>,
    ) -> Result<()> {
        tasks.retain(|task| self.flags().wants_task(task));
        if tasks.is_empty() {
            return Ok(());
        }
        self.say(format!("\n  {heading}"))?;
        right(&mut tasks)?;
        self.measure_all(&tasks)
    }

    /// Prints a table of tasks, each verified and timed, but for those that `--only`
    /// leaves out; no table where it leaves out all.
    pub fn measure_all(&mut self, tasks: &[Task]) -> Result<()> {
        let wanted = tasks.iter().filter(|task| self.flags().wants_task(task));
        let wanted: Vec<&Task> = wanted.collect();
        let Some(first) = wanted.first() else {
            return Ok(());
        };
        self.table(match first.work {
            Work::Flop(_) => "GFLOP/s",
            Work::Bytes(_) => "GB/s",
        })?;
        for task in wanted {
            self.measure_task(task)?;
        }
        self.tell_chosen()
    }

    /// Verifies, times and prints one task, unless `--only` asks for others.
    ///
    /// # Errors
    /// When it does not build or the device fails. A wrong result is a printed
    /// row, and makes the lesson end with status 1.
    pub fn measure_task(&mut self, task: &Task) -> Result<()> {
        let (runs, show) = (self.runs()?, self.flags().show);
        if let Some(record) = self.begins(task)? {
            let record = self.run(task, runs, show, record)?;
            self.row(record)?;
        }
        Ok(())
    }

    /// Verifies and times a task, and tells and prints nothing.
    pub fn measured(&mut self, task: &Task, runs: Option<Runs>) -> Result<Record> {
        let _hush = self.console.hush();
        let record = self.record_of(task)?;
        let record = self.run(task, runs, false, record)?;
        Ok(self.console.judged(record))
    }

    /// Verifies a task once, and tells and prints nothing.
    pub fn checked(&mut self, task: &Task) -> Result<Record> {
        let _hush = self.console.hush();
        let record = self.record_of(task)?;
        self.run(task, None, false, record)
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

    /// Runs a product once, and prints A, B and C.
    pub fn demonstrate(&mut self, task: &Task) -> Result<()> {
        if !self.flags().wants_task(task) {
            return Ok(());
        }
        self.say("")?;
        if let Some(problem) = task.problem() {
            self.console.show("A", problem.a())?;
            self.console.show("B", problem.b())?;
        }
        if let Some(record) = self.begins(task)? {
            let record = self.run(task, None, true, record)?;
            self.row(record)?;
        }
        Ok(())
    }

    /// The record of a kernel that is to be measured now, as far as it is known: it may take this
    /// process down. None where `--only` asks for others, and where a process before this one has
    /// measured it, or has died of it: then its row stands already.
    pub fn begins(&mut self, task: &Task) -> Result<Option<Record>> {
        if !self.flags().wants_task(task) {
            return Ok(None);
        }
        let record = self.record_of(task)?;
        if let Some(step) = self.console.step.clone() {
            step.kernel(self.card(task)?)?;
        }
        let earlier = self.console.earlier.as_mut();
        let Some(known) = earlier.and_then(|one| one.take(&record.kernel)) else {
            self.console.speak_up();
            self.console.send(&Event::Begun(Begun {
                kernel: record.kernel.clone(),
                function: task.kernel.clone(),
                platform: record.platform.clone(),
            }))?;
            return Ok(Some(record));
        };
        for record in known.records {
            // It was printed already.
            self.console.remember(&record);
            self.console.show_row(record)?;
        }
        if let Some(death) = known.death {
            self.console.speak_up();
            let outcome = Outcome::Died(death);
            let record = Record { outcome, ..record };
            self.console.keep(&record)?;
            self.console.show_row(record)?;
        }
        Ok(None)
    }

    /// The row of the kernel that was begun.
    pub fn row(&mut self, record: Record) -> Result<()> {
        self.console.row(record)?;
        self.console.send(&Event::Ended)
    }

    /// Whether this process goes on after another that a kernel, or a trial, took down.
    pub fn goes_on(&self) -> bool {
        let earlier = self.console.earlier.as_ref();
        earlier.is_some_and(|one| !one.is_over())
    }

    /// Makes a trial: it may take this process down, or longer than `limit`. Then the lesson begins
    /// anew in another process, where this trial is [`lost`](Lesson::lost).
    pub fn try_in<T>(
        &mut self,
        limit: Duration,
        what: Value,
        trial: impl FnOnce(&mut Lesson) -> Result<T>,
    ) -> Result<T> {
        let begun = SystemTime::now();
        let event = Event::Trial { what, begun, limit };
        self.console.send(&event)?;
        self.console.in_a_trial = true;
        let tried = trial(self)?;
        self.console.in_a_trial = false;
        self.console.send(&Event::Ended)?;
        Ok(tried)
    }

    /// The trial that took the process before this one down, once, where the next would begin.
    pub fn lost(&mut self) -> Result<Option<Lost>> {
        let lost = self.console.earlier.as_mut().and_then(Earlier::take_lost);
        if lost.is_some() {
            self.console.speak_up();
            self.console.send(&Event::Ended)?;
        }
        Ok(lost)
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
                let tokens = Tokens::of(&kernel.code);
                tokens.all().any(|i| tokens.text(i) == "printf")
            });
        if prints {
            // It would write into the progress line.
            self.console.hide_progress(true);
        }
        let done = self.run_to_its_end(task, runs, show, prints, &mut record);
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
        prints: bool,
        record: &mut Record,
    ) -> Result<Outcome> {
        let name = record.kernel.clone();
        if prints && runs.is_some() {
            self.say(format!("  {name} calls printf: it runs once, and is not timed"))?;
        }
        // To print takes longer than all else, and warming up are hundreds of runs.
        let runs = runs.filter(|_| !prints);

        let is_drawn = |one: &Buffer| matches!(one.role.fill(), Some(Fill::Numbers(..)));
        if self.flags().extreme && !task.buffers.iter().any(is_drawn) {
            return Err(Error::skipped("its lesson fills it with numbers of its own"));
        }

        // Build.
        let (plan, kernels) = self.build(task, record)?;

        // Arguments.
        let ready = self.bind(task, plan, kernels)?;
        let launches = &ready.launches;
        let session = &*self.session()?;

        // Launch. Every run starts from poison.
        self.console.part(Part::Poison)?;
        ready.poison(session, Poison::Nan)?;
        self.console.begin(Part::Launch, Stage::running(&name))?;
        // The last word on a group's shape is the driver's.
        let events = session.launch_all(launches).map_err(refused)?;
        self.console.part(Part::Wait)?;
        session.wait(launches, &events)?;
        events.iter().for_each(|event| session.tell_times(event));

        // Read.
        self.console.part(Part::Read)?;
        let results = ready.read(session)?;

        // Check.
        self.console.begin(Part::Check, Stage::Checking { kernel: name.clone() })?;
        if let (true, Some(matrix)) = (show, task.product(&ready.plan, &results)) {
            self.console.show(&format!("C by {name}"), &matrix)?;
        }
        self.console.note(|| task.bound(ready.problem.as_deref()));
        let only_shown = (show || prints) && runs.is_none();
        let compared = match ready.check(session, &results) {
            // What is only shown runs once: it may print.
            Err(Error::Wrong(wrong)) if !only_shown => {
                return Err(Error::Wrong(self.differs(&ready, &results, wrong)?));
            }
            checked => checked?,
        };
        self.console.note(|| format!("{compared} elements compared: right"));
        let begun = Instant::now();
        let first = (compared, &results);
        let second = if only_shown { None } else { self.over_a_number(&ready, first)? };

        // Time. The last run must be right like the first.
        let mut varies = false;
        if let Some(runs) = runs {
            self.predict(record)?;
            let waits = Waits::of("self");
            let timing = self.time(&ready, launches, runs, begun, second)?;
            if record.of == Of::Task {
                let waited = waits.since().as_secs_f64() / waits.from.elapsed().as_secs_f64();
                record.waited_share = Some(waited);
            }
            varies = match ready.check_again(session, first) {
                Err(Error::Wrong(wrong)) => {
                    let when = "right at first, but after the timed runs:";
                    return Err(Error::Wrong(wrong.facts().under(when)));
                }
                is_same => !is_same?,
            };
            record.timed(&timing, ready.plan.work, self.limit(task, &ready.plan)?);
        }
        Ok(Outcome::Right { compared: Some(compared), varies })
    }

    /// The kernels, built, and how they are launched here.
    ///
    /// # Errors
    /// [`Error::Skipped`] where the task cannot run here.
    pub fn build(&mut self, task: &Task, record: &mut Record) -> Result<(Plan, Vec<Kernel>)> {
        let mut plan = task.plan()?;
        self.must_be_able(task, &plan)?;
        let program = match self.program_of(task) {
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
            }) if task.vendor_specific
                && self.source_of(&task.kernel)?.kernel(&task.kernel).is_some() =>
            {
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
        let in_a_row = self.flags().in_a_row;
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

    /// What the device can do at best in the unit of this task; nobody measures that
    /// for other types than float.
    fn limit(&mut self, task: &Task, plan: &Plan) -> Result<Option<f64>> {
        // Nor for one vendor's units that take other operands.
        let is_known = task.ty == Type::Float && !task.by_units();
        let peak = self.peak()?.filter(|_| is_known);
        Ok(peak.map(|peak| match plan.work {
            Work::Flop(_) => peak.gflops,
            Work::Bytes(_) => peak.gbytes_per_second,
        }))
    }

    /// Asks the room what the timing will say.
    fn predict(&mut self, record: &Record) -> Result<()> {
        let Some(step) = &self.console.step else {
            return Ok(());
        };
        let before = self.console.report.compared_with(record);
        let before = before.map(|row| row.kernel.as_str());
        step.predict(&record.kernel, before)
    }

    /// The task's own kernel, as it is told.
    pub(crate) fn card(&self, task: &Task) -> Result<Card> {
        Ok(Card {
            name: task.name(),
            kernel: task.kernel.clone(),
            says: task.says.clone(),
            source: self.source_of(&task.kernel)?,
            defines: task.defines.clone(),
            facts: facts(task)?,
        })
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
}

/// What more there is to know before it runs, a line each.
fn facts(task: &Task) -> Result<Vec<String>> {
    let plan = task.plan()?;
    let mut facts = Vec::new();
    if let Some(padded) = plan.padded() {
        let [[rows, columns], [used_rows, used_columns]] = plan.shapes[padded];
        let name = &task.buffers[padded].name;
        facts.push(format!(
            "{name}, {used_rows} x {used_columns}, is padded with zeros to {rows} x {columns}"
        ));
    }
    if let Some(traffic) = &task.own_launch().traffic {
        facts.push(format!(
            "global memory: {} loads, {} stores",
            traffic.global_loads, traffic.global_stores
        ));
    }
    Ok(facts)
}
