//! What `--ablate` takes out of the kernels: parts, which a text beside the kernel file
//! lists as edits of the kernel's own code. `kernels/08-tiling.ablations` begins with
//! how it is written.

#[cfg(test)]
mod tests;

use std::ops::Range;

use common::error::{Error, Result};
use common::source::Source;
use diagnostics::functions::functions;
use serde::Deserialize;

/// A part that is taken out of a kernel. What is left must still need everything that
/// is to be timed, or the compiler takes that out as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Ablation {
    /// What is left, or what is gone: "arithmetic only", "no barriers".
    pub name: String,
    /// What its time tells, in a few words; nothing of edits that others take along.
    pub shows: String,
    /// Parts above it whose edits it takes along.
    with: Vec<String>,
    /// Old code, new code.
    pub edits: Vec<(String, String)>,
}

/// What is said of the kernels of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ablations {
    #[serde(default)]
    kernels: Vec<OfKernels>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfKernels {
    names: Vec<String>,
    parts: Vec<Ablation>,
}

impl Ablation {
    /// One that changes nothing.
    pub fn new(name: &str, shows: &str) -> Ablation {
        let (name, shows) = (name.into(), shows.into());
        Ablation {
            name,
            shows,
            ..Ablation::default()
        }
    }
}

/// What is said of the kernels of these files; nothing where nobody has written it.
pub(crate) fn text(files: &[&str]) -> String {
    let path = |name: &&str| Source::path_in_course(name).with_extension("ablations");
    let texts = files.iter().map(path).map(std::fs::read_to_string);
    texts.flatten().collect()
}

/// The parts that the text has for a step.
///
/// # Errors
/// [`Error::Usage`] with the line that makes no sense.
pub(crate) fn parts(text: &str, step: &str) -> Result<Vec<Ablation>> {
    let is_meant = |name: &String| match name.strip_suffix('*') {
        Some(start) => step.starts_with(start),
        None => name == step,
    };
    let all: Ablations =
        toml::from_str(text).map_err(|why| Error::Usage(format!("--ablate: {why}")))?;
    let meant = all.kernels.into_iter();
    let meant = meant.filter(|one| one.names.iter().any(is_meant));
    let mut found: Vec<Ablation> = Vec::new();
    for mut part in meant.flat_map(|one| one.parts) {
        let with = part.with.iter().flat_map(|name| named(&found, name));
        part.edits = with.chain(part.edits.clone()).collect();
        found.push(part);
    }
    found.retain(|one| !one.shows.is_empty());
    Ok(found)
}

/// The edits of this name; where there are none, one that cannot be made says so.
fn named(found: &[Ablation], name: &str) -> Vec<(String, String)> {
    let mut edits = found.iter().filter(|one| one.shows.is_empty());
    let known = edits.rfind(|one| one.name == name);
    known.map_or_else(
        || vec![(name.into(), String::new())],
        |one| one.edits.clone(),
    )
}

/// The source with a kernel's code edited, or why it cannot be.
pub(crate) fn edited(
    source: &Source,
    kernel: &str,
    edits: &[(String, String)],
) -> Result<Source, String> {
    let bytes = place(&source.text, kernel).ok_or("the kernel's text was not found")?;
    let mut code = source.text[bytes.clone()].to_string();
    for (old, new) in edits {
        match &places(&code, old)[..] {
            [place] => code.replace_range(place.clone(), new),
            others => {
                let first = old.trim().lines().next().unwrap_or_default();
                let count = others.len();
                return Err(format!(
                    "`{first}` stands {count} times in the kernel, not once"
                ));
            }
        }
    }
    let mut edited = source.clone();
    edited.text.replace_range(bytes, &code);
    Ok(edited)
}

/// Where a piece of code stands, whatever spaces, line ends and comments are between.
fn places(code: &str, piece: &str) -> Vec<Range<usize>> {
    let piece: Vec<char> = piece.chars().filter(|c| !c.is_whitespace()).collect();
    let mut solid: Vec<(usize, char)> = Vec::new();
    let mut begin = 0;
    for line in code.split_inclusive('\n') {
        let own = line.split("//").next().unwrap_or_default();
        let chars = own.char_indices().filter(|(_, c)| !c.is_whitespace());
        solid.extend(chars.map(|(at, c)| (begin + at, c)));
        begin += line.len();
    }
    let is_it = |window: &&[(usize, char)]| window.iter().map(|(_, c)| c).eq(&piece);
    let windows = solid.windows(piece.len().max(1)).filter(is_it);
    let place = |found: &[(usize, char)]| {
        let (last, c) = found[found.len() - 1];
        found[0].0..last + c.len_utf8()
    };
    windows.map(place).collect()
}

/// The source with all other kernels emptied: they would take most of the time that
/// a build takes, for nothing. What is left stands on the line where it stood.
pub(crate) fn alone(source: &Source, kernels: &[&str]) -> Source {
    let mut alone = source.clone();
    let text = &mut alone.text;
    for other in source.kernels() {
        let bytes = place(text, &other).filter(|_| !kernels.contains(&other.as_str()));
        let Some(Range { start, end }) = bytes else {
            continue;
        };
        if let Some(open) = text[start..end].find('{') {
            let body = start + open + 1..end - 1;
            let lines = "\n".repeat(text[body.clone()].matches('\n').count());
            text.replace_range(body, &lines);
        }
    }
    alone
}

/// Where a kernel stands in a file, from its first word to its last brace.
fn place(text: &str, kernel: &str) -> Option<Range<usize>> {
    let mut functions = functions(text).into_iter();
    let found = functions.find(|function| function.name == kernel);
    found.map(|function| function.bytes)
}
