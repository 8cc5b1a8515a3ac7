//! The broken kernels: their order, and what their headers say.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use common::device::{DEVICE_VARIABLE, variable};
use common::source::Source;
use process::implementations;
use process::lessons::{self, Lesson};

use crate::game::how::{Attempt, Seen};
use crate::game::progress::Mark;
use crate::game::puzzle::{Check, Puzzle, PuzzleKind, Run, WORDS, page_of};
use crate::game::written::Written;
use crate::prose::WIDTH;
use crate::trial::{OTHER_SIZES, SIMULATED, Trial};

const KIND: PuzzleKind = PuzzleKind {
    about: "Kernels with one fault each: find it, and mend it",
    noun: "broken kernel",
    command: "diagnose",
    answer: "--explain",
    done: Mark::Mended,
    extension: "cl",
};

/// File names below `kernels/broken/`, in teaching order: by lesson, and in each
/// the plainest fault first. The position is the number that learners see, since
/// a name would give the cause away.
#[rustfmt::skip]
const ORDER: &[&str] = &[
    // Lesson 3
    "does-nothing", "writes-a-constant", "row-column-exchanged", "output-indexed-by-a-width",
    "accumulator-not-initialised", "no-guard", "reads-old-c", "index-overflow",
    // Lesson 4
    "bt-read-as-b", "two-items-one-element",
    // Lesson 5
    "last-piece-skipped", "sum-restarts", "row-array-too-short",
    // Lesson 6
    "last-tile-skipped", "tile-edge-not-zeroed", "padding-on-the-wrong-matrix",
    "local-array-one-short", "barrier-in-a-branch", "first-barrier-missing", "one-barrier",
    "strip-rows-contiguous",
    // Lesson 7
    "last-columns-forgotten", "k-not-multiple-of-4", "misaligned-float4",
    // Lesson 8
    "k-tile-transposed", "missing-second-barrier",
    // Lesson 10
    "prefetch-past-the-end",
    // Lesson 11
    "unrolled-rest-forgotten",
    // Lesson 13
    "tiles-not-awaited", "fragment-rows-exchanged",
];

/// All of them, in order.
pub fn all() -> Result<Vec<Puzzle>> {
    let numbered = (1..).zip(ORDER);
    numbered.map(|(number, name)| read(number, name)).collect()
}

fn read(number: usize, name: &str) -> Result<Puzzle> {
    let source = Source::of_course(&format!("broken/{name}.cl"))?;
    let file = format!("broken/explanations/{name}.md");
    let page = Written::read(&Source::path_in_course(&file))?;
    let path = source.path.clone();
    parse(number, source, page)
        .with_context(|| format!("the header of {} is incomplete", path.display()))
}

/// The size at which the fault shows.
fn size(run: &Run) -> &str {
    let mut flags = run.flags.iter().skip_while(|flag| *flag != "--size");
    flags.nth(1).map_or("37x91x53", String::as_str)
}

/// The lesson's flags with some of them set to other values.
fn flags_with(run: &Run, changes: &[(&str, &str)]) -> Vec<String> {
    let mut flags = run.flags.clone();
    for (name, value) in changes {
        match flags.iter().position(|flag| flag == name) {
            Some(at) if at + 1 < flags.len() => flags[at + 1] = value.to_string(),
            _ => flags.extend([name.to_string(), value.to_string()]),
        }
    }
    flags
}

/// The command that runs a copy, as one types it.
fn command(puzzle: &Puzzle, run: &Run, copy: &Path) -> String {
    let lesson = puzzle.lesson.map(Lesson::package).unwrap_or_default();
    let copy = copy.display().to_string();
    let mut words = vec!["cargo", "run", "-p", &lesson, "--", "--source", &copy];
    words.extend(run.flags.iter().map(String::as_str));
    command_line(&words)
}

