//! What a tool is asked about, `trace`, `asm` or `occupancy`, and what launches it once: an
//! exercise's number or file, a task file, a lesson's kernel, or one of a file.

use std::path::PathBuf;

use anyhow::Result;
use common::Error;
use inspect::judge::{How, LaunchFlags, Subject, is_own, is_task};
use inspect::launched::Wanted;
use verify::shape::Shape;
use watchdog::lessons;
use watchdog::worker::Work;

use crate::exercises;
use crate::game::puzzle::{Kind, Puzzle};
use crate::puzzles::{all, find, own_file};

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

/// The puzzle whose number stands in the place of a kernel's name, or whose name or file where
/// no kernel is called so.
fn meant(wanted: &Wanted, is_kernel: bool) -> Result<Option<Puzzle>> {
    let word = &wanted.kernel;
    let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.') && !word.is_empty();
    if is_kernel && !is_number {
        return Ok(None);
    }
    let mut all = all(None)?;
    all.retain(|one| one.kind != Kind::Program);
    let at = all.iter().position(|one| one.is_meant_by(word));
    if at.is_none() && is_number {
        find(&all.iter().collect::<Vec<_>>(), word)?;
    }
    Ok(at.map(|at| all.swap_remove(at)))
}

/// What launches a puzzle's kernel. Puts the learner's file and its kernel into `wanted`.
fn take(puzzle: &Puzzle, wanted: &mut Wanted, flags: &LaunchFlags) -> Result<Taken> {
    let file = match &wanted.source {
        Some(file) => file.clone(),
        None => own_file(puzzle, &wanted.kernel)?,
    };
    let name = format!("{} {}", puzzle.kind.noun(), puzzle.id);
    let by = Some(format!("as in {name}"));
    wanted.source = Some(file.clone());
    if let (Kind::Broken, Some(lesson)) = (puzzle.kind, puzzle.lesson) {
        wanted.kernel.clone_from(&puzzle.task.launch.function);
        return Ok(Taken { work: lesson.work()?, by, is_counted: false });
    }
    if wanted.size.is_some() || !wanted.variant.is_empty() || *flags != LaunchFlags::default() {
        let why =
            "says how its kernel is launched: leave a size, a variant and flags of the launch out";
        return Err(Error::Usage(format!("{name} {why}")).into());
    }
    let task = exercises::task_of(puzzle, &file)?;
    wanted.kernel.clone_from(&task.launch.function);
    Ok(Taken { work: inspect::judge::exercise::launch(&task)?, by, is_counted: true })
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
        raw_log: wanted.raw_log,
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
            let has_file = subject.has_file();
            let by = Some(subject.launched).filter(|_| has_file);
            (wanted.kernel, wanted.source) =
                (subject.form.launch.function, Some(subject.form.kernel));
            Ok(Taken { work, by, is_counted: false })
        }
        _ => match &wanted.size {
            Some(size) if size.parse::<Shape>().is_err() => {
                let why = "a lesson's kernel takes N or MxNxK, such as 64 or 37x91x53";
                Err(Error::Usage(format!("--size {size}: {why}")).into())
            }
            _ => Ok(Taken { work: wanted.lesson()?, by: None, is_counted: false }),
        },
    }
}
