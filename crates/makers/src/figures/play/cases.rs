//! Cases that the arithmetic of the things to play with must come to: sectors and banks
//! counted from the kernels' own index expressions, loads and stores by the formulas that
//! the simulator's counts are held against, intensities as they were recorded.

use anyhow::{Context, Result};
use common::formula::Formula;
use process::data::recording::Recording;
use serde_json::{Value, json};

use super::facts;
use crate::figures::{Kernel, WARP, pieces, roofline, turns};

/// Sides of the matrices.
const SIDE: f64 = 1024.0;
/// Items side by side in a group.
const GROUPS: [usize; 6] = [32, 16, 8, 4, 2, 1];
/// Bytes of an element and of a sector.
const BYTES: [(usize, usize); 5] = [(4, 32), (8, 32), (16, 32), (4, 64), (4, 128)];

/// All cases: a list for each idea.
pub fn json() -> Result<String> {
    let lists = [
        ("product", product()?),
        ("copy", copy()?),
        ("banks", banks()),
        ("walk", walk()?),
        ("tile", tile()?),
    ];
    let lists = lists.map(|(name, cases)| {
        let lines: Vec<String> = cases.iter().map(|case| format!("    {case}")).collect();
        format!("  \"{name}\": [\n{}\n  ]", lines.join(",\n"))
    });
    Ok(format!("{{\n{}\n}}\n", lists.join(",\n")))
}

/// Lesson 4's four kernels at k = 0.
fn product() -> Result<Vec<Value>> {
    let mut cases = Vec::new();
    for mapping in ["rows", "columns"] {
        for (end, array) in [("", "B"), ("_bt", "Bt")] {
            let kernel = Kernel::read("04-coalescing.cl", &format!("matmul_id0_{mapping}{end}"))?;
            for (group, (bytes, size)) in settings() {
                let a = touched(&kernel, "A", group, (bytes, size), &[])?;
                let b = touched(&kernel, array, group, (bytes, size), &[])?;
                cases.push(json!({
                    "mapping": mapping, "transposed": array == "Bt", "group": group,
                    "bytes": bytes, "size": size, "A": a, "B": b,
                }));
            }
        }
    }
    Ok(cases)
}

/// Lesson 4's copies: a stride, and an offset.
fn copy() -> Result<Vec<Value>> {
    let mut cases = Vec::new();
    let mut add =
        |name: &str, (stride, offset): (usize, usize), group, (bytes, size)| -> Result<()> {
            let kernel = Kernel::read("04-coalescing.cl", name)?;
            let values = [("stride", stride as f64), ("offset", offset as f64)];
            let count = |array| touched(&kernel, array, group, (bytes, size), &values);
            cases.push(json!({
                "stride": stride, "offset": offset, "group": group,
                "bytes": bytes, "size": size, "in": count("in")?, "out": count("out")?,
            }));
            Ok(())
        };
    for stride in [1, 2, 3, 8, 16] {
        for (group, bytes) in settings() {
            add("copy_stride", (stride, 0), group, bytes)?;
        }
    }
    for offset in 0..=8 {
        for bytes in BYTES {
            add("copy_offset", (1, offset), WARP, bytes)?;
        }
    }
    Ok(cases)
}

fn settings() -> impl Iterator<Item = (usize, (usize, usize))> {
    GROUPS
        .into_iter()
        .flat_map(|group| BYTES.map(|bytes| (group, bytes)))
}

/// How many pieces of memory a warp touches in an array, whose index the kernel says.
fn touched(
    kernel: &Kernel,
    array: &str,
    group: usize,
    (bytes, size): (usize, usize),
    values: &[(&str, f64)],
) -> Result<usize> {
    let ids = [kernel.of_id(0).ok(), kernel.of_id(1).ok()];
    let address = |item: usize| {
        let at = [item % group, item / group];
        let element = kernel.element(array, |name| match name {
            "M" | "N" | "K" | "columns" => Some(SIDE),
            "k" => Some(0.0),
            _ => {
                let id = ids.iter().position(|id| *id == Some(name));
                let value = values.iter().find(|(known, _)| *known == name);
                id.map(|id| at[id] as f64)
                    .or(value.map(|(_, value)| *value))
            }
        });
        Ok(element? * bytes)
    };
    let addresses: Vec<usize> = (0..WARP).map(address).collect::<Result<_>>()?;
    Ok(pieces(addresses, bytes, size).len())
}

/// 32 items that read down a column of a tile.
fn banks() -> Vec<Value> {
    let mut cases = Vec::new();
    for row in 8..=40 {
        for (padding, floats) in [(0, 1), (1, 1), (2, 1), (4, 1), (0, 2), (2, 2), (4, 4)] {
            let length = row + padding;
            let words = (0..WARP).flat_map(|item| (0..floats).map(move |n| item * length + n));
            cases.push(json!({
                "row": row, "padding": padding, "floats": floats, "turns": turns(words),
            }));
        }
    }
    cases
}

/// Lesson 6's tiled product of small matrices, by the formulas of its recording.
fn walk() -> Result<Vec<Value>> {
    let recording = Recording::read(facts::RUNS[0].0, "lesson06")?;
    let mut tiled = recording.values.iter();
    let tiled = tiled.find(|one| one["kernel"] == "matmul_tiled 8x8");
    let formulas = &tiled.context("matmul_tiled is not recorded")?["traffic_formulas"];
    let mut cases = Vec::new();
    for (m, n, k) in [
        (16, 16, 16),
        (16, 16, 5),
        (16, 16, 12),
        (7, 9, 11),
        (1, 1, 1),
    ] {
        for side in [2, 4, 8] {
            let value = |name: &str| match name {
                "M" => Some(f64::from(m)),
                "N" => Some(f64::from(n)),
                "K" => Some(f64::from(k)),
                "TS" => Some(f64::from(side)),
                _ => None,
            };
            let count = |name: &str| -> Result<u64> {
                let formula = formulas[name].as_str().context("no such formula")?;
                let count = Formula::from(formula).value_by(&value);
                Ok(count.map_err(anyhow::Error::msg)? as u64)
            };
            cases.push(json!({
                "m": m, "n": n, "k": k, "side": side,
                "globalLoads": count("global_loads")?, "globalStores": count("global_stores")?,
                "localLoads": count("local_loads")?, "localStores": count("local_stores")?,
            }));
        }
    }
    Ok(cases)
}

/// Recorded kernels with a tile: the intensity of what they were counted to load.
fn tile() -> Result<Vec<Value>> {
    let mut cases = Vec::new();
    for (run, _) in facts::RUNS {
        for (record, tile) in facts::tiled(run)? {
            let traffic = record.traffic_elements.context("no traffic is recorded")?;
            let products = (record.m * record.n * record.k) as f64;
            cases.push(json!({
                "kernel": record.kernel, "tile": tile.json(),
                "m": record.m, "n": record.n, "k": record.k,
                "items": record.group.iter().product::<usize>(),
                "intensity": roofline::intensity(&record),
                "localLoads": traffic.local_loads as f64 / products,
            }));
        }
    }
    Ok(cases)
}
