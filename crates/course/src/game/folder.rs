//! The learner's own folder: the kernels to complete and to mend, a text file of progress, and what
//! editors want to know. It never lies in the clone of the course, which so stays clean.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result, bail};
use common::file::{self, own_workspace, workspace};
use common::{Error, source::Source};
use diagnostics::{aside, terminal::plain_name};

use super::progress::{Entry, Progress};
use super::puzzle::{Kind, Puzzle};

/// Names the folder; stronger than what `start` was told.
pub const VARIABLE: &str = "OPENCL_COURSE_EXERCISES";
/// The folder's name in the home folder, where nothing else was chosen.
const DEFAULT: &str = "opencl-exercises";

/// What lies there besides kernels: for people, for clangd, and for an editor.
const FILES: [(&str, &str); 5] = [
    ("README.md", include_str!("folder.md")),
    ("compile_flags.txt", include_str!("../../../../kernels/compile_flags.txt")),
    (".vscode/extensions.json", include_str!("../../../../.vscode/extensions.json")),
    (".vscode/settings.json", include_str!("../../../../.vscode/settings.json")),
    (".vscode/tasks.json", include_str!("../../../../.vscode/tasks.json")),
];

/// The folder; it need not exist yet.
pub struct Folder {
    pub path: PathBuf,
}

impl Folder {
    /// The folder that was chosen: by the variable, by the last `start DIR`, or the
    /// one in the home folder.
    pub fn find() -> Result<Folder> {
        let variable = std::env::var_os(VARIABLE).map(PathBuf::from);
        let pointed = pointer().and_then(|pointer| fs::read_to_string(pointer).ok());
        let pointed = pointed.and_then(|text| Some(text.lines().next()?.trim().into()));
        // A variable that is empty is none, and so is a pointer.
        let mut chosen = [variable, pointed].into_iter().flatten();
        let chosen = chosen.find(|path| !path.as_os_str().is_empty());
        let default = || Some(dirs::home_dir()?.join(DEFAULT));
        let Some(path) = chosen.or_else(default) else {
            bail!(Error::Usage(format!(
                "your home folder is not known, so name a folder for the exercises\n  \
                 next: cargo course start DIR   or the variable {VARIABLE}"
            )))
        };
        Folder::at(&path)
    }

    /// The folder that `start DIR` names.
    pub fn at(path: &Path) -> Result<Folder> {
        let path = std::path::absolute(path)
            .with_context(|| format!("cannot use the folder {}", path.display()))?;
        Ok(Folder { path })
    }

    /// Whether `start` has been here.
    pub fn is_started(&self) -> bool {
        self.path.is_dir()
    }

    /// Refuses to go on without it.
    pub fn must_be_started(&self) -> Result<()> {
        if self.is_started() {
            return Ok(());
        }
        let why = ["is not there", "is no folder"][usize::from(self.path.exists())];
        bail!(Error::Usage(format!(
            "you have no exercises yet, and no folder of exercises: {} {why}\n  next: cargo course start   copies them there; \
             `start DIR` to another folder; the variable {VARIABLE} names it, too",
            shown(&self.path)
        )))
    }

    /// Copies the kernels that are not there yet, and counts them; what is there is left alone.
    pub fn start(&self, puzzles: &[&Puzzle]) -> Result<usize> {
        must_lie_outside(&self.path)?;
        fs::create_dir_all(&self.path).with_context(|| self.cannot("make"))?;
        let copied = || -> std::io::Result<usize> {
            create(&self.path.join(".clangd"), &macros(puzzles))?;
            let manifest = serde_json::json!(own_workspace().join("Cargo.toml")).to_string();
            for (name, text) in FILES {
                create(&self.path.join(name), &text.replace("\"Cargo.toml\"", &manifest))?;
            }
            let mut new = 0;
            for puzzle in puzzles {
                let file = self.file(puzzle);
                new += usize::from(create(&file, &puzzle.fresh)?);
                for (name, text) in &puzzle.with {
                    create(&file.with_file_name(name), text)?;
                }
            }
            Ok(new)
        };
        copied().with_context(|| self.cannot("write to"))
    }

    /// Keeps the folder in mind for later commands, and says which one they took before. Without a
    /// place for that, the variable is the way.
    pub fn keep_in_mind(&self) {
        let (before, path) = (Folder::find(), self.path.display());
        if let Some(pointer) = pointer() {
            let made = fs::create_dir_all(pointer.with_file_name(""));
            // Whether it is kept is looked at below.
            let _ = made.and_then(|()| fs::write(pointer, format!("{path}\n")));
        }
        match (Folder::find(), before) {
            (Ok(other), _) if other.path != self.path => aside!(
                "but the next commands look into {}\n  next: export {VARIABLE}={path}",
                other.path.display()
            ),
            (_, Ok(before)) if before.path != self.path && before.is_started() => {
                let before = shown(&before.path);
                aside!(
                    "this folder is in use from now on; {before} was until now, and stays as it \
                     is\n  back: cargo course start {before}"
                );
            }
            _ => {}
        }
    }

