//! Ablation: the same kernel with one part taken out, timed beside the whole. What
//! takes nearly as long alone as the whole does is what the kernel waits for; what
//! can be taken out for nothing is hidden behind it. No profiler is needed, and
//! what runs is no product, so it gets neither a rate nor a record.

#[cfg(test)]
mod tests;

use std::{ops::Range, time::Instant};

use clap::Args;
use colored::Colorize;
use common::error::{Error, Result};
use common::timing::{Runs, Timing};
use common::{program::Program, source::Source, stage::Stage};
use diagnostics::functions::functions;
use serde::Deserialize;
use serde_json::json;
use task::Task;
use verify::Shape;
use verify::numbers::{percent, seconds};
use watchdog::events::Event;

use crate::lesson::Lesson;

/// The part that is all of the kernel.
const WHOLE: &str = "whole";

/// The median seconds of a part, and their spread where it was timed alone; or why it was not run.
type Timed = Result<(f64, Option<f64>), String>;

/// The flag of the lessons whose kernels have parts to take out.
#[derive(Args)]
pub struct AblateFlag {
    /// Time each kernel with one part taken out at a time, to see what it waits for
    #[arg(long, conflicts_with_all = ["step", "present"])]
    pub ablate: bool,
}

impl Lesson {
    /// Verifies and times tasks, each first whole and then with each of its parts taken
    /// out; tasks without ablations are passed over.
    ///
    /// # Errors
    /// When no task that is wanted has ablations, or the device fails. A whole kernel
    /// that is wrong is a printed row.
    pub fn ablate(&mut self, tasks: &[Task]) -> Result<()> {
        self.peak()?;
        self.console.head(
            "  Only whole kernels compute products; the rest is what is left of them\n\n  \
             kernel, and with what                   median  spread  of all",
        )?;
        // Nothing is said of the kernels of a file where nobody has written it.
        let path = |name: &&str| Source::path_in_course(name).with_extension("ablations");
        let texts = self.files.iter().map(path).flat_map(std::fs::read_to_string);
        let text: String = texts.collect();
        let wanted = tasks.iter().filter(|task| self.flags.wants_task(task));
        let parts = wanted.map(|task| Ok((task, parts(&text, &task.name())?)));
        let mut tasks: Vec<(&Task, Vec<Ablation>)> = parts.collect::<Result<_>>()?;
        tasks.retain(|(_, parts)| !parts.is_empty());
        if tasks.is_empty() {
            return Err(Error::Usage("--ablate: these kernels have no parts to take out".into()));
        }
        for (task, parts) in tasks {
            if self.begins(task)?.is_some() {
                self.ablate_once(task, &parts)?;
                self.console.events.send(&Event::Ended)?;
            }
        }
        Ok(())
    }

    fn ablate_once(&mut self, task: &Task, parts: &[Ablation]) -> Result<()> {
        let Some(runs) = self.runs()? else {
            return Err(Error::Usage(
                "--ablate compares times: it needs timed runs, and no simulator".into(),
            ));
        };
        // The whole kernel must be right before anything is taken out of it.
        let record = self.measured(task, Some(runs))?;
        let Some(whole) = record.seconds_median else { return self.console.row(record) };
        let unchanged = |name: &str, shows: &str| Ablation {
            name: name.into(),
            shows: shows.into(),
            ..Ablation::default()
        };
        let part = unchanged(WHOLE, &task.says);
        self.part(task, &part, whole, Ok((whole, record.spread)))?;
        let helpers = record.helpers.iter();
        let helping: f64 = helpers.filter_map(|one| one.seconds_median).sum();
        if helping > 0.0 {
            let shows = "the kernels that run before or after this one in every run";
            self.part(task, &unchanged("helpers only", shows), whole, Ok((helping, None)))?;
        }
        for ablation in parts {
            let source = self.source_of(&task.kernel)?;
            let source = edited(&source, &task.kernel, &ablation.edits);
            let timing = source.map(|source| self.time_part(task, ablation, &source, runs));
            let timed = match timing {
                Ok(timing) => timing.map(|one| Ok((one.median(), Some(one.spread()))))?,
                Err(why) => Err(why),
            };
            self.part(task, ablation, whole, timed)?;
        }
        self.say("")
    }

    /// Times the edited kernel; nothing is checked, since nothing is computed.
    fn time_part(
        &mut self,
        task: &Task,
        ablation: &Ablation,
        source: &Source,
        runs: Runs,
    ) -> Result<Timing> {
        let name = format!("{} with {}", task.name(), ablation.name);
        self.console.doing(Stage::building(&name))?;
        let session = self.session()?;
        let options = task.build_options(task.ty);
        let source = alone(source, &task.kernels().collect::<Vec<_>>());
        let program = Program::build(&session, &source, &options, self.flags.raw_log)?;
        let ready = self.bind(task, task.plan()?, task.kernels_of(&program)?)?;
        self.console.doing(Stage::running(name))?;
        session.run(&ready.launches)?;
        // What laid the operands out has run, and is a line of its own.
        let own = std::slice::from_ref(ready.own());
        self.time(&ready, own, runs, Instant::now(), None)
    }

