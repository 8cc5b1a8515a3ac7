//! The way from a program to a driver: variables, the loader, ICD files.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use common::device::icd::{self, ICD_VARIABLE, TAKEN_FOR_LIBRARY, icd_place};
use common::device::pocl;
use serde_json::Value;
use verify::numbers;
use watchdog::LIBRARY_VARIABLE;
use watchdog::scratch::Scratch;

use super::child;
use super::finding::{Finding, Topic};
use watchdog::packages;

/// How errors without a device are told apart: by opencl3's and the loader's codes.
const NO_LOADER: &str = "(-2000)";
const NO_OPENCL: &str = "(-2001)";

/// Variables that change which devices there are, or how they behave, each with what it does.
const VARIABLES: &str = include_str!("variables.txt");

/// The variables that are set.
pub fn environment() -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(dylib_path());
    findings.extend(vendors());
    findings.extend(VARIABLES.lines().filter_map(|line| {
        let (name, purpose) = line.split_once("  ")?;
        Some(variable(name, &std::env::var_os(name)?, purpose))
    }));
    if findings.is_empty() {
        let says = "none is set: the system's own loader and drivers count";
        findings.push(Topic::Environment.good("variables", says));
    }
    findings
}

/// A variable that is set; one of PoCL's that takes its device away is broken.
fn variable(name: &str, value: &OsStr, purpose: &str) -> Finding {
    let shown = value.display();
    let is_folder = name == pocl::FOLDER_VARIABLE;
    let Some(why) = is_folder.then(pocl::cache_fault).flatten() else {
        return Topic::Environment.good(name, format!("{shown}; {purpose}"));
    };
    let finding = Topic::Environment.bad(name, format!("{shown}; {why}"));
    finding.next(pocl::NEW_FOLDER)
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

fn vendors() -> Option<Finding> {
    let place = icd::other_place()?.display().to_string();
    Some(if icd::named_library().is_some() {
        let says = format!("{place}, {TAKEN_FOR_LIBRARY}: no other is loaded");
        Topic::Environment.note(ICD_VARIABLE, says)
    } else if icd_place().exists() {
        let says = format!("{place}; ICD files are read from there only");
        Topic::Environment.good(ICD_VARIABLE, says)
    } else {
        let says = format!("{place} does not exist, so no driver is found");
        let finding = Topic::Environment.bad(ICD_VARIABLE, says);
        finding.next(format!("unset {ICD_VARIABLE}"))
    })
}

/// Whether a library is opened as OpenCL.
pub fn loader() -> Finding {
    let bad = |says: String| Topic::Loader.bad("loader", says);
    let answer = match child::ask(&["devices"], &Vec::new()) {
        Ok(answer) => answer,
        // Which driver it is comes to light below, where each is asked alone.
        Err(how) => return bad(format!("asking for devices fails: {how}")),
    };
    let error = answer["error"].as_str().unwrap_or_default();
    if error.contains(NO_LOADER) || error.contains(NO_OPENCL) {
        let why = broken_loader().filter(|_| error.contains(NO_LOADER));
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        return bad(format!("{error}{why}")).mended_by(cure(&answer));
    }
    Topic::Loader.good("loader", "is there, and lists platforms")
}

/// Every ICD file: whether it names a library, whether that opens, and which
/// platforms it brings.
pub fn icd_files() -> Vec<Finding> {
    if let Some(library) = icd::named_library() {
        return vec![named(&library)];
    }
    let files = icd::icd_files();
    if files.is_empty() {
        let what = icd_place().display().to_string();
        return vec![if cfg!(target_os = "linux") {
            let finding = Topic::Drivers.bad(what, "no ICD file: the loader finds no driver");
            let named = icd::other_place().map(|_| format!("unset {ICD_VARIABLE}"));
            finding.mended_by(named.or_else(|| packages::install("pocl")))
        } else {
            let says = "no ICD file; this system may register drivers elsewhere";
            Topic::Drivers.note(what, says)
        }];
    }
    files.iter().map(|file| icd_file(file)).collect()
}

fn icd_file(file: &Path) -> Finding {
    brings(file).unwrap_or_else(|wrong| {
        let finding = Topic::Drivers.bad(file.display().to_string(), &wrong);
        finding.mended_by(of_file(file, &wrong))
    })
}

/// The driver that the variable names itself, without a file.
fn named(library: &Path) -> Finding {
    let name = library.display().to_string();
    let opens = child::opens(&name).map_err(|error| format!("does not open ({error})"));
    let brings = opens.and_then(|()| platforms_of(&name, &name, library));
    brings.unwrap_or_else(|wrong| {
        let finding = Topic::Drivers.bad(name, wrong);
        finding.next(format!("unset {ICD_VARIABLE}"))
    })
}

/// The library that an ICD file names; else what is wrong with the file.
fn library(file: &Path) -> Result<String, String> {
    let bytes = fs::read(file).map_err(|error| format!("cannot be read ({error})"))?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| "is not text; it must hold the name of a driver's library")?;
    let name = text.trim();
    if name.is_empty() {
        return Err("is empty; it must hold the name of a driver's library".into());
    }
    let ends = [".so", ".dylib", ".dll"];
    if name.lines().count() > 1 || !ends.iter().any(|end| name.contains(end)) {
        let first = name.lines().next().unwrap_or_default();
        let begin: String = first.chars().take(30).collect();
        return Err(format!("holds no library's name, but \"{begin}\" ..."));
    }
    Ok(name.into())
}

