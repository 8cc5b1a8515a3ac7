//! `--trace`: each kernel of a lesson by `course trace`. A lesson cannot do that itself,
//! since the simulator runs it as a child.

use std::process::Command;

use common::error::{Error, Result};

use crate::cli::Flags;

/// Traces these kernels one after another, and gives the worst exit status.
pub fn trace(kernels: &[String], flags: &Flags) -> Result<u8> {
    let this = std::env::current_exe()?;
    let course = this
        .with_file_name("course")
        .with_extension(std::env::consts::EXE_EXTENSION);
    if !course.is_file() {
        let why =
            "--trace is done by `course`, which is not built yet\n  next: cargo build -p course";
        return Err(Error::Usage(why.into()));
    }
    let mut worst = 0;
    for kernel in kernels.iter().filter(|kernel| flags.wants(kernel)) {
        let mut command = Command::new(&course);
        process::end_with_us(&mut command);
        command.args(["trace", kernel, "--type", flags.ty.name()]);
        if let Some(size) = flags.sizes.first() {
            command.args(["--size", &size.to_string()]);
        }
        if let Some(file) = &flags.source {
            command.arg("--source").arg(file);
        }
        if flags.json {
            command.arg("--json");
        }
        worst = worst.max(process::child_status(command.status()?));
    }
    Ok(worst)
}
