//! Exercises, kernels with a gap, and problems, kernels from an empty file: each a folder with
//! a page, whose first block is its task.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use common::file::workspace;
use common::source::Source;
use inspect::judge::{How, Seen, exercise};
use task::form::Form;
use watchdog::lessons::{LESSONS, Lesson};

use crate::game::puzzle::{Kind, Puzzle, page_of};
use crate::game::written::Written;

/// A problem's task file, in whose launch a learner has a free hand.
pub const TASK: &str = "task.toml";

/// The exercises of the course, in teaching order.
pub fn all() -> Result<Vec<Puzzle>> {
    let root = workspace().join("exercises");
    let mut all = Vec::new();
    for lesson in LESSONS {
        let (set, number) = (lesson.folder, lesson.number.to_string());
        all.extend(exercises(&root.join(set), [set, &number], Some(lesson))?);
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
    let all = exercises(root, [&set, &set], None)?;
    let root = root.display();
    ensure!(!all.is_empty(), "there are no folders such as 1-first in {root}");
    Ok(all)
}

/// The problems, in teaching order.
pub fn problems() -> Result<Vec<Puzzle>> {
    each(&workspace().join("exercises/problems"), problem)
}

/// The task of a puzzle that has one, for the learner's file of it.
pub fn task_of(puzzle: &Puzzle, file: &Path) -> Result<Form> {
    let mut task = puzzle.task.clone();
    let own = file.with_file_name(TASK);
    if puzzle.kind == Kind::Problem && own.exists() {
        task = task.launched_as(Form::read(&own)?);
    }
    task.kernel = file.into();
    if let ("", Some(last)) = (&*task.launch.function, task.launches.last()) {
        task.launch.function.clone_from(&last.function);
    }
    Ok(task)
}

/// Whether the learner's kernel does what is asked: what every check saw.
pub fn check(puzzle: &Puzzle, file: &Path, how: &How) -> Result<Seen> {
    // A problem's solution has a launch of its own.
    let solution = puzzle.solution.as_ref().filter(|_| puzzle.kind == Kind::Exercise);
    let solution = solution.map(|solution| &*solution.path);
    exercise::check(&task_of(puzzle, file)?, &puzzle.id, solution, how)
}

/// What is read from each folder with a page whose name begins with a number, in their order; nothing
/// where there is no such folder.
pub fn each(root: &Path, read: impl Fn(&Path, &str, u32) -> Result<Puzzle>) -> Result<Vec<Puzzle>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(root).into_iter().flatten() {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let has_page = root.join(&name).join("README.md").is_file();
        if has_page && name.starts_with(|c: char| c.is_ascii_digit()) {
            let number = name.split('-').next().unwrap_or_default().parse();
            let why = "the folder's name does not begin with a number";
            folders.push((number.with_context(|| format!("{name}: {why}"))?, name));
        }
    }
    folders.sort();
    let read = |(number, name): (u32, String)| {
        let folder = root.join(&name);
        let cannot = || format!("{} cannot be used", folder.display());
        read(&folder, &name, number).with_context(cannot)
    };
    folders.into_iter().map(read).collect()
}

/// Those of a folder: what their places in the learner's folder and their numbers begin with.
fn exercises(
    root: &Path,
    [set, prefix]: [&str; 2],
    lesson: Option<&'static Lesson>,
) -> Result<Vec<Puzzle>> {
    each(root, |folder, name, number| {
        let file = |name: &str| Source::read(&folder.join(name));
        let page = folder.join("README.md");
        let words = Written::read(&page)?;
        Ok(Puzzle {
            kind: Kind::Exercise,
            lesson,
            id: format!("{prefix}.{number}"),
            place: format!("{set}/{name}"),
            task: Form::of(&words.data, &page)?,
            page: lesson.map_or(page, page_of),
            fresh: file("exercise.cl")?.text,
            solution: Some(file("solution.cl")?),
            words,
            ..Puzzle::default()
        })
    })
}

/// A problem: its last solution is the one that is shown.
fn problem(folder: &Path, name: &str, number: u32) -> Result<Puzzle> {
    let solutions = (1..).map(|at| folder.join(format!("solution-{at}.cl")));
    let solutions: Vec<PathBuf> = solutions.take_while(|file| file.is_file()).collect();
    let last = solutions.last().context("there is no solution-1.cl")?;
    let text = |name: &str| Source::read(&folder.join(name)).map(|file| (name.into(), file.text));
    Ok(Puzzle {
        kind: Kind::Problem,
        id: format!("p{number}"),
        place: format!("problems/{name}/start"),
        page: folder.join("README.md"),
        fresh: Source::read(&folder.join("start.cl"))?.text,
        with: vec![text(TASK)?, text("plain.cl")?],
        solution: Some(Source::read(last)?),
        words: Written::of_problem(&folder.join("README.md"))?,
        task: Form::read(&folder.join(TASK))?,
        ..Puzzle::default()
    })
}
