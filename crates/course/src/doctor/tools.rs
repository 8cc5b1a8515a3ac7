//! Tools and folders: what the course and its drivers use besides OpenCL.

use std::path::{Path, PathBuf};

use common::numbers::bytes;
use supervise::cache;
use toolbox::implementations;

use super::finding::{Finding, Part, Verdict};
use super::library;
use super::system::{Manager, System, on_path, output};
use crate::report::peers::Peer;

/// Something that can be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tool {
    Pocl,
    Loader,
    Rusticl,
    Compiler,
    Linker,
    Clinfo,
    Oclgrind,
    Chromium,
    OpenBlas,
    ClBlast,
}

/// Lines of "manager tool: packages", which `./setup` reads, too.
const PACKAGES: &str = include_str!("../../../../packages");

impl Tool {
    /// Its packages, where the manager has them.
    pub fn packages(self, manager: Manager) -> Option<&'static str> {
        let wanted = format!("{manager:?} {self:?}");
        let mut lines = PACKAGES.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(of, _)| of.eq_ignore_ascii_case(&wanted));
        found.map(|(_, packages)| packages)
    }
}

/// Commands and libraries that something of the course uses.
pub fn optional(system: &System) -> Vec<Finding> {
    let mut findings = vec![compiler(system), linker(system)];
    let oclgrind = implementations::oclgrind().map(|path| path.display().to_string());
    let clinfo = on_path("clinfo").map(|path| path.display().to_string());
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let chromium = browsers.iter().find_map(|name| on_path(name));
    let chromium = chromium.map(|path| path.display().to_string());
    let library = |peer: Peer| {
        let mut names = peer.libraries().iter();
        let found = names.find(|name| library::opens(name).is_ok());
        found.map(|name| name.to_string())
    };
    #[rustfmt::skip]
    let rest = [
        ("Oclgrind", oclgrind, Tool::Oclgrind, "simulates a device: names races, accesses out of bounds, values never written"),
        ("clinfo", clinfo, Tool::Clinfo, "lists every property of every device"),
        ("Chromium", chromium, Tool::Chromium, "turns the report of course report into pictures"),
        ("OpenBLAS", library(Peer::Openblas), Tool::OpenBlas, "the fastest product on the host, to compare with (--peers)"),
        ("CLBlast", library(Peer::Clblast), Tool::ClBlast, "a library of tuned OpenCL kernels, to compare with (--peers)"),
    ];
    for (name, found, tool, purpose) in rest {
        findings.push(match found {
            Some(place) => Finding::new(Part::Tools, Verdict::Good, name, place),
            None => Finding::new(
                Part::Tools,
                Verdict::Note,
                name,
                format!("not here; it {purpose}"),
            )
            .mended_by(system.install(tool)),
        });
    }
    findings
}

/// Cargo links with it. Where it is missing only now, programs that are built run on.
fn compiler(system: &System) -> Finding {
    match on_path("cc") {
        Some(path) => Finding::new(
            Part::Tools,
            Verdict::Good,
            "C compiler",
            path.display().to_string(),
        ),
        None => {
            let mend = match std::env::consts::OS {
                "macos" => Some("xcode-select --install".to_string()),
                _ => system.install(Tool::Compiler),
            };
            Finding::new(
                Part::Tools,
                Verdict::Bad,
                "C compiler",
                "cc is not here; cargo needs it to link, so nothing can be built any more",
            )
            .mended_by(mend)
        }
    }
}

fn linker(system: &System) -> Finding {
    match on_path("ld") {
        Some(path) => Finding::new(
            Part::Tools,
            Verdict::Good,
            "linker",
            path.display().to_string(),
        ),
        None => Finding::new(
            Part::Tools,
            Verdict::Bad,
            "linker",
            "ld is not here; PoCL calls it for every kernel, and aborts without it",
        )
        .mended_by(system.install(Tool::Linker)),
    }
}

/// Folders that are written to at every run.
pub fn caches() -> Vec<Finding> {
    let mut findings = vec![temporary_folder()];
    findings.extend(pocl_cache());
    findings
}

/// Below this a driver may fail to write a compiled kernel.
const LITTLE_ROOM: u64 = 100 << 20;

fn temporary_folder() -> Finding {
    let folder = std::env::temp_dir();
    let what = format!("temporary folder {}", folder.display());
    if let Err(error) = can_write(&folder) {
        let says = format!("cannot be written ({error}); lessons and compilers need it");
        return Finding::new(Part::Caches, Verdict::Bad, what, says)
            .mended_by("export TMPDIR=, followed by a folder of yours".to_string());
    }
    match free_bytes(&folder) {
        Some(free) if free < LITTLE_ROOM => {
            let says = format!("only {} are free; compilers write there", bytes(free));
            Finding::new(Part::Caches, Verdict::Note, what, says)
        }
        Some(free) => {
            let says = format!("can be written, {} free", bytes(free));
            Finding::new(Part::Caches, Verdict::Good, what, says)
        }
        None => Finding::new(Part::Caches, Verdict::Good, what, "can be written"),
    }
}

/// PoCL's compiled kernels, where PoCL has been used.
fn pocl_cache() -> Option<Finding> {
    let folder = cache::folder()?;
    let what = format!("PoCL's cache {}", folder.display());
    let clear = format!("rm -r {}", folder.display());
    if let Some(file) = cache::damaged_file() {
        let says = format!(
            "{} is cut short or overwritten: PoCL may crash on it",
            file.display()
        );
        return Some(Finding::new(Part::Caches, Verdict::Bad, what, says).mended_by(clear));
    }
    if !folder.exists() {
        return None;
    }
    Some(match can_write(&folder) {
        Ok(()) => Finding::new(
            Part::Caches,
            Verdict::Good,
            what,
            "can be written, nothing in it is damaged",
        ),
        Err(error) => {
            let says =
                format!("cannot be written ({error}): PoCL compiles anew at every run, or fails");
            let mend = "export POCL_CACHE_DIR=$(mktemp -d)".to_string();
            Finding::new(Part::Caches, Verdict::Note, what, says).mended_by(mend)
        }
    })
}

fn can_write(folder: &Path) -> std::io::Result<()> {
    let file: PathBuf = folder.join(format!("opencl-course-doctor-{}", std::process::id()));
    std::fs::write(&file, "?")?;
    std::fs::remove_file(&file)
}

/// What `df` says, which POSIX describes: the fourth column of the second line.
fn free_bytes(folder: &Path) -> Option<u64> {
    let table = output("df", &["-Pk", folder.to_str()?])?;
    let kibibytes: u64 = table
        .lines()
        .nth(1)?
        .split_whitespace()
        .nth(3)?
        .parse()
        .ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_tool_by_its_name() {
        use Tool::*;
        let tools = [Pocl, Loader, Rusticl, Compiler, Linker, Clinfo, Oclgrind];
        for tool in tools.into_iter().chain([Chromium, OpenBlas, ClBlast]) {
            assert!(tool.packages(Manager::Apt).is_some(), "{tool:?}");
        }
        assert_eq!(Tool::Oclgrind.packages(Manager::Brew), None);
        assert_eq!(Tool::Pocl.packages(Manager::Pacman), Some("pocl ocl-icd"));
    }
}
