//! A Markdown table of a kept report: one kernel at each size beside the libraries
//! that were measured in the same run.

use anyhow::{Context, Result, bail};
use common::numbers::{factor, percent, significant};
use common::shape::Shape;
use process::data::reports::{PEERS, items, read, records};
use process::data::size_name;
use serde::Deserialize;
use serde_json::Value;

use super::markdown::{Table, or_dash};

/// The table of `data/report/NAME.json`. It is of one kernel, so that nobody picks
/// the best after the run.
pub fn table(name: &str, kernel: &str) -> Result<String> {
    let report = read(name)?;
    let mut table = Table::new("size")
        .figures(format!("`{kernel}`"))
        .figures("of limit");
    for (_, peer) in PEERS {
        table = table.figures(peer).figures(format!("`{kernel}` to it"));
    }
    for size in items(&report["settings"]["sizes"]) {
        let is_it = |record: &&Value| record["kernel"] == kernel && record["platform"] != "host";
        let Some(ours) = records(&report, size, "lesson").find(is_it) else {
            continue;
        };
        let Some(rate) = ours["gflops"].as_f64() else {
            continue;
        };
        let mut row = vec![
            size_name(Shape::deserialize(size)?),
            significant(rate),
            or_dash(ours["share_of_limit"].as_f64(), percent),
        ];
        for (peer, _) in PEERS {
            let mut measured = records(&report, size, peer);
            let theirs = measured.find_map(|record| record["gflops"].as_f64());
            row.push(or_dash(theirs, significant));
            row.push(or_dash(theirs.map(|theirs| rate / theirs), factor));
        }
        table.row(row);
    }
    if table.is_empty() {
        bail!("data/report/{name}.json has no {kernel}");
    }
    let word = |value: &Value| value.as_str().unwrap_or("?").to_string();
    let label =
        |device: &Value| format!("{} ({})", word(&device["name"]), word(&device["platform"]));
    let devices: Vec<String> = items(&report["devices"]).map(label).collect();
    Ok(format!(
        "{table}\n\n*GFLOP/s on {}, host {}; medians of one run, {}, of `course report --peers`.*",
        devices.join(", "),
        word(&report["host"]),
        word(&report["begun"])
    ))
}

/// The rate that a claim names by a report, a size, and a kernel or a library.
pub fn rate(words: &str) -> Result<f64> {
    let mut words = words.splitn(3, ' ');
    let (Some(name), Some(size), Some(what)) = (words.next(), words.next(), words.next()) else {
        bail!("a rate of a report is named by report, size, and kernel or library");
    };
    let report = read(name)?;
    let is_it = |one: &&Value| Shape::deserialize(*one).is_ok_and(|s| size_name(s) == size);
    let shape = items(&report["settings"]["sizes"])
        .find(is_it)
        .with_context(|| format!("data/report/{name}.json has no size {size}"))?;
    let is_peer = PEERS.iter().any(|(peer, _)| *peer == what);
    let by = if is_peer { what } else { "lesson" };
    let mut measured = records(&report, shape, by);
    let found = measured.find(|one| is_peer || one["kernel"] == what);
    found
        .and_then(|one| one["gflops"].as_f64())
        .with_context(|| format!("data/report/{name}.json has no rate of {what} at {size}"))
}
