//! Which puzzle is meant, and which file of the learner's.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use common::Error;
use diagnostics::near::nearest;

use super::folder::{Folder, shown};
use super::puzzle::Puzzle;

/// The one that a word names, or the next one, and the learner's file of it; none where all
/// are done.
pub fn meant<'a>(
    word: Option<&str>,
    all: &[&'a Puzzle],
    folder: &Folder,
) -> Result<Option<(&'a Puzzle, PathBuf)>> {
    if let Some(word) = word {
        let one = find(all, word)?;
        return Ok(Some((one, file(one, folder, word))));
    }
    folder.must_be_started()?;
    let next = folder.progress().next(all);
    Ok(next.map(|one| (one, folder.file(one))))
}

/// The one that is meant by "6.2", "d7", a name, or a path.
///
/// # Errors
/// That there is none, which one may be meant, and how all are listed.
pub fn find<'a>(all: &[&'a Puzzle], word: &str) -> Result<&'a Puzzle> {
    if let Some(found) = all.iter().find(|one| one.is_meant_by(word)) {
        return Ok(found);
    }
    let names = all.iter().flat_map(|one| [&one.id, one.name()]);
    // All of them would be too many for a message.
    let names: Vec<String> = names.map(String::from).collect();
    let near = nearest(word, &names);
    let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
    let nouns = all.iter().map(|one| one.kind.noun());
    let noun = nouns.reduce(|a, b| if a == b { a } else { "exercise" }).unwrap_or("exercise");
    bail!(Error::Usage(format!(
        "there is no {noun} {word}{near}\n  next: cargo course exercise --list   lists them all"
    )))
}

/// The file that is meant: the one that was named, or the one in the folder.
fn file(puzzle: &Puzzle, folder: &Folder, word: &str) -> PathBuf {
    let named = Path::new(word);
    match named.exists() && named.extension() == Some(puzzle.kind.extension().as_ref()) {
        true => named.into(),
        false => folder.file(puzzle),
    }
}

/// The learner's file of a puzzle: the one that `word` names, or the one in the folder.
pub fn own_file(puzzle: &Puzzle, word: &str) -> Result<PathBuf> {
    let folder = Folder::find()?;
    let file = file(puzzle, &folder, word);
    must_be_there(&file, &folder)?;
    Ok(file)
}

/// Refuses to go on without the file.
pub fn must_be_there(file: &Path, folder: &Folder) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    folder.must_be_started()?;
    let why = ["is not there", "is no file: move it away"][usize::from(file.exists())];
    bail!(Error::Usage(format!(
        "{} {why}\n  next: cargo course start   copies the kernels that you do not have yet",
        shown(file)
    )))
}
