//! The game of the broken kernels: a symptom, a copy to edit, every detector that
//! there is, graded hints, and the explanation once the copy is mended.

mod broken;
mod checker;
mod command;
mod explanation;
mod folder;
mod screen;
mod verdict;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use toolbox::implementations::{self, Implementation};

use crate::judge::judge;
use crate::observation::{Observation, Outcome};
use crate::simulator;
use broken::Broken;
use checker::Run;
use command::command_line;
use explanation::Explanation;
use folder::{Folder, key};
use verdict::{Verdict, verdict};

/// Besides the header's size: a long sum, which kernels take in pieces, and a size
/// that divides by nothing.
const OTHER_SIZES: [&str; 2] = ["5x6x1030", "65x63x17"];

/// For the simulator, which is slow: partial groups and tiles in every dimension,
/// several groups in two. K is below N, so that rows of the wrong width overlap.
const SIMULATED: &str = "17x35x19";
/// Longer than on a device.
const PATIENCE: u64 = 6;

/// The flags of `course diagnose`.
#[derive(clap::Args)]
pub struct Options {
    /// Number of a broken kernel [default: list them]
    #[arg(value_name = "N", value_parser = broken::parse_number)]
    number: Option<usize>,
    /// Show one more hint
    #[arg(long, requires = "number", conflicts_with_all = ["explain", "json"])]
    hint: bool,
    /// Show the cause, what sees it, and the mended lines
    #[arg(long, requires = "number", conflicts_with = "json")]
    explain: bool,
    /// Your folder for the copies and for what you have mended
    #[arg(long, value_name = "DIR", default_value = folder::DEFAULT)]
    dir: PathBuf,
    /// Device for the checker, as the lessons take it [default: PoCL, where it is]
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,
    /// End a launch that takes longer; the simulator gets six times as long
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Lists the broken kernels, or shows one of them and what the detectors see.
pub fn diagnose(options: &Options) -> Result<()> {
    let folder = Folder::new(&options.dir);
    let Some(number) = options.number else {
        return list(&folder, options.json);
    };
    let broken = Broken::read(number)?;
    if options.hint {
        return hint(&broken, &folder);
    }
    if options.explain {
        return screen::explanation(&broken, &Explanation::of(&broken)?);
    }
    examine(&broken, &folder, options)
}

fn list(folder: &Folder, json: bool) -> Result<()> {
    let all = broken::all()?;
    let progress = folder.progress();
    if !json {
        return screen::list(&all, &progress, folder);
    }
    for broken in all {
        let line = json!({
            "number": broken.number,
            "lesson": broken.lesson,
            "symptom": broken.symptom,
            "mended": screen::is_mended(&progress, &broken),
        });
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(())
}

/// Shows the hints that were seen before, and the next one.
fn hint(broken: &Broken, folder: &Folder) -> Result<()> {
    let explanation = Explanation::of(broken)?;
    let seen = folder.progress().hints(&key(broken.number)) + 1;
    let seen = seen.min(explanation.hints.len());
    screen::hints(broken, &explanation.hints, seen)?;
    folder.note(|progress| progress.set_hints(&key(broken.number), seen));
    Ok(())
}

fn examine(broken: &Broken, folder: &Folder, options: &Options) -> Result<()> {
    let fresh = broken.copy_text();
    let copy = folder.copy(broken.number, &fresh)?;
    let edited = copy.text != fresh;
    let command = command_line(&broken.command(&copy.path));
    if !options.json {
        screen::head(broken, &copy, &command)?;
    }
    let mut observations = Vec::new();
    let mut each = |observation: Observation| -> Result<()> {
        if !options.json {
            screen::observation(broken, &observation, edited)?;
        }
        observations.push(observation);
        Ok(())
    };
    observe(broken, &copy.path, &copy.text, options, &mut each)?;
    let verdict = verdict(&observations, edited, broken.needs_simulator());
    let progress = folder.progress();
    if verdict == Verdict::Mended {
        folder.note(|progress| progress.set_mark(&key(broken.number), "mended"));
    }
    if options.json {
        let line = json!({
            "number": broken.number,
            "lesson": broken.lesson,
            "symptom": broken.symptom,
            "copy": copy.path,
            "command": command,
            "observations": observations.into_iter().map(Value::from).collect::<Vec<_>>(),
            "mended": verdict == Verdict::Mended,
            "verdict": verdict.words(),
        });
        writeln!(std::io::stdout(), "{line}")?;
        return Ok(());
    }
    screen::verdict(broken, &verdict)?;
    match verdict {
        Verdict::Mended => screen::explanation(broken, &Explanation::of(broken)?),
        Verdict::NotRun => screen::doctor(),
        _ => screen::next(broken, folder, &progress),
    }
}

/// Runs every detector on the copy; each observation is passed on as it is made.
fn observe(
    broken: &Broken,
    copy: &Path,
    text: &str,
    options: &Options,
    each: &mut impl FnMut(Observation) -> Result<()>,
) -> Result<()> {
    let all = implementations::all()?;
    let named = |name: &str| {
        all.iter()
            .find(|one| one.name == name && one.selector.is_some())
    };
    let chosen_before = std::env::var_os("OPENCL_COURSE_DEVICE").is_some();
    let pocl = named("PoCL").and_then(|pocl| pocl.selector.clone());
    let run = Run {
        broken,
        copy,
        device: options.device.clone().or(pocl.filter(|_| !chosen_before)),
        timeout: options.timeout,
    };
    for size in std::iter::once(broken.size()).chain(OTHER_SIZES) {
        let seen = checker::check(&run, size)?;
        // What does not build, or cannot start, does not at other sizes either.
        let hopeless = seen.outcome == Outcome::NotRun || seen.says.starts_with("does not build");
        let hung = seen.says.starts_with("no end after");
        each(seen)?;
        match (hopeless, hung) {
            (true, _) => return Ok(()),
            (_, true) => break,
            _ => {}
        }
    }
    for seen in simulate(&run, text, named("Oclgrind"))? {
        each(seen)?;
    }
    Ok(())
}

/// The copy in the simulator: one answer for the result, one for each kind of fault.
fn simulate(run: &Run, text: &str, oclgrind: Option<&Implementation>) -> Result<Vec<Observation>> {
    let Some(oclgrind) = oclgrind else {
        return Ok(vec![simulator::missing()]);
    };
    let mut command = run.command(SIMULATED, run.timeout.saturating_mul(PATIENCE))?;
    command
        .args(["--device", oclgrind.selector.as_deref().unwrap_or("0")])
        .envs(
            oclgrind
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        );
    let simulation = simulator::run(command)?;
    let mut seen = vec![judge("Oclgrind: result".into(), &simulation.output)];
    seen.extend(simulator::sort(&simulation.log, text));
    Ok(seen)
}
