//! An exercise: a folder below `exercises/` with a kernel that has a gap, the same
//! kernel with the gap filled, and a page of data, task, hints and reasoning.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use anyhow::{Context, Result, ensure};
use common::source::{Source, workspace};
use process::lessons::{LESSONS, Lesson};

use super::spec::Spec;
use crate::game::progress::Mark;
use crate::game::puzzle::{Puzzle, PuzzleKind};
use crate::game::written::Written;

const KIND: PuzzleKind = PuzzleKind {
    about: "Kernels with a gap: fill it",
    noun: "exercise",
    command: "exercise",
    answer: "--solution",
    done: Mark::Solved,
};

pub struct Exercise {
    pub puzzle: Puzzle,
    /// What is to be done, in a few sentences.
    pub asks: String,
    /// How its kernel is launched and what is asked of it.
    pub spec: Spec,
}

/// All of them, in teaching order.
pub fn all() -> Result<Vec<Exercise>> {
    let root = workspace().join("exercises");
    let mut all = Vec::new();
    for lesson in LESSONS {
        // A lesson may have none.
        let entries = fs::read_dir(root.join(lesson.folder)).into_iter().flatten();
        let names: io::Result<BTreeSet<_>> = entries.map(|entry| Ok(entry?.file_name())).collect();
        for name in names? {
            let place = format!("{}/{}", lesson.folder, name.to_string_lossy());
            let read = read(&root, &place, lesson);
            all.push(read.with_context(|| format!("exercises/{place} cannot be used"))?);
        }
    }
    let root = root.display();
    ensure!(!all.is_empty(), "there are no exercises in {root}");
    Ok(all)
}

fn read(root: &Path, place: &str, lesson: &'static Lesson) -> Result<Exercise> {
    let folder = place.rsplit('/').next().unwrap_or(place);
    let number = folder.split('-').next().unwrap_or(folder).parse::<u32>();
    let number = number.context("the folder's name does not begin with a number")?;
    let file = |name: &str| root.join(place).join(name);
    let page = Written::read(&file("README.md"))?;
    let parts = page.head.split_once("```toml\n");
    let (title, rest) = parts.context("README.md has no data between ```toml and ```")?;
    let (data, asks) = rest.split_once("\n```").context("the data do not end")?;
    ensure!(!asks.trim().is_empty(), "README.md says no task");
    let title = title.trim().trim_start_matches("# ");
    let puzzle = Puzzle {
        kind: &KIND,
        lesson,
        id: format!("{}.{number}", lesson.number),
        title: title.into(),
        short: title.into(),
        place: place.into(),
        fresh: Source::read(&file("exercise.cl"))?,
        solution: Some(Source::read(&file("solution.cl"))?),
        hints: page.hints,
        why: page.why,
    };
    Ok(Exercise {
        puzzle,
        asks: asks.trim().into(),
        spec: toml::from_str(data).context("the data of README.md")?,
    })
}
