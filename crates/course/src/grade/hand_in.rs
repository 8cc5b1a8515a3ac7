//! What students hand in: their folders, and of a puzzle the kernel with the files that it
//! includes, as long as these lie in the student's folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use common::file;
use diagnostics::directives;
use toml::{Table, Value};
use walkdir::{DirEntry, WalkDir};

use crate::exercises::TASK;
use crate::game::progress::{self, Progress};
use crate::game::puzzle::{Kind, Puzzle};

/// Bytes that a file of a student may have.
const LONGEST: u64 = 1 << 20;

/// A student.
#[derive(Clone)]
pub struct Student {
    pub name: String,
    folder: PathBuf,
}

/// The students of a folder: those of all folders in it, or the one whose puzzles lie in it; by
/// their names, or `in_full` by their paths.
pub fn students(above: &Path, puzzles: &[Puzzle], in_full: bool) -> Result<Vec<Student>> {
    let cannot = || above.display().to_string();
    let root = above.canonicalize().with_context(cannot)?;
    let is_there = |puzzle: &Puzzle| root.join(puzzle.file()).symlink_metadata().is_ok();
    let depth = usize::from(!puzzles.iter().any(is_there));
    let below = WalkDir::new(&root).min_depth(depth).max_depth(depth).sort_by_file_name();
    let is_student = |one: &DirEntry| {
        one.depth() == 0
            || !one.path().is_file() && !one.file_name().as_encoded_bytes().starts_with(b".")
    };
    let folders = below.into_iter().flatten().filter(is_student).map(DirEntry::into_path);
    let folders: Vec<PathBuf> = folders.collect();
    ensure!(!folders.is_empty(), "{}: no student's folder is in it", cannot());
    let student = |folder: PathBuf| {
        let name = folder.file_name().filter(|_| !in_full);
        // Each character of it can be seen: others stand there as their numbers.
        let name = format!("{:?}", name.unwrap_or(folder.as_os_str()));
        let name = name[1..name.len() - 1].into();
        Student { name, folder }
    };
    Ok(folders.into_iter().map(student).collect())
}

impl Student {
    /// What is noted in the folder.
    pub fn progress(&self) -> Option<Progress> {
        let (_, noted) = self.read(Path::new("progress.txt")).ok()??;
        Some(progress::parse(&String::from_utf8_lossy(&noted)))
    }

    /// Copies what is handed in for a puzzle; false where it was not begun.
    ///
    /// # Errors
    /// Why that is not judged: it cannot be read, or would read what lies elsewhere.
    pub fn hand_in(&self, puzzle: &Puzzle, to: &Path) -> Result<bool> {
        ensure!(!self.folder.is_symlink(), "links are not followed");
        let kernel = puzzle.file();
        let task = kernel.with_file_name(TASK);
        let has_task = puzzle.kind == Kind::Problem && self.read(&task)?.is_some();
        let mut named = vec![kernel.clone()];
        named.extend(has_task.then_some(task));
        while let Some(name) = named.pop() {
            let shown = || name.display().to_string();
            let Some((own, bytes)) = self.read(&name).with_context(shown)? else {
                ensure!(name == kernel, "{} is not in the folder", shown());
                return Ok(false);
            };
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            if name == kernel && !puzzle.is_edited(&text) {
                return Ok(false);
            }
            let copy = to.join(&own);
            if copy.exists() {
                continue;
            }
            fs::create_dir_all(copy.with_file_name(""))?;
            fs::write(copy, &bytes)?;
            if own.extension().is_some_and(|end| end == "toml") {
                let task: Table = text.parse().with_context(shown)?;
                if let Some(like) = task.get("like").and_then(Value::as_str) {
                    ensure!(like.ends_with(".toml"), "it is like {like}, no .toml file");
                    named.push(own.with_file_name(like));
                }
                // A macro is a part of the kernel's text, however it is spelt here.
                text = texts(&task.into());
            }
            for read in directives::reads(&text) {
                let read = read.map_err(|words| anyhow!("it has {words}"))?;
                named.push(own.with_file_name(read));
            }
        }
        Ok(true)
    }

    /// The place and the bytes of a file in the student's folder, if it is there.
    fn read(&self, path: &Path) -> Result<Option<(PathBuf, Vec<u8>)>> {
        let place = self.folder.join(path);
        let mut on_the_way = place.ancestors().take_while(|one| one.starts_with(&self.folder));
        ensure!(!on_the_way.any(Path::is_symlink), "links are not followed");
        let real = match place.canonicalize() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            real => real?,
        };
        let own = real.strip_prefix(&self.folder).ok();
        let own = own.context("it lies outside of the folder")?.into();
        Ok(Some((own, file::read(&real, LONGEST)?)))
    }
}

/// All that is text in a value of TOML, a line each.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(all) => all.iter().map(texts).collect(),
        Value::Table(all) => all.values().map(texts).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchdog::scratch::Scratch;

    #[test]
    fn a_task_file_that_reads_elsewhere_is_refused_however_it_is_spelt() {
        let puzzle = crate::exercises::problems().expect("problems").remove(0);
        let [scratch, copies] = [(); 2].map(|()| Scratch::new().expect("a folder"));
        let folder = scratch.0.canonicalize().expect("a folder");
        let kernel = folder.join(puzzle.file());
        fs::create_dir_all(kernel.parent().expect("a folder")).expect("writable");
        fs::write(&kernel, "// tried").expect("writable");
        let name = String::new();
        let student = Student { name, folder };
        let hand_in = |to: &str| student.hand_in(&puzzle, &copies.0.join(to));
        assert!(hand_in("kernel").expect("it is judged"));
        assert!(copies.0.join("kernel").join(puzzle.file()).is_file());
        for (task, why) in [
            ("like = '/etc/x.toml'", "/etc/x.toml is not in the folder"),
            ("like = 'x.txt'", "it is like x.txt, no .toml file"),
            ("define = { A = \"\\u0061sm\" }", "it has asm, which can include files"),
        ] {
            fs::write(kernel.with_file_name(TASK), task).expect("writable");
            let refused = hand_in("task").expect_err(task).to_string();
            assert!(refused.contains(why), "{refused}");
            let _ = fs::remove_dir_all(copies.0.join("task"));
        }
    }
}
