//! One kernel's result, whoever prints or keeps it; and how many elements a kernel must load and
//! store, as formulas.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::outcome::{Outcome, Skip};
use crate::timing::{Peak, Timing};
use crate::{device::Kind, stage::Death};
use verify::formula::{Formula, Scope};
use verify::{Differences, Shape, element::Type, matrix::Fill};

/// One kernel's result, as `--json` prints it and as the pages' tables read it.
/// Field names state units; what does not apply is left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Whose kernel it is.
    #[serde(rename = "lesson")]
    pub of: Of,
    /// Kernel, with its variant.
    pub kernel: String,
    /// The variant alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// What is new in it.
    pub says: String,
    /// The OpenCL implementation, or "host".
    pub platform: String,
    /// The device.
    pub device: String,
    /// What kind of device that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Version of the driver.
    pub driver: String,
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// Length of each sum.
    pub k: usize,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: Option<Type>,
    /// What the matrices held.
    pub fill: Option<Fill>,
    /// Seed of the matrices.
    pub seed: u64,
    /// Items of a work-group in each dimension.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<usize>,
    /// Macros that its compiler was given, besides the type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defines: BTreeMap<String, usize>,
    /// Whether it was chosen before the run, for this device and these sizes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
    /// Whether it uses what not all compilers have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vendor_specific: bool,
    /// Timed runs.
    pub runs: usize,
    /// What came of it: verified, varies, elements_compared, skipped, failed, died.
    #[serde(flatten, with = "crate::outcome")]
    pub outcome: Outcome,
    /// What it writes, and nobody compares though another result is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncompared: Vec<String>,
    /// The kernels that ran beside this one in every run: before it those that laid the
    /// operands out, after it the one that added shares up. Their time is part of `seconds`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub helpers: Vec<Helped>,
    /// All samples.
    pub seconds: Vec<f64>,
    /// The same runs by the wall clock, from before the launch until after the wait;
    /// left out where `seconds` are that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wall_seconds: Vec<f64>,
    /// Their median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_median: Option<f64>,
    /// Half the quartile distance over the median; one run has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// 1e9 floating-point operations a second (integer ones for ints).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gflops: Option<f64>,
    /// 1e9 bytes a second, read and written together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gbytes_per_second: Option<f64>,
    /// The device's own limits, as the lesson measured them just before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Peak>,
    /// The same just after it, where a task asks for speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits_after: Option<Peak>,
    /// Of a task: the share of its runs, from 0 to 1, in which a thread of its process waited for a
    /// core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_share: Option<f64>,
    /// Share of the device's own measured limit, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_of_limit: Option<f64>,
    /// The row of the same table that the step was made from, where that is not the row
    /// above; empty where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
    /// The rate over that of the row that the step was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_factor: Option<f64>,
    /// Seconds that the driver took to build the program.
    pub build_seconds: f64,
    /// Median seconds from QUEUED to START.
    pub queue_to_start_seconds: f64,
    /// Seconds to bring the inputs to the device, where a lesson measures it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_seconds: Option<f64>,
    /// Seconds to bring the result back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_seconds: Option<f64>,
    /// "event" or "wall".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// CL_KERNEL_PRIVATE_MEM_SIZE, where the driver tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_bytes: Option<u64>,
    /// CL_KERNEL_LOCAL_MEM_SIZE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_bytes: Option<u64>,
    /// The formulas of what one launch loads and stores.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub traffic_formulas: Option<Traffic>,
    /// Elements that one launch loads and stores, by these formulas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic_elements: Option<Counts>,
}

/// Whose a kernel is; `--json` prints the number of its lesson, and of a task 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u32", into = "u32")]
pub enum Of {
    /// A task's.
    #[default]
    Task,
    /// That of the lesson of this number.
    Lesson(u32),
}

impl From<u32> for Of {
    fn from(number: u32) -> Of {
        match number {
            0 => Of::Task,
            number => Of::Lesson(number),
        }
    }
}

