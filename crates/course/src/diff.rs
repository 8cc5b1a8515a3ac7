//! `course diff`: what changed between two kernels, and only that.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use colored::Colorize;
use common::Error;
use common::source::{KernelText, Source, did_you_mean};
use diagnostics::terminal::Out;
use diagnostics::terminal::diff::{self, Change, Line};
use diagnostics::terminal::prose::{beside, fitted, hunks};
use inspect::launched::Wanted;
use inspect::listing::Listing;
use inspect::trace::run;
use judge::exercise::{come_to, model};
use judge::{LaunchFlags, is_task};
use serde_json::{Value, json};
use task::counts::Count;
use watchdog::lessons::LESSONS;

use crate::asm;
use crate::puzzles::taken;
use crate::trace::counted;

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 2;

/// What to compare.
#[derive(Args)]
pub struct Options {
    /// A lesson's number, or a kernel's name; or a task file, whose kernel is counted and compiled
    #[arg(value_name = "LESSON|KERNEL|FILE.toml")]
    from: String,
    /// Another; without it, each kernel is compared with the one before it
    #[arg(value_name = "LESSON|KERNEL|FILE.toml")]
    to: Option<String>,
    /// Of task files, the device whose compiler is asked
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Of task files, the size at which is counted
    #[arg(short, long, value_name = "NAME=N,NAME=N")]
    size: Option<String>,
    /// Print one JSON object for each two that are compared
    #[arg(long)]
    json: bool,
}

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

pub fn diff(options: &Options) -> Result<()> {
    let files = [Some(&options.from), options.to.as_ref()];
    match files.map(|file| file.filter(|file| is_task(Path::new(file)))) {
        [Some(from), Some(to)] => return of_tasks(options, [from, to]),
        [None, None] if options.device.is_none() && options.size.is_none() => (),
        _ => bail!(Error::Usage(
            "two task files are compared with one another: course diff A.toml B.toml; --device \
             and --size are for them"
                .into()
        )),
    }
    let all = kernels()?;
    let (says, pairs) = pairs(&options.from, options.to.as_deref(), &all)?;
    if options.json {
        for (old, new) in pairs {
            let kernel = |one: &Kernel| json!({ "kernel": one.name, "file": one.path });
            let (from, to) = (kernel(old), kernel(new));
            let lines = changed(&compare(old, new, 0));
            writeln!(Out, "{}", json!({ "from": from, "to": to, "lines": lines }))?;
        }
        return Ok(());
    }
    writeln!(Out, "{}", fitted(says))?;
    if pairs.is_empty() {
        writeln!(Out, "\nThere is nothing to compare.")?;
    }
    for (old, new) in pairs {
        let names = format!("{} -> {}", old.name, new.name);
        let title = match old.path == new.path {
            true => format!("{names}   {}", new.path),
            false => format!("{names}\n{} -> {}", old.path, new.path),
        };
        let same = "  the same, but for its name\n";
        let lines = hunks_or(same, &compare(old, new, CONTEXT));
        write!(Out, "\n{}\n{lines}", fitted(title).bold())?;
    }
    Ok(())
}

fn hunks_or(same: &str, lines: &[Vec<Line>]) -> String {
    let lines = hunks(lines);
    if lines.is_empty() { same.into() } else { lines }
}

/// The lines that are not in both.
fn changed(hunks: &[Vec<Line>]) -> Vec<Value> {
    let lines = hunks.iter().flatten();
    let lines = lines.filter(|line| line.change != Change::Same);
    let change = |line: &Line| ["gone", "new"][usize::from(line.change == Change::New)];
    let line = |one: &Line| json!({ "change": change(one), "line": one.number, "text": one.text });
    lines.map(line).collect()
}

/// What the kernels of two task files ask for, and what the device's compiler makes of them.
fn of_tasks(options: &Options, files: [&String; 2]) -> Result<()> {
    let wanted = |device: &Option<String>| {
        files.map(|file| Wanted {
            kernel: file.clone(),
            device: device.clone(),
            size: options.size.clone(),
            ..Wanted::default()
        })
    };
    let [from, to] = wanted(&None).map(counts_of);
    let ((from, of_from), (to, of_to)) = (from?, to?);
    let not_counted = of_from.or(of_to);
    let loops = |context| -> Result<_> {
        let [old, new] = wanted(&options.device).map(loop_of);
        Ok(diff::hunks(&old?, &new?, context))
    };
    let counts = Count::ALL.into_iter().zip(from.iter().zip(&to));
    if options.json {
        let line = json!({
            "from": files[0],
            "to": files[1],
            "counts": Vec::from_iter(counts.map(|((count, ..), (from, to))| {
                json!({ "count": count, "from": from, "to": to })
            })),
            "not_counted": not_counted,
            "lines": changed(&loops(0)?),
        });
        return Ok(writeln!(Out, "{line}")?);
    }
    let says = fitted(format!("From {} to {}.", files[0], files[1]));
    writeln!(Out, "{says}\n\n{}", "Counts".bold())?;
    for ((_, name, of), (old, new)) in counts {
        let line = format!("  {name:<18} {old:>9} -> {new}{of}");
        let line = if old == new {
            line.dimmed()
        } else {
            line.normal()
        };
        writeln!(Out, "{line}")?;
    }
    if let Some(why) = not_counted {
        writeln!(Out, "  {}", beside(&why, 2))?;
    }
    let lines = hunks_or("  the same\n", &loops(CONTEXT)?);
    Ok(write!(Out, "\n{}\n{lines}", "The innermost loop".bold())?)
}

