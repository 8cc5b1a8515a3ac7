//! One row of a table is chosen before anything runs, and marked.

use std::collections::BTreeMap;

use clap::Args;
use common::error::{Error, Result};
use task::Task;
use verify::numbers::percent;
use verify::problem::Problem;
use verify::shape::Shape;

use crate::ablate::AblateFlag;
use crate::kept::{Candidates, Kept, Measured};
use crate::lesson::Lesson;
use crate::report::CHOSEN;
use crate::results;

/// Squares, flat and deep products, and those with a vector; a third size is the depth.
const SHAPES: [[usize; 3]; 12] = [
    [128, 128, 128],
    [512, 512, 512],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [4096, 4096, 4096],
    [1, 4096, 4096],
    [4096, 1, 4096],
    [16, 4096, 4096],
    [4096, 16, 4096],
    [128, 4096, 4096],
    [256, 256, 8192],
    [4096, 4096, 64],
];

/// The flags of the lessons that choose a kernel before the run.
#[derive(Args)]
pub struct ChoiceFlags {
    #[command(flatten)]
    parts: AblateFlag,

    /// Run only the kernel that is chosen for this device and size before the run
    #[arg(long, conflicts_with = "only")]
    chosen: bool,

    /// Measure every candidate of the choice at a dozen shapes, or at --size, and choose by
    /// that from then on
    #[arg(long, conflicts_with_all = ["chosen", "ablate", "only"])]
    candidates: bool,
}

impl ChoiceFlags {
    /// Chooses among a problem's candidates, then measures those that are asked for, and the
    /// host unless one alone was; or with `--ablate` takes parts out of them.
    ///
    /// # Errors
    /// When the one that is marked is asked for, and none is; else as these do.
    pub fn measure(
        &self,
        lesson: &mut Lesson,
        candidates: impl Fn(&mut Lesson, &Problem) -> Result<Candidates>,
    ) -> Result<()> {
        let device = lesson.session()?.device.clone();
        let kernels = &lesson.source()?.text;
        let own = results::file("choice", &device, kernels, lesson.flags().ty);
        if self.candidates {
            let all = SHAPES.map(|[m, n, k]| Shape { m, n, k });
            for shape in lesson.size.map_or(all.to_vec(), |one| vec![one]) {
                lesson.size = Some(shape);
                let problem = lesson.problem()?;
                let candidates = candidates(lesson, &problem)?;
                let seconds = seconds_of(lesson, candidates)?;
                if !seconds.is_empty() {
                    Kept(vec![Measured { shape, seconds }]).write(&own)?;
                }
            }
            return lesson.say(format!("\n  kept     {}", own.display()));
        }
        let problem = &*lesson.problem()?;
        let candidates = candidates(lesson, problem)?;
        let kept = Kept::read(&own, candidates.recording);
        let tasks = self.wanted(candidates.choose(&kept, problem.shape))?;
        if self.parts.ablate {
            return lesson.ablate(&tasks);
        }
        lesson.measure_all(&tasks)?;
        if self.chosen {
            return Ok(());
        }
        lesson.compare_with_host(problem)
    }

    /// All tasks, or with `--chosen` the one that is marked.
    fn wanted(&self, mut tasks: Vec<Task>) -> Result<Vec<Task>> {
        tasks.retain(|task| task.chosen || !self.chosen);
        if tasks.is_empty() {
            return Err(Error::Usage(
                "--chosen: none of these kernels was chosen for this device; lesson 9 chooses \
                 for CPUs, lesson 10 for GPUs"
                    .into(),
            ));
        }
        Ok(tasks)
    }
}

/// What each of the candidates takes: whatever disturbs a run makes it slower, so the fastest.
fn seconds_of(lesson: &mut Lesson, mut candidates: Candidates) -> Result<BTreeMap<String, f64>> {
    let names = candidates.tasks.iter().map(|one| candidates.name(one));
    let names: Vec<String> = names.collect();
    for (task, name) in candidates.tasks.iter_mut().zip(names) {
        task.variant = name[task.kernel.len()..].trim().into();
    }
    lesson.measure_all(&candidates.tasks)?;
    let rows = lesson.console.report.rows().iter();
    let right = rows.filter(|row| row.is_right());
    let fastest = right.filter_map(|row| {
        let seconds = row.seconds.iter().copied();
        Some((row.kernel.clone(), seconds.reduce(f64::min)?))
    });
    Ok(fastest.collect())
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
        self.say(format!(
            "  {CHOSEN} chosen before the run, for this device and size{reached}"
        ))
    }
}
