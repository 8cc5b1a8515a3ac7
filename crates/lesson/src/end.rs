//! A lesson's last words: what it came to and what the next one tries, or what was wrong.

use colored::Colorize;
use common::command;
use common::error::{Error, Result};
use common::record::{Of, Record};
use verify::numbers::{self, factor, percent, significant};
use watchdog::{lessons::LESSONS, resume};

use crate::lesson::Lesson;

impl Lesson {
    /// Whether it ends with an answer, where nothing is wrong.
    pub(crate) fn is_whole(&self) -> bool {
        let flags = &self.flags;
        flags.only.is_empty() && flags.source.is_none() && flags.sizes.len() < 2
    }

    /// What the whole lesson comes to, and what the next one tries.
    fn tell_answer(&mut self) -> Result<()> {
        let Of::Lesson(number) = self.of else {
            return Ok(());
        };
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
    use common::outcome::Outcome;

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
