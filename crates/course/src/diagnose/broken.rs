//! The broken kernels: their order, and what their headers say.

use std::path::Path;

use anyhow::{Context, Result};
use common::source::Source;

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
    // Lesson 7
    "last-columns-forgotten", "k-not-multiple-of-4", "misaligned-float4",
    // Lesson 8
    "strip-rows-contiguous", "k-tile-transposed", "missing-second-barrier",
    // Lesson 9
    "prefetch-past-the-end",
    // Lesson 10
    "unrolled-rest-forgotten",
];

/// How many there are.
pub const COUNT: usize = ORDER.len();

/// A broken kernel.
pub struct Broken {
    /// From 1.
    pub number: usize,
    /// The file's name without its end; never shown.
    pub name: &'static str,
    /// The lesson whose kernel it was.
    pub lesson: u32,
    /// What the learner sees, in one line.
    pub symptom: String,
    /// The flags with which the lesson runs it.
    flags: Vec<String>,
    /// The detectors that find it.
    seen_by: Vec<String>,
    /// The lines of the header that the learner may see.
    header: String,
    /// Everything below the header's three entries.
    rest: String,
}

/// The command line's number.
///
/// # Errors
/// A message with the range.
pub fn parse_number(text: &str) -> Result<usize, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (1..=COUNT).contains(number))
        .ok_or_else(|| format!("the broken kernels are numbered 1 to {COUNT}"))
}

/// All of them, in order.
pub fn all() -> Result<Vec<Broken>> {
    (1..=COUNT).map(Broken::read).collect()
}

impl Broken {
    /// Reads the one with this number, which is in range.
    pub fn read(number: usize) -> Result<Broken> {
        let name = ORDER[number - 1];
        let source = Source::of_course(&format!("broken/{name}.cl"))?;
        parse(number, name, &source.text)
            .with_context(|| format!("the header of {} is incomplete", source.path.display()))
    }

    /// The learner's copy: the header is cut down to symptom and run line.
    pub fn copy_text(&self) -> String {
        format!("{}{}", self.header, self.rest)
    }

    /// The size at which the fault shows.
    pub fn size(&self) -> &str {
        self.flag("--size").unwrap_or("37x91x53")
    }

    fn flag(&self, name: &str) -> Option<&str> {
        let at = self.flags.iter().position(|flag| flag == name)?;
        self.flags.get(at + 1).map(String::as_str)
    }

    /// The lesson's flags with some of them set to other values.
    pub fn flags_with(&self, changes: &[(&str, &str)]) -> Vec<String> {
        let mut flags = self.flags.clone();
        for (name, value) in changes {
            match flags.iter().position(|flag| flag == name) {
                Some(at) if at + 1 < flags.len() => flags[at + 1] = value.to_string(),
                _ => flags.extend([name.to_string(), value.to_string()]),
            }
        }
        flags
    }

    /// The words of the command that runs a copy.
    pub fn command(&self, copy: &Path) -> Vec<String> {
        let lesson = format!("lesson{:02}", self.lesson);
        let copy = copy.display().to_string();
        let mut words = vec!["cargo", "run", "-p", &lesson, "--", "--source", &copy];
        words.extend(self.flags.iter().map(String::as_str));
        words.into_iter().map(String::from).collect()
    }

    /// True where results may be right in spite of the fault, so that a right
    /// result without the simulator proves nothing.
    pub fn needs_simulator(&self) -> bool {
        !self.is_seen_by("checker")
    }

    /// True where this detector can find it.
    pub fn is_seen_by(&self, detector: &str) -> bool {
        self.seen_by.iter().any(|seen| seen == detector)
    }
}

/// Reads the header: `// Symptom:`, which may take several lines, `// Run:` and
/// `// Seen by:`, in this order.
fn parse(number: usize, name: &'static str, text: &str) -> Option<Broken> {
    let (symptom, after) = text.strip_prefix("// Symptom: ")?.split_once("// Run: ")?;
    let (run, after) = after.split_once('\n')?;
    let (seen_by, rest) = after.strip_prefix("// Seen by: ")?.split_once('\n')?;
    let mut words = run.strip_prefix("lesson")?.split_whitespace();
    Some(Broken {
        number,
        name,
        lesson: words.next()?.parse().ok()?,
        symptom: symptom.replace("\n// ", " ").trim().to_string(),
        flags: words.map(String::from).collect(),
        seen_by: seen_by.split(", ").map(String::from).collect(),
        header: format!("// Symptom: {symptom}// Run: {run}\n"),
        rest: rest.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// Symptom: right at 64;\n// wrong at 65.\n\
        // Run: lesson03 --only f --size 65\n// Seen by: checker, races\n//\n// More.\n\ncode\n";

    #[test]
    fn the_copy_keeps_symptom_and_run_line_only() {
        let broken = parse(1, "x", TEXT).unwrap();
        assert_eq!(broken.symptom, "right at 64; wrong at 65.");
        assert_eq!(broken.lesson, 3);
        assert_eq!(broken.size(), "65");
        assert_eq!(
            broken.copy_text(),
            TEXT.replace("// Seen by: checker, races\n", "")
        );
    }

    #[test]
    fn flags_are_replaced_or_added() {
        let broken = parse(1, "x", TEXT).unwrap();
        let flags = broken.flags_with(&[("--size", "3"), ("--timeout", "9")]);
        assert_eq!(flags.join(" "), "--only f --size 3 --timeout 9");
    }

    #[test]
    fn a_number_out_of_range_is_refused_with_the_range() {
        assert_eq!(parse_number("1"), Ok(1));
        for text in ["0", "99", "-1", "one", ""] {
            assert!(
                parse_number(text)
                    .unwrap_err()
                    .contains(&format!("1 to {COUNT}"))
            );
        }
    }
}
