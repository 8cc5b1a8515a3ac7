//! Questions whose answer needs a driver: asked of a child process, which may
//! crash or hang over them.

use std::io::Write;
use std::time::Duration;

use anyhow::{Result, bail};
use common::Error;
use common::device;
use common::device::icd::{ICD_VARIABLE, LIBRARY_VARIABLE};
use dlopen2::raw::Library;
use process::Environment;
use serde_json::{Map, Value, json};

use super::kernel;

/// A driver that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks a child of this program: its answer, or how it ended without one.
pub fn ask(question: &[&str], environment: &Environment) -> Result<Value, String> {
    let mut command = process::this_program().map_err(|error| error.to_string())?;
    command.args(["doctor", "--probe"]).args(question);
    command.envs(environment.iter().cloned());
    if environment.iter().any(|(name, _)| *name == ICD_VARIABLE) {
        // A library that is opened in the loader's place reads no ICD file.
        command.env_remove(LIBRARY_VARIABLE);
    }
    // What a driver prints is no object.
    process::ask::<Map<String, Value>>(&mut command, PATIENCE).map(Value::Object)
}

/// Has a child open a library: what is wrong, if it cannot. A library runs code of its
/// own when it is opened, and can crash.
pub fn opens(name: &str) -> Result<(), String> {
    let answer = ask(&["library", name], &Environment::new())?;
    let wrong = answer["wrong"].as_str();
    wrong.map_or(Ok(()), |wrong| Err(wrong.to_string()))
}

/// The child's side of [`ask`].
pub fn answer(question: &[String]) -> Result<()> {
    let words: Vec<&str> = question.iter().map(String::as_str).collect();
    let answer = match words[..] {
        ["devices"] => devices(),
        ["library", name] => open(name),
        ["kernel", index] => kernel::check(index.parse()?),
        _ => bail!("nobody asks {question:?}"),
    };
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}

/// Every platform and device, and which one a lesson would choose.
fn devices() -> Value {
    let listed = device::list();
    let platforms = device::platforms().into_iter().map(|(platform, devices)| {
        json!({ "name": platform.name, "version": platform.version, "devices": devices })
    });
    let error = listed.as_ref().err();
    let (error, mend) = (
        error.map(ToString::to_string),
        error.and_then(Error::mend).map(String::from),
    );
    let devices = listed.unwrap_or_default();
    let chosen = device::choose_as_told(&devices, None);
    let stale = match &chosen {
        Err(Error::Selector(why)) => why.lines().next(),
        _ => None,
    };
    json!({
        "error": error,
        "mend": mend,
        "chosen": chosen.as_ref().ok().map(|choice| choice.index),
        "stale": stale,
        "devices": devices,
        "platforms": platforms.collect::<Vec<Value>>(),
    })
}

/// Opens a library, and says what is wrong if it cannot.
fn open(name: &str) -> Value {
    match Library::open(name) {
        Ok(library) => {
            // Left open: some drivers crash when they are unloaded.
            std::mem::forget(library);
            json!({})
        }
        Err(error) => {
            let words = error.to_string();
            // The dynamic linker's words, without those around them.
            let words = words.trim_start_matches("Could not open library: ");
            json!({ "wrong": words.split_whitespace().collect::<Vec<_>>().join(" ") })
        }
    }
}