    /// Prints one line, for people or as JSON: never to be taken for a kernel's record.
    fn part(&mut self, task: &Task, part: &Ablation, whole: f64, timed: Timed) -> Result<()> {
        let device = &self.session()?.device;
        let (name, Shape { m, n, k }) = (task.name(), task.shape());
        let is_whole = part.name == WHOLE;
        let mut line = json!({
            "lesson": self.of,
            "ablation_of": name,
            "part": part.name,
            "shows": part.shows,
            "edits": part.edits,
            // False for everything but the whole kernel.
            "product": is_whole,
            "platform": device.platform.name,
            "device": device.name,
            "m": m,
            "n": n,
            "k": k,
        });
        let figures = match timed {
            Err(skipped) => {
                line["skipped"] = json!(skipped);
                format!("{} {skipped}", "skipped:".yellow())
            }
            Ok((median, spread)) => {
                let share = median / whole;
                // A block for each tenth of the whole kernel's time.
                let bar = "▇".repeat((share * 10.0).round().clamp(0.0, 13.0) as usize);
                line["seconds_median"] = json!(median);
                line["of_whole"] = json!(share);
                if spread.is_some() {
                    line["spread"] = json!(spread);
                }
                format!(
                    "{:>9}{:>8}{:>8} {}",
                    seconds(median),
                    spread.map_or("-".into(), |s| format!("±{}", percent(s))),
                    percent(share),
                    bar.cyan()
                )
            }
        };
        self.console.report.json(&line)?;
        let (title, indent) = if is_whole {
            (format!("{name:<37}").bold(), "")
        } else {
            (format!("  {:<35}", part.name).normal(), "  ")
        };
        let shows = part.shows.dimmed();
        self.say(format!("  {title}{figures}\n  {indent}{shows}"))
    }
}

/// A part that is taken out of a kernel. What is left must still need everything that
/// is to be timed, or the compiler takes that out as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Ablation {
    /// What is left, or what is gone: "arithmetic only", "no barriers".
    pub name: String,
    /// What its time tells, in a few words; nothing of edits that others take along.
    pub shows: String,
    /// Parts above it whose edits it takes along.
    with: Vec<String>,
    /// Old code, new code.
    pub edits: Vec<(String, String)>,
}

/// What is said of the kernels of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ablations {
    #[serde(default)]
    kernels: Vec<OfKernels>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfKernels {
    names: Vec<String>,
    parts: Vec<Ablation>,
}

/// The parts that the text has for a step.
fn parts(text: &str, step: &str) -> Result<Vec<Ablation>> {
    let is_meant = |name: &String| match name.strip_suffix('*') {
        Some(start) => step.starts_with(start),
        None => name == step,
    };
    let all: Ablations =
        toml::from_str(text).map_err(|why| Error::Usage(format!("--ablate: {why}")))?;
    let meant = all.kernels.into_iter();
    let meant = meant.filter(|one| one.names.iter().any(is_meant));
    let mut found: Vec<Ablation> = Vec::new();
    for mut part in meant.flat_map(|one| one.parts) {
        // Where there are no edits of a name, one that cannot be made says so.
        let with = part.with.iter().flat_map(|name| {
            let mut edits = found.iter().filter(|one| one.shows.is_empty());
            let known = edits.rfind(|one| one.name == *name);
            known.map_or_else(|| vec![(name.clone(), String::new())], |one| one.edits.clone())
        });
        part.edits = with.chain(part.edits.clone()).collect();
        found.push(part);
    }
    found.retain(|one| !one.shows.is_empty());
    Ok(found)
}

/// The source with a kernel's code edited, or why it cannot be.
fn edited(source: &Source, kernel: &str, edits: &[(String, String)]) -> Result<Source, String> {
    let bytes = place(&source.text, kernel).ok_or("the kernel's text was not found")?;
    let mut code = source.text[bytes.clone()].to_string();
    for (old, new) in edits {
        match &places(&code, old)[..] {
            [place] => code.replace_range(place.clone(), new),
            others => {
                let first = old.trim().lines().next().unwrap_or_default();
                let count = others.len();
                return Err(format!("`{first}` stands {count} times in the kernel, not once"));
            }
        }
    }
    let mut edited = source.clone();
    edited.text.replace_range(bytes, &code);
    Ok(edited)
}

/// Where a piece of code stands, whatever spaces, line ends and comments are between.
fn places(code: &str, piece: &str) -> Vec<Range<usize>> {
    let piece: Vec<char> = piece.chars().filter(|c| !c.is_whitespace()).collect();
    let mut solid: Vec<(usize, char)> = Vec::new();
    let mut begin = 0;
    for line in code.split_inclusive('\n') {
        let own = line.split("//").next().unwrap_or_default();
        let chars = own.char_indices().filter(|(_, c)| !c.is_whitespace());
        solid.extend(chars.map(|(at, c)| (begin + at, c)));
        begin += line.len();
    }
    let is_it = |window: &&[(usize, char)]| window.iter().map(|(_, c)| c).eq(&piece);
    let windows = solid.windows(piece.len().max(1)).filter(is_it);
    let place = |found: &[(usize, char)]| {
        let (last, c) = found[found.len() - 1];
        found[0].0..last + c.len_utf8()
    };
    windows.map(place).collect()
}

/// The source with all other kernels emptied: they would take most of the time that
/// a build takes, for nothing. What is left stands on the line where it stood.
pub(crate) fn alone(source: &Source, kernels: &[&str]) -> Source {
    let mut alone = source.clone();
    let text = &mut alone.text;
    for other in source.kernels() {
        let bytes = place(text, &other).filter(|_| !kernels.contains(&other.as_str()));
        let Some(Range { start, end }) = bytes else { continue };
        if let Some(open) = text[start..end].find('{') {
            let body = start + open + 1..end - 1;
            let lines = "\n".repeat(text[body.clone()].matches('\n').count());
            text.replace_range(body, &lines);
        }
    }
    alone
}

/// Where a kernel stands in a file, from its first word to its last brace.
fn place(text: &str, kernel: &str) -> Option<Range<usize>> {
    let mut functions = functions(text).into_iter();
    let found = functions.find(|function| function.name == kernel);
    found.map(|function| function.bytes)
}
