//! Which kernels are measured, each a row: the tables of a lesson, what `--only` leaves of them, and
//! what a process before this one has measured already.

use std::panic::Location;
use std::time::{Duration, SystemTime};

use common::record::{Record, Work};
use common::{device::Device, error::Result, outcome::Outcome};
use task::table::{Table, given};
use task::{Task, read::Rows};
use verify::{formula::Formula, numbers::percent, problem::Problem};
use watchdog::events::{Event, Lost};

use crate::{lesson::Lesson, report::CHOSEN};

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
            if self.flags.only.contains(name) && !is_launched {
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
        let flags = &self.flags;
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
        tasks.retain(|task| self.flags.wants_task(task));
        if tasks.is_empty() {
            return Ok(());
        }
        self.say(format!("\n  {heading}"))?;
        right(&mut tasks)?;
        self.measure_all(&tasks)
    }

    /// Prints a table of tasks, each verified and timed, but for those that `--only`
    /// leaves out; no table where it leaves out all. Below it, what the mark of a chosen one means, and
    /// how near it came to the best row.
    pub fn measure_all(&mut self, tasks: &[Task]) -> Result<()> {
        let wanted = tasks.iter().filter(|task| self.flags.wants_task(task));
        let wanted: Vec<&Task> = wanted.collect();
        let Some(first) = wanted.first() else { return Ok(()) };
        self.table(match first.work {
            Work::Flop(_) => "GFLOP/s",
            Work::Bytes(_) => "GB/s",
        })?;
        for task in wanted {
            self.measure_task(task)?;
        }
        let rows = self.rows();
        let Some(chosen) = rows.iter().find(|row| row.chosen) else { return Ok(()) };
        let right = rows.iter().filter(|row| row.is_right());
        let best = right.filter_map(Record::rate).fold(0.0, f64::max);
        let reached = match chosen.rate() {
            Some(rate) if rows.len() > 1 => format!(": {} of the best", percent(rate / best)),
            _ => String::new(),
        };
        self.say(format!("  {CHOSEN} chosen before the run, for this device and size{reached}"))
    }

    /// Verifies, times and prints one task, unless `--only` asks for others.
    ///
    /// # Errors
    /// When it does not build or the device fails. A wrong result is a printed
    /// row, and makes the lesson end with status 1.
    pub fn measure_task(&mut self, task: &Task) -> Result<()> {
        let (runs, show) = (self.runs()?, self.flags.show);
        if let Some(record) = self.begins(task)? {
            let record = self.run(task, runs, show, record)?;
            self.row(record)?;
        }
        Ok(())
    }

    /// Runs a product once, and prints A, B and C.
    pub fn demonstrate(&mut self, task: &Task) -> Result<()> {
        if !self.flags.wants_task(task) {
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
        if !self.flags.wants_task(task) {
            return Ok(None);
        }
        let record = self.record_of(task)?;
        if let Some(step) = self.console.step.clone() {
            step.kernel(task, &*self.source_of(&task.kernel)?)?;
        }
        let Some(known) = self.console.earlier.take(&record.kernel) else {
            self.console.speak_up();
            let (kernel, function) = (record.kernel.clone(), task.kernel.clone());
            self.console.events.send(&Event::Begun { kernel, function })?;
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
        self.console.events.send(&Event::Ended)
    }

    /// Whether this process goes on after another that a kernel, or a trial, took down.
    pub fn goes_on(&self) -> bool {
        !self.console.earlier.is_over()
    }

    /// Makes a trial: it may take this process down, or longer than `limit`. Then the lesson begins
    /// anew in another process, where this trial is [`lost`](Lesson::lost).
    pub fn try_in<T>(
        &mut self,
        limit: Duration,
        what: serde_json::Value,
        trial: impl FnOnce(&mut Lesson) -> Result<T>,
    ) -> Result<T> {
        let begun = SystemTime::now();
        let event = Event::Trial { what, begun, limit };
        self.console.events.send(&event)?;
        self.console.in_a_trial = true;
        let tried = trial(self)?;
        // A lesson may try hundreds, each with programs of its own.
        self.workbench()?.programs.clear();
        self.console.in_a_trial = false;
        self.console.events.send(&Event::Ended)?;
        Ok(tried)
    }

    /// The trial that took the process before this one down, once, where the next would begin.
    pub fn lost(&mut self) -> Result<Option<Lost>> {
        let lost = self.console.earlier.lost.take();
        if lost.is_some() {
            self.console.speak_up();
            self.console.events.send(&Event::Ended)?;
        }
        Ok(lost)
    }
}
