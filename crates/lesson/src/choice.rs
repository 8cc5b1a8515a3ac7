//! One row of a table is chosen before anything runs, and marked.

use clap::Args;
use common::error::{Error, Result};
use common::numbers::percent;
use common::problem::Problem;
use common::task::Task;

use crate::ablate::AblateFlag;
use crate::kept::{Candidates, Kept};
use crate::lesson::Lesson;
use crate::report::CHOSEN;
use crate::results;

/// The kind of results that [`results::file`] keeps for the choice.
pub const CHOICE: &str = "choice";

/// The flags of the lessons that choose a kernel before the run.
#[derive(Args)]
pub struct ChoiceFlags {
    #[command(flatten)]
    parts: AblateFlag,

    /// Run only the kernel that is chosen for this device and size before the run
    #[arg(long, conflicts_with = "only")]
    chosen: bool,

    /// Run every candidate of the choice: for lesson 11, which keeps what they take
    #[arg(long, hide = true, conflicts_with_all = ["chosen", "ablate"])]
    candidates: bool,
}

impl ChoiceFlags {
    /// Chooses among these candidates, then measures those that are asked for, and the
    /// host unless one alone was; or with `--ablate` takes parts out of them.
    ///
    /// # Errors
    /// When the one that is marked is asked for, and none is; else as these do.
    pub fn measure(
        &self,
        lesson: &mut Lesson,
        problem: &Problem,
        mut candidates: Candidates,
    ) -> Result<()> {
        if self.candidates {
            let names = candidates.tasks.iter().map(|one| candidates.name(one));
            let names: Vec<String> = names.collect();
            for (task, name) in candidates.tasks.iter_mut().zip(names) {
                task.variant = name[task.kernel.len()..].trim().into();
            }
            return lesson.measure_all(&candidates.tasks);
        }
        let device = &lesson.session()?.device;
        let own = results::file(CHOICE, device, &lesson.source()?.text, problem.ty);
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

impl Lesson {
    /// Says below the table what the mark means, and how near to its best row the marked
    /// one came.
    pub(crate) fn tell_chosen(&mut self) -> Result<()> {
        let rows = self.console.report.rows();
        let right = rows.iter().filter(|row| row.verified);
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
