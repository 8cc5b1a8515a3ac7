//! A Markdown table of a kept report: one kernel at each size beside the libraries
//! that were measured in the same run.

use std::fs;

use anyhow::{Context, Result, bail};
use common::numbers::{factor, percent, significant};
use common::shape::Shape;
use common::source::workspace;
use serde::Deserialize;
use serde_json::Value;
use toolbox::recording::vendors_library;
use toolbox::size_name;

/// The libraries, as a report calls them, and as their makers write it.
const PEERS: [(&str, &str); 2] = [("clblast", "CLBlast"), ("openblas", "OpenBLAS")];

/// The table of `data/report/NAME.json`. It is of one kernel, so that nobody picks
/// the best after the run.
pub fn table(name: &str, kernel: &str) -> Result<String> {
    let report = read(name)?;
    let mut out = format!("| size | `{kernel}` | of limit |");
    out += &PEERS
        .map(|(_, peer)| format!(" {peer} | `{kernel}` to it |"))
        .concat();
    out += "\n|---|---:|---:|";
    out += &"---:|---:|".repeat(PEERS.len());
    let mut rows = 0;
    for size in items(&report["settings"]["sizes"]) {
        let is_it = |record: &&Value| record["kernel"] == kernel && record["platform"] != "host";
        let Some(ours) = records(&report, size, "lesson").find(is_it) else {
            continue;
        };
        let Some(rate) = ours["gflops"].as_f64() else {
            continue;
        };
        rows += 1;
        let limit = ours["share_of_limit"].as_f64().map_or("-".into(), percent);
        let (size_name, rate_shown) = (size_name(Shape::deserialize(size)?), significant(rate));
        out += &format!("\n| {size_name} | {rate_shown} | {limit} |");
        for (peer, _) in PEERS {
            let mut measured = records(&report, size, peer);
            out += &match measured.find_map(|record| record["gflops"].as_f64()) {
                Some(theirs) => format!(" {} | {} |", significant(theirs), factor(rate / theirs)),
                None => " - | - |".into(),
            };
        }
    }
    if rows == 0 {
        bail!("data/report/{name}.json has no {kernel}");
    }
    let word = |value: &Value| value.as_str().unwrap_or("?").to_string();
    let label =
        |device: &Value| format!("{} ({})", word(&device["name"]), word(&device["platform"]));
    let devices: Vec<String> = items(&report["devices"]).map(label).collect();
    out += &format!(
        "\n\n*GFLOP/s on {}, host {}; medians of one run, {}, of `course report --peers`.*",
        devices.join(", "),
        word(&report["host"]),
        word(&report["begun"])
    );
    Ok(out)
}

fn read(name: &str) -> Result<Value> {
    let path = workspace().join("data/report").join(format!("{name}.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
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

/// The fastest library on square products of side `n` on the device of a recording
/// (`h200-4096`), and its GFLOP/s: its vendor's, or one of those in the report
/// of the same name. None where no library was measured.
pub fn library(run: &str, n: usize) -> Option<(String, f64)> {
    vendors_library(run, n).or_else(|| {
        let size = serde_json::to_value(Shape::cube(n)).ok()?;
        let report = read(run).ok()?;
        let rate = |peer| records(&report, &size, peer).find_map(|one| one["gflops"].as_f64());
        let rates = PEERS
            .iter()
            .filter_map(|(peer, name)| Some((name.to_string(), rate(peer)?)));
        rates.max_by(|(_, one), (_, other)| one.total_cmp(other))
    })
}

/// What was measured at a size by lessons, or by a library.
fn records<'r>(report: &'r Value, size: &Value, by: &str) -> impl Iterator<Item = &'r Value> {
    let parts = items(&report["done"]).filter(move |done| {
        let (part, work) = (&done["part"], &done["part"]["work"]);
        part["size"] == *size && (work["peer"] == by || work.get(by).is_some())
    });
    parts.flat_map(|done| items(&done["records"]))
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
