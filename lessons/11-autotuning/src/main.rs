//! Lesson 11: autotuning. A program that looks for the best shape of a kernel
//! on this device, and believes nothing that it has not checked.

mod candidates;
mod defaults;
mod landscape;
mod log;
mod search;
mod show_best;
mod space;
mod tune;
mod worker;

use std::fs;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use common::error::Result;
use common::numbers::{factor, percent};
use common::problem::Problem;
use common::record::Record;
use lesson::{Lesson, Step, lesson_with, results};

use log::{Event, KIND, Log};
use space::{FAMILIES, Limit, Point, Room};

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

    /// Measure the kernels of lesson 9, or on a GPU of lesson 10, at a dozen shapes, or at
    /// --size; they choose by that before they run
    #[arg(long, conflicts_with_all = ["reset", "budget", "limit", "show_best"])]
    candidates: bool,
}

fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text);
    time.map_err(|_| "write a number and its unit: 20s, 2m or 500ms".into())
}

fn main() -> ExitCode {
    let file = Some("11-autotuning.cl");
    lesson_with(11, "autotuning", file, |lesson, flags: &Tuning| {
        if let Some(shape) = worker::problem_of_worker() {
            return worker::serve(lesson, shape);
        }
        if flags.candidates {
            return candidates::measure(lesson);
        }
        if flags.show_best {
            return show_best::show_best(lesson);
        }
        let problem = lesson.problem()?;
        let device = &lesson.session()?.device;
        let mut defaults = Vec::from(defaults::defaults(device, problem.ty, problem.shape));
        defaults.retain(|point| lesson.flags().wants(point.family().kernel));
        match lesson.runs()? {
            None => check(lesson, &problem, &defaults),
            Some(_) => autotune(lesson, &problem, defaults, flags),
        }
    })
}

/// Configurations that a search would hardly meet, and for which the kernels must
/// be right all the same: odd sizes, every width, one item a group.
const AWKWARD: &[&str] = &[
    "matmul_tunable_local TM=6 TN=10 TK=12 RM=3 RN=5 WIDTH=1 PAD=1 UNROLL=1",
    "matmul_tunable_local TM=12 TN=12 TK=6 RM=2 RN=4 WIDTH=2 PAD=2 UNROLL=16",
    "matmul_tunable_local TM=8 TN=8 TK=1 RM=2 RN=4 WIDTH=1 PAD=0 UNROLL=2",
    "matmul_tunable_local TM=4 TN=8 TK=4 RM=4 RN=8 WIDTH=4 PAD=0 UNROLL=16",
    "matmul_tunable_local TM=64 TN=16 TK=8 RM=8 RN=16 WIDTH=8 PAD=8 UNROLL=1",
    "matmul_tunable_local TM=32 TN=32 TK=16 RM=16 RN=16 WIDTH=16 PAD=0 UNROLL=1",
    "matmul_tunable_private LANES=1 VECTORS=5 ROWS=3 GROUP_X=5 GROUP_Y=2 UNROLL=1",
    "matmul_tunable_private LANES=2 VECTORS=3 ROWS=5 GROUP_X=3 GROUP_Y=1 UNROLL=2",
    "matmul_tunable_private LANES=8 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=7 UNROLL=4",
    "matmul_tunable_packed LANES=2 VECTORS=5 ROWS=3 TILES=3 UNROLL=2",
    "matmul_tunable_packed LANES=8 VECTORS=1 ROWS=7 TILES=1 UNROLL=4",
];

/// Nothing is to be timed, so nothing is searched: the defaults and some awkward
/// configurations are checked.
fn check(lesson: &mut Lesson, problem: &Problem, defaults: &[Point]) -> Result<()> {
    lesson.say(
        "  search   none without timing: the defaults and some odd configurations are checked",
    )?;
    let odd = |(i, text): (usize, &&str)| {
        let point = Point::try_from(text.to_string()).ok()?;
        Some(point.step(&format!("odd {}", i + 1)))
    };
    let mut steps: Vec<Step> = defaults.iter().map(|one| one.step("default")).collect();
    steps.extend(AWKWARD.iter().enumerate().filter_map(odd));
    lesson.measure_all(&steps, problem)
}

/// Searches, measures the best again, and shows what was found.
fn autotune(
    lesson: &mut Lesson,
    problem: &Problem,
    defaults: Vec<Point>,
    flags: &Tuning,
) -> Result<()> {
    let session = lesson.session()?;
    let room = Room::of(&session.device, problem.ty);
    let source = lesson.source()?;
    let there = source.kernels();
    let mut families = Vec::from_iter(0..FAMILIES.len());
    families.retain(|family| {
        let kernel = FAMILIES[*family].kernel;
        there.iter().any(|name| name == kernel) && lesson.flags().wants(kernel)
    });
    let space = space::space(&families, &flags.limit, &room);
    let path = results::file(KIND, &session.device, &source.text, problem.ty);
    let mut log = Log::at(path)?;
    if flags.reset {
        log.reset(problem.shape)?;
    }
    lesson.peak()?;
    let starts = tune::starts(&defaults, &families, &log, problem.shape, &room);
    let budget = flags.budget;
    tune::search(
        lesson, problem, &space, &starts, &families, budget, &mut log,
    )?;

    let trials = log.known(problem.shape).trials;
    let ranking = trials.ranking();
    let allowed = |point: &Point| space.points.contains(point);
    let finalists = ranking.iter().map(|(point, _)| *point);
    let finalists = finalists.filter(|point| allowed(point) && !defaults.contains(point));
    let finalists = (1..=FINALISTS)
        .map(|number| format!("#{number}"))
        .zip(finalists);
    let defaults = defaults.iter().map(|point| ("default".to_string(), point));
    lesson.table("GFLOP/s")?;
    for (variant, point) in defaults.chain(finalists) {
        lesson.measure(&point.step(&variant), problem)?;
        let row = lesson.console.report.rows().last();
        let row = row.filter(|row| row.verified && !row.is_above_limit());
        if let Some(gflops) = row.and_then(|row| row.gflops) {
            log.add(problem.shape, point, Event::Remeasured { gflops })?;
        }
    }
    conclude(lesson)?;
    landscape::show(lesson, &trials)?;
    let device = session.device.label();
    let (shape, ty) = (problem.shape, problem.ty.name());
    let title = format!("Search for {shape}, {ty} on {device}");
    let path = log.beside(shape, "svg");
    fs::write(&path, landscape::svg(&title, &trials))?;
    lesson.say(format!("\n  picture  {}", path.display()))
}

/// The winner beside the default that the device would have got untuned, which is
/// the last of the defaults.
fn conclude(lesson: &Lesson) -> Result<()> {
    let rows = lesson.console.report.rows().iter();
    let rows = rows.filter(|row| !row.is_above_limit());
    let timed: Vec<_> = rows.filter_map(|row| Some((row, row.gflops?))).collect();
    let is_default = |row: &Record| row.kernel.ends_with(" default");
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
        default.kernel.trim_end_matches(" default"),
        percent(untuned / tuned)
    ))
}
