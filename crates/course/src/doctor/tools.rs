//! This system, its tools and folders: what the course and its drivers use besides OpenCL.

use std::path::{Path, PathBuf};

use common::device::icd::{icd_files, named_library};
use common::device::pocl::{self, can_write};
use common::numbers::bytes;
use process::implementations;

use super::child;
use super::finding::{Finding, Topic};
use process::machine::{self, on_path, output};
use process::packages::{self, install};
use report::peers::peer::Peer;

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

/// Commands and libraries that something of the course uses.
pub fn optional() -> Vec<Finding> {
    let shown = |path: PathBuf| path.display().to_string();
    let command = |name: &str| on_path(name).map(shown);
    let library = |peer: Peer| {
        let mut names = peer.libraries().iter().map(ToString::to_string);
        names.find(|name| child::opens(name).is_ok())
    };
    let install_compiler = match std::env::consts::OS {
        "macos" => Some("xcode-select --install".to_string()),
        _ => install("compiler"),
    };
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    // Cargo links with the first. Where it is missing only now, programs that are built run on.
    #[rustfmt::skip]
    let needed = [
        ("C compiler", command("cc"), install_compiler, "cc is not here; cargo needs it to link, so nothing can be built any more"),
        ("linker", command("ld"), install("linker"), "ld is not here; PoCL calls it for every kernel, and aborts without it"),
    ];
    #[rustfmt::skip]
    let rest = [
        ("Oclgrind", implementations::oclgrind().map(shown), "simulates a device: names races, accesses out of bounds, values never written"),
        ("clinfo", command("clinfo"), "lists every property of every device"),
        ("Chromium", browsers.into_iter().find_map(command), "turns the report of course report into pictures"),
        ("OpenBLAS", library(Peer::Openblas), "the fastest product on the host, to compare with (--peers)"),
        ("CLBlast", library(Peer::Clblast), "a library of tuned OpenCL kernels, to compare with (--peers)"),
    ];
    let needed = needed.map(|(name, found, mend, why)| match found {
        Some(place) => Topic::Tools.good(name, place),
        None => Topic::Tools.bad(name, why).mended_by(mend),
    });
    let rest = rest.map(|(name, found, purpose)| match found {
        Some(place) => Topic::Tools.good(name, place),
        None => {
            let finding = Topic::Tools.note(name, format!("not here; it {purpose}"));
            finding.mended_by(install(&name.to_lowercase()))
        }
    });
    needed.into_iter().chain(rest).chain([plugin()]).collect()
}

/// What Oclgrind loads for `course trace`. No package has it: `./setup` builds it.
fn plugin() -> Finding {
    let (name, path) = ("trace plugin", analysis::trace::run::plugin_path());
    if path.is_file() {
        return Topic::Tools.good(name, path.display().to_string());
    }
    let says = "not built; Oclgrind loads it for course trace, which counts what a kernel asks \
                of memory";
    Topic::Tools.note(name, says).next("./setup --full")
}

/// Folders that are written to at every run.
pub fn caches() -> impl Iterator<Item = Finding> {
    [temporary_folder()].into_iter().chain(pocl_cache())
}

/// Below this a driver may fail to write a compiled kernel.
const LITTLE_ROOM: u64 = 100 << 20;

fn temporary_folder() -> Finding {
    let folder = std::env::temp_dir();
    let what = format!("temporary folder {}", folder.display());
    if let Err(error) = can_write(&folder) {
        let says = format!("cannot be written ({error}); lessons and compilers need it");
        let is_named = std::env::var_os("TMPDIR").is_some();
        let mend = ["export TMPDIR=$HOME", "unset TMPDIR"][usize::from(is_named)];
        return Topic::Caches.bad(what, says).next(mend);
    }
    match free_bytes(&folder).map(|free| (free, bytes(free))) {
        None => Topic::Caches.good(what, "can be written"),
        Some((free, shown)) if free < LITTLE_ROOM => Topic::Caches.note(
            what,
            format!("only {shown} are free; compilers write there"),
        ),
        Some((_, shown)) => Topic::Caches.good(what, format!("can be written, {shown} free")),
    }
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

/// What `df` says, which POSIX describes: the fourth column of the second line.
fn free_bytes(folder: &Path) -> Option<u64> {
    let table = output("df", &["-Pk", folder.to_str()?])?;
    let mut columns = table.lines().nth(1)?.split_whitespace();
    let kibibytes: u64 = columns.nth(3)?.parse().ok()?;
    Some(kibibytes << 10)
}
