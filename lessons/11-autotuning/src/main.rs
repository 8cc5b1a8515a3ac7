//! Lesson 11: autotuning. A program that looks for the best shape of a kernel
//! on this device, and believes nothing that it has not checked.

mod landscape;
mod log;
mod search;
mod space;
mod tune;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use common::device::Kind;
use common::error::Result;
use lesson::{Lesson, lesson_with};
use verify::formula::Scope;
use verify::numbers::percent;
use verify::problem::Problem;

use log::{Log, ranking};
use space::{Limit, Point, STEPS};

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

fn main() -> ExitCode {
    let file = &["11-autotuning.cl"];
    lesson_with(11, "autotuning", file, |lesson, flags: &Tuning| {
        let problem = lesson.problem()?;
        let device = &lesson.session()?.device;
        let given = task::table::given(&device.limits, device.kind, &problem);
        let mut defaults = space::defaults(&given, &problem)?;
        // The one that should suit the device comes last. Where local memory is a memory of its
        // own, it answers many items at once. Elsewhere, on CPUs, a tile in it is a copy from the
        // cache to the cache.
        if device.kind == Kind::Gpu || device.limits.local_mem_dedicated {
            defaults.reverse();
        }
        defaults.retain(|default| lesson.flags().wants(&default.kernel));
        match lesson.runs()? {
            None => check(lesson, &problem, &defaults, &given),
            Some(_) => autotune(lesson, &problem, flags, &defaults, &given),
        }
    })
}

/// Nothing is to be timed, so nothing is searched: the defaults and some awkward
/// configurations are checked.
fn check(lesson: &mut Lesson, problem: &Problem, defaults: &[Point], given: &Scope) -> Result<()> {
    lesson.say(
        "  search   none without timing: the defaults and some odd configurations are checked",
    )?;
    let defaults = defaults.iter().map(|one| one.task(DEFAULT, problem));
    let mut tasks = defaults.collect::<Result<Vec<_>>>()?;
    tasks.extend(STEPS.tasks("odd", given, problem)?);
    lesson.measure_all(&tasks)
}

/// Searches, measures the best again, and shows what was found.
fn autotune(
    lesson: &mut Lesson,
    problem: &Problem,
    flags: &Tuning,
    defaults: &[Point],
    given: &Scope,
) -> Result<()> {
    let there = lesson.source()?.kernels();
    let mut starts = defaults.to_vec();
    starts.retain(|start| there.contains(&start.kernel));
    let kernels: Vec<&str> = starts.iter().map(|one| &*one.kernel).collect();
    let (space, combinations) = space::space(&kernels, &flags.limit, given)?;
    // What a process before this one has found is not forgotten.
    let reset = flags.reset && !lesson.goes_on();
    let mut log = Log::of(lesson, problem.shape, reset)?;
    lesson.peak()?;
    let suit = space.len();
    lesson.say(format!("  space    {suit} of {combinations} combinations meet the constraints"))?;
    tune::search(lesson, problem, &space, &starts, flags.budget, &mut log)?;

    let ranking = ranking(&log.trials);
    let finalists = ranking.iter().map(|(trial, _)| &trial.point);
    let finalists = finalists.filter(|one| space.contains(one) && !defaults.contains(one));
    let numbers = (1..=FINALISTS).map(|number| format!("#{number}"));
    let defaults = defaults.iter().map(|point| (DEFAULT.to_string(), point));
    lesson.table("GFLOP/s")?;
    for (variant, point) in defaults.chain(numbers.zip(finalists)) {
        lesson.measure_task(&point.task(&variant, problem)?)?;
    }
    conclude(lesson)?;
    landscape::show(lesson, &log.trials)
}

/// What the device would have got untuned, the last of the defaults, beside the best.
fn conclude(lesson: &Lesson) -> Result<()> {
    let rows = lesson.rows().iter().filter(|row| !row.is_above_limit());
    let mut timed = rows.filter_map(|row| Some((row, row.gflops?)));
    let best = timed.clone().map(|one| one.1).reduce(f64::max);
    let untuned = timed.rfind(|one| one.0.variant == DEFAULT);
    let Some(((untuned, rate), best)) = untuned.zip(best) else {
        return Ok(());
    };
    let beside = match rate < best {
        true => format!("{} of the best", percent(rate / best)),
        false => "no candidate was faster".into(),
    };
    lesson.say(format!("\n  untuned  {}: {beside}", untuned.kernel))
}
