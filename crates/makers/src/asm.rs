//! Keeps what `course asm` says of kernels on one device, for the pages: machine code
//! differs from machine to machine. `data/asm/DEVICE/KERNEL.txt` is what it prints, and
//! `.json` says what it was made of.

use std::path::PathBuf;

use analysis::launched::Wanted;
use analysis::listing::Listing;
use analysis::program;
use anyhow::Result;
use common::record::Record;
use common::source::{Source, workspace};
use process::data::date;
use serde::{Deserialize, Serialize};

use crate::kept::{self, must_be_a_name};

/// The flags of `cargo makers asm`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    wanted: Wanted,
    /// Folder below data/asm/ that receives the listing, for example pocl-avx2
    #[arg(long = "as", value_name = "NAME")]
    name: String,
}

/// What a listing was made of.
#[derive(Serialize, Deserialize)]
pub struct Origin {
    /// Where, when and by which command.
    pub made: String,
    /// The kernel.
    pub text: String,
}

/// Where a kernel's listing is kept, without its ending.
pub fn path(device: &str, kernel: &str) -> PathBuf {
    let name = kernel.replace([' ', '/'], "-");
    workspace().join("data/asm").join(device).join(name)
}

/// Records one kernel, in the variant that is named.
pub fn record(options: &Options) -> Result<()> {
    colored::control::set_override(false);
    must_be_a_name(&options.name)?;
    let wanted = &options.wanted;
    let launched = wanted.launch(wanted.lesson()?)?;
    let code = program::code(wanted, &launched)?;
    let source = Source::read(&program::source(wanted)?)?;
    let listing = Listing {
        name: launched.name.clone(),
        launched: Some(&launched),
        source: Some(&source),
        code: &code,
    };
    let size = wanted.size.as_ref().map(|size| format!(" --size {size}"));
    let size = size.unwrap_or_default();
    let kernel = source.kernel(&wanted.kernel);
    let Record {
        device,
        platform,
        driver,
        ..
    } = &launched.record;
    let (date, name) = (date("+%Y-%m-%d")?, &listing.name);
    let command = format!("cargo run -p course -- asm {name}{size}");
    let origin = Origin {
        made: format!("{device}, {platform}, driver {driver}; recorded {date} by `{command}`"),
        text: kernel.map(|kernel| kernel.code).unwrap_or_default(),
    };
    let path = path(&options.name, &wanted.name());
    kept::write(path.with_extension("txt"), &listing.text())?;
    let origin = serde_json::to_string_pretty(&origin)?;
    kept::write(path.with_extension("json"), &format!("{origin}\n"))
}
