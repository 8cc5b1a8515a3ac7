//! A lesson's last words: how much faster than the host its best kernel is, what it came to and what
//! the next one tries, or what was wrong. The host's loops are timed here, for a lesson's rows, too.

use colored::Colorize;
use common::error::{Error, Result};
use common::record::{Of, Record, Work};
use common::{command, outcome::Outcome, stage::Stage, timing::Timing};
use verify::numbers::{self, factor, percent, significant};
use verify::reference::{self, LoopOrder};
use verify::{Shape, cores::cores, element::Type, matrix::Matrix, problem::Problem};
use watchdog::{lessons::LESSONS, resume};

use crate::lesson::Lesson;

/// The host's loops are measured up to this size: theirs is a rate, and a
/// larger product would only take longer.
const LOOP_SIZE: usize = 512;
/// The library is measured up to this size.
const LIBRARY_SIZE: usize = 2048;

impl Lesson {
    /// Times the host on the same problem, and says how many times faster the
    /// best kernel of the table is: than the textbook's loop on one core, and
    /// than the library that a Rust user would pick. In a line of the lesson's answer, with
    /// `--long` or without an answer in a table.
    pub fn compare_with_host(&mut self, problem: &Problem) -> Result<()> {
        if self.runs()?.is_none() || !self.flags.only.is_empty() {
            return Ok(());
        }
        let rows = self.console.report.rows().iter();
        let right = rows.filter(|row| row.is_right() && !row.is_above_limit());
        let rates = right.filter_map(|row| Some((row.kernel.clone(), row.gflops?)));
        let best = rates.max_by(|a, b| a.1.total_cmp(&b.1));
        let small = problem.clipped(LOOP_SIZE);
        let mut hosts =
            vec![self.host_loop(LoopOrder::Ijk, &small)?, self.host_loop(LoopOrder::Ikj, &small)?];
        // The library multiplies no integers.
        if problem.ty != Type::Int {
            let (name, problem) = (reference::LIBRARY, problem.clipped(LIBRARY_SIZE));
            let says = format!("{name}, {} cores, {}", cores(), problem.shape);
            let multiply = || reference::library(&problem);
            hosts.push(self.host_product(name, &says, &problem, multiply)?);
        }
        let Some((kernel, ours)) = best else { return Ok(()) };
        if self.is_whole() && !self.flags.long {
            let library = format!("{} on {} cores", reference::LIBRARY, cores());
            let named = ["the host's loop".into(), library];
            let of = hosts.iter().step_by(2).zip(named);
            let faster = |theirs, than| format!("{} {than}", factor(ours / theirs));
            let of = of.filter_map(|(host, name)| Some(faster(host.gflops?, name)));
            self.more.push(of.collect::<Vec<_>>().join(", "));
            return Ok(());
        }
        self.say("")?;
        let heading = format!("{kernel} against the host");
        self.say(format!("  {heading:<52}{:>9}{:>9}", "GFLOP/s", "speed-up").bold())?;
        for host in hosts {
            if let Some(theirs) = host.gflops {
                self.say(format!(
                    "  {:<52}{:>9}{:>9}",
                    host.says,
                    significant(theirs),
                    factor(ours / theirs)
                ))?;
            }
        }
        Ok(())
    }

    /// Runs one loop order on one core and checks it. In JSON mode the record is
    /// printed; for people the caller makes a table.
    pub fn host_loop(&mut self, order: LoopOrder, problem: &Problem) -> Result<Record> {
        let name = order.name();
        let says = format!("loop {name}, 1 core, {}", problem.shape);
        self.host_product(name, &says, problem, || Some(order.run(problem)))
    }

    /// A product on the host: what it is, and the seconds that it took.
    fn host_product(
        &mut self,
        name: &str,
        says: &str,
        problem: &Problem,
        multiply: impl FnOnce() -> Option<(Matrix, f64)>,
    ) -> Result<Record> {
        self.on_host(&format!("host {name}"), says, problem.shape, |record| {
            let Some((c, seconds)) = multiply() else { return Ok(()) };
            record.outcome = match verify::check(problem, &c) {
                Ok(compared) => Outcome::right(compared),
                Err(wrong) => Outcome::Wrong(wrong),
            };
            let timing = Timing::by_the_wall(vec![seconds]);
            record.timed(&timing, Work::Flop(problem.shape.flop()), None);
            Ok(())
        })
    }

    /// A record of the host, which `time` completes, unless a child before this one has
    /// done so. For people the caller says what it tells.
    pub fn on_host(
        &mut self,
        name: &str,
        says: &str,
        shape: Shape,
        time: impl FnOnce(&mut Record) -> Result<()>,
    ) -> Result<Record> {
        let earlier = self.console.earlier.take(name);
        if let Some(record) = earlier.and_then(|mut one| one.records.pop()) {
            self.console.remember(&record);
            return Ok(record);
        }
        let stage = Stage::Working(format!("measuring {name}"));
        self.console.doing(stage)?;
        let mut record = Record {
            platform: "host".into(),
            device: "host".into(),
            driver: String::new(),
            limits: None,
            ..self.record(name, says, shape)?
        };
        time(&mut record)?;
        self.console.keep(&record)?;
        self.console.report.json(&record)?;
        Ok(record)
    }

    /// Whether it ends with an answer, where nothing is wrong.
    pub(crate) fn is_whole(&self) -> bool {
        let flags = &self.flags;
        flags.only.is_empty() && flags.source.is_none() && flags.sizes.len() < 2
    }

