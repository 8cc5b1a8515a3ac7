//! What the check found: a row for each kernel, or a JSON line for each kernel and
//! implementation.

use std::io::Write;

use anyhow::Result;
use colored::{ColoredString, Colorize};
use serde_json::{Value, json};
use text::Out;

use super::{Column, Kernel, Status};

/// Prints it for people, or for programs.
pub fn show(columns: &[Column], json: bool) -> Result<()> {
    // Those that some implementation ran, in teaching order.
    let mut kernels = Vec::new();
    for (kernel, _) in columns.iter().flat_map(|column| &column.kernels) {
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    match json {
        true => lines(columns, &kernels),
        false => table(columns, &kernels),
    }
}

impl Column<'_> {
    fn find(&self, kernel: &Kernel) -> Option<&Status> {
        let found = self.kernels.iter().find(|(name, _)| name == kernel);
        found.map(|(_, status)| status)
    }

    fn is_missing(&self) -> bool {
        self.implementation.selector.is_none()
    }

    /// The worst of all shapes in a word, and why; none of a kernel that nobody ran.
    fn worst(&self, kernel: &Kernel) -> Option<(&'static str, Option<&String>)> {
        match self.find(kernel) {
            None => self.is_missing().then_some(("missing", None)),
            Some(status) if status.failed.is_some() => Some(("failed", status.failed.as_ref())),
            Some(status) if status.verified > 0 => Some(("verified", None)),
            Some(status) => Some(("skipped", status.skipped.as_ref())),
        }
    }

    fn cell(&self, kernel: &Kernel) -> ColoredString {
        let shapes = self.find(kernel).map_or(0, |status| status.verified);
        match self.worst(kernel) {
            None => format!("{:>13}", "-").normal(),
            Some(("verified", _)) => format!("{:>13}", format!("✓ {shapes} shapes")).green(),
            Some(("failed", _)) => format!("{:>13}", "✗ FAILED").red(),
            Some((word, _)) => format!("{word:>13}").yellow(),
        }
    }
}

fn table(columns: &[Column], kernels: &[&Kernel]) -> Result<()> {
    let mut out = Out;
    let mut remarks = Vec::new();
    write!(out, "{:<40}", "kernel")?;
    for column in columns {
        write!(out, "{:>13}", column.implementation.name)?;
    }
    writeln!(out)?;
    for kernel in kernels {
        write!(out, "{:<40}", format!("{}  {}", kernel.0, kernel.1))?;
        for column in columns {
            write!(out, "{}", column.cell(kernel))?;
            if let Some((word, Some(why))) = column.worst(kernel) {
                let name = &column.implementation.name;
                remarks.push(format!("{}, {name}: {word}: {why}", kernel.1));
            }
        }
        writeln!(out)?;
    }
    for column in columns.iter().filter(|column| column.is_missing()) {
        let name = &column.implementation.name;
        writeln!(out, "{name} is missing: it was not checked")?;
    }
    Ok(remarks
        .iter()
        .try_for_each(|remark| writeln!(out, "{remark}"))?)
}

fn lines(columns: &[Column], kernels: &[&Kernel]) -> Result<()> {
    for kernel in kernels {
        for column in columns {
            let Some((word, why)) = column.worst(kernel) else {
                continue;
            };
            // As in the lessons' own records.
            let verified = column.find(kernel).filter(|_| word == "verified");
            let helpers = verified.into_iter().flat_map(|status| &status.helpers);
            let helpers: Vec<Value> = helpers.map(|kernel| json!({ "kernel": kernel })).collect();
            let line = json!({
                "lesson": kernel.0,
                "kernel": kernel.1,
                "helpers": helpers,
                "implementation": column.implementation.name,
                "verdict": word,
                "reason": why,
            });
            writeln!(Out, "{line}")?;
        }
    }
    Ok(())
}
