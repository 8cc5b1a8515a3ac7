//! What is said of each part of a lesson, as parts.md has it, and of a kernel: what is new in it and
//! why, its text with the lines marked that the kernel before it did not have, and how it came out
//! beside what was predicted.

use std::rc::Rc;

use common::Traffic;
use common::record::Record;
use common::source::{KernelText, Source};
use diagnostics::terminal::diff::{self, Change};
use task::Task;
use verify::numbers::{factor, percent, seconds, significant};

use super::page::{Piece, bold, style};

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

impl Part {
    /// The words of its section; one that does not say why has those of the section before.
    pub(super) fn words(self) -> Words {
        let heading = format!("{self:?}: ");
        let mut why = "";
        let mut sections = include_str!("parts.md").split("\n## ");
        let found = sections.find_map(|section| {
            let words = Words::of(section, why);
            why = words.why;
            section.starts_with(&heading).then_some(words)
        });
        found.unwrap_or_default()
    }
}

/// A section of parts.md.
#[derive(Default)]
pub(super) struct Words {
    pub title: &'static str,
    /// What it is about, in a line, and in fewer words for a projector; none for those that
    /// need none.
    lines: [&'static str; 2],
    why: &'static str,
}

impl Words {
    /// A section: heading, two lines or none, and why, or `before`.
    fn of(section: &'static str, before: &'static str) -> Words {
        let (head, why) = section.split_once("\n\n").unwrap_or((section, before));
        let mut lines = head.lines();
        let heading = lines.next().and_then(|line| line.split_once(": "));
        let mut line = || lines.next()?.strip_prefix("- ");
        Words {
            title: heading.map_or("", |(_, title)| title),
            lines: [line().unwrap_or_default(), line().unwrap_or_default()],
            why: why.trim_end(),
        }
    }

    pub fn says(&self, present: bool) -> &'static str {
        self.lines[usize::from(present)]
    }

    /// What to say when asked why, in one line.
    pub fn explains(&self) -> String {
        self.why.replace('\n', " ")
    }
}

/// A kernel that begins.
pub struct Card {
    /// How it is launched.
    pub task: Task,
    /// The file that defines it.
    pub source: Rc<Source>,
}

/// The kernel that is told of, and the one before it.
#[derive(Clone, Default)]
pub(super) struct Cards {
    pub now: Option<Rc<Card>>,
    pub before: Option<Rc<Card>>,
}

impl Card {
    fn text(&self) -> Option<KernelText> {
        self.source.kernel(&self.task.kernel)
    }

    fn macros(&self) -> String {
        let macros = self.task.defines.iter();
        let macros = macros.map(|(name, value)| format!("{name}={value}"));
        macros.collect::<Vec<_>>().join(" ")
    }

    /// What more there is to know before it runs, a line each: padding, traffic.
    fn facts(&self) -> Vec<String> {
        let (task, mut facts) = (&self.task, Vec::new());
        if let Ok(plan) = task.plan()
            && let Some(padded) = plan.padded()
        {
            let [[rows, columns], [used_rows, used_columns]] = plan.shapes[padded];
            let name = &task.buffers[padded].name;
            facts.push(format!(
                "{name}, {used_rows} x {used_columns}, is padded with zeros to {rows} x {columns}"
            ));
        }
        if let Some(traffic) = &task.own_launch().traffic {
            let Traffic { global_loads, global_stores, .. } = traffic;
            facts.push(format!("global memory: {global_loads} loads, {global_stores} stores"));
        }
        facts
    }
}

impl Cards {
    /// "matmul_naive: building", as far as the part belongs to a kernel.
    pub fn headline(&self, part: Part) -> String {
        use Part::*;
        let title = part.words().title;
        match (&self.now, part) {
            (None, _) | (_, Drivers | Device | Properties | Limits) => title.into(),
            (Some(card), Kernel) => format!("kernel {}", card.task.name()),
            (Some(card), _) => format!("{}: {title}", card.task.name()),
        }
    }

    /// What more there is to know of the kernel, a line each; how it differs from the one
    /// before it comes last.
    pub fn facts(&self) -> Vec<String> {
        self.now.iter().flat_map(|card| card.facts()).chain(self.news()).collect()
    }

    fn news(&self) -> Option<String> {
        let (now, before) = (self.now.as_ref()?, self.before.as_ref()?);
        if now.task.kernel == before.task.kernel {
            let news = format!("the kernel of the step before, with {}", now.macros());
            return (now.task.defines != before.task.defines).then_some(news);
        }
        let lines = self.marked_lines()?;
        let new = lines.iter().filter(|line| line.change == Change::Insert);
        let (new, all, before) = (new.count(), lines.len(), &before.task.kernel);
        Some(format!("{new} of its {all} lines are new against {before}"))
    }