impl From<Of> for u32 {
    fn from(of: Of) -> u32 {
        match of {
            Of::Task => 0,
            Of::Lesson(number) => number,
        }
    }
}

impl Display for Of {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Of::Task => f.write_str("Task"),
            Of::Lesson(number) => write!(f, "Lesson {number}"),
        }
    }
}

/// What a record tells of a kernel that helped another: its share of the time, and its
/// traffic.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Helped {
    /// Name of the kernel function.
    pub kernel: String,
    /// Whether it ran after the kernel that it helped, and not before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after: bool,
    /// Median seconds from its START to its END, where the events are credible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_median: Option<f64>,
    /// The formulas of what one launch loads and stores.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub traffic_formulas: Option<Traffic>,
    /// Elements that one launch loads and stores, by these formulas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic_elements: Option<Counts>,
}

/// What a kernel's time is turned into.
#[derive(Clone, Copy, Debug)]
pub enum Work<T = f64> {
    /// Floating-point operations.
    Flop(T),
    /// Bytes read and written.
    Bytes(T),
}

impl Default for Work<Formula> {
    fn default() -> Work<Formula> {
        Work::Bytes(Formula::default())
    }
}

impl Record {
    /// Puts a measured time and the rate that follows from it into the record.
    pub fn timed(&mut self, timing: &Timing, work: Work, limit: Option<f64>) {
        let median = timing.median();
        let rate = |amount: f64| amount / median / 1e9;
        self.runs = timing.seconds.len();
        self.seconds = timing.seconds.clone();
        self.wall_seconds = timing.wall_seconds.clone();
        self.seconds_median = Some(median);
        self.spread = (self.runs > 1).then(|| timing.spread());
        let own = self.helpers.iter().filter(|one| !one.after).count();
        let commands = timing.command_seconds.iter().enumerate();
        let others = commands.filter(|(at, _)| *at != own);
        for (helped, (_, seconds)) in self.helpers.iter_mut().zip(others) {
            helped.seconds_median = Some(*seconds);
        }
        self.queue_to_start_seconds = timing.queue_to_start_seconds;
        self.clock = Some(timing.clock().into());
        match work {
            Work::Flop(flop) => self.gflops = Some(rate(flop)),
            Work::Bytes(bytes) => self.gbytes_per_second = Some(rate(bytes)),
        }
        self.share_of_limit = limit.and_then(|limit| self.rate().map(|rate| rate / limit));
    }

    /// The record of a kernel that was not run, with the reason.
    pub fn skip(self, why: Skip) -> Record {
        Record { outcome: Outcome::Skipped(why), ..self }
    }

    /// The record of a kernel whose result is wrong: what it looks like.
    pub fn fail(self, wrong: impl Into<Differences>) -> Record {
        Record { outcome: Outcome::Wrong(wrong.into()), ..self }
    }

    /// The record of a kernel against which a simulator reported this, whatever its result.
    pub fn reported(self, faults: Vec<String>) -> Record {
        let mut wrong = match self.wrong() {
            Some(wrong) => wrong.clone(),
            None => "the result is right, and yet:".into(),
        };
        wrong.below.extend(faults);
        self.fail(wrong)
    }

    /// The record with what came of the kernel: of its work, or of what kept it from that.
    ///
    /// # Errors
    /// Those that say nothing of the kernel.
    pub fn after(self, done: Result<Outcome>) -> Result<Record> {
        let outcome = match done {
            Err(Error::Wrong(wrong)) => Outcome::Wrong(wrong),
            Err(Error::Skipped(why)) => Outcome::Skipped(why),
            done => done?,
        };
        Ok(Record { outcome, ..self })
    }

