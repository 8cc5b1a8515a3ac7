//! `course trace`: the memory traffic of a kernel, line by line, as a simulator saw it.

use std::io::Write;
use std::process::ExitCode;

use analysis::device::Model;
use analysis::launched::Wanted;
use analysis::program;
use analysis::trace::figures::Figures;
use analysis::trace::run::{self, Traced};
use analysis::trace::screen::Screen;
use anyhow::Result;
use clap::Args;
use common::Error;
use common::source::Source;
use process::lessons;
use serde_json::{Value, json};
use text::Out;

use crate::exercises::counts::Count;
use crate::exercises::{model, spec};
use crate::game::puzzle::{Check, Puzzle};
use crate::puzzles::{self, Taken};
use crate::subject::{LaunchFlags, is_own, taken};

/// The flags of `course trace`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    wanted: Wanted,
    /// Items that ask for memory together: 32 on NVIDIA's GPUs, 32 or 64 on AMD's
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    warp: u32,
    /// Bytes that move together
    #[arg(long, value_name = "BYTES", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=4096))]
    sector: u64,
    /// Banks of local memory, each 4 bytes wide
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=1024))]
    banks: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// Prints the operands, the worst first, the kernel with figures, and a picture.
pub fn trace(options: &Options) -> Result<ExitCode> {
    let mut wanted = options.wanted.clone();
    if wanted.device.is_some() {
        let why = "a trace is made in the simulator, on any machine: leave --device out";
        return Err(Error::Usage(why.into()).into());
    }
    let is_kernel = is_own(&wanted) || lessons::with_kernel(&wanted.kernel)?.is_some();
    let puzzle = puzzles::meant(&wanted, is_kernel)?;
    let own = puzzle.filter(|one| !matches!(one.check, Check::Lesson(_)));
    if let Some(own) = own {
        return options.trace_exercise(&own, wanted);
    }
    let Taken { program, by } = taken(&mut wanted, &options.launch, false)?;
    let mut traced = run::trace(&wanted, program)?;
    traced.launched.by = by.unwrap_or(traced.launched.by);
    let model = options.model(Model::default());
    counted(&wanted, &traced, &model, |screen| {
        options.show(screen, None)
    })
}

/// Counts what was traced, and hands the figures to `show`.
///
/// # Errors
/// A trace that cannot be read, and those of `show`.
pub fn counted<T>(
    wanted: &Wanted,
    traced: &Traced,
    model: &Model,
    show: impl FnOnce(&Screen) -> Result<T>,
) -> Result<T> {
    let source = Source::read(&program::source(wanted)?)?;
    let figures = Figures::of(&traced.trace, &traced.folder.0, &source, model)?;
    show(&Screen {
        launched: &traced.launched,
        launch: &traced.trace.launch,
        source: &source,
        figures: &figures,
        model,
    })
}

impl Options {
    /// A learner's file of an exercise, traced as its check counts it.
    fn trace_exercise(&self, puzzle: &Puzzle, mut wanted: Wanted) -> Result<ExitCode> {
        let name = format!("{} {}", puzzle.kind.noun, puzzle.id);
        let is_launch_chosen = self.launch != LaunchFlags::default();
        if wanted.size.is_some() || !wanted.variant.is_empty() || is_launch_chosen {
            let why = format!(
                "{name} says how its kernel is launched: leave a size, a variant and flags of the \
                 launch out"
            );
            return Err(Error::Usage(why).into());
        }
        let Taken { program, by } = puzzles::take(puzzle, &mut wanted)?;
        let mut traced = run::trace(&wanted, program)?;
        traced.launched.by = by.unwrap_or(traced.launched.by);
        let task = spec::of(puzzle, &program::source(&wanted)?)?;
        let (_, targets) = task.in_variants().pop().unwrap_or(task).targets()?;
        let mut targets = targets.into_iter();
        let most = targets.find(|(count, _)| *count == Count::Sectors);
        let own = Own {
            id: puzzle.id.clone(),
            name,
            at_most: most.map(|(_, most)| most),
        };
        let model = self.model(model());
        counted(&wanted, &traced, &model, |screen| {
            self.show(screen, Some(&own))
        })
    }

    fn model(&self, of: Model) -> Model {
        Model {
            warp: self.warp,
            sector: self.sector,
            banks: self.banks,
            ..of
        }
    }

    fn show(&self, screen: &Screen, own: Option<&Own>) -> Result<ExitCode> {
        // Other hardware has other sums than those that an exercise allows.
        let own = own.filter(|_| *screen.model == model());
        let mut out = Out;
        if self.json {
            let mut all = screen.json();
            if let Some(own) = own {
                all["exercise"] = own.json(screen);
            }
            writeln!(out, "{all}")?;
        } else {
            let sum = own.map_or(String::new(), |own| own.sum(screen));
            write!(out, "{}{sum}", screen.text())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// An exercise, and how many sectors it allows, where it counts them.
struct Own {
    id: String,
    name: String,
    at_most: Option<f64>,
}

impl Own {
    /// Sectors of all lines beside the target, in a sentence.
    fn sum(&self, screen: &Screen) -> String {
        let (all, name) = (screen.figures.sectors(), &self.name);
        self.at_most.map_or(String::new(), |most| {
            format!("\nAll lines together move {all} sectors; {name} allows {most}.\n")
        })
    }

    /// The same for programs.
    fn json(&self, screen: &Screen) -> Value {
        let all = screen.figures.sectors() as f64;
        json!({
            "id": self.id,
            "sectors": self.at_most.map(|_| all),
            "at_most": self.at_most,
        })
    }
}
