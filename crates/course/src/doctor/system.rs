//! This system: its name, its CPU, and how things are installed on it.

use super::finding::{Finding, Topic};
use super::packages::{Manager, Tool};
use crate::machine::{self, output};

/// What the cures depend on.
pub struct System {
    manager: Option<&'static Manager>,
    is_root: bool,
}

impl System {
    /// Asks this machine.
    pub fn of_this_machine() -> System {
        System {
            manager: Manager::here(),
            is_root: output("id", &["-u"]).as_deref() == Some("0"),
        }
    }

    /// The command that installs a tool here, where a package manager has it.
    pub fn install(&self, tool: Tool) -> Option<String> {
        Some(self.as_root(&self.manager?.install(tool)?))
    }

    /// The same command with the words before it that make one root.
    pub fn as_root(&self, command: &str) -> String {
        if self.is_root || self.manager.is_some_and(|manager| manager.name == "brew") {
            command.to_string()
        } else {
            format!("sudo {command}")
        }
    }
}

/// What there is to say about the machine itself.
pub fn findings(system: &System) -> Vec<Finding> {
    let manager = system.manager.map(|manager| manager.command);
    let manager = manager.unwrap_or("no package manager that ./setup knows");
    let (name, arch) = (name(), std::env::consts::ARCH);
    let (cpu, cores) = (machine::cpu(), machine::cores());
    let mut vectors = machine::vector_instructions().join(" ");
    if vectors.is_empty() {
        vectors = "no AVX".into();
    }
    vec![
        Topic::System.good("system", format!("{name}, {arch}, {manager}")),
        Topic::System.good("CPU", format!("{cpu}, {cores} core(s), {vectors}")),
    ]
}

fn name() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let pretty = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="));
    match pretty {
        Some(name) => name.trim_matches('"').to_string(),
        None => std::env::consts::OS.to_string(),
    }
}
