//! `course trace`: the memory traffic of a kernel, line by line, as a simulator saw it.

mod exercise;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::pager::Pager;
use analysis::device::Model;
use analysis::launched::Wanted;
use analysis::program;
use analysis::trace::figures::Figures;
use analysis::trace::page::page;
use analysis::trace::run::{self, Traced};
use analysis::trace::screen::Screen;
use anyhow::Result;
use clap::Args;
use common::Error;
use common::source::Source;
use text::Out;

use crate::exercises::process::{self, Purpose};
use crate::exercises::simulated::model;
use crate::puzzles::Taken;
use crate::subject::{LaunchFlags, is_task, taken};
use exercise::Own;

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
    /// Also write a page to step through it in a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
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
    // The number of a broken kernel has no dot.
    let is_number = wanted.kernel.chars().all(|c| c.is_ascii_digit());
    if !is_number
        && !is_task(Path::new(&wanted.kernel))
        && let Some(own) = Own::meant(&wanted)?
    {
        return options.trace_exercise(&own);
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
    fn trace_exercise(&self, own: &Own) -> Result<ExitCode> {
        let wanted = own.wanted(&self.wanted, self.launch != LaunchFlags::default())?;
        let program = process::process(&own.exercise, Purpose::Launch)?;
        let mut traced = run::trace(&wanted, program)?;
        traced.launched.by = format!("as in {}", own.name());
        let model = self.model(model());
        counted(&wanted, &traced, &model, |screen| {
            self.show(screen, Some(own))
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
        self.page(screen)?;
        // Other hardware has other sums than those that an exercise allows.
        let own = own.filter(|_| *screen.model == model());
        let _pager = (!self.json).then(Pager::begin);
        let mut out = Out;
        if self.json {
            let mut all = screen.json();
            if let Some(own) = own {
                all["exercise"] = own.json(screen)?;
            }
            writeln!(out, "{all}")?;
        } else {
            let sum = own.map_or(Ok(String::new()), |own| own.sum(screen))?;
            write!(out, "{}{sum}", screen.text())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn page(&self, screen: &Screen) -> Result<()> {
        let Some(path) = &self.html else {
            return Ok(());
        };
        let cannot = |error: std::io::Error| Error::File {
            path: path.clone(),
            why: error.to_string(),
        };
        Ok(fs::write(path, page(screen)).map_err(cannot)?)
    }
}
