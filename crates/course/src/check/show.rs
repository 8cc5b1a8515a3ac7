//! What the check found: a row for each kernel, or a JSON line for each kernel and
//! implementation.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;
use serde_json::{Value, json};

use super::{Column, Kernel, Status};

/// The kernels that some implementation ran, in teaching order.
fn kernels(columns: &[Column]) -> Vec<&Kernel> {
    let mut kernels = Vec::new();
    for (kernel, _) in columns.iter().flat_map(|column| &column.kernels) {
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    kernels
}

impl Column {
    fn is_missing(&self) -> bool {
        self.implementation.selector.is_none()
    }

    fn find(&self, kernel: &Kernel) -> Option<&Status> {
        let found = self.kernels.iter().find(|(name, _)| name == kernel);
        found.map(|(_, status)| status)
    }
}

impl Status {
    /// The worst of all shapes, and why.
    fn worst(&self) -> (&'static str, Option<&String>) {
        if self.failed.is_some() {
            ("failed", self.failed.as_ref())
        } else if self.verified > 0 {
            ("verified", None)
        } else {
            ("skipped", self.skipped.as_ref())
        }
    }
}

/// For people.
pub fn table(columns: &[Column]) -> Result<()> {
    let mut out = std::io::stdout();
    let mut remarks = Vec::new();
    write!(out, "{:<40}", "kernel")?;
    for column in columns {
        let name = &column.implementation.name;
        write!(out, "{name:>13}")?;
        remarks.extend(column.faults.iter().map(|fault| format!("{name}: {fault}")));
    }
    writeln!(out)?;
    for kernel in kernels(columns) {
        write!(out, "{:<40}", format!("{}  {}", kernel.0, kernel.1))?;
        for column in columns {
            let found = column.find(kernel);
            let (word, why) = found.map_or(("-", None), Status::worst);
            let cell = match word {
                _ if column.is_missing() => format!("{:>13}", "missing").yellow(),
                "verified" => {
                    let shapes = found.map_or(0, |status| status.verified);
                    format!("{:>13}", format!("✓ {shapes} shapes")).green()
                }
                "skipped" => format!("{word:>13}").yellow(),
                "failed" => format!("{:>13}", "✗ FAILED").red(),
                _ => format!("{word:>13}").normal(),
            };
            write!(out, "{cell}")?;
            let name = &column.implementation.name;
            remarks.extend(why.map(|why| format!("{}, {name}: {word}: {why}", kernel.1)));
        }
        writeln!(out)?;
    }
    for column in columns.iter().filter(|column| column.is_missing()) {
        let name = &column.implementation.name;
        writeln!(out, "{name} is missing: it was not checked")?;
    }
    for remark in remarks {
        writeln!(out, "{remark}")?;
    }
    Ok(())
}

/// For programs.
pub fn json(columns: &[Column]) -> Result<()> {
    for kernel in kernels(columns) {
        for column in columns {
            let found = column.find(kernel);
            let (word, why) = match found {
                Some(status) => status.worst(),
                None if column.is_missing() => ("missing", None),
                None => continue,
            };
            // As in the lessons' own records.
            let verified = found.filter(|_| word == "verified");
            let preparations = verified.into_iter().flat_map(|status| &status.preparations);
            let preparations = preparations.map(|kernel| json!({ "kernel": kernel }));
            let line = json!({
                "lesson": kernel.0,
                "kernel": kernel.1,
                "preparations": preparations.collect::<Vec<Value>>(),
                "implementation": column.implementation.name,
                "verdict": word,
                "reason": why,
            });
            writeln!(std::io::stdout(), "{line}")?;
        }
    }
    Ok(())
}
