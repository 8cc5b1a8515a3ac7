//! From the place that a compiler tells to the place in a file of the learner's.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::messages::{Message, Place, Told};
use crate::directives;
use crate::file::File;
use crate::tokens::{Tokens, is_word};

/// Reads a file that is included; nothing, where it cannot be read.
pub type Read<'r> = dyn Fn(&Path) -> Option<File> + 'r;

/// The kernel file, and the files that it includes.
pub struct Files<'a> {
    kernels: &'a File,
    included: Vec<Included>,
}

/// A file that the kernel file includes, or that one of these includes.
struct Included {
    path: PathBuf,
    /// Its text, where it can be read: a header of the system is not found by its name.
    source: Option<File>,
    /// The line of the kernel file that leads to it.
    line: usize,
}

/// The bytes of a file that an error is about.
#[derive(Debug)]
pub struct Spot<'f> {
    /// The file.
    pub source: &'f File,
    /// The word, the sign or the line.
    pub span: Range<usize>,
    /// Where the macro is used, in whose text the span lies.
    pub used: Option<Range<usize>>,
}

impl Spot<'_> {
    /// True where the other begins in the same line of the same file.
    pub fn is_in_line_of(&self, other: &Spot) -> bool {
        let line = |spot: &Spot| line_of(spot.source, spot.span.start);
        std::ptr::eq(self.source, other.source) && line(self) == line(other)
    }
}

impl PartialEq for Spot<'_> {
    fn eq(&self, other: &Spot) -> bool {
        std::ptr::eq(self.source, other.source) && self.span == other.span
    }
}

/// Lines above a byte of a file.
fn line_of(source: &File, at: usize) -> usize {
    source.text[..at].matches('\n').count()
}

impl<'a> Files<'a> {
    /// The kernel file, and whatever it leads to.
    pub fn of(kernels: &'a File, read: &Read) -> Files<'a> {
        let mut files = Files {
            kernels,
            included: Vec::new(),
        };
        for (line, name) in directives::includes(&kernels.text) {
            files.include(PathBuf::from(name), line, read);
        }
        files
    }

    /// A compiler looks for a file from the current folder, and beside the one that
    /// includes it.
    fn include(&mut self, path: PathBuf, line: usize, read: &Read) {
        if self.included.iter().any(|one| one.path == path) {
            return;
        }
        let source = read(&path);
        let text = source
            .as_ref()
            .map_or_else(String::new, |source| source.text.clone());
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        self.included.push(Included { path, source, line });
        for (_, name) in directives::includes(&text) {
            self.include(folder.join(name), line, read);
        }
    }

    /// Where a message's error is; `None` in a file that is not the learner's.
    pub fn spot(&self, message: &Message) -> Option<Spot<'_>> {
        let (at, spelt) = match &message.place {
            Place::Told { at, spelt } => (at, spelt),
            Place::Function(name) => {
                return self.sources().find_map(|source| {
                    let span = mentioned(&source.text, name)?;
                    let used = None;
                    Some(Spot { source, span, used })
                });
            }
        };
        let name = super::explain::quoted(&message.text);
        let (source, span) = self.find(at, name)?;
        let in_file = |told| {
            self.find(told, name)
                .filter(|(file, _)| std::ptr::eq(*file, source))
        };
        let Some((_, inner)) = spelt.iter().rev().find_map(in_file) else {
            return Some(Spot {
                source,
                span,
                used: None,
            });
        };
        // An argument of a macro stands beside it.
        let beside = line_of(source, inner.start) == line_of(source, span.start);
        let used = (!beside).then_some(span);
        Some(Spot {
            source,
            span: inner,
            used,
        })
    }

    /// The file and the bytes that a compiler means.
    fn find(&self, told: &Told, name: Option<&str>) -> Option<(&File, Range<usize>)> {
        let mut included = self.included.iter();
        let (source, is_own_name) = match included.find(|one| is_same(&told.file, &one.path)) {
            Some(file) => match &file.source {
                Some(source) => (source, true),
                None => return Some((self.kernels, span(self.kernels, file.line, None, None))),
            },
            None => match self.sources().find(|source| renames(source, &told.file)) {
                Some(source) => (source, false),
                // A header of the driver's says nothing about the kernel file.
                None if told.file.ends_with(".h") => return None,
                None => (self.kernels, true),
            },
        };
        let line = line(source, told, is_own_name, name)?;
        Some((source, span(source, line, told.column, name)))
    }

