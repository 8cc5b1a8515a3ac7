//! All that there is to solve, in one list: exercises, kernels with a gap, and problems, kernels from
//! an empty file, each a folder with a page, whose first block is its task; broken kernels; and on the
//! `host`'s side programs. Which of it is meant, how it is checked, and the course map.

use std::path::{Path, PathBuf};
use std::{fs, io::Write, process::ExitCode};

use anyhow::{Context, Result, bail, ensure};
use colored::Colorize;
use common::source::{Source, shortest};
use common::{Error, command, device::DEVICE_VARIABLE, file::workspace, host::variable};
use diagnostics::terminal::wrap::{WIDTH, cut};
use diagnostics::{near::nearest, terminal::Out};
use inspect::judge::{Case, Check, How, Seen, Subject, exercise};
use task::form::Form;
use verify::element::Type;
use watchdog::lessons::{self, LESSONS, Lesson};

use crate::game::folder::{Folder, shown};
use crate::game::puzzle::{Kind, Puzzle, page_of};
use crate::{game::progress::Progress, game::written::Written, host};

/// A problem's task file, in whose launch a learner has a free hand.
pub const TASK: &str = "task.toml";

/// All that there are: lesson by lesson, the exercises first; then the problems and the programs. Or a
/// set of exercises that lies in a folder of somebody's own.
pub fn all(from: Option<&Path>) -> Result<Vec<Puzzle>> {
    let mut all = Vec::new();
    if let Some(root) = from {
        let set = root.canonicalize().unwrap_or(root.into());
        let set = set.file_name().unwrap_or_default().to_string_lossy();
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
        let set: String = set.chars().filter(is_plain).collect();
        all = exercises(root, [&set, &set], None)?;
        ensure!(!all.is_empty(), "there are no folders such as 1-first in {}", root.display());
        return Ok(all);
    }
    let root = workspace().join("exercises");
    for lesson in LESSONS {
        let (set, number) = (lesson.folder, lesson.number.to_string());
        all.extend(exercises(&root.join(set), [set, &number], Some(lesson))?);
    }
    ensure!(!all.is_empty(), "there are no exercises in {}", root.display());
    all.extend(broken()?);
    all.sort_by_key(|one| one.lesson.map(|lesson| lesson.number));
    all.extend(problems()?);
    all.extend(host::all()?);
    Ok(all)
}

/// The exercises of a folder: what their places in the learner's folder and their numbers begin with.
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

/// The problems, in teaching order; the last solution of each is the one that is shown.
pub fn problems() -> Result<Vec<Puzzle>> {
    each(&workspace().join("exercises/problems"), |folder, name, number| {
        let solutions = (1..).map(|at| folder.join(format!("solution-{at}.cl")));
        let solutions: Vec<PathBuf> = solutions.take_while(|file| file.is_file()).collect();
        let last = solutions.last().context("there is no solution-1.cl")?;
        let text =
            |name: &str| Source::read(&folder.join(name)).map(|file| (name.into(), file.text));
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
    })
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

/// The broken kernels in teaching order: by lesson, and in each the plainest fault first.
fn broken() -> Result<Vec<Puzzle>> {
    let folder = workspace().join("exercises/broken/explanations");
    let mut all = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let page = entry?.path();
        let cannot = || format!("{} cannot be used", page.display());
        all.push(one_broken(&page).with_context(cannot)?);
    }
    all.sort_by_key(|one| one.task.number);
    let is_in_order = all.iter().map(|one| one.task.number).eq(1..=all.len());
    ensure!(is_in_order, "the numbers in {} have gaps", folder.display());
    Ok(all)
}

