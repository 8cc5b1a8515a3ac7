//! Drivers that crash or hang when they are loaded. The loader loads all of them into every
//! program, so that one takes all the others along: it is found, and left out.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use common::device::icd::{self, ICD_VARIABLE, LIBRARY_VARIABLE};
use text::{aside, plain};

use crate::environment::{Environment, devices};
use crate::scratch::Scratch;

/// How long a driver may take that is loaded alone.
const PATIENCE: Duration = Duration::from_secs(15);

struct Found {
    /// A folder with the ICD files of all drivers but the broken ones.
    others: Scratch,
    /// What is to be told of each broken one.
    told: Vec<String>,
}

static FOUND: OnceLock<Option<Found>> = OnceLock::new();

/// Leaves the broken drivers out of an environment, and tells that; false where that changes
/// nothing.
pub(crate) fn leave_out_broken(environment: &mut Environment) -> bool {
    let Some(found) = found().filter(|_| are_all_loaded(environment)) else {
        return false;
    };
    for told in &found.told {
        aside!("{told}\n  next: cargo run -p course -- doctor");
    }
    environment.push((ICD_VARIABLE, found.others.0.clone().into()));
    true
}

/// Whether no drivers were chosen in this environment, nor some left out.
pub(crate) fn are_all_loaded(environment: &Environment) -> bool {
    let choose = [ICD_VARIABLE, LIBRARY_VARIABLE];
    environment.iter().all(|(name, _)| !choose.contains(name))
}

/// A folder with the ICD files of all drivers that can be loaded, where some cannot and
/// others can. Each is loaded alone, once in the life of this process.
pub fn drivers_that_load() -> Option<&'static Path> {
    found().map(|found| &*found.others.0)
}

fn found() -> Option<&'static Found> {
    FOUND.get_or_init(find).as_ref()
}

fn find() -> Option<Found> {
    let files = icd::icd_files();
    if files.len() < 2 || std::env::var_os(LIBRARY_VARIABLE).is_some() {
        return None;
    }
    let others = Scratch::new().ok()?;
    // At the same time: each may take seconds.
    let answers: Vec<Result<(), String>> = thread::scope(|scope| {
        let asked = files.iter().map(|file| scope.spawn(|| loads_alone(file)));
        let asked: Vec<_> = asked.collect();
        let answers = asked
            .into_iter()
            .map(|answer| answer.join().unwrap_or(Ok(())));
        answers.collect()
    });
    let mut told = Vec::new();
    for (file, answer) in files.iter().zip(answers) {
        if let Err(how) = answer {
            let file = plain(&file.display().to_string());
            told.push(format!(
                "{file} is left out: the driver that it names fails when it is loaded ({how})"
            ));
        } else {
            fs::copy(file, others.0.join(file.file_name()?)).ok()?;
        }
    }
    (!told.is_empty() && told.len() < files.len()).then_some(Found { others, told })
}

/// Loads the driver of this file and no other.
fn loads_alone(file: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let folder = Scratch::new().map_err(|error| error.to_string())?;
    fs::copy(file, folder.0.join(file.file_name().unwrap_or_default())).map_err(told)?;
    let this = std::env::current_exe().map_err(told)?;
    let environment = vec![(ICD_VARIABLE, folder.0.clone().into())];
    devices(&this, &environment, PATIENCE).map(drop)
}
