//! From the place that a compiler tells to the place in a file of the learner's.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::explain::quoted;
use super::messages::{Message, Place, Told};
use crate::directives;
use crate::tokens::{Tokens, is_word};

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
pub struct Files {
    kernels: Lined,
    included: Vec<Included>,
}

/// A file that the kernel file includes, or that one of these includes.
struct Included {
    path: PathBuf,
    /// Its text, where it can be read: a header of the system is not found by its name.
    source: Option<Lined>,
    /// The line of the kernel file that leads to it.
    line: usize,
}

/// The bytes of a file that an error is about.
#[derive(Debug)]
pub struct Spot<'f> {
    /// The file.
    pub file: &'f File,
    /// The line, from 1.
    pub line: usize,
    /// The word, the sign or the line.
    pub span: Range<usize>,
    /// Where the macro is used, in whose text the span lies.
    pub used: Option<Range<usize>>,
}

impl Files {
    /// The kernel file, and whatever it leads to.
    pub fn of(kernels: &File, read: &Read) -> Files {
        let mut files = Files {
            kernels: Lined::of(kernels.clone()),
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
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let source = read(&path).map(Lined::of);
        let text = source
            .as_ref()
            .map_or("", |source| &source.file.text)
            .to_string();
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
                    let span = mentioned(&source.file.text, name)?;
                    Some(source.spot(span, None))
                });
            }
        };
        let name = quoted(&message.text);
        let (source, span) = self.find(at, name)?;
        let in_file = |told| {
            let found = self.find(told, name);
            found.filter(|(other, _)| std::ptr::eq(*other, source))
        };
        let Some((_, inner)) = spelt.iter().rev().find_map(in_file) else {
            return Some(source.spot(span, None));
        };
        // An argument of a macro stands beside it.
        let beside = source.line_at(inner.start) == source.line_at(span.start);
        Some(source.spot(inner, (!beside).then_some(span)))
    }

    /// The file and the bytes that a compiler means; none where lines have other numbers for it.
    fn find(&self, told: &Told, name: Option<&str>) -> Option<(&Lined, Range<usize>)> {
        if self.sources().any(|source| source.is_renumbered) {
            return None;
        }
        let mut included = self.included.iter();
        let (source, line) = match included.find(|one| is_same(&told.file, &one.path)) {
            Some(Included {
                source: Some(source),
                ..
            }) => (source, told.line),
            Some(file) => {
                return Some((&self.kernels, self.kernels.span(file.line, None, None)));
            }
            // A header of the driver's says nothing about the kernel file.
            None if told.file.ends_with(".h") => return None,
            None => (&self.kernels, told.line),
        };
        // The end of a file may be told as the line behind it.
        let behind = source.begins.len() + usize::from(!source.file.text.ends_with('\n'));
        (line <= behind).then(|| (source, source.span(line, told.column, name)))
    }

    /// The files that can be read, the kernel file first.
    fn sources(&self) -> impl Iterator<Item = &Lined> {
        let included = self.included.iter().filter_map(|one| one.source.as_ref());
        std::iter::once(&self.kernels).chain(included)
    }
}

/// A file and its lines, which are looked for once and not at every message.
struct Lined {
    file: File,
    /// The byte at which each begins.
    begins: Vec<usize>,
    /// Whether its lines have other numbers for a compiler.
    is_renumbered: bool,
}

impl Lined {
    fn of(file: File) -> Lined {
        let ends = file.text.match_indices('\n').map(|(end, _)| end + 1);
        Lined {
            begins: std::iter::once(0).chain(ends).collect(),
            is_renumbered: directives::is_renumbered(&file.text),
            file,
        }
    }

    /// The number of the line that holds a byte, from 1.
    fn line_at(&self, byte: usize) -> usize {
        self.begins.partition_point(|begin| *begin <= byte)
    }

    /// The text of a line; empty where there is none.
    fn line(&self, number: usize) -> &str {
        let rest = &self.file.text[self.begin(number)..];
        rest.lines().next().unwrap_or("")
    }

    fn begin(&self, line: usize) -> usize {
        let begin = self.begins.get(line.saturating_sub(1));
        begin.copied().unwrap_or(self.file.text.len())
    }

    fn spot(&self, span: Range<usize>, used: Option<Range<usize>>) -> Spot<'_> {
        let (file, line) = (&self.file, self.line_at(span.start));
        Spot {
            file,
            line,
            span,
            used,
        }
    }

    /// The bytes to underline: the word at the column; without one the name that is told, or
    /// the whole line.
    fn span(&self, line: usize, column: Option<usize>, name: Option<&str>) -> Range<usize> {
        let (begin, line) = (self.begin(line), self.line(line));
        let whole = || {
            let indent = line.len() - line.trim_start().len();
            indent..line.trim_end().len().max(indent)
        };
        let named = || name.and_then(|name| word_of(line, name));
        let within = match column {
            Some(column) => word(line, column.saturating_sub(1)),
            None => named().unwrap_or_else(whole),
        };
        begin + within.start..begin + within.end
    }
}

/// True where a compiler's name for a file ends like the one that it was included by.
fn is_same(told: &str, path: &Path) -> bool {
    let plain = |path: &Path| path.strip_prefix(".").unwrap_or(path).to_path_buf();
    plain(Path::new(told)).ends_with(plain(path))
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
