//! An exercise: a folder below `exercises/` with a kernel that has a gap, the same
//! kernel with the gap filled, and a page of data, task, hints and reasoning.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use common::source::{Source, did_you_mean, workspace};
use toolbox::lessons::LESSONS;

use super::spec::Spec;

/// An exercise, read from its folder.
pub struct Exercise {
    /// The lesson that it belongs to.
    pub lesson: u32,
    /// Its number in the lesson, from 1.
    pub number: u32,
    /// What it is called.
    pub title: String,
    /// What is to be done, in a few sentences.
    pub task: String,
    /// How its kernel is launched and what is asked of it.
    pub spec: Spec,
    /// From a nudge to nearly the solution.
    pub hints: Vec<String>,
    /// Why the solution is as it is.
    pub why: String,
    /// "06-local-memory/2-second-barrier": its place here and in the learner's folder.
    pub place: String,
}

/// All of them, in teaching order.
pub fn all() -> Result<Vec<Exercise>> {
    let root = workspace().join("exercises");
    let mut all = Vec::new();
    for lesson in LESSONS {
        let mut places: Vec<String> = Vec::new();
        // A lesson may have none.
        for entry in fs::read_dir(root.join(lesson.folder)).into_iter().flatten() {
            let name = entry?.file_name().to_string_lossy().into_owned();
            places.push(format!("{}/{name}", lesson.folder));
        }
        places.sort();
        for place in places {
            let read = read(&root, &place, lesson.number);
            all.push(read.with_context(|| format!("exercises/{place} cannot be used"))?);
        }
    }
    ensure!(
        !all.is_empty(),
        "there are no exercises in {}",
        root.display()
    );
    Ok(all)
}

/// The one that is meant by "6.2", a name, or a path.
pub fn find(all: Vec<Exercise>, word: &str) -> Result<Exercise> {
    let ids: Vec<String> = all.iter().map(Exercise::id).collect();
    let known: Vec<String> = all
        .iter()
        .flat_map(|one| [one.id(), one.name().to_string()])
        .collect();
    let found = all.into_iter().find(|one| one.is_meant_by(word));
    found.ok_or_else(|| {
        // All of them would be too many for a message.
        let near = did_you_mean(word, &known);
        let near = near.split_once(" There are");
        let near = near.map_or(String::new(), |(near, _)| format!("; {near}"));
        let near = of_lesson(word, &ids).unwrap_or(near);
        usage(format!(
            "there is no exercise {word}{near}\n  next: `cargo run -p course -- exercise` lists \
             them all"
        ))
    })
}

/// Where the word is only the number of a lesson: which exercises that one has.
fn of_lesson(word: &str, ids: &[String]) -> Option<String> {
    let mut its = ids.iter().filter(|id| {
        let lesson = id.split_once('.').map(|(lesson, _)| lesson);
        lesson == Some(word)
    });
    let first = its.next()?;
    let last = its.next_back().unwrap_or(first);
    Some(format!("; lesson {word} has {first} to {last}"))
}

/// An error of whoever typed the command: it ends with status 2.
pub fn usage(message: String) -> anyhow::Error {
    common::Error::Usage(message).into()
}

impl Exercise {
    /// "6.2".
    pub fn id(&self) -> String {
        format!("{}.{}", self.lesson, self.number)
    }

    /// "second-barrier".
    pub fn name(&self) -> &str {
        let folder = self.place.rsplit('/').next().unwrap_or(&self.place);
        folder.split_once('-').map_or(folder, |(_, name)| name)
    }

    fn is_meant_by(&self, word: &str) -> bool {
        let word = word.strip_suffix(".cl").unwrap_or(word);
        let place = Path::new(&self.place);
        word == self.id() || word == self.name() || {
            // "2-second-barrier", its lesson's folder before it, and any before that.
            let path = Path::new(word);
            path.ends_with(place) || Some(path.as_os_str()) == place.file_name()
        }
    }

    /// The kernel with the gap.
    pub fn unsolved(&self) -> Result<Source> {
        Ok(Source::read(&self.folder().join("exercise.cl"))?)
    }

    /// The kernel without it.
    pub fn solution(&self) -> Result<Source> {
        Ok(Source::read(&self.folder().join("solution.cl"))?)
    }

    /// The kernels of its lesson.
    pub fn kernels_of_lesson(&self) -> Result<Source> {
        let lesson = self.place.split('/').next().unwrap_or(&self.place);
        Ok(Source::of_course(&format!("{lesson}.cl"))?)
    }

    fn folder(&self) -> PathBuf {
        workspace().join("exercises").join(&self.place)
    }
}

fn read(root: &Path, place: &str, lesson: u32) -> Result<Exercise> {
    let folder = place.rsplit('/').next().unwrap_or(place);
    let number = folder
        .split('-')
        .next()
        .and_then(|number| number.parse().ok());
    let number = number.context("the folder's name does not begin with a number")?;
    let page = Source::read(&root.join(place).join("README.md"))?.text;
    let (head, rest) = page
        .split_once("```json\n")
        .context("README.md has no data between ```json and ```")?;
    let (data, rest) = rest.split_once("\n```").context("the data do not end")?;
    let spec = serde_json::from_str(data).context("the data of README.md")?;
    let mut sections = rest.split("\n## ");
    let task = sections.next().unwrap_or_default().trim().to_string();
    let (mut hints, mut why) = (Vec::new(), String::new());
    for section in sections {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        match title.trim() {
            "Why" => why = body.trim().to_string(),
            hint if hint.starts_with("Hint ") => hints.push(body.trim().to_string()),
            other => bail!("README.md has an unknown section: {other}"),
        }
    }
    ensure!(
        !task.is_empty() && !hints.is_empty() && !why.is_empty(),
        "README.md needs a task, a section \"Hint 1\" and a section \"Why\""
    );
    Ok(Exercise {
        lesson,
        number,
        title: head.trim().trim_start_matches("# ").to_string(),
        task,
        spec,
        hints,
        why,
        place: place.into(),
    })
}
