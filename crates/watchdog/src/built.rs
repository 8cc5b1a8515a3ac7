//! What cargo builds of the workspace, beside this program or, of an installed one, in its clone.

use std::env::{consts, current_exe, var_os};
use std::path::PathBuf;
use std::process::Command;

use common::command::word;
use common::error::{Error, Result};
use common::file::{built_in, is_installed, own_workspace};

use crate::ask::end_with_us;

/// A program of the workspace, by its package.
///
/// # Errors
/// Where it is not built, and this program was not started by cargo, which then builds it.
pub fn program(package: &str) -> Result<PathBuf> {
    file(package, &format!("{package}{}", consts::EXE_SUFFIX))
}

/// The library that a package makes for programs of others.
pub fn library(package: &str) -> Result<PathBuf> {
    let name = format!("{}{package}{}", consts::DLL_PREFIX, consts::DLL_SUFFIX);
    file(package, &name)
}

/// A learner has built what was run, and no more: the rest is built when it is wanted.
fn file(package: &str, name: &str) -> Result<PathBuf> {
    let folder = match is_installed() {
        true => built_in().join("target/debug"),
        false => current_exe()?.with_file_name(""),
    };
    // Libraries that another package uses lie in the second alone.
    let places = [folder.join(name), folder.join("deps").join(name)];
    let there = || places.iter().find(|place| place.is_file()).cloned();
    if let Some(there) = there() {
        return Ok(there);
    }
    let manifest = own_workspace().join("Cargo.toml");
    if let Some(cargo) = var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "-p", package, "--manifest-path"]);
        end_with_us(build.arg(&manifest));
        build.status()?;
    }
    there().ok_or_else(|| {
        let manifest = word(&manifest);
        let next = format!("cargo build -p {package} --manifest-path {manifest}");
        Error::file(&places[0], format!("it is not there\n  next: {next}"))
    })
}