    /// The kernel's lines; all are old where there is nothing to compare with.
    fn marked_lines(&self) -> Option<Vec<diff::Line>> {
        let now = self.now.as_ref()?;
        let new = now.text()?.code;
        // Its name is no news.
        let before = self.before.as_ref();
        let old = before
            .and_then(|one| Some(one.text()?.code.replace(&one.task.kernel, &now.task.kernel)));
        let mut lines = diff::lines(old.as_ref().unwrap_or(&new), &new);
        lines.retain(|line| line.change != Change::Delete);
        Some(lines)
    }

    /// The kernel with its new lines marked.
    pub fn shown_kernel(&self) -> Vec<String> {
        let Some((now, lines)) = self.now.as_ref().zip(self.marked_lines()) else {
            return vec!["No kernel has begun yet.".into()];
        };
        let green = |text: String| style(text).green().to_string();
        let against = match &self.before {
            None => "The first kernel: nothing to compare it with.".into(),
            Some(one) if one.task.kernel == now.task.kernel => {
                "The same text as in the step before.".into()
            }
            Some(one) => {
                let sign = green("+".into());
                format!("{sign} marks what is new against {}.", one.task.kernel)
            }
        };
        let mut shown = vec![now.source.path.display().to_string(), against];
        if !now.task.defines.is_empty() {
            shown.push(format!("Built with {}.", now.macros()));
        }
        shown.push(String::new());
        let first = now.text().map_or(1, |text| text.line);
        shown.extend(lines.iter().map(|line| {
            let number = first + line.number - 1;
            match line.change {
                Change::Insert => green(format!("{number:>4} + {}", line.text)),
                _ => format!("{number:>4}   {}", line.text),
            }
        }));
        shown
    }

    /// Why a part is, and what is new in the kernel and why, as the lesson and the kernel's own
    /// comment say it.
    pub fn explanation(&self, part: Option<Part>) -> Vec<String> {
        let gap = String::new;
        let mut shown = Vec::new();
        if let Some(part) = part {
            let why = part.words().explains();
            shown.extend([bold(self.headline(part)), gap(), why, gap()]);
        }
        if let Some(now) = &self.now {
            shown.push(bold(format!("{}: {}", now.task.name(), now.task.says)));
            shown.extend(self.facts());
            shown.push(gap());
            let comment = now.text().map(|text| text.comment).unwrap_or_default();
            shown.extend(comment.lines().map(String::from));
        }
        shown
    }
}

/// How a kernel came out, and beside the step before, which was timed, and what was predicted: its
/// factor, or where there is none the percentage of the limit.
pub(super) fn outcome(
    record: &Record,
    before: Option<&Record>,
    prediction: Option<f64>,
) -> Vec<Piece> {
    let note = |text: String| vec![Piece::Note(text)];
    if let Some(reason) = record.skipped() {
        return note(format!("{} {reason}", style("skipped:").yellow()));
    }
    if let Some(why) = record.why() {
        let mark = record.death().map_or("✗ WRONG", |_| "✗ DIED");
        return note(format!("{}\n{why}", style(mark).red().bold()));
    }
    let right = style("✓ right").green().bold();
    let (Some(median), Some(rate)) = (record.seconds_median, record.rate()) else {
        return note(format!("{right}, not timed"));
    };
    let median = seconds(median);
    let timed = match record.spread {
        None => format!("one timed launch, {median}"),
        Some(spread) => format!(
            "{} timed launches, median {median}, half of them within ±{} of it",
            record.runs,
            percent(spread)
        ),
    };
    let rate = significant(rate);
    let mut pieces = note(format!("{right}; {timed}\n{rate} {}", record.unit()));
    let measured = measured(record, before, prediction);
    pieces.extend(measured.map(|words| Piece::Text(bold(format!("\n  {words}")))));
    if let (Some(_), Some(share)) = (before, record.share_of_limit) {
        pieces.extend(note(format!("{} of the device's limit", percent(share))));
    }
    pieces
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
            assert!(words.explains().len() > 100, "{part:?}");
            assert!(!words.explains().contains('\n'), "{part:?}");
            let needs_none = matches!(part, Kernel | Result);
            assert_eq!(words.says(true).is_empty(), needs_none, "{part:?}");
        }
        assert_eq!(Wait.words().explains(), Launch.words().explains());
        assert_ne!(Wait.words().says(false), Launch.words().says(false));
    }
}
