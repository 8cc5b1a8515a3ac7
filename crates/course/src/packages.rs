//! How tools are installed here: the package managers that `./setup` knows, too.

use crate::machine::on_path;

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

/// A package manager.
pub struct Manager {
    /// Its name in the table.
    pub name: &'static str,
    /// Its command.
    pub command: &'static str,
    install: &'static str,
}

const fn manager(name: &'static str, command: &'static str, install: &'static str) -> Manager {
    Manager {
        name,
        command,
        install,
    }
}

const MANAGERS: [Manager; 4] = [
    manager("apt", "apt-get", "apt-get install -y"),
    manager("dnf", "dnf", "dnf install -y"),
    manager("pacman", "pacman", "pacman -S --needed"),
    manager("brew", "brew", "brew install"),
];

impl Manager {
    /// The one of this machine.
    pub fn here() -> Option<&'static Manager> {
        MANAGERS
            .iter()
            .find(|manager| on_path(manager.command).is_some())
    }

    /// The command that installs a tool, where the manager has it.
    pub fn install(&self, tool: Tool) -> Option<String> {
        let wanted = format!("{} {tool:?}", self.name);
        let mut lines = PACKAGES.lines().filter_map(|line| line.split_once(": "));
        let (_, packages) = lines.find(|(of, _)| of.eq_ignore_ascii_case(&wanted))?;
        Some(format!("{} {packages}", self.install))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_tool_by_its_name() {
        use Tool::*;
        let [apt, _, pacman, brew] = &MANAGERS;
        let tools = [Pocl, Loader, Rusticl, Compiler, Linker, Clinfo, Oclgrind];
        for tool in tools.into_iter().chain([Chromium, OpenBlas, ClBlast]) {
            assert!(apt.install(tool).is_some(), "{tool:?}");
        }
        assert_eq!(brew.install(Tool::Oclgrind), None);
        let pocl = pacman.install(Tool::Pocl);
        assert_eq!(pocl.as_deref(), Some("pacman -S --needed pocl ocl-icd"));
    }
}
