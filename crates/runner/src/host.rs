//! A lesson's closing lines: how much faster than the host its best kernel is.

use std::cmp::Ordering;

use colored::Colorize;
use common::error::Result;
use common::matrix::Matrix;
use common::numbers::{factor, significant};
use common::problem::Problem;
use common::record::{Record, Work};
use common::reference::{self, LoopOrder};
use common::shape::Shape;
use common::timing::Timing;
use common::verify;

use crate::lesson::Lesson;

/// The host's loops are measured up to this size: theirs is a rate, and a
/// larger product would only take longer.
const LOOP_SIZE: usize = 512;
/// The library is measured up to this size.
const LIBRARY_SIZE: usize = 2048;

impl Lesson {
    /// Times the host on the same problem, and says how many times faster the
    /// best kernel of the table is: than the textbook's loop on one core, and
    /// than the library that a Rust user would pick.
    pub fn compare_with_host(&mut self, problem: &Problem) -> Result<()> {
        if self.runs()?.is_none() || !self.flags().only.is_empty() {
            return Ok(());
        }
        let kernels = self.console.report.rows().iter();
        let best = kernels
            .filter(|row| row.verified && row.gflops.is_some() && !row.is_above_limit())
            .max_by(|a, b| a.gflops.partial_cmp(&b.gflops).unwrap_or(Ordering::Equal))
            .cloned();
        let small = self.clipped(problem, LOOP_SIZE);
        let mut hosts = vec![
            self.host_loop(LoopOrder::Ijk, &small)?,
            self.host_loop(LoopOrder::Ikj, &small)?,
        ];
        hosts.extend(self.host_library(&self.clipped(problem, LIBRARY_SIZE))?);
        let Some(best) = best else { return Ok(()) };
        self.say("")?;
        let heading = format!("{} against the host", best.kernel);
        self.say(format!("  {heading:<52}{:>9}{:>9}", "GFLOP/s", "speed-up").bold())?;
        for host in hosts {
            if let (Some(ours), Some(theirs)) = (best.gflops, host.gflops) {
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

    /// The same problem, no longer than `side` in any direction.
    pub fn clipped(&self, problem: &Problem, side: usize) -> Problem {
        let s = problem.shape;
        let shape = Shape {
            m: s.m.min(side),
            n: s.n.min(side),
            k: s.k.min(side),
        };
        if shape == s {
            problem.clone()
        } else {
            Problem::new(shape, problem.ty, problem.fill, self.flags().seed)
        }
    }

    /// Runs one loop order on one core and checks it. In JSON mode the record is
    /// printed; for people the caller makes a table.
    pub fn host_loop(&mut self, order: LoopOrder, problem: &Problem) -> Result<Record> {
        let name = format!("host {}", order.name());
        if let Some(record) = self.host_of_earlier(&name) {
            return Ok(record);
        }
        self.console.doing(format!("timing {name}"))?;
        let says = format!("loop {}, 1 core, {}", order.name(), problem.shape);
        let (c, seconds) = order.run(problem);
        self.host_product(&name, &says, problem, &c, seconds)
    }

    fn host_library(&mut self, problem: &Problem) -> Result<Option<Record>> {
        let name = format!("host {}", reference::LIBRARY);
        if let Some(record) = self.host_of_earlier(&name) {
            return Ok(Some(record));
        }
        self.console.doing(format!("timing {name}"))?;
        let Some((c, seconds)) = reference::library(problem) else {
            return Ok(None);
        };
        let says = format!(
            "{}, {} cores, {}",
            reference::LIBRARY,
            reference::library_threads(),
            problem.shape
        );
        self.host_product(&name, &says, problem, &c, seconds)
            .map(Some)
    }

    fn host_product(
        &mut self,
        name: &str,
        says: &str,
        problem: &Problem,
        c: &Matrix,
        seconds: f64,
    ) -> Result<Record> {
        let mut record = self.host_record(name, says, problem.shape)?;
        match verify::check(problem, c) {
            Ok(right) => record.right(right),
            Err(wrong) => record.failed = Some(wrong.to_string()),
        }
        let timing = Timing::by_the_wall(vec![seconds]);
        record.timed(&timing, Work::Flop(problem.shape.flop()), None);
        self.host_row(record)
    }

    /// Hands on a record of the host; for people the caller says what it tells.
    pub fn host_row(&mut self, record: Record) -> Result<Record> {
        self.console.keep(&record)?;
        self.console.report.json(&record)?;
        Ok(record)
    }

    /// A record of the host, still without its time.
    pub fn host_record(&mut self, name: &str, says: &str, shape: Shape) -> Result<Record> {
        Ok(Record {
            platform: "host".into(),
            device: "host".into(),
            driver: String::new(),
            limits: None,
            ..self.record(name, says, shape)?
        })
    }
}
