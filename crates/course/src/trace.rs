//! `course trace`: the memory traffic of a kernel, line by line, as a simulator saw it.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use common::Error;
use common::source::Source;
use diagnostics::terminal::Out;
use inspect::device::Model;
use inspect::judge::{LaunchFlags, exercise::model};
use inspect::launched::Wanted;
use inspect::program;
use inspect::trace::figures::Figures;
use inspect::trace::run::{self, Traced};
use inspect::trace::screen::Screen;

use crate::taken::taken;

/// The flags of `course trace`.
#[derive(Args)]
pub struct TraceArgs {
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
pub fn trace(options: &TraceArgs) -> Result<ExitCode> {
    let mut wanted = options.wanted.clone();
    if wanted.device.is_some() {
        let why = "a trace is made in the simulator, on any machine: leave --device out";
        return Err(Error::Usage(why.into()).into());
    }
    let taken = taken(&mut wanted, &options.launch, false)?;
    let mut traced = run::trace(&wanted, taken.work)?;
    traced.launched.by = taken.by.unwrap_or(traced.launched.by);
    let model = Model {
        warp: options.warp,
        sector: options.sector,
        banks: options.banks,
        // As its check counts.
        ..if taken.is_counted {
            model()
        } else {
            Model::default()
        }
    };
    counted(&wanted, &traced, &model, |screen| {
        if options.json {
            writeln!(Out, "{}", screen.json())?;
        } else {
            write!(Out, "{screen}")?;
        }
        Ok(ExitCode::SUCCESS)
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