    /// Why it has no right result, in lines.
    pub fn why(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Begun | Outcome::Right { .. } => None,
            Outcome::Wrong(wrong) => Some(wrong.to_string()),
            Outcome::Skipped(why) => Some(why.to_string()),
            Outcome::Died(death) => Some(death.to_string()),
        }
    }

    /// 2 M N K over the bytes that it asks global memory for. What the helpers load and store
    /// counts, as their time does; none where it is not counted.
    pub fn intensity(&self) -> Option<f64> {
        let helpers = self.helpers.iter().map(|one| one.traffic_elements);
        let counts = [self.traffic_elements].into_iter().chain(helpers);
        let global = counts.map(|one| one.map(|c| c.global_loads as f64 + c.global_stores as f64));
        let bytes = global.sum::<Option<f64>>()? * self.ty?.size() as f64;
        (bytes > 0.0).then(|| self.shape().flop() / bytes)
    }

    /// Whether its result was checked and right.
    pub fn is_right(&self) -> bool {
        matches!(self.outcome, Outcome::Right { .. })
    }

    /// How many elements of a right result were compared, where that was counted.
    pub fn compared(&self) -> Option<usize> {
        match self.outcome {
            Outcome::Right { compared, .. } => compared,
            _ => None,
        }
    }

    /// What the wrong result looks like, if it is wrong.
    pub fn wrong(&self) -> Option<&Differences> {
        match &self.outcome {
            Outcome::Wrong(wrong) => Some(wrong),
            _ => None,
        }
    }

    /// Why the kernel did not run, if it did not.
    pub fn skipped(&self) -> Option<&Skip> {
        match &self.outcome {
            Outcome::Skipped(why) => Some(why),
            _ => None,
        }
    }

    /// How it took its process down, if it did.
    pub fn death(&self) -> Option<&Death> {
        match &self.outcome {
            Outcome::Died(death) => Some(death),
            _ => None,
        }
    }

    /// Whether its rate is beyond what the device was measured to do, and more than the
    /// measurement may be off: a finding, and no figure.
    pub fn is_above_limit(&self) -> bool {
        self.share_of_limit.is_some_and(|share| share > 1.05)
    }

    /// The sizes of its product.
    pub fn shape(&self) -> Shape {
        let Record { m, n, k, .. } = *self;
        Shape { m, n, k }
    }

    /// The kernel function, without the variant behind its name.
    pub fn function(&self) -> &str {
        let name = self.kernel.strip_suffix(&self.variant);
        name.map_or(&*self.kernel, str::trim_end)
    }

    /// GFLOP/s or GB/s.
    pub fn rate(&self) -> Option<f64> {
        self.gflops.or(self.gbytes_per_second)
    }

    /// What its rate is measured in.
    pub fn unit(&self) -> &'static str {
        self.gflops.map_or("GB/s", |_| "GFLOP/s")
    }
}

/// The elements that a kernel loads from and stores to global and local memory: formulas in M, N, K,
/// the group's size and the tile sizes, or what these come to for one launch. The text that is printed
/// is the text that is evaluated, and a test holds it against what a simulator counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Traffic<T = Formula> {
    /// Elements loaded from global memory.
    #[serde(alias = "global-loads")]
    pub global_loads: T,
    /// Elements stored to global memory.
    #[serde(alias = "global-stores")]
    pub global_stores: T,
    /// Elements loaded from local memory.
    #[serde(alias = "local-loads")]
    pub local_loads: T,
    /// Elements stored to local memory.
    #[serde(alias = "local-stores")]
    pub local_stores: T,
}

/// The values of the formulas, in elements.
pub type Counts = Traffic<u64>;

impl Traffic {
    /// Evaluates the formulas.
    ///
    /// # Errors
    /// When a formula is malformed, uses an unknown name, or is no whole number.
    pub fn count(&self, scope: &Scope) -> Result<Counts> {
        let count =
            |one: &Formula| one.count(scope).map(|count| count as u64).map_err(Error::Usage);
        Ok(Counts {
            global_loads: count(&self.global_loads)?,
            global_stores: count(&self.global_stores)?,
            local_loads: count(&self.local_loads)?,
            local_stores: count(&self.local_stores)?,
        })
    }
}
