//! A Markdown table of what each kernel of a recorded run must load and store:
//! the formulas, and what they come to at the run's size.

use anyhow::{Context, Result};
use process::data::recording::Recording;
use serde_json::Value;

use super::markdown::Table;

const KINDS: [(&str, &str); 4] = [
    ("global_loads", "global loads"),
    ("global_stores", "global stores"),
    ("local_loads", "local loads"),
    ("local_stores", "local stores"),
];

/// A row for each kernel that has formulas; columns of zeros are left out.
pub fn table(run: &str, lesson: &str) -> Result<String> {
    let recorded = Recording::read(run, lesson)?.values;
    // The demonstrations of a lesson have sizes of their own: what is timed counts.
    let records: Vec<&Value> = recorded
        .iter()
        .filter(|record| record["traffic_formulas"].is_object() && record["gflops"].is_f64())
        .collect();
    // A helper has a row of its own, once.
    let mut rows: Vec<&Value> = Vec::new();
    for record in &records {
        let helpers = record["helpers"].as_array().into_iter().flatten();
        for row in helpers.chain([*record]) {
            if !rows.iter().any(|known| known["kernel"] == row["kernel"]) {
                rows.push(row);
            }
        }
    }
    let used: Vec<(&str, &str)> = KINDS
        .into_iter()
        .filter(|(kind, _)| rows.iter().any(|row| row["traffic_formulas"][kind] != "0"))
        .collect();
    let mut table = Table::new("kernel");
    for (_, heading) in &used {
        table = table.words(*heading).figures("");
    }
    for row in &rows {
        let mut cells = vec![format!("`{}`", row["kernel"].as_str().unwrap_or("?"))];
        for (kind, _) in &used {
            let formula = row["traffic_formulas"][kind].as_str().unwrap_or("?");
            let count = row["traffic_elements"][kind].as_u64().unwrap_or(0);
            cells.extend([format!("`{formula}`"), grouped(count)]);
        }
        table.row(cells);
    }
    let mut out = table.to_string();
    let first = records.first().context("no record with formulas")?;
    let padded = if out.contains("MP*") {
        "own sizes, MP, NP and KP the same rounded up to whole tiles"
    } else {
        "own (padded) sizes"
    };
    out += &format!(
        "\n\n*In elements, for {}x{}x{}; M, N, K are the kernel's {padded}, G the items of a \
         group. The simulator Oclgrind counts the same.*",
        first["m"], first["n"], first["k"]
    );
    Ok(out)
}

/// Digits in groups of three.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_stand_in_threes() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1024), "1,024");
        assert_eq!(grouped(1073741824), "1,073,741,824");
    }
}