/// What a task's launch comes to, in the order of `Count`, and what is not counted.
fn counts_of(mut wanted: Wanted) -> Result<([f64; 8], Option<String>)> {
    let taken = taken(&mut wanted, &LaunchFlags::default(), false)?;
    let traced = run::trace(&wanted, taken.work)?;
    counted(&wanted, &traced, &model(), |screen| {
        let all = Count::ALL.map(|(count, ..)| come_to(count, screen.figures));
        Ok((all, screen.images()))
    })
}

/// The innermost loop of its kernel.
fn loop_of(mut wanted: Wanted) -> Result<String> {
    let (launched, source, code) = asm::of_device(&mut wanted, &LaunchFlags::default())?;
    let listing = Listing {
        name: launched.name.clone(),
        launched: Some(&launched),
        source: Some(&source),
        code: &code,
    };
    Ok(listing.loop_alone())
}

/// Every kernel of every lesson, in teaching order.
fn kernels() -> Result<Vec<Kernel>> {
    let mut all = Vec::new();
    for lesson in LESSONS {
        for file in lesson.kernel_files() {
            let source = Source::of_course(&file)?;
            let kernel = |name: String| {
                Some(Kernel {
                    lesson: lesson.number,
                    text: source.kernel(&name)?,
                    path: source.path.display().to_string(),
                    name,
                })
            };
            all.extend(source.kernels().into_iter().filter_map(kernel));
        }
    }
    Ok(all)
}

/// "lesson 4", or a kernel's name.
fn says(word: &str) -> String {
    let lesson = word.parse::<u32>();
    lesson.map_or(word.into(), |number| format!("lesson {number}"))
}

/// Those of the lesson, or those of the name: two lessons may have one.
fn named<'a>(word: &str, all: &'a [Kernel]) -> Result<Vec<&'a Kernel>> {
    let lesson = word.parse::<u32>().ok();
    let is_it = |one: &&Kernel| lesson.map_or(one.name == word, |number| one.lesson == number);
    let kernels: Vec<&Kernel> = all.iter().filter(is_it).collect();
    if !kernels.is_empty() {
        return Ok(kernels);
    }
    bail!(Error::Usage(if lesson.is_some() {
        let [first, last] = [all.first(), all.last()].map(|one| one.map_or(0, |one| one.lesson));
        let of = says(word);
        format!("{of} has no kernels; lessons {first} to {last} have")
    } else {
        let mut names: Vec<String> = all.iter().map(|kernel| kernel.name.clone()).collect();
        names.sort();
        names.dedup();
        let hint = did_you_mean(word, &names);
        format!("no lesson has a kernel {word}; {hint}")
    }))
}

type Pair<'a> = (&'a Kernel, &'a Kernel);

/// Which kernels are compared with which, and how to say it.
fn pairs<'a>(from: &str, to: Option<&str>, all: &'a [Kernel]) -> Result<(String, Vec<Pair<'a>>)> {
    let olds = named(from, all)?;
    let Some(to) = to else {
        let lesson = olds[0].lesson;
        let siblings: Vec<&Kernel> = all.iter().filter(|one| one.lesson == lesson).collect();
        let mut pairs = steps(&siblings);
        pairs.retain(|(_, new)| olds.iter().any(|old| old.name == new.name));
        let of = says(from);
        let says = format!("{of}: each kernel against the one before it in lesson {lesson}.");
        return Ok((says, pairs));
    };
    let news = named(to, all)?;
    let are_lessons = [from, to].iter().all(|word| word.parse::<u32>().is_ok());
    let firsts = if are_lessons { &news[..1] } else { &news };
    let mut pairs = Vec::from_iter(most_alike(&olds, firsts));
    let [of, with] = [from, to].map(says);
    let mut says = format!("From {of} to {with}: the kernels that are most alike");
    if are_lessons {
        says += ",\nthen each kernel against the one before it";
        pairs.extend(steps(&news));
    }
    Ok((says + ".", pairs))
}

/// Each kernel with the one before it that computes the same.
fn steps<'a>(kernels: &[&'a Kernel]) -> Vec<Pair<'a>> {
    let with_predecessor = |(i, new): (usize, &&'a Kernel)| {
        let before = kernels[..i]
            .iter()
            .rfind(|old| old.family() == new.family());
        Some((*before?, *new))
    };
    let kernels = kernels.iter().enumerate();
    kernels.filter_map(with_predecessor).collect()
}

/// The pair of which one takes the fewest changed lines to turn into the other; of one
/// lesson, if possible.
fn most_alike<'a>(old: &[&'a Kernel], new: &[&'a Kernel]) -> Option<Pair<'a>> {
    let pairs = new
        .iter()
        .flat_map(|new| old.iter().map(|old| (*old, *new)));
    pairs.min_by_key(|(old, new)| {
        let changed: usize = compare(old, new, 0).iter().map(Vec::len).sum();
        (
            old.family() != new.family(),
            old.lesson != new.lesson,
            changed,
        )
    })
}

/// What changed but the names, each line with its number in its file, and the name of its side.
fn compare(old: &Kernel, new: &Kernel, context: usize) -> Vec<Vec<Line>> {
    let renamed = old.text.code.replace(&old.name, &new.name);
    let mut hunks = diff::hunks(&renamed, &new.text.code, context);
    for line in hunks.iter_mut().flatten() {
        let kernel = if line.change == Change::Gone {
            old
        } else {
            new
        };
        line.number += kernel.text.line - 1;
        line.text = line.text.replace(&new.name, &kernel.name);
    }
    hunks
}
