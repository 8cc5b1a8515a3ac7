//! A task as text: the TOML beside a kernel, or in an exercise's page.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use common::device::Kind;
use common::{Error, Result, file};
use serde::{Deserialize, Deserializer, Serialize};
use verify::formula::Formula;

use crate::counts::Count;
use crate::form::{Given, LaunchForm, Or};
use crate::product::Layout;
use crate::sizes::{self, Sizes};

/// How a kernel is launched, what it is given, and what must come out. Formulas know the
/// sizes, the macros, and G and H, the sides of the group.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TaskFile {
    /// Its file, from the task's folder on.
    pub kernel: PathBuf,
    /// Name of the kernel, where its file has several; of several launches, the measured one.
    pub function: String,
    /// Names for formulas; "37x91x53" is M, N and K.
    #[serde(deserialize_with = "sizes::of")]
    pub size: Sizes,
    /// Further sizes at which it must be right.
    #[serde(deserialize_with = "sizes::several")]
    pub sizes: Vec<Sizes>,
    /// Where it is not for every size: by a formula of i = 1, 2, ... the sizes that it is for.
    pub draw: BTreeMap<String, Formula>,
    /// Macros given to the compiler.
    pub define: BTreeMap<String, usize>,
    /// What each dimension of the range counts; rounded up to whole groups.
    pub global: Vec<Formula>,
    /// The same in groups.
    pub groups: Vec<Formula>,
    /// The items of a group in each dimension.
    pub local: Vec<Formula>,
    /// The first item's number.
    pub offset: Vec<Formula>,
    /// The arguments in order, unless it is a product.
    pub args: Vec<Or<Formula, Given>>,
    /// Several launches, one after the other.
    pub launches: Vec<LaunchForm>,
    /// What each element of the output, or of the named ones, must be.
    pub check: Option<Or<String, Check>>,
    /// Bytes that it must move.
    pub bytes: Option<Formula>,
    /// Floating-point operations that it must do.
    pub flops: Option<Formula>,
    /// A product of matrices with the arguments (int M, int N, int K, A, B, C), and how these
    /// lie in memory.
    pub product: Option<Layout>,
    /// Of a product, what M, N and K are padded to with zeros.
    pub pad: Option<[Formula; 3]>,
    /// At most so many.
    pub at_most: BTreeMap<Count, Formula>,
    /// At least such a share of what the device does in the same run.
    pub at_least: BTreeMap<Limit, Least>,
    /// Sizes at which it is timed, where these are others.
    #[serde(deserialize_with = "sizes::of")]
    pub time: Sizes,
    /// The same for counts, where a simulator looks for faults at another size.
    #[serde(deserialize_with = "sizes::of")]
    pub counted: Sizes,
    /// Other macros, or other values, with each of which it must be right; counted is with the
    /// last.
    pub variants: Vec<BTreeMap<String, usize>>,
    /// Functions that it does without.
    pub without: Vec<String>,
    /// What it trains, in a few words: only a lesson's page says it.
    pub trains: String,
    /// What a tuner tries: values of macros, or groups.
    pub tune: BTreeMap<String, Vec<Tried>>,
}

/// What a device does at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// A copy, in bytes a second.
    Copy,
    /// Multiply-adds, in operations a second.
    Compute,
}

/// A share from 0 to 1 of what a device does at most.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Least {
    /// Of any device.
    Of(f64),
    /// By what the device is.
    ByKind {
        /// Of a CPU.
        cpu: f64,
        /// Of any other.
        gpu: f64,
    },
}

impl Least {
    /// The share that such a device is to reach.
    pub fn on(self, kind: Option<Kind>) -> f64 {
        match (self, kind) {
            (Least::Of(share), _) => share,
            (Least::ByKind { cpu, .. }, Some(Kind::Cpu)) => cpu,
            (Least::ByKind { gpu, .. }, _) => gpu,
        }
    }
}

/// One value of what a tuner tries: a macro's, or a group's sides.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Tried {
    /// A macro's.
    One(usize),
    /// A group's.
    Sides(Vec<usize>),
}

/// What is right.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Check {
    /// What a kernel computes that is plainly right. With its file alone one item runs it, with the
    /// task's arguments; its own are numbers, and names of buffers.
    #[serde(deserialize_with = "reference")]
    pub same_as: Option<LaunchForm>,
    /// By how much a result may differ from it, as a share of its size.
    pub tolerance: Option<f64>,
    /// What one of the formulas says, or nobody knows.
    pub any_of: Vec<Formula>,
    /// Formulas by the names of the buffers.
    #[serde(flatten)]
    pub each: BTreeMap<String, Formula>,
}

