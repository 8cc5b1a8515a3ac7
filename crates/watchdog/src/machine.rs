//! This machine, as it tells of itself.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::file::own_workspace;

/// The CPU's name, where the system tells it.
pub fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|line| line.starts_with("model name"));
    let name = model.and_then(|line| Some(line.split_once(':')?.1.trim().to_string()));
    name.or_else(|| output("sysctl", &["-n", "machdep.cpu.brand_string"]))
        .unwrap_or_else(|| std::env::consts::ARCH.into())
}

use verify::cores::cores;

/// The CPU's name and its cores, as recordings have them.
pub fn host() -> String {
    format!("{}, {} cores", cpu(), cores())
}

/// The vector instructions that drivers and libraries make use of; of other machines than
/// x86-64 nothing is told.
pub fn vector_instructions() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("AVX", is_x86_feature_detected!("avx")),
            ("AVX2", is_x86_feature_detected!("avx2")),
            ("FMA", is_x86_feature_detected!("fma")),
            // It comes in parts: what has this one has those that libraries take it for.
            ("AVX-512", is_x86_feature_detected!("avx512vl")),
        ];
        let there = known.into_iter().filter(|(_, there)| *there);
        there.map(|(name, _)| name).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

/// Where a command is found.
pub fn on_path(command: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let with_end = format!("{command}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&folders).map(|folder| folder.join(&with_end)).find(|path| path.is_file())
}

/// The date, as the system's own command tells it in this format: a recording says when it was made.
///
/// # Errors
/// Where there is no such command.
pub fn date(format: &str) -> std::io::Result<String> {
    let output = Command::new("date").arg(format).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The commit of the course, with "-dirty" where files were changed; where it is a clone, and git
/// is here.
pub fn commit() -> Option<String> {
    let clone = own_workspace().display().to_string();
    let describe = ["describe", "--always", "--dirty", "--abbrev=10"];
    output("git", &[&["-C", &clone], &describe[..]].concat())
}

/// What a command prints, where it runs and ends well.
pub fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(command);
    let output = command.args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}
