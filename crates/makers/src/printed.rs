//! What a recorded run printed.

use anyhow::{Context, Result};

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
}
