//! The data of an exercise: the task of its kernel, where it must be right, and what is
//! asked of it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use common::shape::Shape;
use common::task::Task;
use serde::{Deserialize, Deserializer};

use super::counts::Count;
use crate::game::playable::drawn_size;
use crate::task::TaskFile;

/// The seed of an exercise's inputs.
pub const SEED: u64 = 1;

/// The data at the top of an exercise's page. Sizes are MxNxK, or N.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// What the exercise trains, in a few words: only the lesson's page says it.
    #[serde(rename = "trains")]
    _trains: String,
    /// The kernel, its launch, and what is right.
    pub task: TaskFile,
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
    #[serde(deserialize_with = "size")]
    pub size: Shape,
    /// From 0 to 1.
    pub at_least: f64,
}

fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Shape, D::Error> {
    let text = String::deserialize(from)?;
    parse_size(&text).map_err(serde::de::Error::custom)
}

fn parse_size(text: &str) -> Result<Shape, String> {
    let size: Shape = text.parse()?;
    size.must_be_countable()
        .map_err(|error| error.to_string())?;
    Ok(size)
}

fn sizes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Shape>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let sizes: Result<_, _> = texts.iter().map(|text| parse_size(text)).collect();
    sizes.map_err(serde::de::Error::custom)
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

    /// The task at a size.
    ///
    /// # Errors
    /// When the data make no sense.
    pub fn at(&self, size: Shape) -> Result<Task> {
        self.with_seed(size, SEED)
    }

    /// The same with other inputs.
    ///
    /// # Errors
    /// When the data make no sense.
    pub fn with_seed(&self, size: Shape, seed: u64) -> Result<Task> {
        let mut task = self.task.task_of_shape(size, seed)?;
        task.says = self.variant();
        Ok(task)
    }

    /// The size that is new in a check.
    pub fn drawn(&self, seed: u64) -> Shape {
        let size = drawn_size(seed);
        match self.task.dimensions() {
            3 => size,
            2 => Shape { k: 1, ..size },
            _ => Shape::cube(size.m * size.n % 2000 + 1),
        }
    }

    /// What tells this launch from others: ", ROWS = 4", or nothing.
    pub fn variant(&self) -> String {
        let names: BTreeSet<&String> = self.variants.iter().flat_map(BTreeMap::keys).collect();
        let told = |name| Some(format!(", {name} = {}", self.task.define.get(name)?));
        names.into_iter().filter_map(told).collect()
    }

    /// A size by the sides that the kernel is told.
    pub fn name(&self, size: Shape) -> String {
        match self.task.dimensions() {
            3 => size.to_string(),
            2 => format!("{}x{}", size.m, size.n),
            _ => size.n.to_string(),
        }
    }

    /// The name of the size at which is counted, as the kernel is told it, and at most how
    /// much of what there may be, in the order of `Count`.
    ///
    /// # Errors
    /// When the data make no sense.
    pub fn targets(&self) -> Result<(String, Vec<(Count, f64)>)> {
        let task = self.at(self.counted)?;
        let scope = task.plan()?.scope_of(&task, task.own_launch())?;
        let told = |name: &str, or: usize| scope.get(name).map_or(or, |size| size as usize);
        let Shape { m, n, k } = self.counted;
        let name = self.name(Shape {
            m: told("M", m),
            n: told("N", n),
            k: told("K", k),
        });
        let targets = self.task.at_most.iter();
        let targets = targets.map(|(count, formula)| {
            let most = formula.value(&scope).map_err(anyhow::Error::msg)?;
            Ok((*count, most))
        });
        Ok((name, targets.collect::<Result<_>>()?))
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
        assert!(whole.at(whole.counted).is_ok());
        damage::must_be_survived(data.as_bytes(), |bytes| {
            let Ok(spec) = toml::from_slice::<Spec>(bytes) else {
                return;
            };
            let _ = spec.targets();
            for launch in spec.launches() {
                let (name, _) = (launch.variant(), launch.name(launch.counted));
                assert!(name.len() <= 9 * bytes.len());
                let _ = launch.at(launch.simulated);
            }
        });
    }
}
