//! From the place that a compiler tells to the place in a file of the learner's.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{collections::VecDeque, ops::Range};

use super::messages::{Message, Place};
use crate::{directives, tokens::Tokens};

/// A file of OpenCL C.
#[derive(Clone, Debug)]
pub struct File {
    /// As messages show it.
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
}

/// Reads a file that is included; nothing, where it cannot be read.
pub type Read<'r> = dyn Fn(&Path) -> Option<File> + 'r;

/// The kernel file, and the files that it includes.
pub struct Files<'k> {
    kernels: &'k File,
    included: Vec<Included>,
}

/// A file that the kernel file includes, or that one of these includes.
struct Included {
    path: PathBuf,
    /// The file, where it can be read: a header of the system is not found by its name.
    file: Option<File>,
    /// The line of the kernel file that leads to it.
    line: usize,
}

/// The bytes of a file that an error is about: the word, the sign or the line.
#[derive(Debug)]
pub struct Spot<'f> {
    /// The file.
    pub file: &'f File,
    /// Its line, from 1.
    pub line: usize,
    /// The bytes.
    pub span: Range<usize>,
}

impl<'k> Files<'k> {
    /// The kernel file, and whatever it leads to. A compiler looks for a file beside the one that
    /// includes it, and from the current folder.
    pub fn of(kernels: &'k File, read: &Read) -> Files<'k> {
        let named = directives::includes(&kernels.text).map(|(line, name)| {
            let beside = Some(kernels.path.with_file_name(name));
            (beside.filter(|path| read(path).is_some()).unwrap_or(name.into()), line)
        });
        let mut open = VecDeque::from_iter(named);
        let mut included = Vec::<Included>::new();
        while let Some((path, line)) = open.pop_front() {
            if !included.iter().any(|one| one.path == path) {
                let file = read(&path);
                let text = file.as_ref().map_or("", |file| &file.text);
                let named = directives::includes(text).map(|(_, name)| name);
                open.extend(named.map(|name| (path.with_file_name(name), line)));
                included.push(Included { path, file, line });
            }
        }
        Files { kernels, included }
    }

    /// Where a message's error is; `None` in a file that is not the learner's.
    pub fn spot(&self, message: &Message) -> Option<Spot<'_>> {
        let (path, line, column) = match &message.place {
            Place::Told { file, line, column } => (file, *line, *column),
            Place::Function(name) => {
                let included = self.included.iter().filter_map(|one| one.file.as_ref());
                let mut files = std::iter::once(self.kernels).chain(included);
                // Where it is declared or called first.
                return files.find_map(|file| {
                    let tokens = Tokens::of(&file.text);
                    let is_it = |i: &usize| tokens.text(*i) == name && tokens.text(i + 1) == "(";
                    let at = tokens.all().find(is_it)?;
                    let span = tokens.span(at..at + 1);
                    let line = 1 + file.text[..span.start].matches('\n').count();
                    Some(Spot { file, line, span })
                });
            }
        };
        // A compiler's name for a file ends like the one that it was included by.
        let is_it = |Included { path: known, .. }: &&Included| {
            Path::new(path).ends_with(known.strip_prefix(".").unwrap_or(known))
        };
        match self.included.iter().find(is_it) {
            Some(Included { file: Some(file), .. }) => spot(file, line, column),
            Some(unread) => spot(self.kernels, unread.line, None),
            // A header of the driver's says nothing about the kernel file.
            None if path.ends_with(".h") => None,
            None => spot(self.kernels, line, column),
        }
    }
}

/// The word at the column, or the sign; without one the whole line.
fn spot(file: &File, line: usize, column: Option<usize>) -> Option<Spot<'_>> {
    let ends = file.text.match_indices('\n').map(|(end, _)| end + 1);
    // The end of a file may be told as the line behind it.
    let mut begins = std::iter::once(0).chain(ends).chain([file.text.len()]);
    let begin = begins.nth(line.saturating_sub(1))?;
    let text = file.text[begin..].lines().next().unwrap_or("");
    let (start, end) = match column {
        Some(column) => {
            let mut before = 0..=text.len().min(column.saturating_sub(1));
            let at = before.rfind(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let first = text[at..].chars().next().map_or(0, char::len_utf8);
            let word = text[at..].find(|c: char| !c.is_alphanumeric() && c != '_');
            (at, at + word.unwrap_or(text.len() - at).max(first))
        }
        None => (text.len() - text.trim_start().len(), text.trim_end().len()),
    };
    Some(Spot { file, line, span: begin + start..begin + end.max(start) })
}
