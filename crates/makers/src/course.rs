//! The program `course`, which lies beside this one.

use std::env::{consts, current_exe};
use std::process::Command;

use anyhow::Result;

/// The command with these words; it ends when this program does.
pub fn command(words: &[&str]) -> Result<Command> {
    let course = current_exe()?.with_file_name("course");
    let mut command = Command::new(course.with_extension(consts::EXE_EXTENSION));
    process::end_with_us(&mut command);
    command.args(words);
    Ok(command)
}