fn reference<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<LaunchForm>, D::Error> {
    let given: Option<Or<PathBuf, LaunchForm>> = Option::deserialize(from)?;
    Ok(given.map(|given| match given {
        Or::Table(reference) => reference,
        Or::Plain(kernel) => LaunchForm {
            kernel,
            ..LaunchForm::default()
        },
    }))
}

impl TaskFile {
    /// Reads one, its files by the folder that it lies in.
    ///
    /// # Errors
    /// [`Error::Usage`] with the line and what would be right.
    pub fn read(path: &Path) -> Result<TaskFile> {
        let cannot = |error: std::io::Error| Error::File {
            path: path.into(),
            why: error.to_string(),
        };
        let text = file::read(path, 1 << 20).map_err(cannot)?;
        let wrong = |why: &dyn fmt::Display| Error::Usage(format!("{}: {why}", path.display()));
        let own: toml::Table = toml::from_slice(&text).map_err(|why| wrong(&why))?;
        let mut task: TaskFile = match own.get("like") {
            Some(base) => like(base, own.clone(), path).map_err(|why| wrong(&why))?,
            None => toml::from_slice(&text).map_err(|why| wrong(&why))?,
        };
        if task.kernel.as_os_str().is_empty() {
            return Err(wrong(&"kernel is missing: kernel = \"FILE.cl\""));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        task.kernel = folder.join(&task.kernel);
        if let Some(Or::Table(Check {
            same_as: Some(reference),
            ..
        })) = &mut task.check
        {
            reference.kernel = folder.join(&reference.kernel);
        }
        let launches = task.launches.iter_mut().flat_map(|one| &mut one.args);
        for given in task.args.iter_mut().chain(launches) {
            if let Or::Table(Given {
                fill: Some(Or::Plain(fill)),
                ..
            }) = given
                && fill.ends_with(".cl")
            {
                *fill = folder.join(&*fill).to_string_lossy().into();
            }
        }
        Ok(task)
    }

    /// The kernel that a result is held against, and by how much it may differ from that.
    pub fn reference(&self) -> Option<(&LaunchForm, Option<f64>)> {
        match &self.check {
            Some(Or::Table(check)) => Some((check.same_as.as_ref()?, check.tolerance)),
            _ => None,
        }
    }

    /// Its launches in order.
    pub fn launches(&self) -> Vec<LaunchForm> {
        if !self.launches.is_empty() {
            return self.launches.clone();
        }
        vec![LaunchForm {
            kernel: PathBuf::new(),
            function: self.function.clone(),
            global: self.global.clone(),
            groups: self.groups.clone(),
            local: self.local.clone(),
            offset: self.offset.clone(),
            args: self.args.clone(),
        }]
    }
}

/// A task file that says only in what it differs from another one.
fn like(base: &toml::Value, mut own: toml::Table, path: &Path) -> anyhow::Result<TaskFile> {
    let name = base.as_str().unwrap_or_default();
    let text = file::read(&path.with_file_name(name), 1 << 20);
    let text = text.map_err(|why| anyhow::anyhow!("like: {name}: {why}"))?;
    let mut all: toml::Table = toml::from_slice(&text)?;
    own.remove("like");
    let mut ranges = ["global", "groups", "launches"].iter();
    if ranges.any(|range| own.contains_key(*range)) {
        // A launch is replaced as a whole.
        let launch = ["global", "groups", "local", "offset"];
        all.retain(|key, _| !launch.contains(&key));
    }
    all.extend(own);
    Ok(all.try_into()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_task_is_refused_or_makes_a_plan_or_an_error() {
        let kept = "../../tests/kernels/everyday/softmax.toml";
        let kept = std::fs::read(kept).expect("a task of the course");
        let folder = std::env::temp_dir().join(format!("task-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let path = folder.join("task.toml");
        damage::must_be_survived(&kept, move |bytes| {
            std::fs::write(&path, bytes).expect("it can be written");
            let Ok(task) = TaskFile::read(&path) else {
                return;
            };
            for words in ["5", "rows=5,cols=70", &String::from_utf8_lossy(bytes)] {
                let _ = task.sizes_of(words);
            }
            for sizes in task.all_sizes().unwrap_or_default() {
                let _ = task.task(&sizes, 1, &[]).and_then(|task| task.plan());
            }
            let _ = task.drawn(7);
        });
        std::fs::remove_dir_all(&folder).expect("it was ours");
    }
}
