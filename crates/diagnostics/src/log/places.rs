//! A build log's errors, in the forms of all compilers; and where in the learner's files each is.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{collections::VecDeque, ops::Range, sync::LazyLock};

use regex_lite::Regex;

use crate::{directives, tokens::Tokens};

/// One error of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it says, without its place.
    pub text: String,
    /// Where.
    pub place: Place,
}

/// Where a compiler sees an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Here.
    Told {
        /// The file's name: the compiler's own, for the text that it was given.
        file: String,
        /// From 1.
        line: usize,
        /// Counted in bytes, from 1.
        column: Option<usize>,
    },
    /// At the function of this name: a linker knows no places.
    Function(String),
}

/// Forms of [`FORMS`] that have a place; the others are of what comes after the compiler, and
/// name a function.
const LOCATED: usize = 2;

/// Errors, as they are told. The first form that fits counts.
static FORMS: LazyLock<[Regex; 9]> = LazyLock::new(|| {
    let forms = [
        // PoCL; of a macro it says, too, where in its text
        r"^ERROR: (?<file>.*?):(?<line>\d+):(?<column>\d+)(?: <Spelling=.*?>)?: (?<text>.+)$",
        // Intel, rusticl, NVIDIA, Oclgrind, Apple, AMD, Mali, Adreno: all of them clang, some
        // without a column
        r"^(?<file>.*?):(?<line>\d+):(?:(?<column>\d+):)? ERROR: ?(?<text>.+)$",
        // NVIDIA's assembler
        r"Unresolved extern function '(?<function>\w+)'",
        r"Entry function '(?<function>\w+)' uses too much shared data \(.*\)",
        // PoCL, rusticl, Intel
        r"Cannot find symbol (?<function>\w+) in kernel library",
        r#"Unresolved external reference to "(?<function>\w+)""#,
        r"Symbols not found: \[ (?<function>\w+).*",
        // AMD's and other linkers
        r"undefined (?:hidden )?symbol: (?<function>\w+)",
        r"[Uu]ndefined reference to [`'](?<function>\w+)'",
    ];
    let regex = |form: &str| Regex::new(&form.replace("ERROR", "(?:fatal )?error"));
    forms.map(|form| regex(form).expect("one of the forms above"))
});

/// The errors of a log that say where they are.
pub fn messages(log: &str) -> Vec<Message> {
    let message = |line: &str| {
        // Most lines are of the source, and a regular expression takes its time.
        let mut forms = FORMS.iter().skip(if line.contains("error") { 0 } else { LOCATED });
        let parts = forms.find_map(|form| form.captures(line))?;
        if let Some(name) = parts.name("function") {
            let place = Place::Function(name.as_str().into());
            return Some(Message { text: parts[0].into(), place });
        }
        Some(Message {
            // PoCL's own names for functions of OpenCL C.
            text: parts["text"].trim().replace("'_cl_", "'"),
            place: Place::Told {
                file: parts["file"].to_string(),
                line: parts["line"].parse().ok()?,
                column: parts.name("column").and_then(|at| at.as_str().parse().ok()),
            },
        })
    };
    log.lines().map(str::trim).filter_map(message).collect()
}

/// The function that a linker misses.
pub fn missing_function(text: &str) -> Option<&str> {
    let parts = FORMS[LOCATED..].iter().find_map(|form| form.captures(text))?;
    let is_missing = !parts[0].starts_with("Entry function");
    Some(parts.name("function")?.as_str()).filter(|_| is_missing)
}

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
