//! One row of a table is chosen before anything runs, and marked.

use std::collections::BTreeSet;

use clap::Args;
use common::device::Kind;
use common::error::{Error, Result};
use verify::Shape;
use verify::numbers::percent;
use verify::problem::Problem;

use crate::ablate::AblateFlag;
use crate::cost::{Candidates, Costs, LAUNCH, kept_file};
use crate::lesson::Lesson;
use crate::report::CHOSEN;

/// The flags of the lessons that choose a kernel before the run.
#[derive(Args)]
pub struct ChoiceFlags {
    #[command(flatten)]
    parts: AblateFlag,

    /// Run only the kernel that is chosen for this device and size before the run
    #[arg(long, conflicts_with = "only")]
    chosen: bool,

    /// Measure every candidate of the choice once, at --size, and choose by that from then on
    /// [default size: 4096 on a GPU, else 1024]
    #[arg(long, conflicts_with_all = ["chosen", "ablate", "only"])]
    candidates: bool,
}

impl ChoiceFlags {
    /// Chooses among a problem's candidates, then measures those that are asked for, and the
    /// host unless one alone was; or with `--ablate` takes parts out of them.
    pub fn measure(
        &self,
        lesson: &mut Lesson,
        candidates: impl Fn(&mut Lesson, &Problem) -> Result<Candidates>,
    ) -> Result<()> {
        let device = lesson.session()?.device.clone();
        let kernels = &lesson.source()?.text;
        let own = kept_file("choice", &device, kernels, lesson.flags.ty);
        if self.candidates {
            let large = if device.kind == Kind::Gpu { 4096 } else { 1024 };
            let shape = lesson.size.unwrap_or(Shape::cube(large));
            let costs = costs_of(lesson, shape, candidates)?;
            if costs.0.is_empty() {
                return lesson.say("\n  kept     nothing: no candidate ran and was right");
            }
            costs.write(&own)?;
            return lesson.say(format!("\n  kept     {}", own.display()));
        }
        let problem = &*lesson.problem()?;
        let candidates = candidates(lesson, problem)?;
        let costs = Costs::read(&own, candidates.recording);
        let mut tasks = candidates.choose(&costs);
        tasks.retain(|task| task.chosen || !self.chosen);
        if tasks.is_empty() {
            let why = "--chosen: none of these kernels was chosen for this device; lesson 9 chooses \
                       for CPUs, lesson 10 for GPUs";
            return Err(Error::Usage(why.into()));
        }
        if self.parts.ablate {
            return lesson.ablate(&tasks);
        }
        lesson.measure_all(&tasks)?;
        if self.chosen {
            return Ok(());
        }
        lesson.compare_with_host(problem)
    }
}

/// What each candidate costs a unit, by its run at a shape that fills all of them; and before that,
/// what a launch takes, by the smallest product.
fn costs_of(
    lesson: &mut Lesson,
    shape: Shape,
    candidates: impl Fn(&mut Lesson, &Problem) -> Result<Candidates>,
) -> Result<Costs> {
    let mut costs = Costs::default();
    for shape in [Shape::cube(16), shape] {
        lesson.size = Some(shape);
        let problem = lesson.problem()?;
        let mut candidates = candidates(lesson, &problem)?;
        let mut known = BTreeSet::new();
        candidates.tasks.retain(|task| {
            !task.preferred && !task.too_large && known.insert(Candidates::name(task))
        });
        for task in &mut candidates.tasks {
            task.variant = Candidates::name(task)[task.kernel.len()..].trim().into();
        }
        lesson.measure_all(&candidates.tasks)?;
        let rows = lesson.console.report.rows().iter();
        let right = rows.filter(|row| row.is_right() && row.shape() == shape);
        // Whatever disturbs a run makes it slower.
        let fastest = right.filter_map(|row| {
            let seconds = row.seconds.iter().copied().reduce(f64::min)?;
            Some((row.kernel.clone(), seconds * 1e12))
        });
        let fastest: Vec<(String, f64)> = fastest.collect();
        let Some(&launch) = costs.0.get(LAUNCH) else {
            let Some(launch) = fastest.iter().map(|(_, time)| *time).reduce(f64::min) else {
                return Ok(costs);
            };
            costs.0.insert(LAUNCH.into(), launch);
            continue;
        };
        for task in &candidates.tasks {
            let took = fastest.iter().find(|(name, _)| *name == task.name());
            let cost = took.and_then(|(_, time)| candidates.measured(task, launch, *time));
            costs.0.extend(cost.map(|cost| (task.name(), cost)));
        }
    }
    Ok(costs)
}

impl Lesson {
    /// Says below the table what the mark means, and how near to its best row the marked
    /// one came.
    pub(crate) fn tell_chosen(&mut self) -> Result<()> {
        let rows = self.console.report.rows();
        let right = rows.iter().filter(|row| row.is_right());
        let best = right.filter_map(|row| row.rate()).fold(0.0, f64::max);
        let Some(chosen) = rows.iter().find(|row| row.chosen) else {
            return Ok(());
        };
        let reached = match chosen.rate() {
            Some(rate) if rows.len() > 1 => format!(": {} of the best", percent(rate / best)),
            _ => String::new(),
        };
        self.say(format!("  {CHOSEN} chosen before the run, for this device and size{reached}"))
    }
}
