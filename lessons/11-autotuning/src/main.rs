//! Lesson 11: autotuning. A program that looks for the best shape of a kernel
//! on this device, and believes nothing that it has not checked.

mod landscape;
mod log;
mod search;
mod show_best;
mod space;
mod tune;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use common::device::Kind;
use common::error::Result;
use common::record::Record;
use lesson::{Lesson, lesson_with};
use verify::formula::Scope;
use verify::numbers::{factor, percent};
use verify::problem::Problem;

use log::Log;
use space::{Limit, Point, STEPS};

/// So many of the fastest candidates are measured again, as other lessons measure.
const FINALISTS: usize = 5;

/// What a learner can ask of this lesson alone.
#[derive(Args)]
struct Tuning {
    /// Time for the search, earlier runs on this problem included: 20s, 2m, 500ms
    #[arg(long, default_value = "20s", value_name = "TIME", value_parser = time)]
    budget: Duration,

    /// Search only these values of a parameter, for example ROWS=4,8; may be repeated
    #[arg(long, value_name = "NAME=VALUES")]
    limit: Vec<Limit>,

    /// Forget what earlier runs found for this problem, and search anew
    #[arg(long)]
    reset: bool,

    /// Print the best configuration that is known for this problem and how to
    /// launch it; run nothing
    #[arg(long, conflicts_with_all = ["reset", "budget", "limit"])]
    show_best: bool,
}

fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text);
    time.map_err(|_| "write a number and its unit: 20s, 2m or 500ms".into())
}

fn main() -> ExitCode {
    let file = &["11-autotuning.cl"];
    lesson_with(11, "autotuning", file, |lesson, flags: &Tuning| {
        if flags.show_best {
            return show_best::show_best(lesson);
        }
        let problem = lesson.problem()?;
        let device = &lesson.session()?.device;
        let given = task::table::given(&device.limits, device.kind, &problem);
        let defaults = defaults(lesson, &given, &problem)?;
        match lesson.runs()? {
            None => check(lesson, &problem, &defaults, &given),
            Some(_) => autotune(lesson, &problem, flags, &defaults, &given),
        }
    })
}

/// A default of each kernel that is wanted; the one that should suit the device comes last.
fn defaults(lesson: &mut Lesson, given: &Scope, problem: &Problem) -> Result<Vec<Point>> {
    let device = &lesson.session()?.device;
    let mut defaults = space::defaults(given, problem)?;
    // Where local memory is a memory of its own, it answers many items at once.
    // Elsewhere, on CPUs, a tile in it is a copy from the cache to the cache.
    if device.kind == Kind::Gpu || device.limits.local_mem_dedicated {
        defaults.reverse();
    }
    defaults.retain(|default| lesson.flags().wants(&default.kernel));
    Ok(defaults)
}

/// Nothing is to be timed, so nothing is searched: the defaults and some awkward
/// configurations are checked.
fn check(lesson: &mut Lesson, problem: &Problem, defaults: &[Point], given: &Scope) -> Result<()> {
    lesson.say(
        "  search   none without timing: the defaults and some odd configurations are checked",
    )?;
    let defaults = defaults.iter().map(|one| one.task("default", problem));
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
    let shape = problem.shape;
    let there = lesson.source()?.kernels();
    let kernels = defaults.iter().map(|one| &*one.kernel);
    let kernels: Vec<&str> = kernels
        .filter(|one| there.iter().any(|own| own == one))
        .collect();
    let (space, combinations) = space::space(&kernels, &flags.limit, given)?;
    let mut log = Log::of(lesson)?;
    // Not what a process before this one has found.
    if flags.reset && !lesson.goes_on() {
        log.reset(shape)?;
    }
    lesson.peak()?;

    // After the defaults the best of other shapes, which often is good for this one.
    let mut starts = defaults.to_vec();
    for (other, best) in log.bests() {
        if other != shape && !starts.contains(&best) && best.suits(given)? {
            starts.push(best);
        }
    }
    starts.retain(|start| kernels.contains(&&*start.kernel));
    let suit = space.len();
    lesson.say(format!(
        "  space    {suit} of {combinations} combinations meet the constraints"
    ))?;
    for kernel in kernels {
        if !space.iter().any(|point| point.kernel == kernel) {
            lesson.say(format!(
                "           none of them is of {kernel}: its default alone is timed"
            ))?;
        }
    }
    let known = tune::search(lesson, problem, &space, &starts, flags.budget, &mut log)?;

    let ranking = known.ranking().into_iter().map(|(trial, _)| &trial.point);
    let finalists = ranking.filter(|one| space.contains(one) && !defaults.contains(one));
    let numbers = (1..=FINALISTS).map(|number| format!("#{number}"));
    let defaults = defaults.iter().map(|point| ("default".to_string(), point));
    lesson.table("GFLOP/s")?;
    for (variant, point) in defaults.chain(numbers.zip(finalists)) {
        lesson.measure_task(&point.task(&variant, problem)?)?;
        let row = lesson.rows().last();
        let row = row.filter(|row| row.is_right() && !row.is_above_limit());
        if let Some(gflops) = row.and_then(|row| row.gflops) {
            log.remeasured(shape, point, gflops)?;
        }
    }
    conclude(lesson)?;
    landscape::show(lesson, &known)
}

/// The winner beside the default that the device would have got untuned, which is
/// the last of the defaults.
fn conclude(lesson: &Lesson) -> Result<()> {
    let rows = lesson.rows().iter();
    let rows = rows.filter(|row| !row.is_above_limit());
    let timed: Vec<_> = rows.filter_map(|row| Some((row, row.gflops?))).collect();
    let is_default = |row: &Record| row.variant == "default";
    let default = timed.iter().rfind(|(row, _)| is_default(row));
    let best = timed.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (Some((default, untuned)), Some((best, tuned))) = (default, best) else {
        return Ok(());
    };
    lesson.say(format!(
        "\n  winner   {}\n           {}",
        best.kernel, best.says
    ))?;
    if best.kernel == default.kernel {
        return lesson.say("           the default of this device: no candidate was faster");
    }
    lesson.say(format!(
        "           {} {}, which this device gets untuned: that is {} of the winner",
        factor(tuned / untuned),
        default.function(),
        percent(untuned / tuned)
    ))
}
