//! `course diff`: what changed between two kernels, and only that.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use analysis::launched::Wanted;
use analysis::listing::Listing;
use analysis::trace::run;
use anyhow::{Result, bail};
use clap::Args;
use common::Error;
use common::source::{KernelText, Source, did_you_mean};
use diagnostics::terminal::Out;
use diagnostics::terminal::diff::{self, Change, Line};
use diagnostics::terminal::prose::{fitted, hunks};
use judge::exercise::{come_to, model};
use judge::{LaunchFlags, is_task};
use minijinja::context;
use minijinja::value::Serde;
use process::lessons::LESSONS;
use serde_json::{Value, json};
use task::counts::Count;

use crate::asm;
use crate::puzzles::taken;
use crate::trace::counted;
use crate::words::say;

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
    let from = (&*options.from, named(&options.from, &all)?);
    let to = options.to.as_deref();
    let to = to.map(|to| named(to, &all).map(|kernels| (to, kernels)));
    let (says, pairs) = pairs(&from, to.transpose()?.as_ref(), &all);
    if options.json {
        for (old, new) in pairs {
            let kernel = |one: &Kernel| json!({ "kernel": one.name, "file": one.path });
            let (from, to) = (kernel(old), kernel(new));
            let lines = changed(&shown(old, new, 0));
            writeln!(Out, "{}", json!({ "from": from, "to": to, "lines": lines }))?;
        }
        return Ok(());
    }
    let pair = |(old, new)| (fitted(title(old, new)), hunks(&shown(old, new, CONTEXT)));
    let pairs: Vec<_> = pairs.into_iter().map(pair).collect();
    say(
        "diff",
        context! { says => fitted(says), pairs => Serde(pairs) },
    )
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
        let counts = counts
            .map(|((count, _, _), (from, to))| json!({ "count": count, "from": from, "to": to }));
        let line = json!({
            "from": files[0],
            "to": files[1],
            "counts": counts.collect::<Vec<Value>>(),
            "not_counted": not_counted,
            "lines": changed(&loops(0)?),
        });
        return Ok(writeln!(Out, "{line}")?);
    }
    let rows =
        counts.map(|((_, name, of), (from, to))| (name, from.to_string(), to.to_string(), of));
    let rows: Vec<_> = rows.collect();
    let says = fitted(format!("From {} to {}.", files[0], files[1]));
    say("counts of two", context! { says, rows, not_counted })?;
    say(
        "loops of two",
        context! { hunks => hunks(&loops(CONTEXT)?) },
    )
}

/// The lines that are not in both.
fn changed(hunks: &[Vec<Line>]) -> Vec<Value> {
    let line = |line: &Line| {
        let change = match line.change {
            Change::Same => return None,
            Change::Gone => "gone",
            Change::New => "new",
        };
        Some(json!({ "change": change, "line": line.number, "text": line.text }))
    };
    hunks.iter().flatten().filter_map(line).collect()
}

/// What a task's launch comes to, in the order of `Count`, and what is not counted.
fn counts_of(mut wanted: Wanted) -> Result<([f64; 8], Option<String>)> {
    let taken = taken(&mut wanted, &LaunchFlags::default(), false)?;
    let traced = run::trace(&wanted, taken.program)?;
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
    let is_it = |kernel: &&Kernel| match lesson {
        Some(number) => kernel.lesson == number,
        None => kernel.name == word,
    };
    let kernels: Vec<&Kernel> = all.iter().filter(is_it).collect();
    if !kernels.is_empty() {
        return Ok(kernels);
    }
    let why = if lesson.is_some() {
        let [first, last] = [all.first(), all.last()].map(|k| k.map_or(0, |k| k.lesson));
        format!(
            "{} has no kernels; lessons {first} to {last} have",
            says(word)
        )
    } else {
        let names: BTreeSet<String> = all.iter().map(|kernel| kernel.name.clone()).collect();
        let hint = did_you_mean(word, &Vec::from_iter(names));
        format!("no lesson has a kernel {word}; {hint}")
    };
    bail!(Error::Usage(why))
}

/// What a word of the command line names.
type Named<'a> = (&'a str, Vec<&'a Kernel>);
type Pair<'a> = (&'a Kernel, &'a Kernel);

/// Which kernels are compared with which, and how to say it.
fn pairs<'a>(
    from: &Named<'a>,
    to: Option<&Named<'a>>,
    all: &'a [Kernel],
) -> (String, Vec<Pair<'a>>) {
    let (from, olds) = from;
    let is_lesson = |word: &str| word.parse::<u32>().is_ok();
    let Some((to, news)) = to else {
        let lesson = olds[0].lesson;
        let siblings: Vec<&Kernel> = all.iter().filter(|k| k.lesson == lesson).collect();
        let mut pairs = steps(&siblings);
        pairs.retain(|(_, new)| is_lesson(from) || new.name == *from);
        let from = says(from);
        let says = format!("{from}: each kernel against the one before it in lesson {lesson}.");
        return (says, pairs);
    };
    let (of, with) = (says(from), says(to));
    let says = format!("From {of} to {with}: the kernels that are most alike");
    if !is_lesson(from) || !is_lesson(to) {
        return (says + ".", Vec::from_iter(most_alike(olds, news)));
    }
    let link = most_alike(olds, &news[..1]).into_iter();
    let says = says + ",\nthen each kernel against the one before it.";
    (says, link.chain(steps(news)).collect())
}

/// Each kernel with the one before it that computes the same.
fn steps<'a>(kernels: &[&'a Kernel]) -> Vec<Pair<'a>> {
    let with_predecessor = |(i, new): (usize, &&'a Kernel)| {
        let before = kernels[..i].iter().rfind(|old| family(old) == family(new));
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
            family(old) != family(new),
            old.lesson != new.lesson,
            changed,
        )
    })
}

/// What a kernel computes, by its name: matmul, copy, transpose.
fn family(kernel: &Kernel) -> &str {
    kernel.name.split('_').next().unwrap_or(&kernel.name)
}

fn compare(old: &Kernel, new: &Kernel, context: usize) -> Vec<Vec<Line>> {
    // The names are in the title already.
    let renamed = old.text.code.replace(&old.name, &new.name);
    diff::hunks(&renamed, &new.text.code, context)
}

fn title(old: &Kernel, new: &Kernel) -> String {
    if old.path == new.path {
        format!("{} -> {}   {}", old.name, new.name, new.path)
    } else {
        format!("{} -> {}\n{} -> {}", old.name, new.name, old.path, new.path)
    }
}

/// What changed, each line with its number in its file.
fn shown(old: &Kernel, new: &Kernel, context: usize) -> Vec<Vec<Line>> {
    let mut hunks = compare(old, new, context);
    for line in hunks.iter_mut().flatten() {
        let kernel = match line.change {
            Change::Gone => old,
            _ => new,
        };
        line.number += kernel.text.line - 1;
        // The names are no difference, and each side shows its own.
        line.text = line.text.replace(&new.name, &kernel.name);
    }
    hunks
}
