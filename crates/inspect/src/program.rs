//! What the driver made of a kernel that was launched: the library in PoCL's cache, or
//! the binary of its program.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use common::Error;
use common::device::pocl;
use common::source::Source;
use walkdir::{DirEntry, WalkDir};
use watchdog::built;
use watchdog::lessons;
use watchdog::scratch::Scratch;
use watchdog::worker::{self, PATIENCE, Work};

use crate::code::{Code, Resources};
use crate::file;
use crate::launched::{Launched, Wanted};

/// A program's binary, and what its driver said while building it.
pub struct Binary {
    /// As the driver gives it.
    pub bytes: Vec<u8>,
    log: String,
}

impl Binary {
    /// The generation of the NVIDIA GPU that it is for, such as "sm_90".
    pub fn architecture(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        file::target(&text).map(String::from)
    }

    /// What the driver's assembler said of a kernel.
    pub fn resources(&self, kernel: &str) -> Resources {
        file::resources(&self.log, kernel)
    }
}

/// The machine code of a kernel that was launched.
///
/// # Errors
/// [`Error::Build`] with the reason where the driver gives none that can be read.
pub fn code(wanted: &Wanted, launched: &Launched) -> Result<Code> {
    let platform = &launched.record.platform;
    if platform.contains(pocl::PLATFORM) {
        return of_pocl(wanted, launched);
    }
    if platform.contains("Oclgrind") {
        let why = "Oclgrind is a simulator: it makes no machine code; take another --device";
        return Err(Error::Usage(why.into()).into());
    }
    let binary = binary(wanted, launched)?;
    let mut code = file::decode(&binary.bytes, &wanted.kernel).with_context(|| {
        let record = &launched.record;
        format!("{} ({})", record.device, record.platform)
    })?;
    let resources = binary.resources(&wanted.kernel);
    if resources.registers.is_some() {
        code.resources = resources;
    }
    Ok(code)
}

/// PoCL compiles a kernel for each shape of groups: `CACHE/../KERNEL/16-16-1-.../KERNEL.so`.
fn of_pocl(wanted: &Wanted, launched: &Launched) -> Result<Code> {
    let (kernel, group) = (&wanted.kernel, &launched.record.group);
    let library = format!("{kernel}.so");
    let side = |at: usize| group.get(at).unwrap_or(&1);
    let shape = format!("{}-{}-{}-", side(0), side(1), side(2));
    let is_own = |file: &DirEntry| {
        let folder = file.path().parent().and_then(Path::file_name).unwrap_or_default();
        let has_shape = group.is_empty() || folder.to_string_lossy().starts_with(&shape);
        has_shape && file.file_name() == &*library
    };
    let written = |file: &DirEntry| file.metadata().ok().and_then(|data| data.modified().ok());
    let all = WalkDir::new(&launched.cache.0).sort_by_file_name().into_iter().flatten();
    let first = all.filter(is_own).min_by_key(written);
    let first = first.with_context(|| format!("PoCL left no library of {kernel} in its cache"))?;
    let mut code = file::read(first.path(), kernel)?;
    code.language += ", of the library that PoCL keeps";
    if code.instructions.iter().all(|one| one.line.is_none()) {
        let why = "the lines of the source are not shown: PoCL noted none for the copy that runs";
        code.notes.push(why.into());
    }
    Ok(code)
}

/// The binary of the kernel's program, built with the lesson's macros by `oclcc`, which a
/// driver may take down.
pub fn binary(wanted: &Wanted, launched: &Launched) -> Result<Binary> {
    let folder = Scratch::new()?;
    let [to, log] = ["program", "log"].map(|name| folder.0.join(name));
    let mut work = Work::of(built::program("oclcc")?);
    for (name, value) in &launched.record.defines {
        work.arg("-D").arg(format!("{name}={value}"));
    }
    work.arg(source(wanted)?)
        .args(["--type", wanted.ty.name()])
        .args(wanted.device.iter().flat_map(|device| ["--device", device]))
        .args([Path::new("--log"), &log, Path::new("-o"), &to])
        // What comes from NVIDIA's cache comes without a log.
        .env("CUDA_CACHE_DISABLE", "1");
    let ended = worker::finish(&work, PATIENCE)?;
    if ended.status != 0 {
        return Err(Error::build(ended.refused().to_string()).into());
    }
    Ok(Binary { bytes: fs::read(&to)?, log: fs::read_to_string(&log).unwrap_or_default() })
}

/// The kernel file: the learner's, or the lesson's.
pub fn source(wanted: &Wanted) -> Result<PathBuf> {
    if let Some(file) = &wanted.source {
        return Ok(file.clone());
    }
    let lesson = lessons::with_kernel(&wanted.kernel)?;
    let none = || format!("no lesson has a kernel {}", wanted.kernel);
    Ok(Source::path_in_course(&lesson.with_context(none)?.1))
}
