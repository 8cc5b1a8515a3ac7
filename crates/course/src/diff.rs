//! `course diff`: what changed between two kernels, and only that.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use colored::Colorize;
use common::Error;
use common::source::{KernelText, Source};
use diagnostics::near::did_you_mean;
use diagnostics::terminal::Out;
use diagnostics::terminal::diff::{self, Change, Line};
use serde_json::{Value, json};
use watchdog::lessons::{self, LESSONS};

/// What to compare.
#[derive(clap::Args)]
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

pub fn diff(options: &DiffArgs) -> Result<ExitCode> {
    let all = kernels()?;
    let pairs = pairs(options, &all)?;
    if pairs.is_empty() && !options.json {
        writeln!(Out, "There is nothing to compare.")?;
    }
    for (old, new) in pairs {
        let lines = compare(old, new);
        if options.json {
            let [from, to] = [old, new].map(|one| json!({ "kernel": one.name, "file": one.path }));
            let line = |line: &Line| {
                let change = ["gone", "new"][usize::from(line.change == Change::Insert)];
                json!({ "change": change, "line": line.number, "text": line.text })
            };
            let lines: Vec<Value> = changed(&lines).map(line).collect();
            writeln!(Out, "{}", json!({ "from": from, "to": to, "lines": lines }))?;
            continue;
        }
        writeln!(Out, "{}", format!("{} -> {}", old.name, new.name).bold())?;
        if old.path != new.path {
            write!(Out, "{} -> ", old.path)?;
        }
        let shown = Some(diff::shown(&lines)).filter(|shown| !shown.is_empty());
        writeln!(Out, "{}\n{}", new.path, shown.unwrap_or("  the same\n".into()))?;
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
                let (lesson, path) = (lesson.number, source.path.display().to_string());
                all.extend(source.kernel(&name).map(|text| Kernel { lesson, path, name, text }));
            }
        }
    }
    Ok(all)
}

/// Which kernels are compared with which: of two words those that are most alike; of one word,
/// and within the second of two lessons, each kernel with the one before it.
fn pairs<'a>(options: &DiffArgs, all: &'a [Kernel]) -> Result<Vec<(&'a Kernel, &'a Kernel)>> {
    // Copies are compared with copies, products with products.
    let is_other = |a: &Kernel, b: &Kernel| a.name.split('_').next() != b.name.split('_').next();
    let with_predecessor = |new: &&'a Kernel| {
        let earlier = all.iter().take_while(|old| !std::ptr::eq(*old, *new));
        let alike = earlier.filter(|old| old.lesson == new.lesson && !is_other(old, new));
        Some((alike.last()?, *new))
    };
    let olds = named(&options.from, all)?;
    let Some(to) = &options.to else {
        return Ok(olds.iter().filter_map(with_predecessor).collect());
    };
    let news = named(to, all)?;
    let are_lessons = [&options.from, to].iter().all(|word| word.parse::<u32>().is_ok());
    let firsts = if are_lessons { &news[..1] } else { &news };
    let each = olds.iter().flat_map(|old| firsts.iter().map(|new| (*old, *new)));
    let alike = each.min_by_key(|(old, new)| {
        (is_other(old, new), old.lesson != new.lesson, changed(&compare(old, new)).count())
    });
    let steps = news.iter().filter(|_| are_lessons).filter_map(with_predecessor);
    Ok(alike.into_iter().chain(steps).collect())
}

/// The kernels of a lesson, or of this name, which two lessons may have.
fn named<'a>(word: &str, all: &'a [Kernel]) -> Result<Vec<&'a Kernel>> {
    let is_it = |one: &&Kernel| one.name == word || one.lesson.to_string() == word;
    let kernels: Vec<_> = all.iter().filter(is_it).collect();
    if kernels.is_empty() {
        let hint = did_you_mean(word, &lessons::kernels()?);
        let none = match word.parse::<u32>() {
            Ok(number) => format!("lesson {number} has no kernels"),
            Err(_) => format!("no lesson has a kernel {word}"),
        };
        bail!(Error::Usage(format!("{none}; {hint}")));
    }
    Ok(kernels)
}

/// What changed but the names, each line with its number in its file, and the name of its side.
fn compare(old: &Kernel, new: &Kernel) -> Vec<Line> {
    let renamed = old.text.code.replace(&old.name, &new.name);
    let mut lines = diff::lines(&renamed, &new.text.code);
    for line in &mut lines {
        let kernel = [new, old][usize::from(line.change == Change::Delete)];
        line.number += kernel.text.line - 1;
        line.text = line.text.replace(&new.name, &kernel.name);
    }
    lines
}

/// The lines that are not in both.
fn changed(lines: &[Line]) -> impl Iterator<Item = &Line> {
    lines.iter().filter(|line| line.change != Change::Equal)
}
