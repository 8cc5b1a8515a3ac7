//! `course trace`: the memory traffic of a kernel, line by line, as a simulator saw it.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use common::Error;
use diagnostics::terminal::Out;
use inspect::judge::{LaunchFlags, exercise::WIDEST};
use inspect::launched::Wanted;
use inspect::trace::{self, Model};

use crate::taken::taken;

/// The flags of `course trace`.
#[derive(Args)]
pub struct TraceArgs {
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    model: Model,
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
    let mut model = options.model;
    if taken.is_counted {
        // As its check counts.
        model.widest = WIDEST;
    }
    let mut traced = trace::trace(&wanted, taken.work, model)?;
    traced.launched.by = taken.by.unwrap_or(traced.launched.by);
    if options.json {
        writeln!(Out, "{}", traced.json())?;
    } else {
        write!(Out, "{traced}")?;
    }
    Ok(ExitCode::SUCCESS)
}
