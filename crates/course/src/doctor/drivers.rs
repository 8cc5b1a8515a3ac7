//! The way from a program to a driver: variables, the loader, ICD files.

use std::fs;
use std::path::Path;

use common::command;
use common::device::icd::LIBRARY_VARIABLE;
use common::device::icd::{self, ICD_VARIABLE, icd_place};
use watchdog::packages;
use watchdog::scratch::Scratch;

use super::child;
use super::devices::Listing;
use super::finding::{Finding, Topic};

/// Variables that change which devices there are, or how they behave, each with what it does.
const VARIABLES: &str = include_str!("variables.txt");

/// The variables that are set.
pub fn environment() -> Vec<Finding> {
    let mut findings = Vec::from_iter(dylib_path());
    for (name, purpose) in VARIABLES.lines().filter_map(|line| line.split_once("  ")) {
        if let Some(value) = std::env::var_os(name) {
            let says = format!("{}; {purpose}", value.display());
            findings.push(Topic::Environment.good(name, says));
        }
    }
    if findings.is_empty() {
        let says = "none is set: the system's own loader and drivers count";
        findings.push(Topic::Environment.good("variables", says));
    }
    findings
}

/// opencl3 takes the first library of this list that opens, and says nothing when
/// none does.
fn dylib_path() -> Option<Finding> {
    let value = std::env::var_os(LIBRARY_VARIABLE)?;
    let value = value.to_string_lossy();
    let mut wrong = String::new();
    for path in value.split(';').filter(|path| !path.is_empty()) {
        match child::opens(path) {
            Ok(()) => {
                let says = format!("{path} is opened as OpenCL, instead of the system's loader");
                return Some(Topic::Environment.good(LIBRARY_VARIABLE, says));
            }
            Err(error) => wrong = error,
        }
    }
    let says = format!(
        "\"{value}\" cannot be opened, so the system's loader is taken, and nothing says so ({wrong})"
    );
    let finding = Topic::Environment.bad(LIBRARY_VARIABLE, says);
    Some(finding.next(format!("unset {LIBRARY_VARIABLE}")))
}

/// Every ICD file: whether it names a library, whether that opens, and which
/// platforms it brings.
pub fn icd_files() -> Vec<Finding> {
    if let Some(library) = icd::named_library() {
        let name = library.display().to_string();
        let bad = |wrong| {
            let finding = Topic::Drivers.bad(&name, wrong);
            finding.next(format!("unset {ICD_VARIABLE}"))
        };
        return vec![alone(&name, &name, &library).unwrap_or_else(bad)];
    }
    let files = icd::icd_files();
    if files.is_empty() {
        let says =
            "no ICD file: the loader finds no driver, where the system registers none elsewhere";
        return vec![Topic::Drivers.note(icd_place().display().to_string(), says)];
    }
    let finding = |file: &Path| {
        let name = file.display().to_string();
        brings(file, &name).unwrap_or_else(|wrong| {
            let finding = Topic::Drivers.bad(&name, wrong);
            // What a package has put there is not to be taken away by hand.
            match file.starts_with("/etc/OpenCL/vendors") {
                true => finding.next(command::setup("")),
                false => finding.next(packages::as_root(&format!("rm {name}"))),
            }
        })
    };
    files.iter().map(|file| finding(file)).collect()
}

/// Which platforms a file brings; else what is wrong with it.
fn brings(file: &Path, name: &str) -> Result<Finding, String> {
    let bytes = fs::read(file).map_err(|error| format!("cannot be read ({error})"))?;
    let text = String::from_utf8_lossy(&bytes);
    // The loader takes all before the end of the line for the name.
    let library = text.trim_end_matches('\n');
    let is_library = [".so", ".dylib", ".dll"]
        .iter()
        .any(|end| library.contains(end));
    if library.lines().count() > 1 || !is_library {
        let begin: String = library.chars().take(30).collect();
        return Err(format!("holds no library's name, but \"{begin}\""));
    }
    let Ok(folder) = Scratch::new() else {
        let says = format!("names {library}; to try it alone takes a temporary folder, see below");
        return Ok(Topic::Drivers.note(name, says));
    };
    let copy = folder.0.join(file.file_name().unwrap_or_default());
    fs::copy(file, copy).map_err(|error| format!("it cannot be tried alone ({error})"))?;
    alone(name, library, &folder.0)
}

/// Which platforms a library brings, when the loader is told of this place alone; `name` is
/// what names the library.
fn alone(name: &str, library: &str, place: &Path) -> Result<Finding, String> {
    child::opens(library)
        .map_err(|error| format!("names {library}, which does not open ({error})"))?;
    let listing: Result<Listing, String> =
        child::ask(&["devices"], &vec![(ICD_VARIABLE, place.into())]);
    let listed = listing
        .map_err(|how| format!("names {library}, which fails when asked for its devices: {how}"))?
        .platforms;
    if listed.is_empty() {
        let why =
            "brings no platform: it is no OpenCL driver, has no hardware, or there is no loader";
        return Ok(Topic::Drivers.note(name, format!("{library} opens, but {why}")));
    }
    let says = format!("{library} brings {}", listed.join(", "));
    Ok(Topic::Drivers.good(name, says))
}
