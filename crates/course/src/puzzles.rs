//! All puzzles: the exercises, the broken kernels, the problems, and the programs.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use colored::Colorize;
use common::Error;
use diagnostics::terminal::Out;
use inspect::launched::Wanted;
use judge::{How, LaunchFlags, Subject, is_own, is_task};
use verify::shape::Shape;
use watchdog::lessons::{self, LESSONS, Lesson};
use watchdog::worker::Work;

use crate::front;
use crate::game::folder::{Folder, shown};
use crate::game::progress::Progress;
use crate::game::puzzle::{Check, Puzzle};
use crate::game::which::{find, own_file};
use crate::game::{self, Options, Start};
use crate::{broken, exercises, host};

/// All that there are.
pub fn all() -> Result<Vec<Puzzle>> {
    let mut all = exercises::all()?;
    all.extend(broken::all()?);
    all.extend(host::all()?);
    all.extend(exercises::problems()?);
    Ok(all)
}

/// Copies all of them to the learner's folder.
pub fn start(options: &Start) -> Result<ExitCode> {
    game::start(options, &all()?.iter().collect::<Vec<_>>())
}

/// Prints the course map: the lessons in order, minutes, what is solved, and what is next. Progress is
/// shown where the learner has a folder, and missed by nobody where there is none.
pub fn map() -> Result<ExitCode> {
    let all = all()?;
    let all: Vec<&Puzzle> = all.iter().collect();
    let of_kind = |kind: &str| -> Vec<&Puzzle> {
        let all = all.iter().copied();
        all.filter(|one| one.kind.command == kind).collect()
    };
    let folder = Folder::find().ok().filter(Folder::is_started);
    let progress = folder.as_ref().map(Folder::progress);
    let tallied = |kind| tally(&of_kind(kind), progress.as_ref());
    let exercises = of_kind("exercise");
    let row = |lesson: &Lesson| {
        let (number, teaches, minutes) = (lesson.number, lesson.teaches, lesson.minutes);
        let mut ours = exercises.clone();
        ours.retain(|one| one.lesson.is_some_and(|own| own.number == number));
        let tally = tally(&ours, progress.as_ref());
        format!("  {number:>2}  {teaches:<59}{minutes:>5}{tally:>10}")
    };
    let heading = format!("{:<63}", "OpenCL performance, one step at a time").bold();
    writeln!(Out, "{heading}{}\n", "minutes exercises".dimmed())?;
    for lesson in LESSONS {
        writeln!(Out, "{}", row(lesson))?;
    }
    let minutes: u32 = LESSONS.iter().map(|lesson| lesson.minutes).sum();
    // The first exercise that is not solved, and its lesson; else the first of all.
    let next = progress.as_ref().map(|progress| progress.next(&exercises));
    let lesson = next.map_or(Some(&LESSONS[0]), |next| next?.lesson);
    let next = next.flatten();
    writeln!(
        Out,
        "\n  {} hours and the exercises. Any lesson at any time: {}\n  More: {} ({}), {} ({}), {} ({})\n  \
         What is wrong with a kernel of yours? {}",
        minutes.div_ceil(60),
        "cargo run -p lesson05".cyan(),
        "cargo course diagnose".cyan(),
        tallied("diagnose"),
        "host".cyan(),
        tallied("host"),
        "problem".cyan(),
        tallied("problem"),
        "cargo course inspect FILE".cyan()
    )?;
    match (&folder, next) {
        (None, _) => writeln!(Out, "  Begin with docs/using-the-course.md, then")?,
        (Some(_), None) => writeln!(Out, "  Every exercise is solved.")?,
        (Some(folder), Some(next)) => {
            let (id, title) = (&next.id, &next.words.title);
            let file = shown(&folder.file(next)).dimmed();
            let command = next.command().cyan();
            writeln!(Out, "  Next is exercise {id}, {title}, and its lesson:")?;
            writeln!(Out, "    {file}\n    {command}")?;
        }
    }
    if let Some(lesson) = lesson {
        let page = format!("lessons/{}/README.md", lesson.folder).dimmed();
        let run = format!("cargo run -p {}", lesson.package()).cyan();
        writeln!(Out, "    {page}   {run}")?;
    }
    if folder.is_none() {
        let (start, setup) = ("cargo course start".cyan(), "./setup".cyan());
        let where_to = "The exercises, in a folder of your own";
        writeln!(Out, "  {where_to}: {start}. No device? {setup}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How many of these puzzles there are, and how many are done.
fn tally(all: &[&Puzzle], progress: Option<&Progress>) -> String {
    match (all.len(), progress) {
        (0, _) => String::new(),
        (count, None) => count.to_string(),
        (count, Some(progress)) => format!("{} of {count}", progress.count_done(all)),
    }
}

/// Plays; `--watch` has a screen of its own where there is one.
pub fn play(puzzles: &[Puzzle], options: &Options) -> Result<ExitCode> {
    game::play(puzzles, options, |watch| {
        if !front::is_possible() {
            return watch.run();
        }
        let all = all()?;
        let is_known = all.iter().any(|one| one == watch.turn.puzzle);
        front::open(if is_known { &all } else { puzzles }, watch.turn)
    })
}

/// The flags of `course exercise`.
#[derive(clap::Args)]
pub struct Set {
    /// Play the exercises of this folder, and not the course's own
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

impl Set {
    /// Plays the course's exercises, or those of the folder.
    pub fn play(&self) -> Result<ExitCode> {
        let Some(folder) = &self.from else {
            return play(&exercises::all()?, &self.options);
        };
        let set = exercises::set(folder)?;
        // What is not there yet is copied.
        Folder::find()?.start(&set.iter().collect::<Vec<_>>())?;
        play(&set, &self.options)
    }
}

/// Checks what was begun, and gives the largest exit status.
pub fn check_all(how: &How) -> Result<ExitCode> {
    let mut worst = 0;
    for all in all()?.chunk_by(|one, next| one.kind.command == next.kind.command) {
        worst = worst.max(game::check_all(all, how)?);
    }
    Ok(ExitCode::from(worst))
}

/// Seconds in which a driver tells a kernel's arguments to who asks for no other time.
const PATIENCE: u64 = 60;

/// What launches a kernel once, by a lesson's flags.
pub struct Taken {
    pub work: Work,
    /// "as in exercise 4.2"; none where the launch tells it.
    pub by: Option<String>,
    /// Whether what it does is counted by a puzzle's check.
    pub is_counted: bool,
}

impl Taken {
    /// What no puzzle is about.
    pub fn own(work: Work, by: Option<String>) -> Taken {
        Taken {
            work,
            by,
            is_counted: false,
        }
    }
}

/// The puzzle whose number stands in the place of a kernel's name, or whose name or file where
/// no kernel is called so.
fn meant(wanted: &Wanted, is_kernel: bool) -> Result<Option<Puzzle>> {
    let word = &wanted.kernel;
    let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.') && !word.is_empty();
    if is_kernel && !is_number {
        return Ok(None);
    }
    let mut all = all()?;
    all.retain(|one| !matches!(one.check, Check::Host(_)));
    let at = all
        .iter()
        .position(|one| one.id == *word || !is_number && one.is_meant_by(word));
    if at.is_none() && is_number {
        all.retain(|one| one.kind.command == "exercise");
        find(&all, word)?;
    }
    Ok(at.map(|at| all.swap_remove(at)))
}

/// What launches a puzzle's kernel. Puts the learner's file and its kernel into `wanted`.
fn take(puzzle: &Puzzle, wanted: &mut Wanted, flags: &LaunchFlags) -> Result<Taken> {
    let file = match &wanted.source {
        Some(file) => file.clone(),
        None => own_file(puzzle, &wanted.kernel)?,
    };
    let by = Some(format!("as in {} {}", puzzle.kind.noun, puzzle.id));
    wanted.source = Some(file.clone());
    if let Check::Lesson(run) = &puzzle.check {
        wanted.kernel.clone_from(&run.kernel);
        return Ok(Taken::own(puzzle.own_lesson()?.work()?, by));
    }
    if wanted.size.is_some() || !wanted.variant.is_empty() || *flags != LaunchFlags::default() {
        let why = format!(
            "{} {} says how its kernel is launched: leave a size, a variant and flags of the \
             launch out",
            puzzle.kind.noun, puzzle.id
        );
        return Err(Error::Usage(why).into());
    }
    let task = exercises::task_of(puzzle, &file)?;
    wanted.kernel.clone_from(&task.function);
    Ok(Taken {
        work: judge::exercise::launch(&task)?,
        by,
        is_counted: true,
    })
}

/// What launches once what `wanted` means: a puzzle's number, a task file, a lesson's kernel or
/// one of a file. Puts its kernel and file there. Of a kernel `without_data` nobody asks what
/// it is given.
///
/// # Errors
/// [`Error::Usage`] where nothing of that name can be launched.
pub fn taken(wanted: &mut Wanted, flags: &LaunchFlags, without_data: bool) -> Result<Taken> {
    let is_kernel = is_own(wanted) || lessons::with_kernel(&wanted.kernel)?.is_some();
    if let Some(puzzle) = meant(wanted, is_kernel)? {
        return take(&puzzle, wanted, flags);
    }
    let word = PathBuf::from(&wanted.kernel);
    let how = How {
        device: wanted.device.clone(),
        timeout: PATIENCE,
        ..How::default()
    };
    let subject = match &wanted.source {
        _ if is_task(&word) => Some(Subject::of_task(&word, flags, &how)?),
        Some(file) => {
            let only = [wanted.kernel.clone()];
            let mut all = Subject::all(file, &only, flags, wanted.ty, &how, without_data)?;
            all.pop()
        }
        None => None,
    };
    match subject {
        Some(subject) if subject.task().is_some() => {
            // Of the size the program knows, and nobody need tell it.
            let work = subject.launch(wanted.size.take().as_deref())?;
            let by = Some(subject.launched()).filter(|_| subject.has_file());
            (wanted.kernel, wanted.source) = (subject.kernel, Some(subject.file));
            Ok(Taken::own(work, by))
        }
        _ => match &wanted.size {
            Some(size) if size.parse::<Shape>().is_err() => {
                let why = "a lesson's kernel takes N or MxNxK, such as 64 or 37x91x53";
                Err(Error::Usage(format!("--size {size}: {why}")).into())
            }
            _ => Ok(Taken::own(wanted.lesson()?, None)),
        },
    }
}
