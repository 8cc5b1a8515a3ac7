//! The score that `cargo makers symptoms` keeps: a row for each kind of fault that is not
//! always named rightly, and the sum of all.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, ensure};
use common::numbers::percent;
use common::source::workspace;
use serde_json::Value;

use super::markdown::Table;

/// Kernels; their results that are named rightly, silent, and named wrongly.
type Counts = [u64; 4];

/// The table of `data/symptoms/score.jsonl`.
pub fn table() -> Result<String> {
    let path = workspace().join("data/symptoms/score.jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let lines = text.lines().map(serde_json::from_str);
    let mut lines: Vec<Value> = lines.collect::<Result<_, _>>()?;
    ensure!(!lines.is_empty(), "{} is empty", path.display());
    let about = lines.remove(0);
    let mut kinds: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut sum = Counts::default();
    for line in &lines {
        let number = |name: &str| line[name].as_u64().unwrap_or(0);
        let counts = [1, number("named"), number("silent"), number("wrongly")];
        let kind = line["kind"].as_str().unwrap_or("?");
        for total in [kinds.entry(kind).or_default(), &mut sum] {
            for (total, more) in total.iter_mut().zip(counts) {
                *total += more;
            }
        }
    }
    let columns = [
        "kernels",
        "wrong results",
        "named rightly",
        "silent",
        "named wrongly",
    ];
    let mut table = columns
        .into_iter()
        .fold(Table::new("the fault"), Table::figures);
    kinds.retain(|_, [_, _, silent, wrongly]| *silent + *wrongly > 0);
    for (kind, counts) in kinds.into_iter().chain([("all faults", sum)]) {
        table.row(row(kind, counts));
    }
    let share = sum[1] as f64 / results(sum).max(1) as f64;
    let word = |name: &str| about[name].as_str().unwrap_or("?");
    let sizes = about["sizes"].as_array().into_iter().flatten();
    let sizes: Vec<&str> = sizes.filter_map(Value::as_str).collect();
    Ok(format!(
        "{table}\n\n*{} of the wrong results are named rightly. {}, sizes {}; recorded {} by \
         `cargo makers symptoms --write`.*",
        percent(share),
        word("device"),
        sizes.join(", "),
        word("date")
    ))
}

fn row(kind: &str, counts: Counts) -> Vec<String> {
    let [kernels, named, silent, wrongly] = counts;
    let figures = [kernels, results(counts), named, silent, wrongly];
    let figures = figures.map(|figure| figure.to_string());
    [vec![kind.into()], figures.into()].concat()
}

fn results([_, named, silent, wrongly]: Counts) -> u64 {
    named + silent + wrongly
}
