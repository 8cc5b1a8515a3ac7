//! What lies in the learner's folder besides kernels: the commands `cargo course` and
//! `cargo lesson`, and what editors want to know.

use std::fs;
use std::io::Result;
use std::path::Path;

use common::source::own_workspace;

use super::folder::create;
use super::puzzle::{Check, Puzzle};

/// The first line of the file with the alias: as long as it stands there, the file is ours.
const OURS: &str = "# Written by `cargo course start`: `cargo course` works in this folder, too.";

/// What editors want to know, as in the clone. For clangd: how the kernels are compiled. Its
/// own header knows OpenCL's functions.
const FILES: [(&str, &str); 4] = [
    (
        "compile_flags.txt",
        include_str!("../../../../kernels/compile_flags.txt"),
    ),
    (
        ".vscode/extensions.json",
        include_str!("../../../../.vscode/extensions.json"),
    ),
    (
        ".vscode/settings.json",
        include_str!("../../../../.vscode/settings.json"),
    ),
    (
        ".vscode/tasks.json",
        include_str!("../../../../.vscode/tasks.json"),
    ),
];

/// Writes all. What a learner wrote is left alone; the aliases follow a clone that moved.
pub fn write(folder: &Path, puzzles: &[&Puzzle]) -> Result<()> {
    let config = folder.join(".cargo/config.toml");
    let aliases = aliases(&own_workspace().join("Cargo.toml"));
    let is_ours = || fs::read_to_string(&config).is_ok_and(|text| text.starts_with(OURS));
    if !create(&config, &aliases)? && is_ours() {
        fs::write(&config, aliases)?;
    }
    for (name, text) in FILES {
        create(&folder.join(name), text)?;
    }
    create(&folder.join(".clangd"), &macros(puzzles))?;
    Ok(())
}

/// For clangd: the macros that the checks give to a kernel.
fn macros(puzzles: &[&Puzzle]) -> String {
    let mut text = "# The macros that `cargo course exercise` passes.\n".to_string();
    for puzzle in puzzles {
        let Check::Task(spec) = &puzzle.check else {
            continue;
        };
        let all = spec.define.iter();
        let all: Vec<String> = all
            .map(|(name, value)| format!("-D{name}={value}"))
            .collect();
        if !all.is_empty() {
            let (place, all) = (&puzzle.place, all.join(", "));
            text += &format!("---\nIf:\n  PathMatch: {place}.*\nCompileFlags:\n  Add: [{all}]\n");
        }
    }
    text
}

/// The aliases, for cargo's configuration: they run the course of this manifest.
fn aliases(manifest: &Path) -> String {
    // A string of JSON is one of TOML as well.
    let manifest = serde_json::json!(manifest.to_string_lossy());
    let run = format!(r#""run", "-q", "--manifest-path", {manifest}, "-p""#);
    format!("{OURS}\n[alias]\ncourse = [{run}, \"course\", \"--\"]\nlesson = [{run}]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_blanks_is_one_word_of_the_alias() {
        let text = aliases(Path::new("/my \"own\" clone/Cargo.toml"));
        assert!(
            text.contains(r#""/my \"own\" clone/Cargo.toml", "-p", "course", "--"]"#),
            "{text}"
        );
    }
}
