//! The data of an exercise: the task of its kernel, where it must be right, and what is
//! asked of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use common::shape::Shape;
use common::task::Task;
use serde::Deserialize;

use super::counts::Count;
use crate::game::puzzle::{Check, Puzzle};
use crate::task::TaskFile;
use crate::task::child::{self, Purpose, Run};
use crate::task::file::{Sizes, sizes_in_words};

/// The seed of an exercise's inputs.
pub const SEED: u64 = 1;

/// The data at the top of an exercise's page. Sizes are MxNxK, or N; a task with sizes of its
/// own says them itself.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// What the exercise trains, in a few words: only the lesson's page says it.
    #[serde(default, rename = "trains")]
    _trains: String,
    /// The kernel, its launch, and what is right.
    pub task: TaskFile,
    /// Other macros, or other values, each of which the kernel must be right with;
    /// counted is with the last.
    #[serde(default)]
    variants: Vec<BTreeMap<String, usize>>,
    /// Sizes at which a device must compute the right result.
    #[serde(default)]
    sizes: Vec<Size>,
    /// Size at which the simulator looks for faults.
    simulated: Option<Size>,
    /// Size at which it counts.
    counted: Option<Size>,
    /// Functions that the task does without.
    #[serde(default)]
    pub without: Vec<String>,
    /// How fast it is to be, where speed is the point.
    #[serde(default)]
    pub speed: Option<Speed>,
}

/// A kernel of the lesson that solves the same problem, and the share of its speed that is
/// asked for.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Speed {
    /// The lesson's kernel.
    pub task: TaskFile,
    /// Its file below `kernels/`, where that is another lesson's.
    #[serde(default)]
    pub file: Option<String>,
    /// Size at which both are timed.
    pub size: Size,
    /// From 0 to 1.
    pub at_least: f64,
}

/// The spec of a puzzle that has a task, for the learner's file of it.
pub fn of(puzzle: &Puzzle, file: &Path) -> Result<Spec> {
    match &puzzle.check {
        Check::Task(spec) => Ok((**spec).clone()),
        Check::TaskFile => own(file),
        Check::Lesson(_) | Check::Host(_) => anyhow::bail!("it has no task"),
    }
}

/// The spec of a task file beside the learner's kernel: it may launch it as it likes.
pub fn own(file: &Path) -> Result<Spec> {
    let mut task = TaskFile::read(&file.with_file_name("task.toml"))?;
    task.kernel = file.into();
    if let ("", Some(last)) = (&*task.function, task.launches.last()) {
        task.function.clone_from(&last.function);
    }
    Ok(plain(task))
}

/// The spec of a task file alone.
pub fn plain(task: TaskFile) -> Spec {
    Spec {
        _trains: String::new(),
        task,
        variants: Vec::new(),
        sizes: Vec::new(),
        simulated: None,
        counted: None,
        without: Vec::new(),
        speed: None,
    }
}

/// A size that follows from a seed: small, and the same for every kernel.
pub fn drawn_size(seed: u64) -> Shape {
    // The multiplier of Knuth's MMIX generator; its high bits are spread well.
    let next = |x: u64| {
        x.wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407)
    };
    let side = |x: u64, most: u64| (1 + (x >> 33) % most) as usize;
    let first = next(next(seed));
    let second = next(first);
    Shape {
        m: side(first, 90),
        n: side(second, 150),
        k: side(next(second), 120),
    }
}

/// M, N and K, as "37x91x53" or "64" says them.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub struct Size(pub Shape);

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Size, String> {
        let size: Shape = text.parse()?;
        let counted = size.must_be_countable();
        counted
            .map_err(|error| error.to_string())
            .map(|()| Size(size))
    }
}

/// M, N and K by their names.
pub fn named(Size(size): Size) -> Sizes {
    let sides = [("M", size.m), ("N", size.n), ("K", size.k)];
    sides.map(|(name, side)| (name.into(), side)).into()
}

impl Spec {
    /// The launches that are asked for: one for each variant.
    pub fn launches(&self) -> Vec<Spec> {
        if self.variants.is_empty() {
            return vec![self.clone()];
        }
        let mut specs = vec![self.clone(); self.variants.len()];
        for (spec, variant) in specs.iter_mut().zip(&self.variants) {
            spec.task.define.extend(variant.clone());
        }
        specs
    }

    /// Sizes at which a device must compute the right result.
    pub fn sizes(&self) -> Vec<Sizes> {
        if self.task.size.is_empty() {
            return self.sizes.iter().copied().map(named).collect();
        }
        self.task.all_sizes().unwrap_or_default()
    }

    /// Size at which the simulator looks for faults.
    fn simulated(&self) -> Sizes {
        self.simulated.map_or_else(|| self.task.small(), named)
    }

