//! `course diff`: what changed between two kernels, and only that.

use std::{io::Write, process::ExitCode};

use anyhow::{Result, bail};
use colored::Colorize;
use common::Error;
use common::source::{KernelText, Source};
use diagnostics::terminal::diff::{self, Change, Line};
use diagnostics::{near::did_you_mean, terminal::Out};
use serde_json::json;
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
#[derive(Clone)]
struct Kernel {
    lesson: u32,
    name: String,
    path: String,
    text: KernelText,
}

/// Compares of two words the kernels that are most alike, and of one, or within the second of two
/// lessons, each with the one before it.
pub fn diff(options: &DiffArgs) -> Result<ExitCode> {
    let (olds, news) = match &options.to {
        Some(to) => (named(&options.from)?, named(to)?),
        None => (Vec::new(), named(&options.from)?),
    };
    let is_lesson = |word: &String| word.parse::<u32>().is_ok();
    let in_order = options.to.as_ref().is_none_or(|to| is_lesson(to) && is_lesson(&options.from));
    let firsts = if in_order { &news[..1] } else { &news };
    let each = olds.iter().flat_map(|(_, old)| firsts.iter().map(move |(_, new)| (old, new)));
    let alike = each.min_by_key(|(old, new)| {
        let is_near = [family(old) == family(new), old.lesson == new.lesson];
        (is_near.map(|one| !one), changed(&compare(old, new)).count())
    });
    let steps = news.iter().filter_map(|(before, new)| Some((before.as_ref()?, new)));
    let mut pairs = alike.into_iter().chain(steps.filter(|_| in_order)).peekable();
    if pairs.peek().is_none() && !options.json {
        writeln!(Out, "There is nothing to compare.")?;
    }
    for (old, new) in pairs {
        let lines = compare(old, new);
        if options.json {
            let [from, to] = [old, new].map(|one| json!({ "kernel": one.name, "file": one.path }));
            let lines = changed(&lines).map(|line| {
                let change = if line.change == Change::Insert { "new" } else { "gone" };
                json!({ "change": change, "line": line.number, "text": line.text })
            });
            let lines = Vec::from_iter(lines);
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

/// The first word of its name: copies are compared with copies, products with products.
fn family(kernel: &Kernel) -> Option<&str> {
    kernel.name.split('_').next()
}

/// The kernels of a lesson, or of this name, each behind the one before it in its lesson.
fn named(word: &str) -> Result<Vec<(Option<Kernel>, Kernel)>> {
    let mut found = Vec::new();
    for lesson in LESSONS {
        let mut earlier: Vec<Kernel> = Vec::new();
        for file in lesson.kernel_files() {
            let source = Source::of_course(&file)?;
            for name in source.kernels() {
                let Some(text) = source.kernel(&name) else { continue };
                let path = source.path.display().to_string();
                let new = Kernel { lesson: lesson.number, name, path, text };
                if new.name == word || new.lesson.to_string() == word {
                    let before = earlier.iter().rfind(|old| family(old) == family(&new));
                    found.push((before.cloned(), new.clone()));
                }
                earlier.push(new);
            }
        }
    }
    if found.is_empty() {
        let none = match word.parse::<u32>() {
            Ok(number) => format!("lesson {number} has no kernels"),
            Err(_) => format!("no lesson has a kernel {word}"),
        };
        bail!(Error::Usage(format!("{none}; {}", did_you_mean(word, &lessons::kernels()?))));
    }
    Ok(found)
}

/// What changed but the names, each line with its number in its file, and the name of its side.
fn compare(old: &Kernel, new: &Kernel) -> Vec<Line> {
    let renamed = old.text.code.replace(&old.name, &new.name);
    let mut lines = diff::lines(&renamed, &new.text.code);
    for line in &mut lines {
        let kernel = if line.change == Change::Delete { old } else { new };
        line.number += kernel.text.line - 1;
        line.text = line.text.replace(&new.name, &kernel.name);
    }
    lines
}

/// The lines that are not in both.
fn changed(lines: &[Line]) -> impl Iterator<Item = &Line> {
    lines.iter().filter(|line| line.change != Change::Equal)
}