    /// The files that can be read, the kernel file first.
    fn sources(&self) -> impl Iterator<Item = &File> {
        let included = self.included.iter().filter_map(|one| one.source.as_ref());
        std::iter::once(self.kernels).chain(included)
    }
}

/// True where a `#line` of the file calls what follows so.
fn renames(source: &File, told: &str) -> bool {
    let names = directives::numbering(&source.text).into_iter();
    names.map(|(file, _)| file).any(|file| is_named(file, told))
}

fn is_named(file: Option<&str>, told: &str) -> bool {
    file.is_some_and(|file| is_same(told, Path::new(file)))
}

/// The line of a file that the compiler calls so: some follow `#line`, some do not. With
/// `is_own_name` it is the file's name that is told, and not one that a `#line` gave.
fn line(source: &File, told: &Told, is_own_name: bool, name: Option<&str>) -> Option<usize> {
    let numbering = directives::numbering(&source.text);
    let fits = |(file, line): &(Option<&str>, usize)| {
        *line == told.line && (is_named(*file, &told.file) || (is_own_name && file.is_none()))
    };
    let renumbered = (0..numbering.len())
        .filter(|i| fits(&numbering[*i]))
        .map(|i| i + 1);
    // The end of a file may be told as the line behind it.
    let as_told = (is_own_name && told.line <= numbering.len() + 1).then_some(told.line);
    let lines: Vec<usize> = renumbered.chain(as_told).collect();
    let column = told.column.unwrap_or(1).saturating_sub(1);
    let holds_name = |line: &&usize| {
        let line = source
            .text
            .lines()
            .nth(line.saturating_sub(1))
            .unwrap_or("");
        name.is_some_and(|name| {
            line.get(column..)
                .is_some_and(|line| line.starts_with(name))
        })
    };
    lines.iter().find(holds_name).or(lines.first()).copied()
}

/// True where a compiler's name for a file ends like the one that it was included by.
fn is_same(told: &str, path: &Path) -> bool {
    let plain = |path: &Path| path.strip_prefix(".").unwrap_or(path).to_path_buf();
    plain(Path::new(told)).ends_with(plain(path))
}

/// The bytes to underline: the word at the column; without one the name that is told, or
/// the whole line.
fn span(source: &File, line: usize, column: Option<usize>, name: Option<&str>) -> Range<usize> {
    let text = &source.text;
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start = before.map(str::len).sum::<usize>();
    let line = text[start..].lines().next().unwrap_or("");
    let within = match column {
        Some(column) => word(line, column.saturating_sub(1)),
        None => name
            .and_then(|name| word_of(line, name))
            .unwrap_or_else(|| {
                let indent = line.len() - line.trim_start().len();
                indent..line.trim_end().len().max(indent)
            }),
    };
    start + within.start..start + within.end
}

/// The word at a byte of a line, or the sign.
fn word(line: &str, at: usize) -> Range<usize> {
    let starts_here = |at: &usize| line.is_char_boundary(*at);
    let at = (0..=at.min(line.len())).rfind(starts_here).unwrap_or(0);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = line[at..].find(|c| !is_word(c)).unwrap_or(line.len() - at);
    let first = line[at..].chars().next().map_or(0, char::len_utf8);
    at..at + word.max(first)
}

fn word_of(line: &str, name: &str) -> Option<Range<usize>> {
    let words = Tokens::of(line);
    let i = words
        .all()
        .find(|i| words.text(*i) == name && is_word(name))?;
    Some(words.span(i..i + 1))
}

/// Where a function is called, or else declared.
fn mentioned(text: &str, name: &str) -> Option<Range<usize>> {
    let file = Tokens::of(text);
    let named = |i: &usize| file.text(*i) == name && file.text(i + 1) == "(";
    let before = |i: usize| file.text(i.wrapping_sub(1));
    let is_call = |i: &usize| !is_word(before(*i)) || before(*i) == "return";
    let found = file.all().filter(named).find(is_call);
    let i = found.or_else(|| file.all().find(named))?;
    Some(file.span(i..i + 1))
}
