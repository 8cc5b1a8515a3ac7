//! The runs in which an exercise's task is checked.

use std::process::Command;

use anyhow::Result;
use task::cases::SEED;
use task::file::TaskFile;
use task::sizes::{Sizes, in_words};

use crate::task::child::{self, Purpose, Run};

/// A run of a task at a size.
fn run(task: &TaskFile, size: Sizes, seed: u64) -> Run {
    Run {
        says: format!("{}{}", in_words(&size), task.variant()),
        seed: Some(seed),
        ..Run::of(task, size)
    }
}

/// The runs that are checked on a device; `seed` is what is new in this check.
pub(crate) fn results(task: &TaskFile, seed: u64) -> Result<Vec<Run>> {
    let sizes = task.all_sizes()?;
    let tasks = task.in_variants();
    let known = tasks
        .iter()
        .flat_map(|one| sizes.iter().map(|size| run(one, size.clone(), SEED)));
    let new = tasks
        .iter()
        .filter_map(|one| Some(run(one, one.new_size(seed)?, seed)));
    Ok(known.chain(new).collect())
}

/// Those in which a simulator looks for faults; counts are those of the last one.
pub(crate) fn faults(task: &TaskFile) -> Vec<Run> {
    let tasks = task.in_variants();
    let small = tasks.iter().map(|one| run(one, one.small(), SEED));
    let counted = tasks.last().filter(|one| one.counted() != one.small());
    let counted = counted.map(|one| run(one, one.counted(), SEED));
    small.chain(counted).collect()
}

/// The program that launches a task once, where it is counted.
///
/// # Errors
/// When this program's own file is not known.
pub fn launch(task: &TaskFile) -> Result<Command> {
    let task = task.last_variant();
    let run = run(&task, task.counted(), SEED);
    child::command(vec![run], Purpose::Launch)
}
