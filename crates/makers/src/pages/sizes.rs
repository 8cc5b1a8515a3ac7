//! A Markdown table of recorded runs of one device at several sizes: what does a
//! row or a column more cost?

use anyhow::{Context, Result, bail};
use common::numbers::significant;
use common::record::Record;
use process::data::recording::Recording;
use process::data::size_name;

use super::markdown::{Table, or_dash};
use super::table::captions;

/// The rates of some kernels of a lesson; all behind the first run also as a
/// change against it. The last row compares the best with the best.
pub fn table(lesson: &str, arguments: &[&str]) -> Result<String> {
    // Kernels have an underscore in their names, recordings a hyphen.
    let (names, runs): (Vec<&str>, Vec<&str>) =
        arguments.iter().partition(|word| word.contains('_'));
    let runs = Recording::read_all(&runs, lesson)?;
    let is_named = |record: &&Record| names.contains(&record.function());
    let rates = runs.iter().map(|run| {
        let named = run.records.iter().filter(is_named);
        named.filter_map(|record| Some((&*record.kernel, record.gflops?)))
    });
    let rates: Vec<Vec<(&str, f64)>> = rates.map(Iterator::collect).collect();
    let Some((first, rest)) = rates.split_first().filter(|(first, _)| !first.is_empty()) else {
        bail!("no such kernel in these runs");
    };
    let mut kernels: Vec<&str> = Vec::new();
    for (kernel, _) in rates.iter().flatten() {
        if !kernels.contains(kernel) {
            kernels.push(kernel);
        }
    }
    let sizes: Option<Vec<String>> = runs.iter().map(|run| run.size().map(size_name)).collect();
    let sizes = sizes.context("a run without a product")?;
    let mut table = sizes.into_iter().fold(Table::new("kernel"), Table::figures);
    let of = |rates: &[(&str, f64)], kernel| {
        let found = rates.iter().find(|(name, _)| *name == kernel);
        found.map(|(_, rate)| *rate)
    };
    for kernel in kernels {
        let rest: Vec<_> = rest.iter().map(|rates| of(rates, kernel)).collect();
        table.row(row(format!("`{kernel}`"), of(first, kernel), &rest));
    }
    let best = |rates: &[(&str, f64)]| rates.iter().map(|(_, rate)| *rate).reduce(f64::max);
    let rest: Vec<_> = rest.iter().map(|rates| best(rates)).collect();
    table.row(row("the best of them".into(), best(first), &rest));
    Ok(format!("{table}{}", captions(&runs)))
}

/// The rates of one kernel in one run of several sizes: a row for each K, and a column for
/// each length of B's rows.
pub fn rows(lesson: &str, kernel: &str, run: &str) -> Result<String> {
    let run = Recording::read(run, lesson)?;
    let timed = run.records.iter().filter(|one| one.kernel == kernel);
    let timed: Vec<&Record> = timed.filter(|one| one.gflops.is_some()).collect();
    let first = timed.first().context("no such kernel in this run")?;
    let across = timed.iter().filter(|one| one.k == first.k);
    let across: Vec<_> = across.map(|one| one.n).collect();
    let mut table = Table::new("K");
    for n in &across {
        table = table.figures(format!("rows of {} bytes", n * size_of::<f32>()));
    }
    for down in timed.iter().filter(|one| one.n == first.n) {
        let mut row = vec![down.k.to_string()];
        row.extend(across.iter().map(|n| {
            let at = |one: &&&Record| one.n == *n && one.k == down.k;
            let found = timed.iter().find(at);
            or_dash(found.and_then(|one| one.gflops), significant)
        }));
        table.row(row);
    }
    Ok(format!("{table}{}", captions(&[run])))
}

/// A kernel may exist at some of the sizes only.
fn row(name: String, first: Option<f64>, rest: &[Option<f64>]) -> Vec<String> {
    let mut row = vec![name, or_dash(first, significant)];
    row.extend(rest.iter().map(|rate| match (rate, first) {
        (Some(rate), Some(first)) => {
            let change = 100.0 * (rate / first - 1.0);
            format!("{}, {change:+.1} %", significant(*rate))
        }
        _ => or_dash(*rate, significant),
    }));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_several_sizes_has_a_row_for_each_k() {
        let table = rows("lesson03", "matmul_naive", "epyc-rows").unwrap();
        assert!(table.starts_with("| K | rows of 4000 bytes |"), "{table}");
        assert!(table.contains("\n| 1024 | 3."), "{table}");
        assert!(rows("lesson03", "no_such_kernel", "epyc-rows").is_err());
    }

    #[test]
    fn a_row_tells_the_change_against_the_first_size() {
        let rates = [Some(150.0), None, Some(202.0)];
        let made = row("best".into(), Some(200.0), &rates);
        assert_eq!(made, ["best", "200", "150, -25.0 %", "-", "202, +1.0 %"]);
        assert_eq!(row("new".into(), None, &[Some(5.0)]), ["new", "-", "5.00"]);
    }
}
