//! An experiment of two choices as a square: the rates of a lesson's kernels, with a row
//! for each side of one choice and a column for each side of the other.

use anyhow::{Context, Result, ensure};
use common::numbers::significant;
use process::data::recording::{Recording, counts};

use super::markdown::{Table, or_dash};
use super::table::{captions, label, unit};

/// `LESSON RUN RUN; COLUMN, COLUMN; ROW: KERNEL, KERNEL; ROW: KERNEL, KERNEL`.
pub fn table(words: &[&str]) -> Result<String> {
    let text = words.join(" ");
    let mut parts = text.split(';').map(str::trim);
    let mut names = parts.next().unwrap_or_default().split(' ');
    let lesson = names.next().unwrap_or_default();
    let runs = Recording::read_all(&names.collect::<Vec<_>>(), lesson)?;
    let columns: Vec<&str> = parts.next().unwrap_or_default().split(", ").collect();
    let mut table = Table::new("");
    for run in &runs {
        for column in &columns {
            table = table.figures(format!("{}, {}: {column}", label(run, &runs), unit(run)));
        }
    }
    for part in parts {
        let (name, kernels) = part.split_once(": ").context("write ROW: KERNEL, KERNEL")?;
        let kernels: Vec<&str> = kernels.split(", ").collect();
        ensure!(
            kernels.len() == columns.len(),
            "{name}: a kernel for each column"
        );
        let mut row = vec![name.to_string()];
        for run in &runs {
            for kernel in &kernels {
                row.push(rate(run, kernel)?);
            }
        }
        table.row(row);
    }
    ensure!(!table.is_empty(), "no row");
    Ok(format!("{table}{}", captions(&runs)))
}

fn rate(run: &Recording, kernel: &str) -> Result<String> {
    let mut records = run.records.iter();
    let record = records.find(|record| record.kernel == kernel && counts(record));
    let record = record.with_context(|| format!("data/{} has no {kernel}", run.name))?;
    Ok(or_dash(record.rate(), significant))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Result<String> {
        table(&text.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn a_row_for_each_side_of_one_choice_a_column_for_each_of_the_other() {
        let table = made(
            "lesson04 h200-4096; B, B transposed; rows: matmul_id0_rows, matmul_id0_rows_bt; \
             columns: matmul_id0_columns, matmul_id0_columns_bt",
        );
        let table = table.unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].contains("B transposed |"), "{table}");
        assert!(lines[2].starts_with("| rows | ") && lines[3].starts_with("| columns | "));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(made("lesson04 h200-4096; B; rows: no_such_kernel").is_err());
        assert!(made("lesson04 h200-4096; B, Bt; rows: matmul_id0_rows").is_err());
        assert!(made("lesson04 h200-4096; B").is_err());
        assert!(made("").is_err());
    }
}