    fn cannot(&self, what: &str) -> String {
        format!(
            "cannot {what} {}; name another folder: cargo course start DIR",
            self.path.display()
        )
    }

    /// The learner's file of a puzzle.
    pub fn file(&self, puzzle: &Puzzle) -> PathBuf {
        self.path.join(puzzle.file())
    }

    /// Puts a file as it came into the place of this one, unless it is so already: where the
    /// learner's own is kept now, if there was one.
    pub fn give_back(&self, puzzle: &Puzzle, file: &Path) -> Result<Option<PathBuf>> {
        self.must_be_started()?;
        let cannot = || format!("cannot give back {}", shown(file));
        let is_as_it_came = Source::read(file).is_ok_and(|own| !puzzle.is_edited(&own.text));
        // "2-second-barrier.old.cl", or with the first number that is free.
        let names = std::iter::once("old".to_string()).chain((2..).map(|n| format!("old-{n}")));
        let end = file.extension().unwrap_or_default().to_string_lossy();
        let mut paths = names.map(|name| file.with_extension(format!("{name}.{end}")));
        let is_kept = file.symlink_metadata().is_ok() && !is_as_it_came;
        let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
        let kept = if is_kept { paths.find(is_free) } else { None };
        if let Some(kept) = &kept {
            fs::rename(file, kept).with_context(cannot)?;
        }
        create(file, &puzzle.fresh).with_context(cannot)?;
        self.note(puzzle, file, |entry| entry.mark = None);
        Ok(kept)
    }

    /// What is noted; nothing where there is no file, or none that can be read.
    pub fn progress(&self) -> Progress {
        Progress::read(&self.path.join("progress.txt")).unwrap_or_default()
    }

    /// Notes what is known of a puzzle now, if this is the learner's own file of it. Where there is
    /// no folder yet, there is nothing to note it in; one that cannot be written is worth a word, no
    /// failure.
    pub fn note(&self, puzzle: &Puzzle, file: &Path, change: impl Fn(&mut Entry)) {
        let own = self.file(puzzle);
        let real = |path: &Path| path.canonicalize().ok();
        let is_own = own == file || real(&own).is_some_and(|own| real(file) == Some(own));
        let before = self.progress().of(&puzzle.id);
        let mut after = before;
        change(&mut after);
        if after == before || !is_own || !self.is_started() {
            return;
        }
        let notes = self.path.join("progress.txt");
        if let Err(error) = Progress::update(&notes, |notes| change(notes.entry(&puzzle.id))) {
            aside!("your progress was not noted in {}: {error}", notes.display());
        }
    }
}

/// Refuses a folder in the clone, which is to stay clean.
pub fn must_lie_outside(path: &Path) -> Result<()> {
    let clone = workspace();
    let clone = clone.canonicalize().unwrap_or(clone);
    // The folder need not exist: the nearest one above it does.
    let above = path.ancestors().find_map(|path| path.canonicalize().ok());
    if above.is_some_and(|above| above.starts_with(&clone)) {
        bail!(Error::Usage(format!(
            "{} lies in the clone of the course, which is to stay clean\n  next: name a folder \
             outside of it, as ~/{DEFAULT}",
            shown(path)
        )))
    }
    Ok(())
}

/// Makes a file, and the folder that it lies in, unless there is one.
fn create(path: &Path, text: &str) -> std::io::Result<bool> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    file::write(path, text).map(|()| true)
}

/// A path as people write it: with ~ for the home folder.
pub fn shown(path: &Path) -> String {
    let below = dirs::home_dir().and_then(|home| Some(path.strip_prefix(home).ok()?.to_path_buf()));
    plain_name(&match below {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    })
}

/// The file that says which folder was started last.
fn pointer() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("opencl-course/exercises"))
}

/// For clangd: the macros that the checks give to a kernel.
fn macros(puzzles: &[&Puzzle]) -> String {
    let mut all = String::from("# The macros that `cargo course exercise` passes.\n");
    for Puzzle { place, task, .. } in puzzles.iter().filter(|one| one.kind == Kind::Exercise) {
        let macros: BTreeMap<_, _> = task.macros(&task.size).into_iter().flatten().collect();
        let add = macros.iter().map(|(name, value)| format!("-D{name}={value}"));
        let add = Vec::from_iter(add).join(", ");
        if !add.is_empty() {
            all += &format!("---\nIf:\n  PathMatch: {place}.*\nCompileFlags:\n  Add: [{add}]\n");
        }
    }
    all
}
