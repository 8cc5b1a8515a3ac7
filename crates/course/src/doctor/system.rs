//! This system: its name, its CPU, and how things are installed on it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::finding::{Finding, Part, Verdict};
use super::tools::Tool;

/// A package manager that `./setup` knows, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manager {
    Apt,
    Dnf,
    Pacman,
    Brew,
}

impl Manager {
    const ALL: [(Manager, &str); 4] = [
        (Manager::Apt, "apt-get"),
        (Manager::Dnf, "dnf"),
        (Manager::Pacman, "pacman"),
        (Manager::Brew, "brew"),
    ];

    fn install(self) -> &'static str {
        match self {
            Manager::Apt => "apt-get install -y",
            Manager::Dnf => "dnf install -y",
            Manager::Pacman => "pacman -S --needed",
            Manager::Brew => "brew install",
        }
    }
}

/// What the cures depend on.
pub struct System {
    name: String,
    manager: Option<Manager>,
    is_root: bool,
}

impl System {
    /// Asks this machine.
    pub fn of_this_machine() -> System {
        let manager = Manager::ALL
            .iter()
            .find(|(_, command)| on_path(command).is_some());
        System {
            name: name(),
            manager: manager.map(|(manager, _)| *manager),
            is_root: output("id", &["-u"]).as_deref() == Some("0"),
        }
    }

    /// The command that installs a tool here, where a package manager has it.
    pub fn install(&self, tool: Tool) -> Option<String> {
        let manager = self.manager?;
        let packages = tool.packages(manager)?;
        Some(self.as_root(&format!("{} {packages}", manager.install())))
    }

    /// The same command with the words before it that make one root.
    pub fn as_root(&self, command: &str) -> String {
        if self.is_root || self.manager == Some(Manager::Brew) {
            command.to_string()
        } else {
            format!("sudo {command}")
        }
    }
}

/// What there is to say about the machine itself.
pub fn findings(system: &System) -> Vec<Finding> {
    let manager = Manager::ALL
        .iter()
        .find(|(manager, _)| Some(*manager) == system.manager);
    let manager = manager.map_or("no package manager that ./setup knows", |(_, command)| {
        command
    });
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let good = |what: &str, says| Finding::new(Part::System, Verdict::Good, what, says);
    vec![
        good(
            "system",
            format!("{}, {}, {manager}", system.name, std::env::consts::ARCH),
        ),
        good("CPU", format!("{}, {cores} core(s), {}", cpu(), features())),
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

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|line| line.starts_with("model name"));
    let model = model
        .and_then(|line| line.split_once(':'))
        .map(|(_, name)| name.trim().to_string());
    model
        .or_else(|| output("sysctl", &["-n", "machdep.cpu.brand_string"]))
        .unwrap_or_else(|| "a CPU that does not tell its name".into())
}

/// The vector instructions, which a CPU driver compiles kernels to.
#[cfg(target_arch = "x86_64")]
fn features() -> String {
    let known = [
        ("AVX", is_x86_feature_detected!("avx")),
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("FMA", is_x86_feature_detected!("fma")),
        ("AVX-512", is_x86_feature_detected!("avx512f")),
    ];
    let there: Vec<&str> = known
        .iter()
        .filter(|(_, there)| *there)
        .map(|(name, _)| *name)
        .collect();
    if there.is_empty() {
        "no vector instructions beyond SSE2".into()
    } else {
        there.join(" ")
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> String {
    "vector instructions not looked at".into()
}

/// Where a command is found.
pub fn on_path(command: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let with_end = format!("{command}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&folders)
        .map(|folder| folder.join(&with_end))
        .find(|path| path.is_file())
}

/// What a command prints, where it runs and ends well.
pub fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    (!text.is_empty()).then_some(text)
}
