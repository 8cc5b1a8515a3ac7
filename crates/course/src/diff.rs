//! `course diff`: what changed between two kernels, and only that.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use colored::Colorize;
use common::Error;
use common::source::{KernelText, Source, did_you_mean};
use text::diff::{self, Change, Line};
use toolbox::lessons::LESSONS;

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 2;

/// What to compare.
#[derive(Args)]
pub struct Options {
    /// A lesson's number, or a kernel's name
    #[arg(value_name = "LESSON|KERNEL")]
    from: String,
    /// Another; without it, each kernel is compared with the one before it
    #[arg(value_name = "LESSON|KERNEL")]
    to: Option<String>,
}

/// A kernel of the course.
struct Kernel {
    lesson: u32,
    name: String,
    path: String,
    text: KernelText,
}

/// What a word of the command line names.
enum Named<'a> {
    Lesson(u32, Vec<&'a Kernel>),
    /// The kernels of this name: two lessons may have one.
    Kernels(Vec<&'a Kernel>),
}

/// Prints the differences.
pub fn diff(options: &Options) -> Result<()> {
    let all = kernels()?;
    let from = named(&options.from, &all)?;
    let to = options.to.as_ref().map(|to| named(to, &all)).transpose()?;
    let mut out = std::io::stdout();
    let (says, pairs) = pairs(&from, to.as_ref(), &all);
    writeln!(out, "{says}")?;
    if pairs.is_empty() {
        writeln!(out, "\nThere is nothing to compare.")?;
    }
    for (old, new) in pairs {
        writeln!(out, "\n{}", title(old, new).bold())?;
        print(&mut out, old, new)?;
    }
    Ok(())
}

/// Every kernel of every lesson, in teaching order.
fn kernels() -> Result<Vec<Kernel>> {
    let mut all = Vec::new();
    for lesson in LESSONS {
        let file = format!("{}.cl", lesson.folder);
        if !common::source::workspace()
            .join("kernels")
            .join(&file)
            .is_file()
        {
            continue;
        }
        let source = Source::of_course(&file)?;
        for name in source.kernels() {
            if let Some(text) = source.kernel(&name) {
                let path = source.path.display().to_string();
                all.push(Kernel {
                    lesson: lesson.number,
                    name,
                    path,
                    text,
                });
            }
        }
    }
    Ok(all)
}

fn named<'a>(word: &str, all: &'a [Kernel]) -> Result<Named<'a>> {
    if let Ok(number) = word.parse::<u32>() {
        let kernels: Vec<&Kernel> = all.iter().filter(|k| k.lesson == number).collect();
        if kernels.is_empty() {
            let (first, last) = (all.first(), all.last());
            let range = first
                .zip(last)
                .map(|(a, b)| format!("{} to {}", a.lesson, b.lesson));
            let range = range.unwrap_or_default();
            let why = format!("lesson {number} has no kernels; lessons {range} have");
            return Err(Error::Usage(why).into());
        }
        return Ok(Named::Lesson(number, kernels));
    }
    let kernels: Vec<&Kernel> = all.iter().filter(|kernel| kernel.name == word).collect();
    if !kernels.is_empty() {
        return Ok(Named::Kernels(kernels));
    }
    let mut names: Vec<String> = all.iter().map(|kernel| kernel.name.clone()).collect();
    names.sort();
    names.dedup();
    let hint = did_you_mean(word, &names);
    Err(Error::Usage(format!("no lesson has a kernel {word}; {hint}")).into())
}

type Pair<'a> = (&'a Kernel, &'a Kernel);

