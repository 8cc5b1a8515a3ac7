//! What is said of each part of a lesson, as parts.md has it, and of a kernel: what is new in it and
//! why, its text with the lines marked that the kernel before it did not have, and how it came out
//! beside what was predicted.

use common::record::{Record, Traffic};
use common::source::Source;
use diagnostics::terminal::diff::{self, Change};
use task::Task;
use verify::numbers::{factor, percent, seconds, significant};

/// Text as it looks on standard error.
pub(super) fn style<T>(text: T) -> console::StyledObject<T> {
    console::style(text).for_stderr()
}

pub(super) fn bold(text: impl std::fmt::Display) -> String {
    style(text).bold().to_string()
}

/// A part of a lesson. parts.md has a section for each, which says what it is about.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Drivers,
    Device,
    Properties,
    Limits,
    Kernel,
    Build,
    Upload,
    Arguments,
    Poison,
    Launch,
    Wait,
    Read,
    Check,
    Time,
    Result,
}

/// A section of parts.md.
#[derive(Default)]
pub(super) struct Words {
    pub title: &'static str,
    /// What it is about, in a line, and in fewer words for a projector; none for those that
    /// need none.
    pub says: [&'static str; 2],
    /// What to say when asked why.
    pub why: &'static str,
}

impl Part {
    /// The words of its section; one that does not say why has those of the section before.
    pub(super) fn words(self) -> Words {
        let heading = format!("{self:?}: ");
        let mut words = Words::default();
        for section in include_str!("parts.md").split("\n## ") {
            let (head, why) = section.split_once("\n\n").unwrap_or((section, words.why));
            let mut lines = head.lines();
            let title = lines.next().and_then(|line| line.split_once(": "));
            let mut line = || lines.next().map_or("", |line| line.trim_start_matches("- "));
            let says = [line(), line()];
            let title = title.map_or("", |(_, title)| title);
            words = Words { title, says, why: why.trim_end() };
            if section.starts_with(&heading) {
                break;
            }
        }
        words
    }
}

/// A kernel that begins, and what is said of it.
pub(super) struct Card {
    /// As it stands in tables, and as the file names its function.
    pub name: String,
    kernel: String,
    /// What is new in it.
    pub says: String,
    /// What more there is to know before it runs, a line each: padding, traffic; how it differs
    /// from the kernel before it comes last.
    pub facts: Vec<String>,
    /// The kernel's own comment.
    pub comment: String,
    macros: String,
    code: String,
    /// Its text with the new lines marked.
    pub marked: String,
}

impl Card {
    pub fn new(task: &Task, source: &Source, before: Option<&Card>) -> Card {
        let text = source.kernel(&task.kernel).unwrap_or_default();
        let macros = task.defines.iter().map(|(name, value)| format!("{name}={value}"));
        let macros = macros.collect::<Vec<_>>().join(" ");
        let mut facts = Vec::new();
        if let Ok(plan) = task.plan()
            && let Some(padded) = plan.padded()
        {
            let [[rows, columns], [used_rows, used_columns]] = plan.shapes[padded];
            let name = &task.buffers[padded].name;
            facts.push(format!(
                "{name}, {used_rows} x {used_columns}, is padded with zeros to {rows} x {columns}"
            ));
        }
        if let Some(Traffic { global_loads, global_stores, .. }) = &task.own_launch().traffic {
            facts.push(format!("global memory: {global_loads} loads, {global_stores} stores"));
        }
        // All lines are old where there is nothing to compare with, and its name is no news.
        let old = before.filter(|one| !one.code.is_empty());
        let old = old.map(|one| one.code.replace(&one.kernel, &task.kernel));
        let mut lines = diff::lines(old.as_ref().unwrap_or(&text.code), &text.code);
        lines.retain(|line| line.change != Change::Delete);
        let green = |text: String| style(text).green().to_string();
        let against = match before {
            None => "The first kernel: nothing to compare it with.".into(),
            Some(one) if one.kernel == task.kernel => {
                if one.macros != macros {
                    facts.push(format!("the kernel of the step before, with {macros}"));
                }
                "The same text as in the step before.".into()
            }
            Some(Card { kernel: before, .. }) => {
                let new = lines.iter().filter(|line| line.change == Change::Insert).count();
                let all = lines.len();
                // None are to be seen of a kernel that a macro makes.
                if all > 0 {
                    facts.push(format!("{new} of its {all} lines are new against {before}"));
                }
                format!("{} marks what is new against {before}.", green("+".into()))
            }
        };
        let mut marked = format!("{}\n{against}\n", source.path.display());
        if !macros.is_empty() {
            marked += &format!("Built with {macros}.\n");
        }
        for diff::Line { change, number, text: line } in lines {
            let number = text.line + number - 1;
            marked += "\n";
            marked += &match change {
                Change::Insert => green(format!("{number:>4} + {line}")),
                _ => format!("{number:>4}   {line}"),
            };
        }
        Card {
            name: task.name(),
            kernel: task.kernel.clone(),
            says: task.says.clone(),
            facts,
            comment: text.comment,
            macros,
            code: text.code,
            marked,
        }
    }
}

/// How a kernel came out, and beside the step before, which was timed, and what was predicted: its
/// factor, or where there is none the percentage of the limit.
pub(super) fn outcome(record: &Record, before: Option<&Record>, prediction: Option<f64>) -> String {
    if let Some(reason) = record.skipped() {
        return format!("{} {reason}", style("skipped:").yellow());
    }
    if let Some(why) = record.why() {
        let mark = record.death().map_or("✗ WRONG", |_| "✗ DIED");
        return format!("{}\n{why}", style(mark).red().bold());
    }
    let right = style("✓ right").green().bold();
    let (Some(median), Some(rate)) = (record.seconds_median, record.rate()) else {
        return format!("{right}, not timed");
    };
    let (median, rate) = (seconds(median), significant(rate));
    let timed = match record.spread {
        None => format!("one timed launch, {median}"),
        Some(spread) => format!(
            "{} timed launches, median {median}, half of them within ±{} of it",
            record.runs,
            percent(spread)
        ),
    };
    let mut text = format!("{right}; {timed}\n{rate} {}", record.unit());
    if let Some(words) = measured(record, before, prediction) {
        text += &format!("\n\n{}", bold(words));
    }
    if let (Some(_), Some(share)) = (before, record.share_of_limit) {
        text += &format!("\n{} of the device's limit", percent(share));
    }
    text
}

/// "predicted 2x, measured 3.6x matmul_naive".
fn measured(record: &Record, before: Option<&Record>, prediction: Option<f64>) -> Option<String> {
    let (said, measured) = match before {
        Some(before) => {
            let times = factor(record.rate()? / before.rate()?);
            (prediction.map(factor), format!("{times} {}", before.kernel))
        }
        None => {
            let share = percent(record.share_of_limit?);
            let said = prediction.map(|said| percent(said / 100.0));
            (said, format!("{share} of the device's limit"))
        }
    };
    let said = said.map(|said| format!("predicted {said}, measured "));
    Some(said.unwrap_or_default() + &measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_stands_beside_the_measurement() {
        let record = |kernel: &str, rate| Record {
            kernel: kernel.into(),
            gflops: Some(rate),
            share_of_limit: Some(0.3),
            ..Record::default()
        };
        let (new, old) = (record("new", 30.0), record("old", 10.0));
        assert_eq!(
            measured(&new, Some(&old), Some(2.0)).as_deref(),
            Some("predicted 2.00x, measured 3.00x old")
        );
        assert_eq!(
            measured(&new, None, Some(50.0)).as_deref(),
            Some("predicted 50 %, measured 30 % of the device's limit")
        );
    }

    #[test]
    fn every_part_has_its_words() {
        use Part::*;
        for part in [
            Drivers, Device, Properties, Limits, Kernel, Build, Upload, Arguments, Poison, Launch,
            Wait, Read, Check, Time, Result,
        ] {
            let words = part.words();
            assert!(!words.title.is_empty(), "{part:?}");
            assert!(words.why.len() > 100, "{part:?}");
            let needs_none = matches!(part, Kernel | Result);
            assert_eq!(words.says[1].is_empty(), needs_none, "{part:?}");
        }
        assert_eq!(Wait.words().why, Launch.words().why);
        assert_ne!(Wait.words().says[0], Launch.words().says[0]);
    }
}
