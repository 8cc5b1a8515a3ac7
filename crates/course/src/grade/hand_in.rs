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

use crate::game::progress::{self, Progress};
use crate::game::puzzle::Puzzle;

/// Bytes that a file of a student may have.
const LONGEST: u64 = 1 << 20;

/// What a problem's task file says of the launch, which is the student's own.
const LAUNCH: [&str; 8] = [
    "args", "define", "function", "global", "groups", "launches", "local", "offset",
];

/// Files by their places in the student's folder.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A student.
pub struct Student {
    pub name: String,
    folder: PathBuf,
    /// The folder, without links; else why it is not looked at.
    pub root: Result<PathBuf, String>,
    /// What is noted there.
    pub progress: Option<Progress>,
}

impl Student {
    fn of(folder: &Path, root: Result<PathBuf, String>) -> Student {
        let name = folder.file_name().unwrap_or(folder.as_os_str());
        let noted = root.as_ref().ok().and_then(|root| {
            let bytes = read(root, Path::new("progress.txt")).ok()??;
            Some(progress::parse(&String::from_utf8_lossy(&bytes)))
        });
        Student {
            name: plain_name(&name.to_string_lossy()),
            folder: folder.into(),
            root,
            progress: noted,
        }
    }
}

/// The students of a folder: those of all folders in it, or the one whose puzzles lie in it.
pub fn students(folder: &Path, puzzles: &[Puzzle]) -> Vec<Student> {
    let folders = match folders(folder, puzzles) {
        Ok(folders) => folders,
        Err(why) => return vec![Student::of(folder, Err(why))],
    };
    let student = |path: PathBuf| {
        let root = match fs::read_dir(&path) {
            _ if path.is_symlink() => Err("it is a link, and links are not followed".into()),
            opened => opened.map_err(|error| error.to_string()),
        };
        Student::of(&path, root.map(|_| path.clone()))
    };
    folders.into_iter().map(student).collect()
}

fn folders(folder: &Path, puzzles: &[Puzzle]) -> Result<Vec<PathBuf>, String> {
    let root = folder.canonicalize().map_err(|error| error.to_string())?;
    let is_there = |puzzle: &Puzzle| root.join(puzzle.file()).symlink_metadata().is_ok();
    if puzzles.iter().any(is_there) {
        return Ok(vec![root]);
    }
    let entries = fs::read_dir(&root).map_err(|error| error.to_string())?;
    let shown = entries
        .flatten()
        .filter(|one| !one.file_name().as_encoded_bytes().starts_with(b"."));
    let mut folders: Vec<PathBuf> = shown.map(|one| one.path()).collect();
    folders.retain(|path| !path.is_file());
    folders.sort();
    match folders.is_empty() {
        true => Err("no student's folder is in it".into()),
        false => Ok(folders),
    }
}

/// Shows the bytes of names that look alike, and of their whole paths where the names are the same.
pub fn tell_apart(students: &mut [Student]) {
    let of_name = |path: &Path| path.file_name().unwrap_or_default().to_os_string();
    let of_path = |path: &Path| path.as_os_str().to_os_string();
    for shown in [of_name, of_path] {
        let mut alike: BTreeMap<String, Vec<&mut Student>> = BTreeMap::new();
        for student in &mut *students {
            let seen = student.name.chars().filter(|c| is_seen(*c)).collect();
            alike.entry(seen).or_default().push(student);
        }
        for student in alike.into_values().filter(|all| all.len() > 1).flatten() {
            let bytes = shown(&student.folder).into_encoded_bytes();
            student.name = bytes.escape_ascii().to_string();
        }
    }
}

/// Whether a character leaves ink on a screen, for certain. Four letters of Hangul do not.
fn is_seen(c: char) -> bool {
    let is_filler = matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}');
    c.is_ascii_graphic() || c.is_alphanumeric() && !is_filler
}

