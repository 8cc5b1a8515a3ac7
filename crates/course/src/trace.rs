//! `course trace`: the memory traffic of a kernel, line by line, as a simulator saw it.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use common::Error;
use diagnostics::terminal::Out;
use inspect::device::Model;
use inspect::judge::{LaunchFlags, exercise::model};
use inspect::launched::Wanted;
use inspect::trace::run;

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
    let mut traced = run::trace(&wanted, taken.work, model)?;
    traced.launched.by = taken.by.unwrap_or(traced.launched.by);
    if options.json {
        writeln!(Out, "{}", traced.json())?;
    } else {
        write!(Out, "{traced}")?;
    }
    Ok(ExitCode::SUCCESS)
}
