//! What changed between two texts, line by line. The width of white space does not count.

use colored::Colorize;
use similar::{TextDiff, WhitespaceMode};

use crate::terminal::{plain, stream::Stream, wrap::fitted};

/// Whether a line is in both texts, in the old one alone, or in the new one alone.
pub use similar::ChangeTag as Change;

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 2;

/// A line of a comparison.
#[derive(Debug)]
pub struct Line {
    /// Where it stands.
    pub change: Change,
    /// Its number in the text that it comes from (the new one if in both), from 1.
    pub number: usize,
    /// The line.
    pub text: String,
}

/// Every line of both texts.
pub fn lines(old: &str, new: &str) -> Vec<Line> {
    let mut config = TextDiff::configure();
    config.whitespace_mode(WhitespaceMode::IgnoreChanges).newline_terminated(true);
    let line = |change: similar::Change<&str>| Line {
        change: change.tag(),
        number: change.new_index().or(change.old_index()).map_or(0, |index| index + 1),
        text: plain(change.value().trim_end_matches(['\r', '\n'])),
    };
    config.diff_lines(old, new).iter_all_changes().map(line).collect()
}

/// The changed lines with the unchanged ones around them, `+` in the new text, `-` in the old one;
/// empty where none is changed.
pub fn shown(lines: &[Line]) -> String {
    let is_near = |at: usize| {
        let around = at.saturating_sub(CONTEXT)..lines.len().min(at + CONTEXT + 1);
        lines[around].iter().any(|line| line.change != Change::Equal)
    };
    let (mut shown, mut last) = (String::new(), None);
    for at in (0..lines.len()).filter(|at| is_near(*at)) {
        if last.replace(at).is_some_and(|last| last + 1 < at) {
            shown += &format!("{}\n", "     ...".dimmed());
        }
        let line = format!("{:>5} {} {}", lines[at].number, lines[at].change, lines[at].text);
        let line = match lines[at].change {
            Change::Equal => line.normal(),
            Change::Delete => line.red(),
            Change::Insert => line.green(),
        };
        shown += &(fitted(Stream::Output, &line.to_string()) + "\n");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "{\n    a();\n    b(1);\n    c();\n}";
    const NEW: &str = "{\n        a();\n    b(2);\n    c();\n}";

    #[test]
    fn only_what_changed_is_marked_and_indentation_is_no_change() {
        let lines = lines(OLD, NEW);
        let changed = lines.iter().filter(|line| line.change != Change::Equal);
        let changed: Vec<_> = changed.map(|one| (one.change, one.number, &*one.text)).collect();
        assert_eq!(changed, [(Change::Delete, 3, "    b(1);"), (Change::Insert, 3, "    b(2);")]);
    }

    #[test]
    fn what_is_far_from_a_change_is_left_out() {
        colored::control::set_override(false);
        assert_eq!(shown(&lines(OLD, OLD)), "");
        let old: String = (1..=9).map(|line| format!("{line}\n")).collect();
        let new = old.replace('1', "one").replace("9\n", "");
        let expected = "    1 - 1\n    1 + one\n    2   2\n    3   3\n     ...\n    7   7\n    8   8\n    9 - 9\n";
        assert_eq!(shown(&lines(&old, &new)), expected);
    }
}
