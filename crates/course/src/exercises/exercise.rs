//! An exercise: a folder below `exercises/` with a kernel that has a gap, the same
//! kernel with the gap filled, and a page of data, task, hints and reasoning.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use common::cli::parse_size;
use common::matrix::Shape;
use common::ndrange::NdRange;
use common::source::{Source, did_you_mean, workspace};
use common::traffic;
use serde::{Deserialize, Deserializer};

use super::counts::Count;
use super::problem::Kind;
use crate::lessons::LESSONS;

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

/// The data at the top of an exercise's page. Formulas know M, N and K as the kernel
/// gets them, G and H, the group's sides, and the macros.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// What the exercise trains, in a few words, for the lesson's page.
    pub trains: String,
    /// What the kernel computes, and with it the arguments.
    pub problem: Kind,
    /// Name of the kernel function.
    pub kernel: String,
    /// Formulas for the items that are needed in each dimension.
    items: Vec<String>,
    /// Formulas for the items of a work-group in each dimension.
    group: Vec<String>,
    /// Formulas for what M, N and K are padded to with zeros.
    #[serde(default = "no_padding")]
    pad: [String; 3],
    /// Macros given to the compiler.
    #[serde(default)]
    pub defines: BTreeMap<String, usize>,
    /// Other macros, or other values, each of which the kernel must be right with;
    /// counted is with the last.
    #[serde(default)]
    variants: Vec<BTreeMap<String, usize>>,
    /// Sizes at which a device must compute the right result.
    #[serde(deserialize_with = "sizes")]
    pub sizes: Vec<Shape>,
    /// Size at which the simulator looks for faults.
    #[serde(deserialize_with = "size")]
    pub simulated: Shape,
    /// Size at which it counts.
    #[serde(deserialize_with = "size")]
    pub counted: Shape,
    /// At most so many, by formulas.
    #[serde(default)]
    targets: BTreeMap<Count, String>,
}

fn no_padding() -> [String; 3] {
    ["1", "1", "1"].map(String::from)
}

fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Shape, D::Error> {
    parse_size(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}

fn sizes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Shape>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let sizes = texts.iter().map(|text| parse_size(text));
    sizes
        .collect::<Result<_, _>>()
        .map_err(serde::de::Error::custom)
}

impl Spec {
    /// The launches that are asked for: one for each variant.
    pub fn launches(&self) -> Vec<Spec> {
        let with = |variant: &BTreeMap<String, usize>| {
            let mut spec = self.clone();
            spec.defines.extend(variant.clone());
            spec
        };
        match self.variants.is_empty() {
            true => vec![self.clone()],
            false => self.variants.iter().map(with).collect(),
        }
    }

    /// What tells this launch from others: ", ROWS = 4", or nothing.
    pub fn variant(&self) -> String {
        let names = self.variants.iter().flat_map(BTreeMap::keys);
        let names: BTreeSet<&String> = names.collect();
        let told = names.into_iter().filter_map(|name| {
            let value = self.defines.get(name)?;
            Some(format!(", {name} = {value}"))
        });
        told.collect()
    }

    /// What a kernel is told of the size: padded.
    pub fn padded(&self, size: Shape) -> Result<Shape> {
        let [m, n, k] = self.padding()?;
        Ok(size.padded(Shape { m, n, k }))
    }

    /// What M, N and K are padded to.
    pub fn padding(&self) -> Result<[usize; 3]> {
        let [m, n, k] = &self.pad;
        Ok([self.constant(m)?, self.constant(n)?, self.constant(k)?])
    }

    /// The launch for a problem of this size.
    pub fn range(&self, size: Shape) -> Result<NdRange> {
        let items: Result<Vec<usize>> = self
            .items
            .iter()
            .map(|formula| Ok(self.value(formula, size)? as usize))
            .collect();
        Ok(NdRange::cover(&items?, &self.sides()?))
    }

    /// The targets at the size at which is counted, in the order of `Count`.
    pub fn targets(&self) -> Result<Vec<(Count, f64)>> {
        let targets = self.targets.iter();
        targets
            .map(|(count, formula)| Ok((*count, self.value(formula, self.counted)?)))
            .collect()
    }

    /// The macros as a build takes them.
    pub fn defines(&self) -> Vec<(String, usize)> {
        let defines = self.defines.iter();
        defines
            .map(|(name, value)| (name.clone(), *value))
            .collect()
    }

    /// The group's sides.
    fn sides(&self) -> Result<Vec<usize>> {
        self.group.iter().map(|side| self.constant(side)).collect()
    }

    fn value(&self, formula: &str, size: Shape) -> Result<f64> {
        let s = self.padded(size)?;
        let sides = self.sides()?;
        let value = |name: &str| {
            let number = match name {
                "M" => s.m,
                "N" => s.n,
                "K" => s.k,
                "G" => *sides.first()?,
                "H" => *sides.get(1)?,
                _ => *self.defines.get(name)?,
            };
            Some(number as f64)
        };
        Ok(traffic::evaluate(formula, &value)?)
    }

    /// The value of a formula that knows macros only.
    fn constant(&self, formula: &str) -> Result<usize> {
        let value = |name: &str| self.defines.get(name).map(|value| *value as f64);
        Ok(traffic::evaluate(formula, &value)? as usize)
    }
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
        usage(format!(
            "there is no exercise {word}{near}\n  next: `cargo run -p course -- exercise` lists \
             them all"
        ))
    })
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
