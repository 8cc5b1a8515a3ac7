//! `course spec`: a first draft of a task file.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use diagnostics::terminal::Out;
use inspect::judge::{How, LaunchFlags, TIMEOUT, drafts};
use verify::element::Type;

/// The flags of `course spec`.
#[derive(clap::Args)]
pub struct SpecArgs {
    /// A file with kernels of your own
    #[arg(value_name = "FILE.cl")]
    file: PathBuf,
    /// Device whose compiler tells the arguments [default: as the lessons choose it]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Seconds that the compiler may take
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Show a failed build's log in the driver's own words
    #[arg(long)]
    raw_log: bool,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// Prints a draft for each kernel.
pub fn spec(options: &SpecArgs) -> Result<ExitCode> {
    let how = How {
        device: options.device.clone(),
        timeout: options.timeout,
        raw_log: options.raw_log,
        ..How::default()
    };
    let drafts = drafts(&options.file, &options.launch, Type::Float, &how, false)?;
    for (at, (_, draft)) in drafts.iter().enumerate() {
        if at > 0 {
            writeln!(Out, "\n# Another kernel of the file: a file of its own\n")?;
        }
        write!(Out, "{}", draft.text)?;
    }
    Ok(ExitCode::SUCCESS)
}