    /// What the whole lesson comes to, and what the next one tries.
    fn tell_answer(&mut self) -> Result<()> {
        let Of::Lesson(number) = self.of else { return Ok(()) };
        let mut lines = answer(&self.console.report.tables);
        if !self.is_whole() || lines.is_empty() || self.console.wrong > 0 {
            return Ok(());
        }
        let more = self.more.iter();
        lines.extend(more.map(|heading| format!("  more     {heading}: --long")));
        if let Some(next) = LESSONS.iter().find(|next| next.number == number + 1) {
            let (teaches, command) = (next.teaches, command::cargo_run(&next.package()));
            lines.push(format!("  next     {teaches}: {}", command.cyan()));
        }
        self.say(format!("\n{}", lines.join("\n")))
    }

    /// The lesson's last words; an error where something was wrong.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.console.speak_up();
        self.tell_answer()?;
        let console = &mut self.console;
        if let Some(step) = &console.step {
            step.pause()?;
        }
        console.close()?;
        let lesson = format!("{} ({})", self.of.to_string().to_lowercase(), self.title);
        let wrong = console.wrong;
        if !console.died.is_empty() {
            return Err(Error::Died(resume::last_words(&console.died, &lesson, wrong)));
        }
        if wrong == 0 {
            if let Some((kernel, conditions)) = &self.left_out
                && console.skipped + console.checked == 0
            {
                let why = format!(
                    "{kernel} is launched where `{conditions}` holds: not on this device at this \
                     size\n  next: another --device, or another --size"
                );
                return Err(Error::Usage(why));
            }
            let is_idle = console.skipped > 0 && console.checked == 0 && !self.files.is_empty();
            let why = "nothing was checked: every kernel was skipped, for the reasons above";
            return if is_idle { Err(Error::Usage(why.into())) } else { Ok(()) };
        }
        let mut rows = self.console.report.rows().iter();
        let kernel = rows.find(|row| row.wrong().is_some());
        let kernel = kernel.map_or("", |row| row.function());
        let file = self.source_of(kernel);
        let file = file.map_or("FILE".into(), |file| file.path.display().to_string());
        let count = numbers::count(wrong, "kernel");
        let inspect = command::course(&format!("inspect {file}"));
        let are = if wrong == 1 { "is" } else { "are" };
        let told = format!(
            "{count} {are} wrong in {lesson}\n  \
             next: --fill count --show prints matrices of up to 16 rows and columns: with the smallest\n        --size that is still wrong; --only KERNEL runs one kernel\n  \
             or: {inspect}   names the lines of races and bad accesses"
        );
        Err(Error::Wrong(told.into()))
    }
}

/// A lesson's answer: the best kernel of each table, and the step that gained most.
fn answer(tables: &[Vec<Record>]) -> Vec<String> {
    let best = tables.iter().filter_map(|rows| best(rows));
    let mut lines: Vec<String> = best.map(|words| format!("  best     {words}")).collect();
    let steps = tables.iter().flatten().filter(|row| row.is_right());
    let steps = steps.filter_map(|row| Some((row, row.step_factor.filter(|step| *step > 1.0)?)));
    if let Some((row, step)) = steps.max_by(|a, b| a.1.total_cmp(&b.1)) {
        let (step, Record { kernel, says, .. }) = (factor(step), row);
        lines.push(format!("  gained   most: {step} by {kernel}, {says}"));
    }
    lines
}

/// The fastest of a table, and those that are as fast as far as their spread tells.
fn best(rows: &[Record]) -> Option<String> {
    let timed = rows.iter().filter(|row| row.is_right() && !row.is_above_limit());
    let timed = timed.filter_map(|row| Some((row, row.rate()?, row.spread.unwrap_or(0.0))));
    let timed: Vec<_> = timed.filter(|_| rows.len() > 1).collect();
    let (first, rate, spread) = timed.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let is_equal = |(other, its, own): &&(&Record, f64, f64)| {
        other.kernel != first.kernel && its * (1.0 + own) >= rate * (1.0 - spread)
    };
    let equal = timed.iter().filter(is_equal);
    let equal: Vec<&str> = equal.map(|(row, ..)| &*row.kernel).collect();
    let mut words = format!("{}, {} {}", first.kernel, significant(*rate), first.unit());
    if let Some(share) = first.share_of_limit {
        let certain = first.limits.is_none_or(|limits| limits.is_certain());
        let limit = if certain { "the limit" } else { "a limit that is not certain" };
        words += &format!(", {} of {limit}", percent(share));
    }
    Some(match equal.len() {
        0 => words,
        1 | 2 => format!("{words}; within the spread as fast: {}", equal.join(", ")),
        more => format!("{words}; {more} others are as fast within the spread"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_best_of_each_table_and_who_cannot_be_told_from_it() {
        let row = |kernel: &str, rate, spread, step| Record {
            kernel: kernel.into(),
            says: "so".into(),
            outcome: Outcome::RIGHT,
            gflops: Some(rate),
            spread: Some(spread),
            step_factor: step,
            ..Record::default()
        };
        let tables = [
            vec![
                row("a", 1.0, 0.0, None),
                row("b", 9.0, 0.1, Some(9.0)),
                row("c", 8.0, 0.1, Some(0.9)),
            ],
            vec![row("d", 3.0, 0.0, None), row("e", 2.0, 0.0, Some(0.7))],
        ];
        assert_eq!(
            answer(&tables),
            [
                "  best     b, 9.00 GFLOP/s; within the spread as fast: c",
                "  best     d, 3.00 GFLOP/s",
                "  gained   most: 9.00x by b, so",
            ]
        );
    }
}
