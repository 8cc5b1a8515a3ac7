//! What students hand in: their folders, and of a puzzle the kernel with the files that it
//! includes, as long as these lie in the student's folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use common::file;
use diagnostics::directives;
use diagnostics::terminal::plain_name;
use toml::{Table, Value};

use crate::exercises::TASK;
use crate::game::progress::{self, Progress};
use crate::game::puzzle::{Check, Puzzle};

/// Bytes that a file of a student may have.
const LONGEST: u64 = 1 << 20;

/// Files by their places in the student's folder.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A student.
pub struct Student {
    pub name: String,
    folder: PathBuf,
    /// Why nothing in the folder is looked at.
    pub refused: Option<String>,
    /// What is noted there.
    pub progress: Option<Progress>,
}

/// The students of a folder: those of all folders in it, or the one whose puzzles lie in it.
pub fn students(folder: &Path, puzzles: &[Puzzle]) -> Vec<Student> {
    let root = folder.canonicalize().unwrap_or(folder.into());
    let is_there = |puzzle: &Puzzle| root.join(puzzle.file()).symlink_metadata().is_ok();
    if puzzles.iter().any(is_there) {
        return vec![Student::of(root)];
    }
    let entries = fs::read_dir(&root).into_iter().flatten().flatten();
    let shown = entries.filter(|one| !one.file_name().as_encoded_bytes().starts_with(b"."));
    let mut folders: Vec<PathBuf> = shown.map(|one| one.path()).collect();
    folders.retain(|path| !path.is_file());
    folders.sort();
    if folders.is_empty() {
        let mut nobody = Student::of(root);
        let why = || "no student's folder is in it".into();
        nobody.refused = nobody.refused.or_else(|| Some(why()));
        return vec![nobody];
    }
    folders.into_iter().map(Student::of).collect()
}

/// Shows the bytes of whole paths where names are the same, or are shown so.
pub fn tell_apart(students: &mut [Student]) {
    let names: Vec<String> = students.iter().map(|one| one.name.clone()).collect();
    let is_another =
        |own: &&mut Student| names.iter().filter(|name| **name == own.name).count() > 1;
    for student in students.iter_mut().filter(is_another) {
        let bytes = student.folder.as_os_str().as_encoded_bytes();
        student.name = bytes.escape_ascii().to_string();
    }
}

/// A path in which each character can be seen: others stand there as their numbers.
fn visible(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

impl Student {
    fn of(folder: PathBuf) -> Student {
        let refused = match fs::read_dir(&folder) {
            _ if folder.is_symlink() => Some("it is a link, and links are not followed".into()),
            opened => opened.err().map(|error| error.to_string()),
        };
        let mut student = Student {
            name: visible(folder.file_name().unwrap_or(folder.as_os_str()).as_ref()),
            folder,
            refused,
            progress: None,
        };
        if student.refused.is_none()
            && let Ok(Some(noted)) = student.read(Path::new("progress.txt"))
        {
            student.progress = Some(progress::parse(&String::from_utf8_lossy(&noted)));
        }
        student
    }

    /// What is handed in for a puzzle; nothing, where it was not begun.
    ///
    /// # Errors
    /// Why that is not judged: it cannot be read, or would read what lies elsewhere.
    pub fn handed_in(&self, puzzle: &Puzzle) -> Result<Option<Files>, String> {
        self.refused.clone().map_or(Ok(()), Err)?;
        let kernel = puzzle.file();
        let is_edited = |text: &Vec<u8>| puzzle.is_edited(&String::from_utf8_lossy(text));
        if !self.read(&kernel)?.as_ref().is_some_and(is_edited) {
            return Ok(None);
        }
        let task = kernel.with_file_name(TASK);
        let mut named = vec![kernel];
        if matches!(puzzle.check, Check::Launch(_)) && self.read(&task)?.is_some() {
            named.push(task);
        }
        let mut files = Files::new();
        while let Some(name) = named.pop() {
            let shown = plain_name(&name.to_string_lossy());
            let path = below(&name).ok_or(format!("it reads {shown}, outside of the folder"))?;
            if files.contains_key(&path) {
                continue;
            }
            let missing = || format!("it reads {shown}, which is not in the folder");
            let bytes = self.read(&path)?.ok_or_else(missing)?;
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            if path.extension().is_some_and(|end| end == "toml") {
                let task = text.parse::<Table>();
                let task = task.map_err(|why| format!("{shown}: {}", plain_name(why.message())))?;
                if let Some(like) = task.get("like").and_then(Value::as_str) {
                    if !like.ends_with(".toml") {
                        return Err(format!("it is like {}, no .toml file", plain_name(like)));
                    }
                    named.push(path.with_file_name(like));
                }
                // A macro is a part of the kernel's text, however it is spelt here.
                text = texts(&task.into());
            }
            for name in directives::reads(&text) {
                let name = name.map_err(|words| format!("it has {}", plain_name(&words)))?;
                named.push(path.with_file_name(name));
            }
            files.insert(path, bytes);
        }
        Ok(Some(files))
    }

    /// A file of the student's folder, if it is there.
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        let refuse = |why: &str| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            format!("{}: {why}", plain_name(&name))
        };
        let place = self.folder.join(path);
        let real = match place.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound && !place.is_symlink() => {
                return Ok(None);
            }
            Err(error) => return Err(refuse(&error.to_string())),
        };
        if !real.starts_with(&self.folder) {
            return Err(refuse("it is a link out of its folder"));
        }
        let bytes = file::read(&real, LONGEST).map_err(|error| refuse(&error.to_string()))?;
        Ok(Some(bytes))
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

/// A path without `..`, if it stays below where it begins.
fn below(path: &Path) -> Option<PathBuf> {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => short.push(name),
            Component::CurDir => {}
            Component::ParentDir if short.pop() => {}
            _ => return None,
        }
    }
    Some(short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchdog::scratch::Scratch;

    #[test]
    fn a_task_file_that_reads_elsewhere_is_refused_however_it_is_spelt() {
        let puzzle = crate::exercises::problems().expect("problems").remove(0);
        let scratch = Scratch::new().expect("a folder");
        let folder = scratch.0.canonicalize().expect("a folder");
        let kernel = folder.join(puzzle.file());
        fs::create_dir_all(kernel.parent().expect("a folder")).expect("writable");
        fs::write(&kernel, "// tried").expect("writable");
        let student = Student::of(folder);
        assert_eq!(
            student
                .handed_in(&puzzle)
                .map(|all| all.map(|all| all.len())),
            Ok(Some(1))
        );
        for (task, why) in [
            ("like = '/etc/x.toml'", "it reads /etc/x.toml, outside"),
            ("like = 'x.txt'", "it is like x.txt, no .toml file"),
            (
                "define = { A = \"\\u0061sm\" }",
                "it has asm, which can include files",
            ),
        ] {
            fs::write(kernel.with_file_name(TASK), task).expect("writable");
            let refused = student.handed_in(&puzzle).expect_err(task);
            assert!(refused.contains(why), "{refused}");
        }
    }
}
