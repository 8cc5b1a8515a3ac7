//! Ablation: the same kernel with one part taken out, timed beside the whole. What
//! takes nearly as long alone as the whole does is what the kernel waits for; what
//! can be taken out for nothing is hidden behind it. No profiler is needed, and
//! what runs is no product, so it gets neither a rate nor a record.

use clap::Args;
use colored::Colorize;
use std::time::Instant;

use common::error::{Error, Result};
use common::numbers::{percent, seconds};
use common::problem::Problem;
use common::program::{self, Program};
use common::session::Launch;
use common::source::Source;
use common::timing::{Runs, Timing};
use serde::Serialize;

use crate::ablation::{self, Ablation, alone, edited};
use crate::lesson::Lesson;
use crate::product::Product;
use crate::step::Step;
use crate::task::Task;

/// One line of `--ablate --json`: never to be taken for a kernel's record.
#[derive(Serialize)]
struct Part<'a> {
    lesson: u32,
    ablation_of: &'a str,
    part: &'a str,
    shows: &'a str,
    /// False for everything but the whole kernel.
    product: bool,
    platform: &'a str,
    device: &'a str,
    m: usize,
    n: usize,
    k: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_median: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<f64>,
    /// Its time over that of the whole kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_whole: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    edits: &'a [(String, String)],
}

/// The flag of the lessons whose kernels have parts to take out.
#[derive(Args)]
pub struct AblateFlag {
    /// Time each kernel with one part taken out at a time, to see what it waits for
    #[arg(long, conflicts_with_all = ["step", "present"])]
    pub ablate: bool,
}

impl Lesson {
    /// Verifies and times steps, each first whole and then with each of its parts taken
    /// out; steps without ablations are passed over.
    ///
    /// # Errors
    /// When no step that is wanted has ablations, or the device fails. A whole kernel
    /// that is wrong is a printed row.
    pub fn ablate(&mut self, steps: &[Step], problem: &Problem) -> Result<()> {
        self.peak()?;
        self.console
            .head(|report| report.line(format!("\n{}", heading().bold())))?;
        let text = ablation::text(self.file);
        let wanted = steps.iter().filter(|step| {
            let mut kernels = step.kernels();
            kernels.any(|kernel| self.flags().wants(kernel))
        });
        let steps: Vec<(&Step, Vec<Ablation>)> = wanted
            .map(|step| (step, ablation::parts(&text, &step.name())))
            .filter(|(_, parts)| !parts.is_empty())
            .collect();
        if steps.is_empty() {
            return Err(Error::Usage(
                "--ablate: these kernels have no parts to take out".into(),
            ));
        }
        for (step, parts) in steps {
            let begun = self.record(&step.name(), &step.says, problem.shape)?;
            self.once(begun, |lesson| lesson.ablate_once(step, &parts, problem))?;
        }
        Ok(())
    }

    fn ablate_once(&mut self, step: &Step, parts: &[Ablation], problem: &Problem) -> Result<()> {
        let Some(runs) = self.runs()? else {
            return Err(Error::Usage(
                "--ablate compares times: it needs timed runs, and no simulator".into(),
            ));
        };
        // The whole kernel must be right before anything is taken out of it.
        let record = self.measured(step, problem, Some(runs))?;
        let Some(whole) = record.seconds_median else {
            return self.console.row(record);
        };
        self.part(step, problem, None, Ok((whole, record.spread)), whole)?;
        let preparations = record.preparations.iter();
        let preparing: f64 = preparations.filter_map(|one| one.seconds_median).sum();
        if preparing > 0.0 {
            let part = Ablation::new(
                "laying out only",
                "the kernels that run before this one in every run",
            );
            self.part(step, problem, Some(&part), Ok((preparing, None)), whole)?;
        }
        for ablation in parts {
            let timed = match edited(&self.source()?, &step.kernel, &ablation.edits) {
                Ok(source) => Ok(self.time_part(step, problem, ablation, &source, runs)?),
                Err(reason) => Err(reason),
            };
            let timed = timed.map(|timing| (timing.median(), Some(timing.spread())));
            self.part(step, problem, Some(ablation), timed, whole)?;
        }
        self.say("")
    }

    /// Times the edited kernel; nothing is checked, since nothing is computed.
    fn time_part(
        &mut self,
        step: &Step,
        problem: &Problem,
        ablation: &Ablation,
        source: &Source,
        runs: Runs,
    ) -> Result<Timing> {
        let name = format!("{} with {}", step.name(), ablation.name);
        self.console.doing(format!("building {name}"))?;
        let session = self.session()?;
        let options = program::options(problem.ty, &step.defines);
        let source = alone(source, &step.kernels().collect::<Vec<_>>());
        let program = Program::build(&session, &source, &options, self.flags().raw_log)?;
        let kernel = program.kernel(&step.kernel, &Step::signature(problem.ty))?;
        let range = step.range(step.shape(problem.shape));
        let launch = Launch::new(kernel, name, range);
        let ready = Product { step, problem }.ready(self, &program, launch)?;
        self.console
            .doing(format!("running {} with {}", step.name(), ablation.name))?;
        session.run(&ready.launches)?;
        // What laid the operands out has run, and is a line of its own.
        self.time(&ready.laid_out_already(), runs, Instant::now())
    }

    /// Prints one line, for people or as JSON: median and spread, or why there are
    /// none. `ablation` is none for the whole, which takes `whole` seconds.
    fn part(
        &mut self,
        step: &Step,
        problem: &Problem,
        ablation: Option<&Ablation>,
        timed: Result<(f64, Option<f64>), String>,
        whole: f64,
    ) -> Result<()> {
        let session = self.session()?;
        let name = step.name();
        let (part, shows) = ablation.map_or(("whole", &*step.says), |a| (&a.name, &a.shows));
        let times = timed.as_ref().ok();
        self.console.report.json(&Part {
            lesson: self.number,
            ablation_of: &name,
            part,
            shows,
            product: ablation.is_none(),
            platform: &session.device.platform.name,
            device: &session.device.name,
            m: problem.shape.m,
            n: problem.shape.n,
            k: problem.shape.k,
            seconds_median: times.map(|(median, _)| *median),
            spread: times.and_then(|(_, spread)| *spread),
            of_whole: times.map(|(median, _)| median / whole),
            skipped: timed.as_ref().err().cloned(),
            edits: ablation.map_or(&[], |ablation| &ablation.edits),
        })?;
        let (title, indent) = match ablation {
            None => (format!("{name:<37}").bold(), ""),
            Some(_) => (format!("  {part:<35}").normal(), "  "),
        };
        let figures = match timed {
            Err(reason) => format!("{} {reason}", "skipped:".yellow()),
            Ok((median, spread)) => format!(
                "{:>9}{:>8}{:>8} {}",
                seconds(median),
                spread.map_or("-".into(), |s| format!("±{}", percent(s))),
                percent(median / whole),
                bar(median / whole).cyan()
            ),
        };
        self.say(format!("  {title}{figures}\n  {indent}{}", shows.dimmed()))
    }
}

/// A block for each tenth of the whole kernel's time.
fn bar(share: f64) -> String {
    "▇".repeat((share * 10.0).round().clamp(0.0, 13.0) as usize)
}

/// The heading above the lines of `--ablate`.
fn heading() -> String {
    format!(
        "  Only whole kernels compute products; the rest is what is left of them\n\n  \
         {:<37}{:>9}{:>8}{:>8}",
        "kernel, and with what", "median", "spread", "of all"
    )
}
