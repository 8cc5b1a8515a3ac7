//! Keeps what `course asm` says of kernels on one device, for the pages: machine code
//! differs from machine to machine. `docs/data/asm/DEVICE/KERNEL.txt` is what it prints, and
//! `.json` says what it was made of.

use std::path::PathBuf;

use anyhow::Result;
use common::clone::workspace;
use common::source::Source;
use inspect::launched::Wanted;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use watchdog::data::date;

use crate::kept::{self, must_be_a_name};
use crate::record::printed;

/// The flags of `cargo xtask asm`.
#[derive(clap::Args)]
pub struct AsmArgs {
    #[command(flatten)]
    wanted: Wanted,
    /// Folder below docs/data/asm/ that receives the listing, for example pocl-avx2
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
    workspace().join("docs/data/asm").join(device).join(name)
}

/// Records one kernel, in the variant that is named.
pub fn record(options: &AsmArgs) -> Result<()> {
    must_be_a_name(&options.name)?;
    let wanted = &options.wanted;
    let mut flags = vec!["--type".to_string(), wanted.ty.name().into()];
    let file = wanted
        .source
        .as_ref()
        .map(|file| file.display().to_string());
    for (flag, value) in [
        ("--device", &wanted.device),
        ("--size", &wanted.size),
        ("--source", &file),
    ] {
        flags.extend(value.iter().flat_map(|value| [flag.into(), value.clone()]));
    }
    let course = |name: &str, more: &[&str]| {
        let words = ["asm"]
            .into_iter()
            .chain(name.split(' '))
            .chain(more.iter().copied());
        printed(&Vec::from_iter(words.map(String::from)), &flags, &[0])
    };
    let told: Value = serde_json::from_str(&course(&wanted.name(), &["--json"])?)?;
    let text = |field: &str| told[field].as_str().unwrap_or("?").to_string();
    let [name, device, platform, driver] = ["kernel", "device", "platform", "driver"].map(text);
    let size = wanted.size.as_ref().map(|size| format!(" --size {size}"));
    let command = format!("cargo course asm {name}{}", size.unwrap_or_default());
    let date = date("+%Y-%m-%d")?;
    let kernel = Source::read(text("source").as_ref())?.kernel(&wanted.kernel);
    let origin = Origin {
        made: format!("{device}, {platform}, driver {driver}; recorded {date} by `{command}`"),
        text: kernel.map(|kernel| kernel.code).unwrap_or_default(),
    };
    let path = path(&options.name, &wanted.name());
    kept::write(path.with_extension("txt"), &course(&name, &[])?)?;
    let origin = serde_json::to_string_pretty(&origin)?;
    kept::write(path.with_extension("json"), &format!("{origin}\n"))
}
