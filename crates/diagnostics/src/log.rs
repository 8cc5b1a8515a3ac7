//! From a compiler's build log to errors in the learner's files, each with its meaning:
//! `places` are the errors of a log, and where they are, `explain` is what they mean.

mod explain;
mod places;
#[cfg(test)]
mod tests;

use std::{collections::HashSet, fmt, path::PathBuf};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet, renderer::DecorStyle};
use serde::{Deserialize, Serialize};

use crate::terminal::{plain, wrap::folded};
use explain::explain;
pub use places::{File, Read};
use places::{Files, Message, Spot, messages};

/// Columns for a span: 80, less what a message may be moved in by.
const COLUMNS: usize = 76;
/// Columns for an explanation: less the margin of a span, and "= help: ".
const HELP_WIDTH: usize = 60;

/// What a failed build comes to, in words and in places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// That the file does not build, where places say the rest.
    pub heading: Option<String>,
    /// The errors, laid out in lines; or all in the driver's own words.
    pub shown: String,
    /// Where the errors are.
    pub places: Vec<Place>,
}

/// An error, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: usize,
    /// The character of that line, from 1.
    pub column: usize,
    /// What the compiler says.
    pub says: String,
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(heading) = &self.heading else { return f.write_str(&self.shown) };
        write!(f, "{heading}\n{}\n(--raw-log shows the driver's own words)", self.shown)
    }
}

/// What a failed build's log says, as spans in the source and what it includes; in the
/// driver's own words where `raw` asks for them, or where no error in them can be located.
pub fn diagnose(log: &str, source: &File, read: &Read, raw: bool) -> Log {
    let log = &plain(log.trim_matches(is_padding));
    let path = source.path.display();
    let in_the_drivers_words = format!("{path} does not build; the driver says:\n{log}");
    if raw {
        return Log { shown: in_the_drivers_words, ..Log::default() };
    }
    let files = Files::of(source, read);
    let findings = findings(log, &files);
    if findings.is_empty() {
        let help = help_without_place(log, source);
        let help = help.map(|help| format!("\n{}", folded(&help, HELP_WIDTH, 0)));
        let shown = in_the_drivers_words + &help.unwrap_or_default();
        return Log { shown, ..Log::default() };
    }
    let shown = shown(&findings);
    let place = |Finding { text, spot: Spot { file, line, span }, .. }| {
        let before = file.text[..span.start].chars().rev();
        let column = 1 + before.take_while(|c| *c != '\n').count();
        Place { file: file.path.clone(), line, column, says: text }
    };
    let places = findings.into_iter().map(place).collect();
    Log { heading: Some(format!("{path} does not build")), shown, places }
}

/// True for a log without a word.
pub fn is_empty(log: &str) -> bool {
    log.trim_matches(is_padding).is_empty()
}

fn is_padding(c: char) -> bool {
    c == '\0' || c.is_whitespace()
}

/// An error in a file of the learner's.
struct Finding<'f> {
    /// What the compiler says.
    text: String,
    spot: Spot<'f>,
    is_first_of_line: bool,
}

impl Finding<'_> {
    /// What it means. What follows in the same line is most often a consequence, and not
    /// explained.
    fn help(&self) -> Option<String> {
        let Spot { file, span, .. } = &self.spot;
        self.is_first_of_line.then(|| explain(&self.text, &file.text, Some(span.start)))?
    }
}

/// The errors that can be located, each once.
fn findings<'f>(log: &str, files: &'f Files<'_>) -> Vec<Finding<'f>> {
    let (mut found, mut lines) = (HashSet::new(), HashSet::new());
    let finding = |message: Message| {
        let spot = files.spot(&message)?;
        let text = plainly(&message.text);
        let path = &spot.file.path;
        let is_new = found.insert((path, spot.span.start, text.clone()));
        is_new.then(|| Finding { text, is_first_of_line: lines.insert((path, spot.line)), spot })
    };
    messages(log).into_iter().filter_map(finding).collect()
}

/// What the first error without a place means.
fn help_without_place(log: &str, source: &File) -> Option<String> {
    let is_error = |line: &&str| {
        let line = line.to_lowercase();
        !["warning", "note: ", "remark: "].iter().any(|less| line.contains(less))
    };
    log.lines().filter(is_error).find_map(|message| explain(message, &source.text, None))
}

/// The first three, and how many there are beyond.
fn shown(findings: &[Finding]) -> String {
    let is_coloured = colored::control::SHOULD_COLORIZE.should_colorize();
    let renderer = if is_coloured { Renderer::styled() } else { Renderer::plain() };
    // A long line is cut around what is underlined, so that the caret stays below it.
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(COLUMNS);
    let one = |finding: &Finding| {
        let Spot { file, span, .. } = &finding.spot;
        let snippet = Snippet::source(&file.text)
            .path(file.path.display().to_string())
            .annotation(AnnotationKind::Primary.span(span.clone()));
        let mut error = Level::ERROR.primary_title(&finding.text).element(snippet);
        if let Some(help) = finding.help() {
            error = error.element(Level::HELP.message(folded(&help, HELP_WIDTH, 0)));
        }
        renderer.render(&[error]).to_string()
    };
    let mut shown: Vec<String> = findings.iter().take(3).map(one).collect();
    if let more @ 1.. = findings.len().saturating_sub(3) {
        shown.push(format!("(and {more} more; mend the first one first)"));
    }
    shown.join("\n")
}

/// Newer compilers name the private memory that every variable is in: said only
/// where address spaces are what the message is about.
fn plainly(text: &str) -> String {
    let text = text.replace("*__private'", "*'");
    if text.contains("address space") { text } else { text.replace("__private ", "") }
}
