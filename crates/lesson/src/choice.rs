//! One step of a table is chosen before anything runs, and marked.

use clap::Args;
use common::error::{Error, Result};
use common::numbers::percent;
use common::problem::Problem;

use crate::ablate::AblateFlag;
use crate::lesson::Lesson;
use crate::report::CHOSEN;
use crate::step::Step;

/// The flags of the lessons that choose a kernel before the run.
#[derive(Args)]
pub struct ChoiceFlags {
    #[command(flatten)]
    parts: AblateFlag,

    /// Run only the kernel that is chosen for this device and size before the run
    #[arg(long, conflicts_with = "only")]
    chosen: bool,
}

impl ChoiceFlags {
    /// Measures the steps that are asked for, and the host unless one alone was; or with
    /// `--ablate` takes parts out of them.
    ///
    /// # Errors
    /// When the one that is marked is asked for, and none is; else as these do.
    pub fn measure(&self, lesson: &mut Lesson, steps: Vec<Step>, problem: &Problem) -> Result<()> {
        let steps = self.wanted(steps)?;
        if self.parts.ablate {
            return lesson.ablate(&steps, problem);
        }
        lesson.measure_all(&steps, problem)?;
        if self.chosen {
            return Ok(());
        }
        lesson.compare_with_host(problem)
    }

    /// All steps, or with `--chosen` the one that is marked.
    fn wanted(&self, mut steps: Vec<Step>) -> Result<Vec<Step>> {
        steps.retain(|step| step.chosen || !self.chosen);
        if steps.is_empty() {
            return Err(Error::Usage(
                "--chosen: none of these kernels was chosen for this device; lesson 9 chooses \
                 for CPUs, lesson 10 for GPUs"
                    .into(),
            ));
        }
        Ok(steps)
    }
}

/// Marks the step of the least cost, the first of several. A cost is what a lesson expects
/// a step to take, in any unit; a step of infinite cost is never marked.
pub fn choose(mut steps: Vec<Step>, cost: impl Fn(&Step) -> f64) -> Vec<Step> {
    let costs = steps.iter().map(cost).enumerate();
    let least = costs
        .filter(|(_, cost)| cost.is_finite())
        .min_by(|(_, a), (_, b)| a.total_cmp(b));
    if let Some((least, _)) = least {
        steps[least].chosen = true;
    }
    steps
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_step_is_chosen_and_no_other() {
        let steps = ["a", "b", "c", "d"].map(|name| Step::new(name, ""));
        let cost = |step: &Step| match step.kernel.as_str() {
            "a" => f64::INFINITY,
            "b" => 2.0,
            _ => 1.0,
        };
        let chosen = |steps: Vec<Step>| -> Vec<String> {
            let steps = choose(steps, cost).into_iter();
            steps
                .filter(|step| step.chosen)
                .map(|step| step.kernel)
                .collect()
        };
        assert_eq!(chosen(steps[..1].into()), [""; 0], "it cannot run");
        assert_eq!(chosen(steps.into()), ["c"], "the first of the cheapest");
    }
}
