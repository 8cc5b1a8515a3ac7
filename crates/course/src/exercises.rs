//! Exercises, kernels with a gap, and problems, kernels from an empty file: each a folder with
//! a page, whose first block is its task.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};
use common::clone::workspace;
use common::source::Source;
use inspect::judge::{How, Seen, exercise};
use task::form::Form;
use watchdog::lessons::{LESSONS, Lesson};

use crate::game::puzzle::{Check, Kind, Puzzle, page_of};
use crate::game::written::Written;

/// The exercises of the course, in teaching order.
pub fn all() -> Result<Vec<Puzzle>> {
    let root = workspace().join("exercises");
    let mut all = Vec::new();
    for lesson in LESSONS {
        all.extend(each(&root.join(lesson.folder), |folder, name| {
            let id = format!("{}.{}", lesson.number, number(name)?);
            read(
                folder,
                format!("{}/{name}", lesson.folder),
                id,
                Some(lesson),
            )
        })?);
    }
    let root = root.display();
    ensure!(!all.is_empty(), "there are no exercises in {root}");
    Ok(all)
}

/// A set of exercises that lies in a folder of somebody's own.
pub fn set(root: &Path) -> Result<Vec<Puzzle>> {
    let set = root.canonicalize().unwrap_or(root.into());
    let set = set.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
    let set: String = set.chars().filter(is_plain).collect();
    let all = each(root, |folder, name| {
        let id = format!("{set}.{}", number(name)?);
        read(folder, format!("{set}/{name}"), id, None)
    })?;
    let root = root.display();
    ensure!(
        !all.is_empty(),
        "there are no folders such as 1-first in {root}"
    );
    Ok(all)
}

/// The problems, in teaching order.
pub fn problems() -> Result<Vec<Puzzle>> {
    each(&workspace().join("exercises/problems"), problem)
}

/// The task of a puzzle that has one, for the learner's file of it.
pub fn task_of(puzzle: &Puzzle, file: &Path) -> Result<Form> {
    let mut task = match &puzzle.check {
        Check::Task(task) => (**task).clone(),
        // That beside the learner's kernel: it may launch it as it likes.
        Check::TaskFile => Form::read(&file.with_file_name("task.toml"))?,
        Check::Lesson(_) | Check::Host(_) => bail!("it has no task"),
    };
    task.kernel = file.into();
    if let ("", Some(last)) = (&*task.launch.function, task.launches.last()) {
        task.launch.function.clone_from(&last.function);
    }
    Ok(task)
}

/// Whether the learner's kernel does what is asked: what every check saw.
pub fn check(puzzle: &Puzzle, file: &Path, how: &How) -> Result<Seen> {
    // A problem's solution has a launch of its own.
    let solution = puzzle.solution.as_ref();
    let solution = solution.filter(|_| matches!(puzzle.check, Check::Task(_)));
    let solution = solution.map(|solution| &*solution.path);
    exercise::check(&task_of(puzzle, file)?, &puzzle.id, solution, how)
}

/// What is read from each folder with a page whose name begins with a number, in their order.
pub fn each(root: &Path, read: impl Fn(&Path, &str) -> Result<Puzzle>) -> Result<Vec<Puzzle>> {
    let read = |name: &String| {
        let folder = root.join(name);
        read(&folder, name).with_context(|| format!("{} cannot be used", folder.display()))
    };
    folders(root)?.iter().map(read).collect()
}

/// The folders with a page whose names begin with a number, in their order; none where there is
/// no such folder.
fn folders(root: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(root).into_iter().flatten();
    let names: io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.file_name())).collect();
    let names = names?
        .into_iter()
        .map(|name| name.to_string_lossy().into_owned());
    let is_numbered = |name: &String| {
        let has_page = || root.join(name).join("README.md").is_file();
        name.starts_with(|c: char| c.is_ascii_digit()) && has_page()
    };
    let mut names: Vec<String> = names.filter(is_numbered).collect();
    names.sort_by_key(|name| (number(name).unwrap_or(u32::MAX), name.clone()));
    Ok(names)
}

pub fn number(folder: &str) -> Result<u32> {
    let number = folder.split('-').next().unwrap_or(folder).parse();
    number.context("the folder's name does not begin with a number")
}

fn read(
    folder: &Path,
    place: String,
    id: String,
    lesson: Option<&'static Lesson>,
) -> Result<Puzzle> {
    let file = |name: &str| Source::read(&folder.join(name));
    let page = folder.join("README.md");
    let words = Written::read(&page)?;
    let task = Form::of(&words.data, &page)?;
    Ok(Puzzle {
        kind: Kind::Exercise,
        lesson,
        id,
        place,
        page: lesson.map_or(folder.join("README"), page_of),
        fresh: file("exercise.cl")?,
        with: Vec::new(),
        solution: Some(file("solution.cl")?),
        words,
        check: Check::Task(Box::new(task)),
    })
}

/// A problem: its last solution is the one that is shown.
fn problem(folder: &Path, name: &str) -> Result<Puzzle> {
    let solutions = (1..).map(|at| folder.join(format!("solution-{at}.cl")));
    let solutions: Vec<PathBuf> = solutions.take_while(|file| file.is_file()).collect();
    let last = solutions.last().context("there is no solution-1.cl")?;
    let text = |name: &str| Source::read(&folder.join(name)).map(|file| (name.into(), file.text));
    Ok(Puzzle {
        kind: Kind::Problem,
        lesson: None,
        id: format!("p{}", number(name)?),
        place: format!("problems/{name}/start"),
        page: Path::new("exercises/problems").join(name).join("README"),
        fresh: Source::read(&folder.join("start.cl"))?,
        with: vec![text("task.toml")?, text("plain.cl")?],
        solution: Some(Source::read(last)?),
        words: Written::of_problem(&folder.join("README.md"))?,
        check: Check::TaskFile,
    })
}
