//! How tools and libraries are installed here: by the package managers that `./setup`
//! knows, too.

use crate::machine::{on_path, output};

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
    let is_root = || output("id", &["-u"]).as_deref() == Some("0");
    if manager() == Some("brew") || is_root() {
        command.to_string()
    } else {
        format!("sudo {command}")
    }
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
