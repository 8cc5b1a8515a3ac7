//! Lesson 11: autotuning. A program that looks for the best shape of a kernel
//! on this device, and believes nothing that it has not checked.

mod log;
mod search;
mod space;
mod tune;

use std::time::Duration;

use clap::Args;
use common::{device::Kind, error::Result};
use lesson::{Lesson, lesson_with};
use task::table::given;

use log::{Log, landscape, ranking};
use space::{Limit, STEPS};

/// The variant that a device gets untuned.
const DEFAULT: &str = "default";
/// So many of the fastest candidates are measured again, as other lessons measure.
const FINALISTS: usize = 5;

/// What a learner can ask of this lesson alone.
#[derive(Args)]
struct Tuning {
    /// Time for the search, earlier runs on this problem included: 20s, 2m, 500ms
    #[arg(long, default_value = "20s", value_name = "TIME", value_parser = humantime::parse_duration)]
    budget: Duration,

    /// Search only these values of a parameter, for example ROWS=4,8; may be repeated
    #[arg(long, value_name = "NAME=VALUES")]
    limit: Vec<Limit>,

    /// Forget what earlier runs found for this problem, and search anew
    #[arg(long)]
    reset: bool,
}

fn main() -> std::process::ExitCode {
    lesson_with(11, "autotuning", &["11-autotuning.cl"], autotune)
}

/// Searches, measures the best again beside the defaults, and shows what was found.
fn autotune(lesson: &mut Lesson, flags: &Tuning) -> Result<()> {
    let problem = &lesson.problem()?;
    let device = &lesson.session()?.device;
    let given = given(&device.limits, device.kind, problem);
    let mut defaults = space::defaults(&given, problem)?;
    // The one that should suit the device comes last. Where local memory is a memory of its
    // own, it answers many items at once. Elsewhere, on CPUs, a tile in it is a copy from the
    // cache to the cache.
    if device.kind == Kind::Gpu || device.limits.local_mem_dedicated {
        defaults.reverse();
    }
    let there = lesson.source()?.kernels();
    defaults.retain(|one| lesson.flags.wants(&one.kernel) && there.contains(&one.kernel));
    if lesson.runs()?.is_none() {
        let why = "none without timing: the defaults and some odd configurations are checked";
        lesson.say(format!("  search   {why}"))?;
        let tasks = defaults.iter().map(|default| default.task(DEFAULT, problem));
        let odd = STEPS.tasks("odd", &given, problem)?;
        return lesson.measure_all(&[tasks.collect::<Result<Vec<_>>>()?, odd].concat());
    }
    let kernels: Vec<&str> = defaults.iter().map(|one| &*one.kernel).collect();
    let (space, combinations) = space::space(&kernels, &flags.limit, &given)?;
    // What a process before this one has found is not forgotten.
    let reset = flags.reset && !lesson.goes_on();
    let mut log = Log::of(lesson, problem.shape, reset)?;
    lesson.peak()?;
    let suit = format!("{} of {combinations} combinations meet the constraints", space.len());
    lesson.say(format!("  space    {suit}"))?;
    tune::search(lesson, problem, &space, &defaults, flags.budget, &mut log)?;

    let ranking = ranking(&log.trials);
    let finalists = ranking.iter().map(|(trial, _)| &trial.point);
    let finalists = finalists.filter(|one| space.contains(one) && !defaults.contains(one));
    let numbers = (1..=FINALISTS).map(|number| format!("#{number}"));
    let untuned = defaults.iter().map(|point| (DEFAULT.to_string(), point));
    lesson.table("GFLOP/s")?;
    for (variant, point) in untuned.chain(numbers.zip(finalists)) {
        lesson.measure_task(&point.task(&variant, problem)?)?;
    }
    conclude(lesson)?;
    let maps =
        space::families().iter().filter_map(|one| landscape(&log.trials, &one.launch.function));
    maps.into_iter().try_for_each(|map| lesson.say(map))
}

/// What the device would have got untuned, the last of the defaults, beside the best.
fn conclude(lesson: &Lesson) -> Result<()> {
    let rows = lesson.rows().iter().filter(|row| !row.is_above_limit());
    let mut timed = rows.filter_map(|row| Some((row, row.gflops?)));
    let best = timed.clone().map(|one| one.1).fold(0.0, f64::max);
    timed.rfind(|one| one.0.variant == DEFAULT).map_or(Ok(()), |(untuned, rate)| {
        let beside = match rate < best {
            true => format!("{} of the best", verify::numbers::percent(rate / best)),
            false => "no candidate was faster".into(),
        };
        lesson.say(format!("\n  untuned  {}: {beside}", untuned.kernel))
    })
}
