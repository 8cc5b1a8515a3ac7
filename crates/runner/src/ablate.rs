//! Ablation: the same kernel with one part taken out, timed beside the whole. What
//! takes nearly as long alone as the whole does is what the kernel waits for; what
//! can be taken out for nothing is hidden behind it. No profiler is needed, and
//! what runs is no product, so it gets neither a rate nor a record.

use clap::Args;
use colored::Colorize;
use common::error::{Error, Result};
use common::numbers::{percent, seconds};
use common::program::{self, Program};
use common::session::Launch;
use common::source::Source;
use common::timing::{Runs, Timing};
use common::verify::Problem;
use serde::Serialize;

use crate::lesson::Lesson;
use crate::product::Product;
use crate::step::Step;
use crate::task::Task;

/// A part that is taken out of a kernel, as edits of the kernel's own text. Each
/// old text must stand exactly once in the kernel. What is left must still need
/// everything that is to be timed, or the compiler takes that out as well.
#[derive(Clone, Copy, Debug)]
pub struct Ablation {
    /// What is left, or what is gone: "arithmetic only", "no barriers".
    pub name: &'static str,
    /// What its time tells, in a few words.
    pub shows: &'static str,
    /// Old text, new text.
    pub edits: &'static [(&'static str, &'static str)],
}

/// What lays the operands out in every run; it is measured with the whole.
const PREPARING: Ablation = Ablation {
    name: "laying out only",
    shows: "the kernels that run before this one in every run",
    edits: &[],
};

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
    edits: &'a [(&'static str, &'static str)],
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
        let wanted = |step: &&Step| {
            let asked_for = step.kernels().any(|kernel| self.flags().wants(kernel));
            asked_for && !step.ablations.is_empty()
        };
        let steps: Vec<&Step> = steps.iter().filter(wanted).collect();
        if steps.is_empty() {
            return Err(Error::Usage(
                "--ablate: these kernels have no parts to take out".into(),
            ));
        }
        for step in steps {
            let begun = self.record(&step.name(), &step.says, problem.shape)?;
            self.once(begun, |lesson| lesson.ablate_once(step, problem))?;
        }
        Ok(())
    }

    fn ablate_once(&mut self, step: &Step, problem: &Problem) -> Result<()> {
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
            self.part(
                step,
                problem,
                Some(&PREPARING),
                Ok((preparing, None)),
                whole,
            )?;
        }
        for ablation in step.ablations {
            let timed = match edited(&self.source()?, &step.kernel, ablation.edits) {
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
        let last = ready.launches.len() - 1;
        self.time(&ready.launches[last..], &ready.output, runs)
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
        let (part, shows) = ablation.map_or(("whole", &*step.says), |a| (a.name, a.shows));
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
            edits: ablation.map_or(&[], |ablation| ablation.edits),
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

/// The source with a kernel's text edited, or why it cannot be.
fn edited(source: &Source, kernel: &str, edits: &[(&str, &str)]) -> Result<Source, String> {
    let (before, mut body, after) =
        around(&source.text, kernel).ok_or("the kernel's text was not found")?;
    for (old, new) in edits {
        match body.matches(old).count() {
            1 => body = body.replace(old, new),
            count => {
                let first = old.trim().lines().next().unwrap_or_default();
                return Err(format!(
                    "`{first}` stands {count} times in the kernel, not once"
                ));
            }
        }
    }
    Ok(Source {
        path: source.path.clone(),
        text: format!("{before}{body}{after}"),
    })
}

/// The source with all other kernels emptied: they would take most of the time that
/// a build takes, for nothing.
fn alone(source: &Source, kernels: &[&str]) -> Source {
    let mut text = source.text.clone();
    let others = source.kernels().into_iter();
    for other in others.filter(|name| !kernels.contains(&name.as_str())) {
        let Some((before, body, after)) = around(&text, &other) else {
            continue;
        };
        if let Some((signature, _)) = body.split_once("\n{") {
            text = format!("{before}{signature}\n{{\n}}{after}");
        }
    }
    let path = source.path.clone();
    Source { path, text }
}

/// What stands before a kernel, the kernel from its name to the brace that ends
/// it at the beginning of a line, and what stands behind.
fn around<'a>(text: &'a str, kernel: &str) -> Option<(&'a str, String, &'a str)> {
    let start = text.find(&format!("void {kernel}("))?;
    let length = text[start..].find("\n}")? + 2;
    let (before, rest) = text.split_at(start);
    let (body, after) = rest.split_at(length);
    Some((before, body.to_string(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source {
            path: "x.cl".into(),
            text: "kernel void one(int a)\n{\n    x = y;\n}\nkernel void two(int a)\n{\n    x = y;\n    z = 1; z = 1;\n}\n"
                .into(),
        }
    }

    #[test]
    fn edits_touch_one_kernel_only() {
        let text = edited(&source(), "two", &[("x = y;", "x = 0;")])
            .unwrap()
            .text;
        assert_eq!(text.matches("x = y;").count(), 1);
        assert!(text.find("x = y;") < text.find("x = 0;"));
    }

    #[test]
    fn the_other_kernels_are_emptied_and_can_still_be_built() {
        let text = alone(&source(), &["two"]).text;
        let expected = "kernel void one(int a)\n{\n}\nkernel void two(int a)\n{\n    x = y;\n";
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(alone(&source(), &["one", "two"]).text, source().text);
    }

    #[test]
    fn an_edit_must_match_once() {
        let refused = |old| edited(&source(), "two", &[(old, "")]).unwrap_err();
        assert!(refused("z = 1;").contains("2 times"));
        assert!(refused("gone").contains("`gone` stands 0 times"));
        assert!(edited(&source(), "three", &[]).is_err());
    }
}
