//! A puzzle of the game, whatever its kind: a kernel to complete or to mend, and what is
//! written about it.

use std::path::{Path, PathBuf};

use common::{command, source::Source};
use task::{form::Form, sizes::in_words};
use watchdog::lessons::Lesson;

use super::written::{Written, markdown};

/// Where the words beside a heading begin.
pub const WORDS: usize = 10;

/// What is to be done with a puzzle, and how it is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A kernel with a gap, which is filled: by its task.
    #[default]
    Exercise,
    /// A kernel with a fault, which is found and mended: as its lesson launches it.
    Broken,
    /// An empty file for a kernel: by its task, launched as the learner's own task file says.
    Problem,
    /// A program with a mistake on the host's side, which is mended: by its result and its calls.
    Program,
}

impl Kind {
    /// In a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Exercise => "exercise",
            Kind::Broken => "broken kernel",
            Kind::Problem => "problem",
            Kind::Program => "program",
        }
    }

    /// How its file's name ends.
    pub fn extension(self) -> &'static str {
        match self {
            Kind::Program => "rs",
            _ => "cl",
        }
    }
}

/// One, whatever its kind.
#[derive(Default)]
pub struct Puzzle {
    /// What is to be done with it.
    pub kind: Kind,
    /// Whose page is about it, if a lesson's is.
    pub lesson: Option<&'static Lesson>,
    /// "6.2" of the exercises, "d7" of the broken kernels, "p3" of the problems, "h1" of the programs.
    pub id: String,
    /// "06-local-memory/2-second-barrier": its place in the learner's folder.
    pub place: String,
    /// The page that is about it.
    pub page: PathBuf,
    /// The kernel as it comes.
    pub fresh: String,
    /// What else comes with it, by the names of the files.
    pub with: Vec<(String, String)>,
    /// The kernel as it could be in the end, where there is one.
    pub solution: Option<Source>,
    /// What is written about it.
    pub words: Written,
    /// A kernel's task.
    pub task: Form,
    /// A program's rules.
    pub rules: Rules,
}

/// What is asked of a program's calls.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rules {
    #[serde(rename = "trains")]
    _trains: String,
    /// Kinds of findings that must not be, besides those that no program may have.
    #[serde(default)]
    pub also: Vec<String>,
    /// How often a call may be made.
    #[serde(default)]
    pub at_most: std::collections::BTreeMap<String, usize>,
    /// An argument with which it must fail before it makes a context.
    pub refuses: Option<String>,
}

/// A lesson's page.
pub fn page_of(lesson: &Lesson) -> PathBuf {
    PathBuf::from(format!("lessons/{}/README.md", lesson.folder))
}

/// One has its place to itself.
impl PartialEq for Puzzle {
    fn eq(&self, other: &Puzzle) -> bool {
        self.place == other.place
    }
}

impl Puzzle {
    /// "second-barrier".
    pub fn name(&self) -> &str {
        let place = self.place.trim_end_matches("/start");
        let file = place.rsplit('/').next().unwrap_or(place);
        file.split_once('-').map_or(file, |(_, name)| name)
    }

    /// "Exercise 6.2: Second barrier".
    pub fn heading(&self) -> String {
        let (first, rest) = self.kind.noun().split_at(1);
        let first = first.to_uppercase();
        format!("{first}{rest} {}: {}", self.id, self.words.title)
    }

    /// What stands above it, and others like it, in a list.
    pub fn group(&self) -> String {
        match (self.lesson, self.kind) {
            (Some(lesson), _) => format!("lesson {}: {}", lesson.number, lesson.teaches),
            (_, Kind::Problem) => "problems: write the kernel, and choose its launch".into(),
            (_, Kind::Program) => "programs with a mistake on the host's side".into(),
            _ => "exercises".into(),
        }
    }

    /// The command that checks it.
    pub fn command(&self) -> String {
        format!("cargo course exercise {}", self.id)
    }

    /// Whether this text is another one than that which came, however its lines end.
    pub fn is_edited(&self, text: &str) -> bool {
        self.fresh != text && self.fresh != text.replace("\r\n", "\n")
    }

    /// Its file in a learner's folder.
    pub fn file(&self) -> PathBuf {
        PathBuf::from(format!("{}.{}", self.place, self.kind.extension()))
    }

    /// Whether a word means it: its number, its name, or its file. The number alone does where
    /// one kind is meant; of all, the broken kernels come first.
    pub fn is_meant_by(&self, word: &str) -> bool {
        let end = format!(".{}", self.kind.extension());
        let word = word.strip_suffix(&end).unwrap_or(word);
        let place = Path::new(&self.place);
        let number = match (self.kind, self.lesson) {
            (Kind::Exercise, Some(_)) => word.strip_prefix('e') == Some(&self.id),
            _ => self.id.rsplit(['.', 'd', 'p', 'h']).next() == Some(word),
        };
        word == self.id || number || word == self.name() || {
            // "2-second-barrier", its lesson's folder before it, and any before that.
            let path = Path::new(word);
            path.ends_with(place) || Some(path.as_os_str()) == place.file_name()
        }
    }

    /// A word, and beside it in the column [`WORDS`] what is asked: of a broken kernel the command
    /// that runs it, in two lines of a terminal that a shell takes for one.
    pub fn asks(&self, file: &Path, edited: bool) -> (&'static str, String) {
        match (self.kind, self.lesson) {
            (Kind::Broken, Some(lesson)) => {
                let run = command::cargo_run(&lesson.package());
                let (kernel, size) = (&self.task.launch.function, in_words(&self.task.size));
                let behind = format!("--size {size} --source {}", command::word(file));
                ("Run it", format!("{run} -- --only {kernel} \\\n{:WORDS$}  {behind}", ""))
            }
            (kind, _) if kind == Kind::Problem || kind == Kind::Exercise && !edited => {
                ("Task", markdown(&self.words.asks, WORDS).trim_start().into())
            }
            _ => ("Task", "stands at the top of the file".into()),
        }
    }
}