/// Every detector on the learner's copy, run as the kernel's lesson runs it.
pub fn check(puzzle: &Puzzle, run: &Run, attempt: &Attempt) -> Result<Seen> {
    let sizes = std::iter::once(size(run)).chain(OTHER_SIZES);
    // The lesson's program, checking the copy once at a size.
    let command = |size: &str| -> Result<Command> {
        let timeout = attempt.how.timeout.to_string();
        let flags = [("--size", size), ("--timeout", &timeout), ("--runs", "0")];
        let mut command = puzzle.own_lesson()?.command()?;
        command
            .args(flags_with(run, &flags))
            .args(["--json", "--source"])
            .arg(attempt.file)
            .stdin(Stdio::null());
        Ok(command)
    };
    let trial = Trial {
        command: &command,
        device: device(attempt)?,
        sizes: sizes.map(String::from).collect(),
        simulated: SIMULATED.into(),
    };
    trial.run()
}

/// The device for the results: unless the learner chose one, PoCL, of which the headers
/// say what is seen. None leaves the choice to the lesson.
fn device(attempt: &Attempt) -> Result<Option<String>> {
    let chosen = attempt.how.device.clone();
    if chosen.is_some() || variable(DEVICE_VARIABLE).is_some() {
        return Ok(chosen);
    }
    let pocl = implementations::find("PoCL")?;
    Ok(pocl.and_then(|pocl| pocl.selector))
}

/// Columns that a command may take, with a backslash behind it.
const ROOM: usize = WIDTH - WORDS - 4;

/// Words for a shell, in lines that fit beside a heading: a backslash joins them again.
fn command_line(words: &[&str]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in words.iter().map(|word| quoted(word)) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= ROOM => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.join(&format!(" \\\n{:WORDS$}  ", ""))
}

fn quoted(word: &str) -> String {
    if word.contains([' ', '\'', '"', '$', '\\']) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        word.to_string()
    }
}

/// Reads the header: `// Symptom:`, which may take several lines, `// Run:` and
/// `// Seen by:`, in this order. The last one is not for the learner's copy.
fn parse(number: usize, mut source: Source, page: Written) -> Option<Puzzle> {
    let text = source.text;
    let (symptom, after) = text.strip_prefix("// Symptom: ")?.split_once("// Run: ")?;
    let (run, after) = after.split_once('\n')?;
    let (seen_by, rest) = after.strip_prefix("// Seen by: ")?.split_once('\n')?;
    let mut words = run.strip_prefix("lesson")?.split_whitespace();
    source.text = format!("// Symptom: {symptom}// Run: {run}\n{rest}");
    let lesson = lessons::numbered(words.next()?.parse().ok()?).ok()?;
    Some(Puzzle {
        kind: &KIND,
        lesson: Some(lesson),
        id: number.to_string(),
        title: symptom.replace("\n// ", " ").trim().to_string(),
        place: format!("diagnose/{number:02}"),
        page: page_of(lesson),
        fresh: source,
        with: Vec::new(),
        solution: None,
        hints: page.hints,
        why: page.why,
        asks: String::new(),
        check: Check::Lesson(Run {
            flags: words.map(String::from).collect(),
            seen_by: seen_by.split(", ").map(String::from).collect(),
            command,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// Symptom: right at 64;\n// wrong at 65.\n\
        // Run: lesson03 --only f --size 65\n// Seen by: checker, races\n//\n// More.\n\ncode\n";

    fn broken() -> Puzzle {
        let source = Source {
            path: "x.cl".into(),
            text: TEXT.into(),
        };
        let page = Written {
            head: "# name\n\nSymptom: wrong at 65.\n".into(),
            hints: Vec::new(),
            why: String::new(),
        };
        parse(1, source, page).unwrap()
    }

    #[test]
    fn the_copy_keeps_symptom_and_run_line_only() {
        let broken = broken();
        assert_eq!(broken.title, "right at 64; wrong at 65.");
        assert_eq!(broken.lesson.map(|lesson| lesson.number), Some(3));
        let Check::Lesson(run) = &broken.check else {
            panic!("a lesson runs it");
        };
        assert_eq!(size(run), "65");
        let flags = flags_with(run, &[("--size", "3"), ("--timeout", "9")]);
        assert_eq!(flags.join(" "), "--only f --size 3 --timeout 9");
        assert_eq!(
            broken.fresh.text,
            TEXT.replace("// Seen by: checker, races\n", "")
        );
    }

    #[test]
    fn a_command_can_be_pasted() {
        assert_eq!(command_line(&["run", "my file.cl"]), "run 'my file.cl'");
        let lines = command_line(&["word"; 20]);
        assert!(lines.contains(" \\\n            word"), "{lines}");
    }
}
