//! `course diff`: what changed between two kernels, and only that.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use colored::Colorize;
use common::Error;
use common::source::{KernelText, Source};
use diagnostics::near::did_you_mean;
use diagnostics::terminal::Out;
use diagnostics::terminal::diff::{self, Change, Line};
use diagnostics::terminal::wrap::fitted;
use serde_json::json;
use watchdog::lessons::{self, LESSONS};

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 2;

/// What to compare.
#[derive(Args)]
pub struct DiffArgs {
    /// A lesson's number, or a kernel's name
    #[arg(value_name = "LESSON|KERNEL")]
    from: String,
    /// Another; without it, each kernel is compared with the one before it
    #[arg(value_name = "LESSON|KERNEL")]
    to: Option<String>,
    /// Print one JSON object for each two that are compared
    #[arg(long)]
    json: bool,
}

/// A kernel of a lesson.
struct Kernel {
    lesson: u32,
    name: String,
    path: String,
    text: KernelText,
}

impl Kernel {
    /// What it computes, by its name: matmul, copy, transpose.
    fn family(&self) -> Option<&str> {
        self.name.split('_').next()
    }
}

type Pair<'a> = (&'a Kernel, &'a Kernel);

pub fn diff(options: &DiffArgs) -> Result<ExitCode> {
    let all = kernels()?;
    let pairs = pairs(&options.from, options.to.as_deref(), &all)?;
    if pairs.is_empty() && !options.json {
        writeln!(Out, "There is nothing to compare.")?;
    }
    for (at, (old, new)) in pairs.into_iter().enumerate() {
        let lines = compare(old, new);
        if options.json {
            let [from, to] = [old, new].map(|one| json!({ "kernel": one.name, "file": one.path }));
            let pair = json!({ "from": from, "to": to, "lines": changed(&lines) });
            writeln!(Out, "{pair}")?;
            continue;
        }
        let files = match old.path == new.path {
            true => format!("   {}", new.path),
            false => format!("\n{} -> {}", old.path, new.path),
        };
        let title = fitted(format!("{} -> {}{files}", old.name, new.name));
        let space = ["\n", ""][usize::from(at == 0)];
        writeln!(Out, "{space}{}", title.bold())?;
        match &lines[..] {
            [] => writeln!(Out, "  the same")?,
            lines => write!(Out, "{}", diff::shown(lines))?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Every kernel of every lesson, in teaching order.
fn kernels() -> Result<Vec<Kernel>> {
    let mut all = Vec::new();
    for lesson in LESSONS {
        for file in lesson.kernel_files() {
            let source = Source::of_course(&file)?;
            for name in source.kernels() {
                all.extend(source.kernel(&name).map(|text| Kernel {
                    lesson: lesson.number,
                    path: source.path.display().to_string(),
                    name,
                    text,
                }));
            }
        }
    }
    Ok(all)
}

/// Which kernels are compared with which: of two words those that are most alike; of one word,
/// and within the second of two lessons, each kernel with the one before it.
fn pairs<'a>(from: &str, to: Option<&str>, all: &'a [Kernel]) -> Result<Vec<Pair<'a>>> {
    let lesson = |word: &str| word.parse::<u32>().ok();
    // Two lessons may have a kernel of the same name.
    let named = |word: &str| -> Result<Vec<&Kernel>> {
        let is_it = |one: &&Kernel| one.name == word || lesson(word) == Some(one.lesson);
        let kernels: Vec<_> = all.iter().filter(is_it).collect();
        if kernels.is_empty() {
            let none = match lesson(word) {
                Some(number) => format!("lesson {number} has no kernels"),
                None => format!("no lesson has a kernel {word}"),
            };
            let hint = did_you_mean(word, &lessons::kernels()?);
            bail!(Error::Usage(format!("{none}; {hint}")));
        }
        Ok(kernels)
    };
    let with_predecessor = |new: &'a Kernel| {
        let earlier = all.iter().take_while(|old| !std::ptr::eq(*old, new));
        let alike = earlier.filter(|old| old.lesson == new.lesson && old.family() == new.family());
        Some((alike.last()?, new))
    };
    let olds = named(from)?;
    let Some(to) = to else {
        return Ok(olds.into_iter().filter_map(with_predecessor).collect());
    };
    let news = named(to)?;
    let are_lessons = lesson(from).and(lesson(to)).is_some();
    let firsts = if are_lessons { &news[..1] } else { &news };
    let each = olds.iter().flat_map(|old| firsts.iter().map(|new| (*old, *new)));
    let alike = each.min_by_key(|(old, new)| {
        let changed = changed(&compare(old, new)).len();
        (old.family() != new.family(), old.lesson != new.lesson, changed)
    });
    let steps = news.iter().filter(|_| are_lessons);
    let steps = steps.filter_map(|new| with_predecessor(new));
    Ok(alike.into_iter().chain(steps).collect())
}

/// What changed but the names, each line with its number in its file, and the name of its side.
fn compare(old: &Kernel, new: &Kernel) -> Vec<Vec<Line>> {
    let renamed = old.text.code.replace(&old.name, &new.name);
    let mut hunks = diff::hunks(&renamed, &new.text.code, CONTEXT);
    for line in hunks.iter_mut().flatten() {
        let is_old = line.change == Change::Gone;
        let kernel = if is_old { old } else { new };
        line.number += kernel.text.line - 1;
        line.text = line.text.replace(&new.name, &kernel.name);
    }
    hunks
}

/// The lines that are not in both.
fn changed(hunks: &[Vec<Line>]) -> Vec<&Line> {
    let lines = hunks.iter().flatten();
    lines.filter(|line| line.change != Change::Same).collect()
}
