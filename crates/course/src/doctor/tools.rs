//! This system, its tools and folders: what the course and its drivers use besides OpenCL.

use std::path::PathBuf;

use common::device::icd::{icd_files, named_library};
use common::device::pocl::{self, can_write};
use inspect::trace::run::plugin_path;
use watchdog::simulator::oclgrind;

use super::finding::{Finding, Topic};
use watchdog::machine::{self, on_path};
use watchdog::packages::{self, install};

/// What there is to say about the machine itself.
pub fn system() -> [Finding; 2] {
    let manager = packages::manager().unwrap_or("no package manager that ./setup knows");
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let mut lines = release.lines();
    let name = lines.find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.unwrap_or(std::env::consts::OS).trim_matches('"');
    let mut vectors = machine::vector_instructions().join(" ");
    if vectors.is_empty() {
        vectors = "no AVX".into();
    }
    let (arch, cpu, cores) = (std::env::consts::ARCH, machine::cpu(), machine::cores());
    [
        Topic::System.good("system", format!("{name}, {arch}, {manager}")),
        Topic::System.good("CPU", format!("{cpu}, {cores} core(s), {vectors}")),
    ]
}

/// Commands that something of the course uses.
pub fn optional() -> Vec<Finding> {
    let compiler = match std::env::consts::OS {
        "macos" => Some("xcode-select --install".to_string()),
        _ => install("compiler"),
    };
    // Cargo links with the first. Where it is missing only now, programs that are built run on.
    #[rustfmt::skip]
    let tools = [
        ("C compiler", on_path("cc"), true, compiler, "cc is not here; cargo needs it to link, so nothing can be built any more"),
        ("linker", on_path("ld"), true, install("linker"), "ld is not here; PoCL calls it for every kernel, and aborts without it"),
        ("Oclgrind", oclgrind(), false, install("oclgrind"), "not here; it simulates a device: names races, accesses out of bounds, values never written"),
        // No package has it.
        ("trace plugin", Some(plugin_path()).filter(|path| path.is_file()), false, Some("./setup --full".into()), "not built; by it Oclgrind counts what a kernel asks of memory"),
        ("clinfo", on_path("clinfo"), false, install("clinfo"), "not here; it lists every property of every device"),
    ];
    let found = tools.map(|(name, place, is_needed, mend, why)| match place {
        Some(place) => Topic::Tools.good(name, place.display().to_string()),
        None if is_needed => Topic::Tools.bad(name, why).mended_by(mend),
        None => Topic::Tools.note(name, why).mended_by(mend),
    });
    found.into()
}

/// Folders that are written to at every run.
pub fn caches() -> impl Iterator<Item = Finding> {
    [temporary_folder()].into_iter().chain(pocl_cache())
}

fn temporary_folder() -> Finding {
    let folder = std::env::temp_dir();
    let what = format!("temporary folder {}", folder.display());
    let Err(error) = can_write(&folder) else {
        return Topic::Caches.good(what, "can be written");
    };
    let says = format!("cannot be written ({error}); lessons and compilers need it");
    let is_named = std::env::var_os("TMPDIR").is_some();
    let mend = ["export TMPDIR=$HOME", "unset TMPDIR"][usize::from(is_named)];
    Topic::Caches.bad(what, says).next(mend)
}

/// PoCL's compiled kernels, where PoCL is.
fn pocl_cache() -> Option<Finding> {
    let folder = pocl::cache_folder();
    if !folder.exists() && !is_pocl_here() {
        return None;
    }
    let what = format!("PoCL's cache {}", folder.display());
    let Some(why) = pocl::cache_fault() else {
        return Some(Topic::Caches.good(what, "can be written"));
    };
    let finding = Topic::Caches.bad(what, format!("PoCL cannot compile, since {why}"));
    Some(finding.next(pocl::NEW_FOLDER))
}

/// Whether the loader is told of PoCL.
fn is_pocl_here() -> bool {
    let names_pocl =
        |file: PathBuf| std::fs::read_to_string(file).is_ok_and(|name| name.contains("pocl"));
    let named = named_library().unwrap_or_default();
    named.to_string_lossy().contains("pocl") || icd_files().into_iter().any(names_pocl)
}