    /// Size at which it counts.
    pub fn counted(&self) -> Sizes {
        self.counted.map_or_else(|| self.task.small(), named)
    }

    /// The task at a size.
    ///
    /// # Errors
    /// When the data make no sense.
    pub fn at(&self, size: &Sizes) -> Result<Task> {
        Ok(self.task.task(size, SEED, &[])?)
    }

    /// The size that is new in a check; none where its formulas allow no other.
    pub fn drawn(&self, seed: u64) -> Option<Sizes> {
        if !self.task.size.is_empty() {
            return self.task.drawn(seed).into_iter().next();
        }
        let size = drawn_size(seed);
        Some(named(Size(match self.task.dimensions() {
            3 => size,
            2 => Shape { k: 1, ..size },
            _ => Shape::cube(size.m * size.n % 2000 + 1),
        })))
    }

    /// What tells this launch from others: ", ROWS = 4", or nothing.
    fn variant(&self) -> String {
        let names: BTreeSet<&String> = self.variants.iter().flat_map(BTreeMap::keys).collect();
        let told = |name| Some(format!(", {name} = {}", self.task.define.get(name)?));
        names.into_iter().filter_map(told).collect()
    }

    /// A size by the sides that the kernel is told.
    pub fn name(&self, size: &Sizes) -> String {
        let side = |name: &str| size.get(name).copied().unwrap_or(1);
        match self.task.dimensions() {
            _ if !self.task.size.is_empty() => sizes_in_words(size),
            3 => format!("{}x{}x{}", side("M"), side("N"), side("K")),
            2 => format!("{}x{}", side("M"), side("N")),
            _ => side("N").to_string(),
        }
    }

    /// The name of the size at which is counted, as the kernel is told it, and at most how
    /// much of what there may be, in the order of `Count`.
    ///
    /// # Errors
    /// When the data make no sense.
    pub fn targets(&self) -> Result<(String, Vec<(Count, f64)>)> {
        let counted = self.counted();
        let task = self.at(&counted)?;
        let scope = task.plan()?.scope_of(&task, task.own_launch())?;
        let told = counted.iter().map(|(name, size)| {
            let told = scope.get(name).map_or(*size, |size| size as usize);
            (name.clone(), told)
        });
        let name = self.name(&told.collect());
        let targets = self.task.at_most.iter();
        let targets = targets.map(|(count, formula)| {
            let most = formula.value(&scope).map_err(anyhow::Error::msg)?;
            Ok((*count, most))
        });
        Ok((name, targets.collect::<Result<_>>()?))
    }

    /// A run of it at a size.
    fn run(&self, size: Sizes, seed: u64) -> Run {
        Run {
            says: format!("{}{}", self.name(&size), self.variant()),
            seed: Some(seed),
            ..Run::of(&self.task, Some(size))
        }
    }

    /// The runs that are checked on a device; `seed` is what is new in this check.
    pub fn results(&self, seed: u64) -> Vec<Run> {
        let launches = self.launches();
        let known = launches.iter().flat_map(|one| {
            let sizes = one.sizes().into_iter();
            sizes.map(|size| one.run(size, SEED)).collect::<Vec<_>>()
        });
        let new = launches
            .iter()
            .filter_map(|one| Some(one.run(one.drawn(seed)?, seed)));
        known.chain(new).collect()
    }

    /// Those in which a simulator looks for faults; counts are those of the last one.
    pub fn faults(&self) -> Vec<Run> {
        let launches = self.launches();
        let simulated = launches.iter().map(|one| one.run(one.simulated(), SEED));
        let counted = launches
            .last()
            .filter(|one| one.counted() != one.simulated());
        let counted = counted.map(|one| one.run(one.counted(), SEED));
        simulated.chain(counted).collect()
    }

    /// The program that launches it once, and at which size.
    pub fn launch(&self) -> Result<(Command, String)> {
        let launch = self.launches().pop().context("an exercise has a launch")?;
        let (size, run) = (launch.counted(), launch.run(launch.counted(), SEED));
        Ok((
            child::command(vec![run], Purpose::Launch)?,
            self.name(&size),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_data_are_refused_or_a_launch() {
        let page = include_str!("../../../../exercises/06-local-memory/2-two-barriers/README.md");
        let (_, data) = page.split_once("```toml\n").unwrap();
        let (data, _) = data.split_once("\n```").unwrap();
        let whole: Spec = toml::from_str(data).unwrap();
        assert!(whole.at(&whole.counted()).is_ok());
        damage::must_be_survived(data.as_bytes(), |bytes| {
            let Ok(spec) = toml::from_slice::<Spec>(bytes) else {
                return;
            };
            let _ = spec.targets();
            for launch in spec.launches() {
                let _ = (launch.variant(), launch.results(7), launch.faults());
            }
        });
    }
}
