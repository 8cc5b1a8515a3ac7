//! Questions whose answer needs a driver: asked of a child process, which may
//! crash or hang over them.

use std::io::Write;
use std::time::Duration;

use anyhow::{Result, bail};
use common::device::icd::{ICD_VARIABLE, LIBRARY_VARIABLE};
use dlopen2::raw::Library;
use serde::de::DeserializeOwned;
use serde_json::json;
use watchdog::Environment;

use super::devices::Listing;
use super::trial::trial;

/// A driver that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks a child of this program: its answer, or how it ended without one.
pub fn ask<Answer: DeserializeOwned + Send + 'static>(
    question: &[&str],
    environment: &Environment,
) -> Result<Answer, String> {
    let mut command = watchdog::this_program().map_err(|error| error.to_string())?;
    command.args(["doctor", "--probe"]).args(question);
    command.envs(environment);
    if environment.contains_key(ICD_VARIABLE) {
        // A library that is opened in the loader's place reads no ICD file.
        command.env_remove(LIBRARY_VARIABLE);
    }
    watchdog::ask(&mut command, PATIENCE, u64::MAX)
}

/// Has a child open a library: what is wrong, if it cannot. A library runs code of its
/// own when it is opened, and can crash.
pub fn opens(name: &str) -> Result<(), String> {
    ask(&["library", name], &Environment::new())?
}

/// The child's side of [`ask`].
pub fn answer(question: &[String]) -> Result<()> {
    let words: Vec<&str> = question.iter().map(String::as_str).collect();
    let answer = match words[..] {
        ["devices"] => json!(Listing::of_this_process()),
        ["library", name] => {
            let opened = Library::open(name).map_err(|error| error.to_string());
            // Left open: some drivers crash when they are unloaded.
            json!(opened.map(std::mem::forget))
        }
        ["kernel", index] => json!(trial(index.parse()?).map_err(|error| error.to_string())),
        _ => bail!("nobody asks {question:?}"),
    };
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}
