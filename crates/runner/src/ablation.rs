//! What `--ablate` takes out of the kernels: parts, which a text beside the kernel file
//! lists as edits of the kernel's own code. `kernels/08-tiling.ablations` begins with
//! how it is written.

use std::ops::Range;

use common::source::Source;
use language::functions::functions;
use serde::Serialize;

/// A part that is taken out of a kernel. What is left must still need everything that
/// is to be timed, or the compiler takes that out as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Ablation {
    /// What is left, or what is gone: "arithmetic only", "no barriers".
    #[serde(rename = "part")]
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

/// What is said of the kernels of this file; nothing where nobody has written it.
pub(crate) fn text(file: Option<&str>) -> String {
    let path = file.map(|name| Source::path_in_course(name).with_extension("ablations"));
    path.and_then(|path| std::fs::read_to_string(path).ok())
        .unwrap_or_default()
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
/// a build takes, for nothing.
pub(crate) fn alone(source: &Source, kernels: &[&str]) -> Source {
    let mut alone = source.clone();
    let text = &mut alone.text;
    for other in source.kernels() {
        let bytes = place(text, &other).filter(|_| !kernels.contains(&other.as_str()));
        let Some(Range { start, end }) = bytes else {
            continue;
        };
        if let Some(open) = text[start..end].find('{') {
            text.replace_range(start + open + 1..end - 1, "\n");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source {
            path: "x.cl".into(),
            text: "kernel void one(int a)\n{\n    x = y;\n}\nkernel void two(int a)\n{\n    x = y;\n    z = 1; // z\n    z = 1;\n}\n"
                .into(),
        }
    }

    fn edit(old: &str, new: &str) -> [(String, String); 1] {
        [(old.into(), new.into())]
    }

    #[test]
    fn edits_touch_one_kernel_only() {
        let text = edited(&source(), "two", &edit("x=y;\n", "x = 0;"))
            .unwrap()
            .text;
        assert_eq!(text.matches("x = y;").count(), 1);
        assert!(text.find("x = y;") < text.find("x = 0;"));
    }

    #[test]
    fn spaces_line_ends_and_comments_do_not_count() {
        let text = edited(&source(), "two", &edit("z = 1; z  = 1;", "z = 2;"))
            .unwrap()
            .text;
        assert!(text.ends_with("    x = y;\n    z = 2;\n}\n"), "{text}");
    }

    #[test]
    fn the_other_kernels_are_emptied_and_can_still_be_built() {
        let text = alone(&source(), &["two"]).text;
        let expected = "kernel void one(int a)\n{\n}\nkernel void two(int a)\n{\n    x = y;\n";
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(alone(&source(), &["one", "two"]).text, source().text);
    }

    #[test]
    fn an_edit_must_match_once() {
        let refused = |old| edited(&source(), "two", &edit(old, "")).unwrap_err();
        assert!(refused("z = 1;").contains("2 times"));
        assert!(refused("gone").contains("`gone` stands 0 times"));
        assert!(refused("").contains("0 times"));
        assert!(edited(&source(), "three", &[]).is_err());
    }

    const TEXT: &str = "# how it is written\n\nedit less\n- a\n- b\n+ c\n- d\n\n\
                        kernels one x, two*\nkernels three\n\npart most: all but little\n    \
                        less, more\n- e\n+ f\n+ g\n\nkernels one\npart less: nothing\n    less\n";

    #[test]
    fn a_step_has_the_parts_below_its_name() {
        let names = |step| -> Vec<String> {
            let parts = parts(TEXT, step).into_iter();
            parts.map(|part| part.name).collect()
        };
        for step in ["one x", "two", "two x", "three"] {
            assert_eq!(names(step), ["most"], "{step}");
        }
        assert_eq!(names("one"), ["less"]);
        assert_eq!(names("four"), [""; 0]);
    }

    #[test]
    fn a_part_takes_along_what_it_names() {
        let part = &parts(TEXT, "two")[0];
        assert_eq!(part.shows, "all but little");
        let pairs = [
            ("a\nb\n", "c\n"),
            ("d\n", ""),
            ("more", ""),
            ("e\n", "f\ng\n"),
        ];
        let edits = pairs.map(|(old, new)| (old.to_string(), new.to_string()));
        assert_eq!(part.edits, edits);
        // An edit and a part may have the same name.
        assert_eq!(parts(TEXT, "one")[0].edits, edits[..2]);
    }

    #[test]
    fn a_damaged_text_edits_something_else_or_says_why_not() {
        damage::must_be_survived(TEXT.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            for part in parts(&text, "two").iter().chain(&parts(&text, "one")) {
                let _ = edited(&source(), "two", &part.edits);
            }
        });
    }
}