fn one_broken(page: &Path) -> Result<Puzzle> {
    let name = page.file_stem().unwrap_or_default().to_string_lossy();
    let file = workspace().join(format!("exercises/broken/{name}.cl"));
    let fresh = Source::read(&file)?.text;
    let mut words = Written::read(page)?;
    let task = Form::of(&words.data, page)?;
    let lesson = lessons::numbered(task.lesson.context("lesson is missing")?)?;
    let head = fresh.strip_prefix("// Symptom: ");
    let head = head.and_then(|text| text.split_once("// Run: "));
    let (symptom, _) = head.context("its kernel does not begin with Symptom: and Run:")?;
    words.title = symptom.replace("\n// ", " ").trim().to_string();
    Ok(Puzzle {
        kind: Kind::Broken,
        lesson: Some(lesson),
        id: format!("d{}", task.number),
        place: format!("diagnose/{:02}", task.number),
        page: page_of(lesson),
        words,
        task,
        fresh,
        ..Puzzle::default()
    })
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

/// Whether the learner's kernel does what is asked: what every check saw; of a broken one every
/// detector, run as the kernel's lesson runs it.
pub fn check(puzzle: &Puzzle, file: &Path, how: &How) -> Result<Seen> {
    if puzzle.kind != Kind::Broken {
        // A problem's solution has a launch of its own.
        let solution = puzzle.solution.as_ref().filter(|_| puzzle.kind == Kind::Exercise);
        let solution = solution.map(|solution| &*solution.path);
        return exercise::check(&task_of(puzzle, file)?, &puzzle.id, solution, how);
    }
    let subject = Subject::broken(&puzzle.task, file)?;
    // Of PoCL the headers say what is seen, unless the learner chose another.
    let device = match how.device.is_some() || variable(DEVICE_VARIABLE).is_some() {
        true => how.device.clone(),
        false => watchdog::machine::pocl().map(|pocl| pocl.index.to_string()),
    };
    let how = How { device, ..how.clone() };
    let check = Check { subject: &subject, how: &how, ty: Type::Float, sizes: None, times: false };
    let results = check.results()?;
    let mut seen = results.seen();
    if results.may_be_simulated() {
        let first = check.sizes_to_simulate()?.swap_remove(0);
        seen.observations.extend(check.simulated(&Case::of(first))?);
    }
    Ok(seen)
}

/// Prints the course map: the lessons in order, minutes, what is solved, and what is next.
pub fn map() -> Result<ExitCode> {
    let all = all(None)?;
    let all: Vec<&Puzzle> = all.iter().collect();
    let folder = Folder::find().ok().filter(Folder::is_started);
    let progress = folder.as_ref().map(Folder::progress).unwrap_or_default();
    let heading = format!("{:<63}", "OpenCL performance, one step at a time").bold();
    writeln!(Out, "{heading}{}\n", "minutes exercises".dimmed())?;
    for lesson in LESSONS {
        let (number, teaches, minutes) = (lesson.number, lesson.teaches, lesson.minutes);
        let own =
            all.iter().copied().filter(|one| one.lesson.is_some_and(|own| own.number == number));
        let solved = tally(&Vec::from_iter(own), &progress);
        writeln!(Out, "  {number:>2}  {teaches:<59}{minutes:>5}{solved:>10}")?;
    }
    let minutes: u32 = LESSONS.iter().map(|lesson| lesson.minutes).sum();
    let next = progress.next(&all);
    writeln!(
        Out,
        "\n  {} hours; {} exercises, problems, programs: {}\n  \
         What is wrong with a kernel of yours? {}",
        minutes.div_ceil(60),
        tally(&all, &progress),
        "cargo course exercise --list".cyan(),
        "cargo course inspect FILE".cyan()
    )?;
    match (&folder, next) {
        (None, _) => writeln!(Out, "  Begin with docs/using-the-course.md, then")?,
        (Some(_), None) => writeln!(Out, "  Every exercise is solved.")?,
        (Some(folder), Some(next)) => {
            let heading = cut(&next.heading(), WIDTH - 8);
            let file = shown(&folder.file(next)).dimmed();
            let command = next.command().cyan();
            writeln!(Out, "  Next: {heading}\n    {file}\n    {command}")?;
        }
    }
    if let Some(lesson) = next.and_then(|next| next.lesson) {
        let page = shown(&shortest(&workspace().join(page_of(lesson)))).dimmed();
        let run = command::cargo_run(&lesson.package()).cyan();
        writeln!(Out, "    {page}   {run}")?;
    }
    if folder.is_none() {
        let (start, setup) = ("cargo course start".cyan(), command::setup("").cyan());
        let where_to = "The exercises, in a folder of your own";
        writeln!(Out, "  {where_to}: {start}. No device? {setup}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How many of these puzzles there are, and how many are done.
fn tally(all: &[&Puzzle], progress: &Progress) -> String {
    match all.len() {
        0 => String::new(),
        count => format!("{} of {count}", progress.count_done(all)),
    }
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

/// The learner's file of a puzzle: the one that `word` names, or the one in the folder.
pub fn file(puzzle: &Puzzle, folder: &Folder, word: &str) -> PathBuf {
    let named = Path::new(word);
    match named.exists() && named.extension() == Some(puzzle.kind.extension().as_ref()) {
        true => named.into(),
        false => folder.file(puzzle),
    }
}

/// Refuses to go on without the file.
pub fn must_be_there(file: &Path, folder: &Folder) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    folder.must_be_started()?;
    let why = match file.metadata() {
        Ok(there) => format!("is {}: move it away", common::file::name(there.file_type())),
        Err(_) => "is not there".into(),
    };
    bail!(Error::Usage(format!(
        "{} {why}\n  next: cargo course start   copies the kernels that you do not have yet",
        shown(file)
    )))
}
