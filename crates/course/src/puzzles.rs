//! Both kinds of puzzles: the exercises, and the broken kernels.

use std::process::{Command, ExitCode};

use analysis::launched::Wanted;
use anyhow::Result;

use crate::broken::{self, Broken};
use crate::exercises::{self, exercise::Exercise};
use crate::front::{self, Begin};
use crate::game::folder::Folder;
use crate::game::playable::{How, Playable};
use crate::game::puzzle::Puzzle;
use crate::game::{self, Options, Start};

/// All that there are.
struct Puzzles {
    exercises: Vec<Exercise>,
    broken: Vec<Broken>,
}

impl Puzzles {
    fn read() -> Result<Puzzles> {
        Ok(Puzzles {
            exercises: exercises::all()?,
            broken: broken::all()?,
        })
    }

    /// What is written about them.
    fn all(&self) -> Vec<&Puzzle> {
        [game::puzzles(&self.exercises), game::puzzles(&self.broken)].concat()
    }
}

/// Copies all of them to the learner's folder.
pub fn start(options: &Start) -> Result<ExitCode> {
    game::start(options, &Puzzles::read()?.all())
}

/// Opens the map.
pub fn open() -> Result<ExitCode> {
    front::open(Puzzles::read()?.all(), None)
}

/// Plays; `--watch` has a screen of its own where there is one.
pub fn play(all: &[impl Playable], options: &Options) -> Result<ExitCode> {
    game::play(all, options, |watch| {
        if !front::is_possible() {
            return watch.run();
        }
        let begin = Begin {
            puzzle: watch.now,
            file: watch.file,
            how: watch.how.clone(),
        };
        front::open(Puzzles::read()?.all(), Some(begin))
    })
}

/// Checks what was begun, and gives the largest exit status.
pub fn check_all(how: &How) -> Result<ExitCode> {
    let Puzzles { exercises, broken } = Puzzles::read()?;
    let exercises = game::check_all(&exercises, how)?;
    let broken = game::check_all(&broken, how)?;
    Ok(ExitCode::from(exercises.max(broken)))
}

/// A puzzle that stands in the place of a kernel's name.
pub struct Taken {
    /// What launches its kernel once, by a lesson's flags.
    pub program: Command,
    /// "as in exercise 4.2"; none where the launch tells it.
    pub by: Option<String>,
}

/// Where a puzzle's number stands in the place of a kernel's name: puts the learner's
/// file and its kernel there.
pub fn take(wanted: &mut Wanted) -> Result<Option<Taken>> {
    let word = wanted.kernel.clone();
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    if word.is_empty() || !word.chars().all(is_number) {
        return Ok(None);
    }
    let Puzzles { exercises, broken } = Puzzles::read()?;
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
        by: Some(format!("as in {} {word}", one.puzzle().kind.noun)),
    }))
}
