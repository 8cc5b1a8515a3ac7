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
    let there = folder.canonicalize();
    let there = there.and_then(|root| Ok((fs::read_dir(&root)?, root)));
    let (entries, root) = match there {
        Ok(there) => there,
        Err(error) => return vec![Student::of(folder, Err(error.to_string()))],
    };
    let is_there = |puzzle: &Puzzle| root.join(puzzle.file()).symlink_metadata().is_ok();
    if puzzles.iter().any(is_there) {
        return vec![Student::of(&root, Ok(root.clone()))];
    }
    let entries = entries.flatten();
    let shown = entries.filter(|one| !one.file_name().as_encoded_bytes().starts_with(b"."));
    let folders = shown.map(|one| one.path()).filter(|path| !path.is_file());
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.sort();
    if folders.is_empty() {
        let why = "no student's folder is in it".into();
        return vec![Student::of(&root, Err(why))];
    }
    let student = |path: PathBuf| {
        let opened = match fs::read_dir(&path) {
            _ if path.is_symlink() => Err("it is a link, and links are not followed".into()),
            opened => opened.map_err(|error| error.to_string()),
        };
        Student::of(&path, opened.map(|_| path.clone()))
    };
    folders.into_iter().map(student).collect()
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
    let mut files = Files::new();
    // What a file names, from its folder on.
    let mut named = Vec::new();
    for (name, ours) in &puzzle.with {
        let path = kernel.with_file_name(name);
        let own = read(root, &path)?.filter(|_| name.ends_with(".toml"));
        let own = own.map(|own| String::from_utf8_lossy(&own).into_owned());
        for fill in own.iter().flat_map(|own| own.split(['"', '\''])) {
            let is_ours = puzzle.with.iter().any(|(name, _)| name == fill);
            if fill.ends_with(".cl") && !is_ours {
                named.push(kernel.with_file_name(fill));
            }
        }
        let text = own.map_or(ours.clone(), |own| task(ours, own));
        // A macro is a part of the kernel's text.
        if let Some(Err(words)) = directives::reads(&text).into_iter().find(Result::is_err) {
            return Err(format!("it has {}", plain_name(&words)));
        }
        files.insert(path, text.into());
    }
    named.push(kernel);
    while let Some(name) = named.pop() {
        let shown = plain_name(&name.to_string_lossy());
        let path = below(&name).ok_or(format!("it reads {shown}, outside of the folder"))?;
        if files.contains_key(&path) {
            continue;
        }
        let text = read(root, &path)?;
        let text = text.ok_or(format!("it reads {shown}, which is not in the folder"))?;
        for name in directives::reads(&String::from_utf8_lossy(&text)) {
            let name = name.map_err(|words| format!("it has {}", plain_name(&words)))?;
            named.push(path.with_file_name(name));
        }
        files.insert(path, text);
    }
    Ok(Some(files))
}

/// The course's task with the student's launch, whose inputs hold what the course's do. What is no
/// TOML is left for the check to name.
fn task(whole: &str, own: String) -> String {
    let tables = [whole, &own].map(toml::from_str::<Table>);
    let [Ok(mut task), Ok(mut launch)] = tables else {
        return own;
    };
    let mut ours = task.clone();
    task.retain(|key, _| !LAUNCH.contains(&key));
    launch.retain(|key, _| LAUNCH.contains(&key));
    let fills: Vec<Option<Value>> = inputs(&mut ours).map(|one| one.remove("fill")).collect();
    for (input, fill) in inputs(&mut launch).zip(fills) {
        match fill {
            Some(fill) => input.insert("fill".into(), fill),
            None => input.remove("fill"),
        };
    }
    task.extend(launch);
    task.to_string()
}

/// The arguments of all launches that hold something at first, in order: a reference has them in the
/// same one.
fn inputs(task: &mut Table) -> impl Iterator<Item = &mut Table> {
    let (own, launches): (Vec<_>, Vec<_>) = task
        .iter_mut()
        .filter(|(key, _)| ["args", "launches"].contains(&key.as_str()))
        .filter_map(|(key, value)| Some((key == "args", value.as_array_mut()?)))
        .partition(|(is_own, _)| *is_own);
    let launches = launches.into_iter().flat_map(|(_, all)| all);
    let of_launches = launches.filter_map(|one| one.get_mut("args")?.as_array_mut());
    let all = own.into_iter().map(|(_, all)| all).chain(of_launches);
    let tables = all.flatten().filter_map(Value::as_table_mut);
    tables.filter(|one| one.contains_key("in") || one.contains_key("inout"))
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
            let task: Table = toml::from_str(&task(ours, own.into())).expect("a task");
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
