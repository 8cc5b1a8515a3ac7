//! `course new`: a package of the learner's own, made from one of the clone's `examples/`.

use std::path::{Path, PathBuf};
use std::{fs, io::Write, process::ExitCode};

use anyhow::{Context, Result, bail};
use common::{Error, file::workspace};
use diagnostics::terminal::Out;
use watchdog::fallback_driver;

use crate::game::folder::{must_lie_outside, shown};

/// The flags of `course new`.
#[derive(clap::Args)]
pub struct NewArgs {
    /// What to begin with
    #[arg(value_parser = ["saxpy", "matmul", "reduction", "pipeline", "embedded"])]
    example: String,
    /// The new package's folder; its name becomes the package's
    dir: PathBuf,
}

/// Copies the example, names it, and says how to run it.
pub fn new(options: &NewArgs) -> Result<ExitCode> {
    let from = workspace().join("examples").join(&options.example);
    let to = std::path::absolute(&options.dir)?;
    let name = package_name(&to)?;
    must_lie_outside(&to)?;
    let cannot = || format!("cannot make {}", shown(&to));
    if to.is_file() || fs::read_dir(&to).is_ok_and(|mut files| files.next().is_some()) {
        bail!(Error::Usage(format!(
            "{}: it is there already\n  next: name a folder that is not there yet",
            cannot()
        )))
    }
    let copy = || -> std::io::Result<()> {
        fs::create_dir_all(to.join("src"))?;
        for file in fs::read_dir(from.join("src"))? {
            let file = file?;
            fs::copy(file.path(), to.join("src").join(file.file_name()))?;
        }
        let manifest = fs::read_to_string(from.join("Cargo.toml"))?;
        let named = |name: &str| format!("name = \"{name}\"");
        let manifest = manifest.replacen(&named(&options.example), &named(&name), 1);
        fs::write(to.join("Cargo.toml"), manifest)?;
        // With the clone's versions, which are on this machine: cargo takes from the list what
        // the package needs, and asks no network.
        fs::copy(workspace().join("Cargo.lock"), to.join("Cargo.lock")).map(drop)
    };
    if let Err(why) = copy() {
        // It was empty, and half a package cannot be begun again.
        let _ = fs::remove_dir_all(&to);
        return Err(why).with_context(cannot);
    }
    let (to, example) = (shown(&to), &options.example);
    writeln!(
        Out,
        "{to} is a package of your own, the program {example}; all of it is in src/\n\n  \
         cd {to}\n  cargo run"
    )?;
    if let Some((variable, path)) = fallback_driver() {
        writeln!(
            Out,
            "\nThe driver of this machine lies in the clone, and every other program is told so \
             by\n  export {variable}={}",
            path.display()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder's name, if cargo takes it for a package.
fn package_name(folder: &Path) -> Result<String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase().replace([' ', '.'], "-");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // What the standard library is called cannot be a program's name.
    if !begins || !name.chars().all(is_plain) || ["test", "core", "std"].contains(&&*name) {
        bail!(Error::Usage(format!(
            "\"{name}\" cannot be a package's name\n  next: name a folder of letters, digits, \
             - and _"
        )))
    }
    Ok(name)
}
