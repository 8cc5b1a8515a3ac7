//! Both kinds of puzzles: the exercises, and the broken kernels.

use std::process::{Command, ExitCode};

use anyhow::Result;
use inside::launched::Wanted;

use crate::front::{self, Begin};
use crate::game::folder::Folder;
use crate::game::playable::{How, Playable};
use crate::game::{self, Options, Start};
use crate::{broken, exercises};

/// Copies all of them to the learner's folder.
pub fn start(options: &Start) -> Result<ExitCode> {
    let (exercises, broken) = (exercises::all()?, broken::all()?);
    let puzzles = [game::puzzles(&exercises), game::puzzles(&broken)].concat();
    game::start(options, &puzzles)
}

/// Opens the map.
pub fn open() -> Result<ExitCode> {
    on_screen(None)
}

/// Plays; `--watch` has a screen of its own where there is one.
pub fn play(all: &[impl Playable], options: &Options) -> Result<ExitCode> {
    if !options.watch() || !front::is_possible() {
        return game::play(all, options);
    }
    let folder = Folder::find()?;
    let Some(meant) = options.meant(all, &folder)? else {
        return game::play(all, options);
    };
    game::must_be_there(&meant.file, &folder)?;
    on_screen(Some(Begin {
        puzzle: meant.one.puzzle(),
        file: meant.file,
        how: options.how.clone(),
    }))
}

fn on_screen(begin: Option<Begin>) -> Result<ExitCode> {
    let (exercises, broken) = (exercises::all()?, broken::all()?);
    let puzzles = [game::puzzles(&exercises), game::puzzles(&broken)].concat();
    front::open(puzzles, begin)
}

/// Checks what was begun, and gives the largest exit status.
pub fn check_all(how: &How) -> Result<ExitCode> {
    let exercises = game::check_all(&exercises::all()?, how)?;
    let broken = game::check_all(&broken::all()?, how)?;
    Ok(ExitCode::from(exercises.max(broken)))
}

/// A puzzle that stands in the place of a kernel's name.
pub struct Taken {
    /// What launches its kernel once, by a lesson's flags.
    pub program: Command,
    /// "as in exercise 4.2".
    pub by: String,
}

/// Where a puzzle's number stands in the place of a kernel's name: puts the learner's
/// file and its kernel there.
pub fn take(wanted: &mut Wanted) -> Result<Option<Taken>> {
    let word = wanted.kernel.clone();
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    if word.is_empty() || !word.chars().all(is_number) {
        return Ok(None);
    }
    let (exercises, broken) = (exercises::all()?, broken::all()?);
    let exercises = exercises.iter().map(|one| one as &dyn Playable);
    let mut all = exercises.chain(broken.iter().map(|one| one as &dyn Playable));
    let Some(one) = all.find(|one| one.puzzle().id == word) else {
        return Ok(None);
    };
    let folder = Folder::find()?;
    if wanted.source.is_none() {
        folder.must_be_started()?;
        wanted.source = Some(folder.file(one.puzzle()));
    }
    let (kernel, program) = one.launch()?;
    wanted.kernel = kernel;
    Ok(Some(Taken {
        program,
        by: format!("as in {} {word}", one.puzzle().kind.noun),
    }))
}