/// What is handed in for a puzzle; nothing, where it was not begun.
///
/// # Errors
/// Why that is not judged: it cannot be read, or would read what lies elsewhere.
pub fn handed_in(root: &Path, puzzle: &Puzzle) -> Result<Option<Files>, String> {
    let kernel = puzzle.file();
    let is_edited = |text: &Vec<u8>| puzzle.is_edited(&String::from_utf8_lossy(text));
    if !read(root, &kernel)?.as_ref().is_some_and(is_edited) {
        return Ok(None);
    }
    let ours = puzzle.with.iter().filter_map(|(name, text)| {
        let path = below(&kernel.with_file_name(name))?;
        Some((path, text.as_bytes()))
    });
    let ours: BTreeMap<PathBuf, &[u8]> = ours.collect();
    let mut named: Vec<PathBuf> = ours.keys().cloned().chain([kernel]).collect();
    let mut files = Files::new();
    while let Some(name) = named.pop() {
        let shown = plain_name(&name.to_string_lossy());
        let path = below(&name).ok_or(format!("it reads {shown}, outside of the folder"))?;
        if files.contains_key(&path) {
            continue;
        }
        let ours = ours.get(&path).copied();
        let is_task = path.extension().is_some_and(|end| end == "toml");
        let own = match ours.is_none() || is_task {
            true => read(root, &path)?,
            false => None,
        };
        let bytes = match (ours, own) {
            (Some(ours), Some(own)) => task(ours, own),
            (Some(ours), None) => ours.into(),
            (None, Some(own)) => own,
            (None, None) => return Err(format!("it reads {shown}, which is not in the folder")),
        };
        // A macro is a part of the kernel's text, and a launch may be of another file.
        let text = String::from_utf8_lossy(&bytes);
        for name in directives::reads(&text) {
            let name = name.map_err(|words| format!("it has {}", plain_name(&words)))?;
            named.push(path.with_file_name(name));
        }
        let words = text.split(['"', '\'']);
        let words = words.filter(|word| is_task && word.ends_with(".cl"));
        named.extend(words.map(|word| path.with_file_name(word)));
        files.insert(path, bytes);
    }
    Ok(Some(files))
}

/// The course's task with the student's launch, whose inputs hold what the course's do. What is no
/// TOML is left for the check to name.
fn task(whole: &[u8], own: Vec<u8>) -> Vec<u8> {
    let tables = [whole, &own].map(toml::from_slice::<Table>);
    let [Ok(mut task), Ok(mut launch)] = tables else {
        return own;
    };
    let mut ours = task.clone();
    task.retain(|key, _| !LAUNCH.contains(&key));
    launch.retain(|key, _| LAUNCH.contains(&key));
    let fills: Vec<Option<Value>> = inputs(&mut ours)
        .into_iter()
        .map(|one| one.remove("fill"))
        .collect();
    for (input, fill) in inputs(&mut launch).into_iter().zip(fills) {
        match fill {
            Some(fill) => input.insert("fill".into(), fill),
            None => input.remove("fill"),
        };
    }
    task.extend(launch);
    task.to_string().into()
}

/// The arguments of all launches that hold something at first, in order: a reference has them in the
/// same one.
fn inputs(task: &mut Table) -> Vec<&mut Table> {
    if task.contains_key("in") || task.contains_key("inout") {
        return vec![task];
    }
    let of_launches = task
        .iter_mut()
        .filter(|(key, _)| ["args", "launches"].contains(&key.as_str()));
    let all = of_launches
        .filter_map(|(_, all)| all.as_array_mut())
        .flatten();
    all.filter_map(Value::as_table_mut)
        .flat_map(inputs)
        .collect()
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

/// A file of the student's folder, if it is there.
fn read(root: &Path, path: &Path) -> Result<Option<Vec<u8>>, String> {
    let refuse = |why: &str| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        format!("{}: {why}", plain_name(&name))
    };
    let place = root.join(path);
    let real = match place.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound && !place.is_symlink() => {
            return Ok(None);
        }
        Err(error) => return Err(refuse(&error.to_string())),
    };
    if !real.starts_with(root) {
        return Err(refuse("it is a link out of its folder"));
    }
    let bytes = file::read(&real, LONGEST).map_err(|error| refuse(&error.to_string()))?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_inputs_hold_is_the_courses() {
        let ours = "size = { n = 1 }\ncheck = 'i'\n\
                    args = ['n', { in = 'n', fill = 'random' }, { inout = 'n' }]";
        let own = "size = { n = 2 }\ncheck = '0'\nlocal = [8]\n\
                   args = ['n', { in = 'n', fill = 0 }, { inout = 'n', fill = 7 }]";
        let launched = own.replace("args = ", "launches = [{ args = ") + " }]";
        for own in [own, &launched] {
            let task = task(ours.as_bytes(), own.into());
            let task: Table = toml::from_slice(&task).expect("a task");
            let text = task.to_string();
            assert!(text.contains("local") && text.contains("'i'") || text.contains("\"i\""));
            assert!(
                text.contains("random") && !text.contains("fill = 0"),
                "{text}"
            );
            assert!(!text.contains("fill = 7"), "{text}");
        }
    }
}
