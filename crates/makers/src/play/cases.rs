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

/// Items side by side in a group, and bytes of an element and of a sector.
fn settings() -> impl Iterator<Item = (usize, (usize, usize))> {
    GROUPS
        .into_iter()
        .flat_map(|group| BYTES.map(|bytes| (group, bytes)))
}

/// Lesson 4's four kernels at k = 0.
fn product() -> Result<Vec<Value>> {
    let kernels = ["rows", "columns"].into_iter();
    let kernels = kernels.flat_map(|mapping| [(mapping, "", "B"), (mapping, "_bt", "Bt")]);
    let mut cases = Vec::new();
    for (mapping, end, array) in kernels {
        let kernel = Kernel::read("04-coalescing.cl", &format!("matmul_id0_{mapping}{end}"))?;
        for (group, (bytes, size)) in settings() {
            let count = |array| touched(&kernel, array, group, (bytes, size), &[]);
            cases.push(json!({
                "mapping": mapping, "transposed": array == "Bt", "group": group,
                "bytes": bytes, "size": size, "A": count("A")?, "B": count(array)?,
            }));
        }
    }
    Ok(cases)
}

/// Lesson 4's copies: a stride, and an offset.
fn copy() -> Result<Vec<Value>> {
    let strides = [1, 2, 3, 8, 16].into_iter();
    let strides =
        strides.flat_map(|stride| settings().map(move |of| ("copy_stride", stride, 0, of)));
    let offsets = (0..=8).flat_map(|offset| BYTES.map(|of| ("copy_offset", 1, offset, (WARP, of))));
    let cases = strides
        .chain(offsets)
        .map(|(name, stride, offset, (group, (bytes, size)))| {
            let kernel = Kernel::read("04-coalescing.cl", name)?;
            let values = [("stride", f64::from(stride)), ("offset", f64::from(offset))];
            let count = |array| touched(&kernel, array, group, (bytes, size), &values);
            Ok(json!({
                "stride": stride, "offset": offset, "group": group,
                "bytes": bytes, "size": size, "in": count("in")?, "out": count("out")?,
            }))
        });
    cases.collect()
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
            _ => match ids.iter().position(|id| *id == Some(name)) {
                Some(id) => Some(at[id] as f64),
                None => values
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| *value),
            },
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
    let sizes = [
        (16, 16, 16),
        (16, 16, 5),
        (16, 16, 12),
        (7, 9, 11),
        (1, 1, 1),
    ]
    .into_iter();
    let cases = sizes.flat_map(|size| [2, 4, 8].map(|side| (size, side)));
    let cases = cases.map(|((m, n, k), side)| {
        let names = [("M", m), ("N", n), ("K", k), ("TS", side)];
        let value = |name: &str| {
            let known = names.iter().find(|(known, _)| *known == name);
            known.map(|(_, value)| f64::from(*value))
        };
        let count = |name: &str| -> Result<u64> {
            let formula = formulas[name].as_str().context("no such formula")?;
            let count = Formula::from(formula).value_by(&value);
            Ok(count.map_err(anyhow::Error::msg)? as u64)
        };
        Ok(json!({
            "m": m, "n": n, "k": k, "side": side,
            "globalLoads": count("global_loads")?, "globalStores": count("global_stores")?,
            "localLoads": count("local_loads")?, "localStores": count("local_stores")?,
        }))
    });
    cases.collect()
}

/// Recorded kernels with a tile: the intensity of what they were counted to load.
fn tile() -> Result<Vec<Value>> {
    let mut cases = Vec::new();
    for (run, _) in facts::RUNS {
        for (record, tile) in facts::tiled(run)? {
            let traffic = record.traffic_elements.context("no traffic is recorded")?;
            let products = (record.m * record.n * record.k) as f64;
            cases.push(json!({
                "kernel": record.kernel, "tile": tile,
                "m": record.m, "n": record.n, "k": record.k,
                "items": record.group.iter().product::<usize>(),
                "intensity": roofline::intensity(&record),
                "localLoads": traffic.local_loads as f64 / products,
            }));
        }
    }
    Ok(cases)
}
