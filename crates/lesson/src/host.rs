//! A lesson's closing lines: how much faster than the host its best kernel is.

use colored::Colorize;
use common::record::{Record, Work};
use common::{error::Result, outcome::Outcome, stage::Stage, timing::Timing};
use verify::numbers::{factor, significant};
use verify::reference::{self, LoopOrder};
use verify::{self, Shape, cores::cores, element::Type, matrix::Matrix, problem::Problem};

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
        let Some((kernel, ours)) = best else {
            return Ok(());
        };
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
            let Some((c, seconds)) = multiply() else {
                return Ok(());
            };
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
}
