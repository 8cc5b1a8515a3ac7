//! `course asm`: the innermost loop of a kernel as the device's compiler made it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use common::source::Source;
use diagnostics::terminal::Out;
use inspect::file;
use inspect::judge::LaunchFlags;
use inspect::launched::{Launched, Wanted};
use inspect::listing::Listing;

use crate::taken::{Taken, taken};

/// The flags of `course asm`.
#[derive(Args)]
pub struct AsmArgs {
    #[command(flatten)]
    wanted: Wanted,
    /// Print the loop alone, without head and counts
    #[arg(long = "loop")]
    loop_alone: bool,
    /// Read the code from this file, not from a device: an ELF library, PTX, a cubin, or
    /// what nvdisasm printed
    #[arg(long, value_name = "FILE", conflicts_with = "device")]
    binary: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// Prints the loop and what one round of it does.
pub fn asm(options: &AsmArgs) -> Result<ExitCode> {
    let mut wanted = options.wanted.clone();
    let (launched, source, code) = match &options.binary {
        Some(path) => {
            let source = wanted.source.as_deref().map(Source::read).transpose()?;
            (None, source, file::read(path, &wanted.kernel)?)
        }
        None => {
            let launched = launch(&mut wanted, &options.launch)?;
            let code = launched.code(&wanted)?;
            let source = Source::read(&wanted.file()?)?;
            (Some(launched), Some(source), code)
        }
    };
    let listing = Listing {
        name: launched.as_ref().map_or(wanted.name(), |one| one.name.clone()),
        launched: launched.as_ref(),
        source: source.as_ref(),
        code: &code,
    };
    let mut out = Out;
    if options.json {
        writeln!(out, "{}", listing.json())?;
    } else if options.loop_alone {
        write!(out, "{}", listing.loop_alone())?;
    } else {
        write!(out, "{listing}")?;
        let others = launched.map(|launched| launched.others).unwrap_or_default();
        if wanted.variant.is_empty() && !others.is_empty() {
            writeln!(out, "\nThere is also: {}", others.join(", "))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Launches once what is wanted, whose data are of no interest.
pub fn launch(wanted: &mut Wanted, flags: &LaunchFlags) -> Result<Launched> {
    let Taken { work, by, .. } = taken(wanted, flags, true)?;
    let mut launched = wanted.launch(work)?;
    launched.by = by.unwrap_or(launched.by);
    Ok(launched)
}
