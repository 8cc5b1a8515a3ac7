//! What lesson 1 printed of a device when it was recorded.

use anyhow::{Context, Result};
use common::record::Record;
use process::data::recording::file;

/// The limits of one device, a line each.
pub struct Listed {
    device: String,
    lines: String,
}

impl Listed {
    /// The device of a record, in the run that it is of.
    ///
    /// # Errors
    /// When lesson 1 was not recorded, or does not list the device.
    pub fn of(run: &str, record: &Record) -> Result<Listed> {
        let device = format!("{} ({})", record.device, record.platform);
        Listed::named(device, &file(run, "lesson01", "txt")?)
    }

    fn named(device: String, printed: &str) -> Result<Listed> {
        let mut devices = printed.split("\n  Device ").skip(1);
        let is_it = |text: &&str| {
            text.lines()
                .next()
                .is_some_and(|line| line.ends_with(&device))
        };
        let lines = devices.find(is_it).map(String::from);
        let lines = lines.with_context(|| format!("lesson 1 does not list {device}"))?;
        Ok(Listed { device, lines })
    }

    /// What stands behind a name: "48 KiB".
    ///
    /// # Errors
    /// When it was not printed.
    pub fn words(&self, name: &str) -> Result<&str> {
        let lines = self.lines.lines().skip(1);
        let found = lines
            .map(str::trim)
            .find_map(|line| line.strip_prefix(name));
        let words = found.and_then(|rest| rest.trim().split("  ").next());
        words.with_context(|| format!("lesson 1 did not print the {name} of {}", self.device))
    }

    /// The same as a number, of bytes where it is a size.
    ///
    /// # Errors
    /// When it was not printed, or is no number.
    pub fn number(&self, name: &str) -> Result<usize> {
        let words = self.words(name)?;
        let (number, unit) = words.split_once(' ').unwrap_or((words, ""));
        let number: usize = number.parse().with_context(|| format!("{name}: {words}"))?;
        Ok(match unit {
            "KiB" => number << 10,
            "MiB" => number << 20,
            _ => number,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_that_of_the_right_device() {
        let printed = "x\n  Device 0: a CPU (P)\n    local memory  2 MiB  x\n  Device 1: GPU X (Q)\n    \
                       largest work-group     1024   z\n    local memory  48 KiB  x\n";
        let of = |device: &str| Listed::named(device.into(), printed);
        let gpu = of("GPU X (Q)").unwrap();
        assert_eq!(gpu.words("local memory").unwrap(), "48 KiB");
        assert_eq!(gpu.number("local memory").unwrap(), 48 << 10);
        assert_eq!(gpu.number("largest work-group").unwrap(), 1024);
        assert_eq!(
            of("a CPU (P)").unwrap().number("local memory").unwrap(),
            2 << 20
        );
        assert!(gpu.words("clock").is_err() && of("GPU Z (Q)").is_err());
    }
}
