//! This system: its name, its CPU, and how things are installed on it.

use super::finding::{Finding, Topic};
use process::{machine, packages};

/// What there is to say about the machine itself.
pub fn findings() -> Vec<Finding> {
    let manager = packages::manager().unwrap_or("no package manager that ./setup knows");
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
    let mut lines = release.lines();
    let pretty = lines.find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = pretty.unwrap_or(std::env::consts::OS);
    name.trim_matches('"').to_string()
}
