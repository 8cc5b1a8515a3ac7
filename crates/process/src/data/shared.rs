//! A recording that somebody shares: what the kernels came to on a device, in one small file
//! without anything of the person or the machine's folders. `course record --share` writes it,
//! `cargo makers receive` holds it against what can be, and the atlas shows it.

use anyhow::Result;
use common::numbers::median;
use common::probe::Peak;
use common::record::Record;
use common::shape::Shape;
use serde::{Deserialize, Serialize};
use text::plain;

use super::recording::{Recording, name_on};
use crate::devices::Device;
use crate::lessons::LESSONS;

/// The version of the file's fields.
pub const FORMAT: u32 = 1;
/// How often each lesson runs.
pub const ROUNDS: usize = 3;
/// A rate above the limit that was measured in the same run by more than this is none.
const ABOVE_LIMIT: f64 = 1.1;
/// Rounds that differ by more than this, as factor, were not of a device in one state.
const UNSTEADY: f64 = 2.0;

/// The file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    /// [`FORMAT`], when it was written.
    pub format: u32,
    /// The course's version.
    pub course: String,
    /// Its commit, with "-dirty" where files were changed; where git knows it.
    pub commit: Option<String>,
    /// The day.
    pub date: String,
    /// "linux, x86_64".
    pub system: String,
    /// The host's CPU and its cores.
    pub host: String,
    /// As lesson 1 lists it.
    pub device: Device,
    /// The device's limits, for each round.
    pub limits: Vec<Peak>,
    /// Temperature and clocks before the first round and after each, where the system tells.
    pub states: Vec<String>,
    /// Those that were right in every round.
    pub kernels: Vec<Timed>,
    /// Kernels that were not right in every round, or not run.
    pub left_out: Vec<String>,
}

/// A kernel that was right in every round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// The lesson's number.
    pub lesson: u32,
    /// With its variant.
    pub kernel: String,
    /// The row that the step was made from, if it was from one.
    pub made_from: Option<String>,
    /// The sides of the product.
    pub size: Shape,
    /// All, where nothing went wrong.
    pub elements_compared: usize,
    /// "event" or "wall".
    pub clock: String,
    /// The median of each round.
    pub seconds: Vec<f64>,
}

impl Timed {
    /// GFLOP/s.
    pub fn rate(&self) -> f64 {
        self.size.flop() / median(&self.seconds) / 1e9
    }

    fn is_same(&self, other: &Timed) -> bool {
        let of = |one: &Timed| (one.lesson, one.kernel.clone(), one.size);
        of(self) == of(other)
    }
}

/// What was measured of products on the device, and the names of what was not.
pub fn products(records: &[Record]) -> (Vec<Timed>, Vec<String>) {
    let (mut timed, mut left_out) = (Vec::new(), Vec::new());
    let mut above: Option<&Record> = None;
    for one in records.iter().filter(|one| one.platform != "host") {
        let before = above.filter(|above| above.lesson == one.lesson);
        let before = before.map(|above| above.kernel.clone());
        match (one.seconds_median, one.gflops) {
            (Some(seconds), Some(_)) if one.is_right() => timed.push(Timed {
                lesson: one.lesson,
                kernel: one.kernel.clone(),
                made_from: one.step_factor.and(one.made_from.clone().or(before)),
                size: one.shape(),
                elements_compared: one.compared().unwrap_or(0),
                clock: one.clock.clone().unwrap_or_default(),
                seconds: vec![seconds],
            }),
            // What moves memory has a rate of another kind.
            _ if one.gbytes_per_second.is_some() => {}
            _ => left_out.push(one.kernel.clone()),
        }
        above = Some(one);
    }
    (timed, left_out)
}

impl Shared {
    /// One more round.
    pub fn add(&mut self, records: &[Record], state: String) {
        let (timed, left_out) = products(records);
        let limits = records.iter().filter_map(|one| one.limits);
        self.limits.extend(limits.reduce(Peak::and));
        self.left_out.extend(left_out);
        if self.states.len() < 2 {
            self.kernels = timed;
        } else {
            self.kernels.retain_mut(|known| {
                let again = timed.iter().find(|one| one.is_same(known));
                match again {
                    Some(again) => known.seconds.extend(&again.seconds),
                    None => self.left_out.push(known.kernel.clone()),
                }
                again.is_some()
            });
        }
        self.left_out.sort();
        self.left_out.dedup();
        self.states.push(state);
    }

    /// A recording of before, which had one round.
    pub fn of_recordings(run: &str) -> Result<Shared> {
        let lessons = LESSONS
            .iter()
            .map(|lesson| Recording::read(run, &lesson.package()));
        let all: Vec<Recording> = lessons.filter_map(Result::ok).collect();
        let records: Vec<Record> = all
            .iter()
            .flat_map(|one| one.rows().into_iter().cloned())
            .collect();
        let mut products = records
            .iter()
            .filter(|one| one.platform != "host" && one.gflops.is_some());
        let (Some(first), Some(recording)) = (products.next_back(), all.first()) else {
            anyhow::bail!("data/{run} has no product");
        };
        let mut shared = Shared {
            format: FORMAT,
            date: recording.date.clone(),
            device: Device {
                name: first.device.clone(),
                platform: first.platform.clone(),
                driver: first.driver.clone(),
                ..Device::default()
            },
            states: vec![String::new()],
            ..Shared::default()
        };
        shared.add(&records, String::new());
        Ok(shared)
    }

