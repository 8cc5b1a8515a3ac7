//! This system and its tools; the way from a program to a driver: variables, and ICD files.

use std::fs;
use std::path::{Path, PathBuf};

use common::command;
use common::device::icd::{self, ICD_VARIABLE, LIBRARY_VARIABLE, icd_place};
use common::device::pocl::can_write;
use common::device::variable;
use common::failure::Told;
use diagnostics::terminal::wrap::cut;
use inspect::trace::plugin_path;
use watchdog::machine::{self, as_root, install, on_path};
use watchdog::scratch::Scratch;
use watchdog::simulator::oclgrind;

use super::child;
use super::devices::Listing;
use super::finding::{Finding, Topic};

/// Variables that change which devices there are, or how they behave, each with what it does.
const VARIABLES: &str = include_str!("variables.txt");

/// Those that are set, and whether there is what they name.
pub fn variables() -> Vec<Finding> {
    let lines = VARIABLES.lines().filter_map(|line| line.split_once("  "));
    let set = lines.filter_map(|(name, purpose)| {
        let value = variable(name)?.to_string_lossy().into_owned();
        let says = format!("{value}; {purpose}");
        Some(match missing(name, &value) {
            None => Topic::Environment.good(name, says),
            Some(wrong) => {
                let finding = Topic::Environment.bad(name, format!("{says}, but {wrong}"));
                finding.next(format!("unset {name}"))
            }
        })
    });
    set.collect()
}

/// What is wrong with the folder or the libraries that a variable names: who reads it says nothing.
fn missing(name: &str, value: &str) -> Option<String> {
    let fails = |library: &str| {
        let error = child::opens(library).err()?;
        Some(format!("it does not open ({error})"))
    };
    match name {
        ICD_VARIABLE if icd::named_library().is_some() => fails(value),
        ICD_VARIABLE => (!icd_place().exists()).then(|| "it is not there".into()),
        // The first that opens is taken.
        LIBRARY_VARIABLE => {
            let errors: Option<Vec<String>> = value.split(';').map(fails).collect();
            errors?.pop()
        }
        "OCL_ICD_FILENAMES" | "OPENCL_LAYERS" => value.split(':').find_map(fails),
        _ => None,
    }
}

/// Every ICD file: whether it names a library, whether that opens, and which
/// platforms it brings.
pub fn icd_files() -> Vec<Finding> {
    let finding = |file: &PathBuf| {
        let name = file.display().to_string();
        let brings = brings(file, &name);
        brings.unwrap_or_else(|wrong| Topic::Drivers.bad(&name, wrong.happened).next(wrong.next))
    };
    icd::icd_files().iter().map(finding).collect()
}

/// Which platforms a file brings, when the loader is told of it alone; else what is wrong with it.
fn brings(file: &Path, name: &str) -> Result<Finding, Told> {
    let word = command::word(file);
    let wrong = |why: String| {
        // What a package has put there is not to be taken away by hand.
        let mend = match file.starts_with("/etc/OpenCL/vendors") {
            true => command::setup(""),
            false => as_root(&format!("rm {word}")),
        };
        Told::new(why, Some(&mend))
    };
    let text = fs::read(file).map_err(|error| wrong(format!("cannot be read ({error})")))?;
    let text = String::from_utf8_lossy(&text);
    // The loader takes all before the end of the line for the name.
    let library = text.trim_end_matches('\n');
    let shown = cut(library.lines().next().unwrap_or_default(), 60);
    if library.contains('\r') {
        let why = "holds a carriage return (\\r), as editors on Windows write it, which the loader \
                   takes for a part of the library's name";
        let mend = as_root(&format!("sed -i 's/\\r//' {word}"));
        return Err(Told::new(why, Some(&mend)));
    }
    if library.is_empty() {
        return Err(wrong("names no library".into()));
    }
    child::opens(library)
        .map_err(|error| wrong(format!("names {shown}, which does not open ({error})")))?;
    let Ok(folder) = Scratch::new() else {
        let says = format!("names {shown}; to try it alone takes a temporary folder");
        return Ok(Topic::Drivers.note(name, says));
    };
    let copy = folder.0.join(file.file_name().unwrap_or_default());
    fs::copy(file, copy).map_err(|error| wrong(format!("cannot be copied ({error})")))?;
    let place = watchdog::Environment::from([(ICD_VARIABLE, folder.0.clone().into())]);
    let listing = child::ask::<Listing>(&["devices"], &place);
    let listing = listing.map_err(|how| wrong(format!("names {shown}, which fails: {how}")))?;
    Ok(match &listing.platforms[..] {
        [] => {
            let why = "no platform: it is no OpenCL driver, has no hardware, or there is no loader";
            Topic::Drivers.note(name, format!("{shown} opens, but brings {why}"))
        }
        all => Topic::Drivers.good(name, format!("{shown} brings {}", all.join(", "))),
    })
}

/// The machine itself, and the folder that lessons and compilers write to at every run.
pub fn system() -> [Finding; 2] {
    let manager = machine::manager().unwrap_or("no package manager that ./setup knows");
    let system = format!("{}, {manager}, {}", std::env::consts::OS, machine::host());
    let folder = std::env::temp_dir();
    let what = format!("temporary folder {}", folder.display());
    let is_named = std::env::var_os("TMPDIR").is_some();
    let mend = ["export TMPDIR=$HOME", "unset TMPDIR"][usize::from(is_named)];
    let folder = match can_write(&folder) {
        Ok(()) => Topic::System.good(what, "can be written"),
        Err(error) => {
            let says = format!("cannot be written ({error}); lessons and compilers need it");
            Topic::System.bad(what, says).next(mend.to_string())
        }
    };
    [Topic::System.good("system", system), folder]
}

/// Commands that something of the course uses.
pub fn optional() -> [Finding; 4] {
    #[rustfmt::skip]
    let tools = [
        ("linker", on_path("ld"), true, install("linker"), "ld is not here; PoCL calls it for every kernel, and aborts without it"),
        ("Oclgrind", oclgrind(), false, install("oclgrind"), "not here; it simulates a device: names races, accesses out of bounds, values never written"),
        // No package has it.
        ("trace plugin", Some(plugin_path()).filter(|path| path.is_file()), false, Some(command::setup("--full")), "not built; by it Oclgrind counts what a kernel asks of memory"),
        ("clinfo", on_path("clinfo"), false, install("clinfo"), "not here; it lists every property of every device"),
    ];
    tools.map(|(name, place, is_needed, mend, why)| match place {
        Some(place) => Topic::Tools.good(name, place.display().to_string()),
        None if is_needed => Topic::Tools.bad(name, why).next(mend),
        None => Topic::Tools.note(name, why).next(mend),
    })
}
