//! Keeps what `course asm` says of kernels on one device, for the pages: machine code
//! differs from machine to machine. `data/asm/DEVICE/KERNEL.txt` is what it prints, and
//! `.json` the same for programs, with the kernel that it was made of.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use common::source::{Source, workspace};
use inside::launched::Wanted;
use inside::listing::Listing;
use inside::program;
use serde_json::{Value, json};
use text::aside;
use toolbox::{date, size_name};

use crate::record::must_be_a_name;

/// The flags of `cargo workshop asm`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    wanted: Wanted,
    /// Folder below data/asm/ that receives the listing, for example pocl-avx2
    #[arg(long = "as", value_name = "NAME")]
    name: String,
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
    let launched = match wanted.launch(wanted.lesson()?)? {
        Ok(launched) => launched,
        Err(refused) => bail!(refused.message),
    };
    let code = program::code(wanted, &launched)?;
    let source = Source::read(&program::source(wanted)?)?;
    let listing = Listing {
        name: launched.name.clone(),
        record: Some(&launched.record),
        source: Some(&source),
        code: &code,
    };
    let mut about = listing.json();
    let text = source.kernel(&wanted.kernel).map(|kernel| kernel.code);
    about["date"] = json!(date("+%Y-%m-%d")?);
    let size = wanted
        .size
        .map(|size| format!(" --size {}", size_name(size)));
    let size = size.unwrap_or_default();
    about["command"] = json!(format!("cargo run -p course -- asm {}{size}", listing.name));
    about["text"] = json!(text);
    let path = path(&options.name, &wanted.name());
    write(&path.with_extension("txt"), &listing.text())?;
    write(
        &path.with_extension("json"),
        &format!("{}\n", pretty(&about)?),
    )
}

fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)?)
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().context("a file in a folder")?;
    let failed = || format!("cannot write {}", path.display());
    fs::create_dir_all(folder).with_context(failed)?;
    fs::write(path, text).with_context(failed)?;
    aside!("wrote {}", path.display());
    Ok(())
}
