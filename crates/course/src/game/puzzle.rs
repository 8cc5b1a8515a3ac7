//! A puzzle of the game, whatever its kind: a kernel to complete or to mend, and what is
//! written about it.

use std::path::Path;

use common::source::Source;
use process::lessons::Lesson;

use super::progress::Mark;

/// A kind of puzzle, and how it is spoken of.
pub struct PuzzleKind {
    /// What all of them are, above their list.
    pub about: &'static str,
    /// In a sentence.
    pub noun: &'static str,
    pub command: &'static str,
    /// The command's flag for the answer.
    pub answer: &'static str,
    /// What it is in the end.
    pub done: Mark,
}

pub struct Puzzle {
    /// What is to be done with it.
    pub kind: &'static PuzzleKind,
    pub lesson: &'static Lesson,
    /// "6.2", or "7".
    pub id: String,
    /// What it is called, or what is seen of it.
    pub title: String,
    /// The same in a few words, for a line of the map.
    pub short: String,
    /// "06-local-memory/2-second-barrier": its place in the learner's folder.
    pub place: String,
    /// The kernel as it comes.
    pub fresh: Source,
    /// The kernel as it could be in the end, where there is one.
    pub solution: Option<Source>,
    /// From a nudge to nearly the answer.
    pub hints: Vec<String>,
    /// Why the answer is as it is.
    pub why: String,
}

/// One has its place to itself.
impl PartialEq for Puzzle {
    fn eq(&self, other: &Puzzle) -> bool {
        self.place == other.place
    }
}

impl Puzzle {
    /// "second-barrier".
    pub fn name(&self) -> &str {
        let file = self.place.rsplit('/').next().unwrap_or(&self.place);
        file.split_once('-').map_or(file, |(_, name)| name)
    }

    /// "Exercise 6.2: Second barrier".
    pub fn heading(&self) -> String {
        let (first, rest) = self.kind.noun.split_at(1);
        let first = first.to_uppercase();
        format!("{first}{rest} {}: {}", self.id, self.title)
    }

    /// The command that checks it.
    pub fn command(&self) -> String {
        format!("cargo course {} {}", self.kind.command, self.id)
    }

    /// Whether this text is another one than that which came.
    pub fn is_edited(&self, text: &str) -> bool {
        self.fresh.text != text
    }

    /// Whether a word means it: its number, its name, or its file.
    pub fn is_meant_by(&self, word: &str) -> bool {
        let word = word.strip_suffix(".cl").unwrap_or(word);
        let place = Path::new(&self.place);
        word == self.id || word == self.name() || {
            // "2-second-barrier", its lesson's folder before it, and any before that.
            let path = Path::new(word);
            path.ends_with(place) || Some(path.as_os_str()) == place.file_name()
        }
    }
}
