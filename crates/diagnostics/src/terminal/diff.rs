//! What changed between two texts, line by line. The width of white space does not count.

use colored::Colorize;
use serde::Serialize;
use similar::{ChangeTag, TextDiff, WhitespaceMode};

use crate::terminal::plain;
use crate::terminal::wrap::fitted;

/// How a line of a comparison came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// In both texts.
    Same,
    /// Only in the old one.
    Gone,
    /// Only in the new one.
    New,
}

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Where it stands.
    pub change: Change,
    /// Its number in the text that it comes from (the new one if in both), from 1.
    #[serde(rename = "line")]
    pub number: usize,
    /// The line.
    pub text: String,
}

/// The hunks of a comparison: the changed lines with `context` unchanged lines
/// around them, each hunk apart from the next.
pub fn hunks(old: &str, new: &str, context: usize) -> Vec<Vec<Line>> {
    let diff = compare(old, new);
    let groups = diff.grouped_ops(context);
    let lines = |ops: &Vec<_>| {
        let changes = ops.iter().flat_map(|op| diff.iter_changes(op));
        changes.map(line).collect()
    };
    groups.iter().map(lines).collect()
}

/// Every line of the new text, with whether it is new.
pub fn new_lines(old: &str, new: &str) -> Vec<Line> {
    let diff = compare(old, new);
    let lines = diff.iter_all_changes().map(line);
    lines.filter(|line| line.change != Change::Gone).collect()
}

fn compare<'a>(old: &'a str, new: &'a str) -> TextDiff<'a, 'a, str> {
    TextDiff::configure()
        .whitespace_mode(WhitespaceMode::IgnoreChanges)
        .newline_terminated(true)
        .diff_lines(old, new)
}

fn line(change: similar::Change<&str>) -> Line {
    let (kind, index) = match change.tag() {
        ChangeTag::Equal => (Change::Same, change.new_index()),
        ChangeTag::Delete => (Change::Gone, change.old_index()),
        ChangeTag::Insert => (Change::New, change.new_index()),
    };
    Line {
        change: kind,
        number: index.map_or(0, |index| index + 1),
        text: plain(change.value().trim_end_matches(['\r', '\n'])),
    }
}

/// Lines with their numbers: `+` in the new text, `-` in the old one.
pub fn shown(hunks: &[Vec<Line>]) -> String {
    let line = |line: &Line| format!("{}\n", fitted(numbered(line)));
    let hunks = hunks.iter();
    let hunks = hunks.map(|hunk| hunk.iter().map(line).collect::<String>());
    let between = format!("{}\n", "     ...".dimmed());
    hunks.collect::<Vec<_>>().join(&between)
}

fn numbered(line: &Line) -> String {
    let shown = |sign| format!("{:>5} {sign} {}", line.number, line.text);
    match line.change {
        Change::Same => shown(' '),
        Change::Gone => shown('-').red().to_string(),
        Change::New => shown('+').green().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "{\n    a();\n    b(1);\n    c();\n}";
    const NEW: &str = "{\n        a();\n    b(2);\n    c();\n}";

    #[test]
    fn only_what_changed_is_shown_and_indentation_is_no_change() {
        let hunks = hunks(OLD, NEW, 0);
        let [hunk] = &hunks[..] else { panic!("{hunks:?}") };
        let shown: Vec<(Change, String)> =
            hunk.iter().map(|l| (l.change, l.text.clone())).collect();
        assert_eq!(
            shown,
            [(Change::Gone, "    b(1);".to_string()), (Change::New, "    b(2);".to_string())]
        );
        assert_eq!(hunk[1].number, 3);
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert!(hunks(OLD, OLD, 3).is_empty());
        assert!(new_lines(OLD, OLD).iter().all(|line| line.change == Change::Same));
    }
}
