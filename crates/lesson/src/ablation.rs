//! What `--ablate` takes out of the kernels: parts, which a text beside the kernel file
//! lists as edits of the kernel's own code. `kernels/08-tiling.ablations` begins with
//! how it is written.

#[cfg(test)]
mod tests;

use std::ops::Range;

use common::source::Source;
use language::functions::functions;

/// A part that is taken out of a kernel. What is left must still need everything that
/// is to be timed, or the compiler takes that out as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ablation {
    /// What is left, or what is gone: "arithmetic only", "no barriers".
    pub name: String,
    /// What its time tells, in a few words.
    pub shows: String,
    /// Old code, new code.
    pub edits: Vec<(String, String)>,
}

impl Ablation {
    /// One that changes nothing yet.
    pub fn new(name: &str, shows: &str) -> Ablation {
        let (name, shows) = (name.into(), shows.into());
        Ablation {
            name,
            shows,
            edits: Vec::new(),
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
pub(crate) fn parts(text: &str, step: &str) -> Vec<Ablation> {
    let is_meant = |name: &str| match name.strip_suffix('*') {
        Some(start) => step.starts_with(start),
        None => name == step,
    };
    // Edits with a name, too: those show nothing.
    let mut found: Vec<Ablation> = Vec::new();
    let (mut here, mut before) = (true, "");
    let lines = text.lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "kernels" => {
                here = rest.split(", ").any(is_meant) || (before == "kernels" && here);
            }
            _ if !here => {}
            "edit" | "part" => {
                let (name, shows) = rest.split_once(": ").unwrap_or((rest, ""));
                found.push(Ablation::new(name, shows));
            }
            "-" | "+" => {
                let Some(Ablation { edits, .. }) = found.last_mut() else {
                    continue;
                };
                if word == "-" && before != "-" {
                    edits.push(Default::default());
                }
                if let Some((old, new)) = edits.last_mut() {
                    let text = if word == "-" { old } else { new };
                    *text += &format!("{rest}\n");
                }
            }
            _ => {
                let names = line.trim().split(", ");
                let edits: Vec<_> = names.flat_map(|name| named(&found, name)).collect();
                if let Some(last) = found.last_mut() {
                    last.edits.extend(edits);
                }
            }
        }
        before = word;
    }
    found.retain(|one| !one.shows.is_empty());
    found
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