/// Which kernels are compared with which, and how to say it.
fn pairs<'a>(
    from: &Named<'a>,
    to: Option<&Named<'a>>,
    all: &'a [Kernel],
) -> (String, Vec<Pair<'a>>) {
    match (from, to) {
        (Named::Lesson(number, kernels), None) => (
            format!("Lesson {number}: each kernel against the one before it."),
            steps(kernels),
        ),
        (Named::Kernels(kernels), None) => {
            let kernel = kernels[0];
            let siblings: Vec<&Kernel> = all.iter().filter(|k| k.lesson == kernel.lesson).collect();
            let steps = steps(&siblings).into_iter();
            (
                format!(
                    "{} against the kernel before it in lesson {}.",
                    kernel.name, kernel.lesson
                ),
                steps.filter(|(_, new)| new.name == kernel.name).collect(),
            )
        }
        (Named::Lesson(first, old), Some(Named::Lesson(second, new))) => {
            let link = new.first().and_then(|new| Some((nearest(new, old)?, *new)));
            (
                format!(
                    "From lesson {first} to lesson {second}: its first kernel against the one of \
                     lesson {first} that is\nmost like it, then each kernel of lesson {second} \
                     against the one before it."
                ),
                link.into_iter().chain(steps(new)).collect(),
            )
        }
        (Named::Lesson(number, old), Some(Named::Kernels(new))) => (
            format!(
                "{} against the kernel of lesson {number} that is most like it.",
                new[0].name
            ),
            nearest(new[0], old)
                .map(|old| (old, new[0]))
                .into_iter()
                .collect(),
        ),
        (Named::Kernels(old), Some(Named::Lesson(number, new))) => (
            format!(
                "The kernel of lesson {number} that is most like {}, against it.",
                old[0].name
            ),
            nearest(old[0], new)
                .map(|new| (old[0], new))
                .into_iter()
                .collect(),
        ),
        (Named::Kernels(old), Some(Named::Kernels(new))) => {
            let (old, new) = of_one_lesson(old, new);
            (
                format!("{} against {}.", new.name, old.name),
                vec![(old, new)],
            )
        }
    }
}

/// Each kernel with the one before it that computes the same.
fn steps<'a>(kernels: &[&'a Kernel]) -> Vec<Pair<'a>> {
    let with_predecessor = |(i, new): (usize, &&'a Kernel)| {
        let before = kernels[..i].iter().rfind(|old| family(old) == family(new));
        before.map(|old| (*old, *new))
    };
    kernels
        .iter()
        .enumerate()
        .filter_map(with_predecessor)
        .collect()
}

/// The kernel that takes the fewest changed lines to turn into the other.
fn nearest<'a>(kernel: &Kernel, among: &[&'a Kernel]) -> Option<&'a Kernel> {
    let distance = |other: &&&Kernel| {
        let hunks = compare(other, kernel, 0);
        (
            family(other) != family(kernel),
            hunks.iter().map(Vec::len).sum::<usize>(),
        )
    };
    among.iter().min_by_key(distance).copied()
}

/// What a kernel computes, by its name: matmul, copy, transpose.
fn family(kernel: &Kernel) -> &str {
    kernel.name.split('_').next().unwrap_or(&kernel.name)
}

/// Two lessons may have a kernel of the same name: two of one lesson, if possible.
fn of_one_lesson<'a>(old: &[&'a Kernel], new: &[&'a Kernel]) -> Pair<'a> {
    let together = old.iter().find_map(|old| {
        let new = new.iter().find(|new| new.lesson == old.lesson)?;
        Some((*old, *new))
    });
    together.unwrap_or((old[0], new[0]))
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

fn print(out: &mut impl Write, old: &Kernel, new: &Kernel) -> Result<()> {
    let hunks = compare(old, new, CONTEXT);
    if hunks.is_empty() {
        writeln!(out, "  the same, but for its name")?;
    }
    for (i, hunk) in hunks.iter().enumerate() {
        if i > 0 {
            writeln!(out, "{}", "     ...".dimmed())?;
        }
        for line in hunk {
            writeln!(out, "{}", shown(line, old, new))?;
        }
    }
    Ok(())
}

/// A line with its number in its file: `+` in the new kernel, `-` in the old one.
fn shown(line: &Line, old: &Kernel, new: &Kernel) -> String {
    let number = |kernel: &Kernel| kernel.text.line + line.number - 1;
    let text = match line.change {
        Change::Same => return format!("{:>5}   {}", number(new), line.text()),
        Change::Gone => format!("{:>5} - ", number(old)),
        Change::New => format!("{:>5} + ", number(new)),
    };
    // The names are no difference, and each side shows its own.
    let own_name = |piece: &str| match line.change {
        Change::Gone => piece.replace(&new.name, &old.name),
        _ => piece.to_string(),
    };
    let all_changed = line.pieces.iter().all(|(changed, _)| *changed);
    let pieces = line.pieces.iter().map(|(changed, piece)| {
        let piece = own_name(piece);
        let piece = match line.change {
            Change::Gone => piece.red(),
            _ => piece.green(),
        };
        if *changed && !all_changed {
            piece.bold().underline().to_string()
        } else {
            piece.to_string()
        }
    });
    let text = match line.change {
        Change::Gone => text.red(),
        _ => text.green(),
    };
    format!("{text}{}", pieces.collect::<String>())
}
