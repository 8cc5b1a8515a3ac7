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
    fn a_row_tells_the_change_against_the_first_size() {
        let rates = [Some(150.0), None, Some(202.0)];
        let made = row("best".into(), Some(200.0), &rates);
        assert_eq!(made, ["best", "200", "150, -25.0 %", "-", "202, +1.0 %"]);
        assert_eq!(row("new".into(), None, &[Some(5.0)]), ["new", "-", "5.00"]);
    }
}
