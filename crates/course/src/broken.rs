//! The broken kernels: their order, and what their headers say.

mod check;
mod command;

use std::path::Path;

use anyhow::{Context, Result};
use common::source::Source;
use process::lessons;

use crate::game::progress::Mark;
use crate::game::puzzle::{Puzzle, PuzzleKind};
use crate::game::written::Written;
use command::command_line;

const KIND: PuzzleKind = PuzzleKind {
    about: "Kernels with one fault each: find it, and mend it",
    noun: "broken kernel",
    command: "diagnose",
    answer: "--explain",
    done: Mark::Mended,
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
];

pub struct Broken {
    /// What it has in common with other puzzles. Its name would give the cause away, so its
    /// title is what the learner sees of it.
    pub puzzle: Puzzle,
    /// The flags with which the lesson runs it.
    flags: Vec<String>,
    /// The detectors that find it.
    seen_by: Vec<String>,
}

/// All of them, in order.
pub fn all() -> Result<Vec<Broken>> {
    let numbered = (1..).zip(ORDER);
    numbered.map(|(number, name)| read(number, name)).collect()
}

fn read(number: usize, name: &str) -> Result<Broken> {
    let source = Source::of_course(&format!("broken/{name}.cl"))?;
    let file = format!("broken/explanations/{name}.md");
    let page = Written::read(&Source::path_in_course(&file))?;
    let path = source.path.clone();
    parse(number, source, page)
        .with_context(|| format!("the header of {} is incomplete", path.display()))
}

impl Broken {
    /// The size at which the fault shows.
    fn size(&self) -> &str {
        let mut flags = self.flags.iter().skip_while(|flag| *flag != "--size");
        flags.nth(1).map_or("37x91x53", String::as_str)
    }

    /// The lesson's flags with some of them set to other values.
    fn flags_with(&self, changes: &[(&str, &str)]) -> Vec<String> {
        let mut flags = self.flags.clone();
        for (name, value) in changes {
            match flags.iter().position(|flag| flag == name) {
                Some(at) if at + 1 < flags.len() => flags[at + 1] = value.to_string(),
                _ => flags.extend([name.to_string(), value.to_string()]),
            }
        }
        flags
    }

    /// The command that runs a copy, as one types it.
    fn command(&self, copy: &Path) -> String {
        let lesson = self.puzzle.lesson.package();
        let copy = copy.display().to_string();
        let mut words = vec!["cargo", "run", "-p", &lesson, "--", "--source", &copy];
        words.extend(self.flags.iter().map(String::as_str));
        command_line(&words)
    }

    /// True where this detector can find it.
    fn is_seen_by(&self, detector: &str) -> bool {
        self.seen_by.iter().any(|seen| seen == detector)
    }
}

/// Reads the header: `// Symptom:`, which may take several lines, `// Run:` and
/// `// Seen by:`, in this order. The last one is not for the learner's copy.
fn parse(number: usize, mut source: Source, page: Written) -> Option<Broken> {
    let text = source.text;
    let (symptom, after) = text.strip_prefix("// Symptom: ")?.split_once("// Run: ")?;
    let (run, after) = after.split_once('\n')?;
    let (seen_by, rest) = after.strip_prefix("// Seen by: ")?.split_once('\n')?;
    let mut words = run.strip_prefix("lesson")?.split_whitespace();
    source.text = format!("// Symptom: {symptom}// Run: {run}\n{rest}");
    let puzzle = Puzzle {
        kind: &KIND,
        lesson: lessons::numbered(words.next()?.parse().ok()?).ok()?,
        id: number.to_string(),
        title: symptom.replace("\n// ", " ").trim().to_string(),
        short: page.head.split_once("\nSymptom: ")?.1.trim_end().into(),
        place: format!("diagnose/{number:02}"),
        fresh: source,
        solution: None,
        hints: page.hints,
        why: page.why,
    };
    Some(Broken {
        puzzle,
        flags: words.map(String::from).collect(),
        seen_by: seen_by.split(", ").map(String::from).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// Symptom: right at 64;\n// wrong at 65.\n\
        // Run: lesson03 --only f --size 65\n// Seen by: checker, races\n//\n// More.\n\ncode\n";

    fn broken() -> Broken {
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
        assert_eq!(broken.puzzle.title, "right at 64; wrong at 65.");
        assert_eq!(broken.puzzle.short, "wrong at 65.");
        assert_eq!(broken.puzzle.lesson.number, 3);
        assert_eq!(broken.size(), "65");
        assert_eq!(
            broken.puzzle.fresh.text,
            TEXT.replace("// Seen by: checker, races\n", "")
        );
    }

    #[test]
    fn flags_are_replaced_or_added() {
        let flags = broken().flags_with(&[("--size", "3"), ("--timeout", "9")]);
        assert_eq!(flags.join(" "), "--only f --size 3 --timeout 9");
    }
}
