//! This machine: what it tells of itself, how tools and libraries are installed here (by the package
//! managers that `./setup` knows, too), and its devices, as lesson 1 lists and chooses them.

use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use common::{command, device::drivers::POCL, file::own_workspace};
use serde::{Deserialize, Serialize};
use verify::cores::cores;

use crate::worker::{self, PATIENCE};

/// What Linux tells of the CPU in this field.
fn cpu(field: &str) -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with(field))?;
    Some(line.split_once(':')?.1.trim().into())
}

/// The CPU's name, where the system tells it, and its cores, as recordings have them.
pub fn host() -> String {
    let name = cpu("model name").or_else(|| output("sysctl", &["-n", "machdep.cpu.brand_string"]));
    format!("{}, {} cores", name.as_deref().unwrap_or(std::env::consts::ARCH), cores())
}

/// Whether the CPU has these vector instructions, by Linux's word for them: "avx512vl".
pub fn has_instructions(name: &str) -> bool {
    cpu("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == name))
}

/// Where a command is found.
pub fn on_path(command: &str) -> Option<std::path::PathBuf> {
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
fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(command);
    let output = command.args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Lines of "manager tool: packages", which `./setup` reads, too.
const PACKAGES: &str = include_str!("../packages");

/// What installs packages, with each manager that stands in the table.
const MANAGERS: [&str; 4] =
    ["apt-get install -y", "dnf install -y", "pacman -S --needed", "brew install"];

/// The package manager of this machine.
pub fn manager() -> Option<&'static str> {
    let mut commands =
        MANAGERS.map(|install| install.split(' ').next().unwrap_or(install)).into_iter();
    commands.find(|command| on_path(command).is_some())
}

/// The command that installs what the table has for a tool, where the manager has it.
pub fn install(tool: &str) -> Option<String> {
    Some(as_root(&install_with(PACKAGES, manager()?, tool)?))
}

fn install_with(table: &str, manager: &str, tool: &str) -> Option<String> {
    let mut managers = MANAGERS.iter();
    let install = managers.find(|install| install.starts_with(manager))?;
    let begin = format!("{} {tool}: ", manager.trim_end_matches("-get"));
    let packages = table.lines().find_map(|line| line.strip_prefix(&begin))?;
    Some(format!("{install} {packages}"))
}

/// A command with the words before it that make one root.
pub fn as_root(command: &str) -> String {
    match manager() == Some("brew") || output("id", &["-u"]).as_deref() == Some("0") {
        true => command.to_string(),
        false => format!("sudo {command}"),
    }
}

/// A device, as lesson 1 lists it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Its number in the listing.
    pub index: usize,
    /// As its driver calls it.
    pub name: String,
    /// Its OpenCL implementation.
    pub platform: String,
    /// That one's version.
    pub driver: String,
    /// "gpu", "cpu", ...
    pub kind: String,
    /// Cores of a CPU, multiprocessors of a GPU.
    pub compute_units: usize,
}

impl Device {
    /// "NVIDIA H200 (NVIDIA CUDA)".
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.platform)
    }

    /// Whether it is a CPU, the host's own.
    pub fn is_cpu(&self) -> bool {
        self.kind == "cpu"
    }
}

/// The one that lesson 1 chooses, or all that measure times; at least one.
pub fn chosen(selector: Option<&str>, all: bool) -> Result<Vec<Device>> {
    let mut work = crate::lessons::LESSONS[0].work()?;
    let selector = selector.into_iter().flat_map(|one| ["--device", one]);
    work.arg("--json").args(selector);
    let listing = worker::finish(&work, PATIENCE)?;
    if listing.failure.is_some() {
        return Err(listing.refused().into());
    }
    let devices = listing.answers.iter().filter_map(|listed| {
        let told = &listed["device"];
        let mut fields = told.clone();
        fields["platform"] = told["platform"]["name"].clone();
        fields["compute_units"] = told["limits"]["compute_units"].clone();
        let device: Device = serde_json::from_value(fields).ok()?;
        // A simulator's times mean nothing; chosen by name, it may show that.
        let simulator = device.platform.contains("Oclgrind");
        (listed["chosen"] == true || all && !simulator).then_some(device)
    });
    let devices: Vec<Device> = devices.collect();
    ensure!(!devices.is_empty(), "lesson 1 lists no device; run {}", command::setup(""));
    Ok(devices)
}

/// PoCL's, the CPU implementation of most machines, where it is here.
pub fn pocl() -> Option<Device> {
    let is_pocl = |device: &Device| device.platform.contains(POCL);
    chosen(None, true).ok()?.into_iter().find(is_pocl)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_tool_by_its_name() {
        let drivers = ["pocl", "loader", "rusticl", "oclgrind"];
        let tools = ["compiler", "linker", "clinfo", "chromium", "openblas"];
        for tool in drivers.into_iter().chain(tools) {
            assert!(install_with(PACKAGES, "apt-get", tool).is_some(), "{tool}");
        }
        assert_eq!(install_with(PACKAGES, "brew", "oclgrind"), None);
        let pocl = install_with(PACKAGES, "pacman", "pocl");
        assert_eq!(pocl.as_deref(), Some("pacman -S --needed pocl ocl-icd"));
    }

    #[test]
    fn a_damaged_table_lacks_something() {
        damage::must_be_survived(PACKAGES.as_bytes(), |bytes| {
            let table = String::from_utf8_lossy(bytes);
            for manager in ["apt-get", "brew", "dnf"] {
                let command = install_with(&table, manager, "pocl");
                assert!(command.is_none_or(|command| command.lines().count() == 1));
            }
        });
    }
}
