//! `course trace`: what a kernel asks of memory, line by line, as a simulator saw it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use common::Error;
use common::source::Source;
use inside::launched::Wanted;
use inside::program;
use inside::trace::figures::Figures;
use inside::trace::page::page;
use inside::trace::request::Model;
use inside::trace::run;
use inside::trace::screen::Screen;

use crate::asm;
use crate::inspect::launch::Launch;

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
    launch: Launch,
}

/// Prints the operands, the worst first, the kernel with figures, and a picture.
pub fn trace(options: &Options) -> Result<ExitCode> {
    let wanted = &options.wanted;
    if wanted.device.is_some() {
        let why = "a trace is made in the simulator, on any machine: leave --device out";
        return Err(Error::Usage(why.into()).into());
    }
    let program = asm::program(wanted, &options.launch)?;
    let traced = match run::trace(wanted, program)? {
        Ok(traced) => traced,
        Err(refused) => return Ok(asm::told(&refused)),
    };
    let source = Source::read(&program::source(wanted)?)?;
    let model = Model {
        warp: options.warp,
        sector: options.sector,
        banks: options.banks,
        ..Model::default()
    };
    let (trace, folder) = (&traced.trace, &traced.folder.0);
    let figures = Figures::of(trace, folder, &source, &model)?;
    let screen = Screen {
        launched: &traced.launched,
        launch: &trace.launch,
        source: &source,
        figures: &figures,
        model: &model,
    };
    if let Some(path) = &options.html {
        fs::write(path, page(&screen)).map_err(|error| Error::File {
            path: path.clone(),
            why: error.to_string(),
        })?;
    }
    let mut out = std::io::stdout();
    if options.json {
        writeln!(out, "{}", screen.json())?;
    } else {
        write!(out, "{}", screen.text())?;
    }
    Ok(ExitCode::SUCCESS)
}