/// Which platforms a file brings; else what is wrong with it.
fn brings(file: &Path) -> Result<Finding, String> {
    let name = file.display().to_string();
    let library = library(file)?;
    child::opens(&library)
        .map_err(|error| format!("names {library}, which does not open ({error})"))?;
    let Ok(folder) = Scratch::new() else {
        let says = format!("{library} opens; to try it alone takes a temporary folder, see below");
        return Ok(Topic::Drivers.note(name, says));
    };
    let copy = folder.0.join(file.file_name().unwrap_or_default());
    fs::copy(file, copy).map_err(|error| format!("it cannot be tried alone ({error})"))?;
    platforms_of(&name, &library, &folder.0)
}

/// Which platforms a library brings, when the loader is told of this place alone; `name` is
/// what names the library.
fn platforms_of(name: &str, library: &str, place: &Path) -> Result<Finding, String> {
    let answer = child::ask(&["devices"], &vec![(ICD_VARIABLE, place.into())])
        .map_err(|how| format!("names {library}, which fails when asked for its devices: {how}"))?;
    let shown = |platform: &Value| {
        let count = platform["devices"].as_u64().unwrap_or(0) as usize;
        let name = platform["name"].as_str().unwrap_or("?");
        format!("{name} ({})", numbers::count(count, "device"))
    };
    let platforms = answer["platforms"].as_array().into_iter().flatten();
    let listed: Vec<String> = platforms.map(shown).collect();
    if !listed.is_empty() {
        let says = format!("{library} brings {}", listed.join(", "));
        return Ok(Topic::Drivers.good(name, says));
    }
    let error = answer["error"].as_str().unwrap_or_default();
    let why = if error.contains(NO_LOADER) {
        "but there is no loader that could ask it for its platforms"
    } else {
        "but brings no platform: it is no OpenCL driver, or has no hardware"
    };
    Ok(Topic::Drivers.note(name, format!("{library} opens, {why}")))
}

/// A driver of the workspace, which `./setup` put there.
pub fn fallback(variable: &str, value: &Path) -> Finding {
    let says = format!(
        "the system has no device, so lessons take the one in the course's folder, as if {variable}={} were set",
        value.display()
    );
    Topic::Drivers.good("driver of ./setup", says)
}

/// What mends it when there is no device: what the search for them knows, or what is not
/// installed.
pub fn cure(answer: &Value) -> Option<String> {
    if let Some(mend) = answer["mend"].as_str() {
        return Some(mend.into());
    }
    let without_loader = answer["error"]
        .as_str()
        .unwrap_or_default()
        .contains(NO_LOADER);
    if let Some(why) = without_loader.then(broken_loader).flatten() {
        return shadow(&why);
    }
    // Each driver has a finding of its own.
    let is_told = without_loader || icd::icd_files().is_empty();
    let missing = if without_loader { "loader" } else { "pocl" };
    let install = || packages::install(missing).unwrap_or_else(|| "./setup".into());
    is_told.then(install)
}

/// What mends a loader that is there and does not open, by the dynamic linker's words: one
/// in a folder that comes before the system's hides that.
fn shadow(why: &str) -> Option<String> {
    let folders = std::env::var_os("LD_LIBRARY_PATH")?;
    let hides = |folder: PathBuf| why.contains(&*folder.to_string_lossy());
    let mut folders = std::env::split_paths(&folders);
    folders.any(hides).then(|| "unset LD_LIBRARY_PATH".into())
}

/// The dynamic linker's words about a loader that is there and does not open.
fn broken_loader() -> Option<String> {
    let why = child::opens("libOpenCL.so.1").err()?;
    let is_there = cfg!(target_os = "linux") && !why.contains("No such file");
    is_there.then_some(why)
}

/// What mends an ICD file: a driver whose library is gone is installed; one that is there
/// and fails is not, since that would change nothing.
fn of_file(file: &Path, wrong: &str) -> Option<String> {
    let name = file.file_name()?.to_string_lossy().to_lowercase();
    let known = [
        ("pocl", "pocl"),
        ("rusticl", "rusticl"),
        ("mesa", "rusticl"),
    ];
    let mut known = known
        .into_iter()
        .filter(|_| file.starts_with("/etc/OpenCL/vendors"));
    match known.find(|(part, _)| name.contains(part)) {
        Some((_, tool)) if wrong.contains("No such file") => packages::install(tool),
        Some(_) => None,
        None => Some(packages::as_root(&format!("rm {}", file.display()))),
    }
}
