//! The kept reports of `course report`, `data/report/`, and the libraries in them.

use std::fs;

use anyhow::{Context, Result};
use common::shape::Shape;
use common::source::workspace;
use serde_json::Value;

/// The libraries, as a report calls them, and as their makers write it.
pub const PEERS: [(&str, &str); 2] = [("clblast", "CLBlast"), ("openblas", "OpenBLAS")];

/// The fastest library on square products of side `n` in the report `data/report/RUN.json`,
/// and its GFLOP/s.
pub fn library(run: &str, n: usize) -> Option<(String, f64)> {
    let size = serde_json::to_value(Shape::cube(n)).ok()?;
    let report = read(run).ok()?;
    let rate = |peer| records(&report, &size, peer).find_map(|one| one["gflops"].as_f64());
    let rates = PEERS
        .iter()
        .filter_map(|(peer, name)| Some((name.to_string(), rate(peer)?)));
    rates.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// The kept report `data/report/NAME.json`.
pub fn read(name: &str) -> Result<Value> {
    let path = workspace().join("data/report").join(format!("{name}.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// What was measured at a size by lessons, or by a library.
pub fn records<'r>(report: &'r Value, size: &Value, by: &str) -> impl Iterator<Item = &'r Value> {
    let parts = items(&report["done"]).filter(move |done| {
        let (part, work) = (&done["part"], &done["part"]["work"]);
        part["size"] == *size && (work["peer"] == by || work.get(by).is_some())
    });
    parts.flat_map(|done| items(&done["records"]))
}

/// The items of a list; none of what is no list.
pub fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_has_the_fastest_library_of_its_report() {
        let report = read("pocl-1024").expect("a kept report");
        let size = serde_json::to_value(Shape::cube(1024)).expect("JSON");
        let of = |peer| records(&report, &size, peer).find_map(|one| one["gflops"].as_f64());
        let (name, rate) = library("pocl-1024", 1024).expect("a library");
        assert_eq!((name.as_str(), Some(rate)), ("OpenBLAS", of("openblas")));
        assert!(of("clblast") < Some(rate));
        assert_eq!(library("pocl-1024", 7), None);
        assert_eq!(library("no-such-run", 1024), None);
    }
}
