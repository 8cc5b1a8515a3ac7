//! What a recorded run printed.

use anyhow::{Context, Result};
use common::record::Record;
use process::data::recording::file;

/// What stands behind `text` at the beginning of a line; behind `head ... text`, of the first
/// such line below that of the head.
pub fn behind<'t>(printed: &'t str, beginnings: &str) -> Result<&'t str> {
    let mut lines = printed.lines().map(str::trim_start);
    let mut rest = "";
    for beginning in beginnings.split(" ... ") {
        let found = lines.find_map(|line| line.strip_prefix(beginning));
        rest = found.with_context(|| format!("no line \"{beginning}\" was printed"))?;
    }
    Ok(rest)
}

/// The numbers of a printed line; times in seconds.
pub fn numbers(line: &str) -> Vec<f64> {
    let end = |c: char| ",;:x░▒▓█".contains(c);
    let words: Vec<&str> = line
        .split_whitespace()
        .map(|word| word.trim_end_matches(end))
        .collect();
    let number = |at: usize| {
        let unit = match words.get(at + 1) {
            Some(&"ms") => 1e-3,
            Some(&"us") => 1e-6,
            _ => 1.0,
        };
        Some(words[at].parse::<f64>().ok()? * unit)
    };
    (0..words.len()).filter_map(number).collect()
}

/// What lesson 1 printed behind this name for the device of a record: "48 KiB".
pub fn listed(run: &str, record: &Record, name: &str) -> Result<String> {
    let device = format!("{} ({})", record.device, record.platform);
    in_list(&file(run, "lesson01", "txt")?, &device, name)
}

fn in_list(printed: &str, device: &str, name: &str) -> Result<String> {
    let mut devices = printed.split("\n  Device ").skip(1);
    let list = devices.find_map(|one| {
        one.split_once('\n')
            .filter(|(line, _)| line.ends_with(device))
    });
    let (_, list) = list.with_context(|| format!("lesson 1 does not list {device}"))?;
    let words = behind(list, name).with_context(|| format!("of {device}"))?;
    Ok(words.trim().split("  ").next().unwrap_or_default().into())
}

/// The number of `48 KiB`, in bytes where it is a size.
pub fn number(words: &str) -> Result<usize> {
    let (number, unit) = words.split_once(' ').unwrap_or((words, ""));
    let number: usize = number.parse().with_context(|| words.to_string())?;
    Ok(match unit {
        "KiB" => number << 10,
        "MiB" => number << 20,
        _ => number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_numbers_come_without_their_punctuation_and_in_seconds() {
        let line = "  503 GFLOP/s of fp32 adds, 48.5 GB/s; 20.3 ms, 4.52x";
        assert_eq!(numbers(line), [503.0, 48.5, 20.3 * 1e-3, 4.52]);
        assert_eq!(numbers(" 0  0.4  140.5"), [0.0, 0.4, 140.5]);
        assert_eq!(numbers("  ·  35.3  235░  483█"), [35.3, 235.0, 483.0]);
        assert_eq!(numbers("  2.5 us  3 s"), [2.5 * 1e-6, 3.0]);
    }

    #[test]
    fn a_limit_is_that_of_the_right_device() {
        let printed = "x\n  Device 0: a CPU (P)\n    local memory  2 MiB  x\n  Device 1: GPU X (Q)\n    \
                       largest work-group     1024   z\n    local memory  48 KiB  x\n";
        let of = |device, name| in_list(printed, device, name);
        assert_eq!(of("GPU X (Q)", "local memory").unwrap(), "48 KiB");
        assert_eq!(of("GPU X (Q)", "largest work-group").unwrap(), "1024");
        assert_eq!(of("a CPU (P)", "local memory").unwrap(), "2 MiB");
        assert!(of("GPU X (Q)", "clock").is_err() && of("GPU Z (Q)", "clock").is_err());
        let numbers = ["48 KiB", "1024", "2 MiB"].map(|words| number(words).unwrap());
        assert_eq!(numbers, [48 << 10, 1024, 2 << 20]);
    }
}