    /// The device as people say it: "NVIDIA H200", "AMD EPYC, PoCL".
    pub fn name(&self) -> String {
        let (name, platform) = (&self.device.name, &self.device.platform);
        let words = name_on(platform, name);
        match words.strip_suffix(" on a CPU") {
            // PoCL puts threads and instructions before the name.
            Some(driver) => {
                let begins = name.find(char::is_uppercase).unwrap_or(0);
                format!("{}, {driver}", &name[begins..])
            }
            None => words,
        }
    }

    /// What cannot be, or was not done as it is asked for.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut must = |is_kept: bool, says: String| faults.extend((!is_kept).then_some(says));
        let version = env!("CARGO_PKG_VERSION");
        let of = |limit: fn(&Peak) -> f64| self.limits.iter().map(limit);
        let limit = of(|one| one.gflops).fold(0.0, f64::max);
        let is_steady_in = |limit| is_steady(of(limit));
        let (format, course, many) = (self.format, &self.course, self.limits.len());
        must(format == FORMAT, format!("format {format}, not {FORMAT}"));
        must(
            course == version,
            format!("of course {course}, not {version}"),
        );
        must(many == ROUNDS, format!("{many} limits, not {ROUNDS}"));
        must(!self.kernels.is_empty(), "no kernel".into());
        let are_steady =
            is_steady_in(|one| one.gflops) && is_steady_in(|one| one.gbytes_per_second);
        let differ = "the limits in GFLOP/s or GB/s differ from round to round";
        must(are_steady, differ.into());
        let device = &self.device;
        let words = [&device.name, &device.platform, &device.driver, &self.date];
        let words = words.into_iter().chain([&self.system, &self.host]);
        let words = words.chain(&self.states).chain(&self.commit);
        let words = words.chain(&self.left_out);
        for word in words.chain(self.kernels.iter().map(|one| &one.kernel)) {
            let is_plain = plain(word) == *word && !word.contains(['|', '<', '`']);
            must(
                is_plain && word.len() <= 200,
                format!("{word:?} is no name"),
            );
        }
        for one in &self.kernels {
            let (kernel, rate) = (&one.kernel, one.rate());
            let lesson = LESSONS.iter().find(|lesson| lesson.number == one.lesson);
            let names = lesson.and_then(|lesson| lesson.kernels().ok());
            let function = kernel.split(' ').next();
            let is_known = names.is_some_and(|all| all.iter().any(|name| function == Some(name)));
            let are_all = one.elements_compared == one.size.m.saturating_mul(one.size.n);
            let is_steady = is_steady(one.seconds.iter().copied());
            let too_fast = format!("{kernel}: {rate:.1} GFLOP/s, and the device does {limit:.1}");
            must(is_known, format!("lesson {} has no {kernel}", one.lesson));
            must(are_all, format!("{kernel}: not every element was compared"));
            must(
                one.seconds.len() == ROUNDS,
                format!("{kernel}: not {ROUNDS} rounds"),
            );
            must(is_steady, format!("{kernel}: the rounds differ"));
            must(rate <= ABOVE_LIMIT * limit, too_fast);
        }
        faults
    }
}

/// Whether all are positive numbers, and near each other.
fn is_steady(values: impl Iterator<Item = f64> + Clone) -> bool {
    let (least, most) = values
        .clone()
        .fold((f64::INFINITY, 0.0), |(least, most), one| {
            (one.min(least), one.max(most))
        });
    values.clone().all(|one| one.is_finite() && one > 0.0) && most <= UNSTEADY * least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `course record --share` would have written it.
    fn shared() -> Shared {
        let mut shared = Shared::of_recordings("epyc-1024").expect("it is kept");
        shared.course = env!("CARGO_PKG_VERSION").into();
        shared.limits = vec![shared.limits[0]; ROUNDS];
        for one in &mut shared.kernels {
            one.seconds = vec![one.seconds[0]; ROUNDS];
        }
        shared
    }

    #[test]
    fn what_cannot_be_is_named() {
        assert_eq!(shared().faults(), [""; 0]);
        type Change = fn(&mut Shared);
        let cases: [(&str, Change); 9] = [
            ("format 2", |one| one.format = 2),
            ("of course 9", |one| one.course = "9".into()),
            ("not 3", |one| one.limits.truncate(1)),
            ("no kernel", |one| one.kernels.clear()),
            ("is no name", |one| one.device.driver = "\u{1b}[2J".into()),
            ("has no matmul_x", |one| {
                one.kernels[0].kernel = "matmul_x".into()
            }),
            ("was compared", |one| one.kernels[0].elements_compared = 7),
            ("and the device does", |one| {
                one.kernels[0].seconds.fill(1e-9)
            }),
            ("the rounds differ", |one| {
                one.kernels[0].seconds[1] = f64::NAN
            }),
        ];
        for (says, change) in cases {
            let mut one = shared();
            change(&mut one);
            let faults = one.faults();
            assert!(
                faults.iter().any(|fault| fault.contains(says)),
                "{says}: {faults:?}"
            );
        }
    }

    #[test]
    fn a_kernel_that_is_missing_in_a_round_is_left_out() {
        let mut one = shared();
        let kernel = one.kernels[0].kernel.clone();
        one.add(&[], String::new());
        assert!(one.kernels.is_empty() && one.left_out.contains(&kernel));
    }

    #[test]
    fn a_damaged_file_is_refused_or_judged() {
        let mut one = shared();
        one.kernels.truncate(1);
        let text = serde_json::to_string(&one).expect("JSON");
        damage::must_be_survived(text.as_bytes(), |bytes| {
            if let Ok(one) = serde_json::from_slice::<Shared>(bytes) {
                one.faults();
            }
        });
    }
}
