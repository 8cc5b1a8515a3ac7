//! What kernels and recordings say to the things to play with.

use anyhow::{Context, Result};
use common::record::Record;
use process::data::recording::{Recording, device_name};
use serde_json::{Value, json};

use crate::figures::{Kernel, roofline};
use crate::printed::{listed, number};

/// The recordings of a GPU and of a CPU, and the colour of each.
pub const RUNS: [(&str, &str); 2] = [("h200-4096", "gpu"), ("pocl-1024", "cpu")];

/// The tile of a recorded kernel, if it is one of lessons 6 and 8 that have such: by the names
/// that the kernels give its sides, rows and columns of C per group and how deep its tiles are,
/// rows and columns of C per item.
fn tile(record: &Record) -> Result<Option<Value>> {
    let [x, y] = record.group[..] else {
        return Ok(None);
    };
    let name = record.function();
    let [rows, columns, deep] = match name {
        "matmul_tiled" | "matmul_column_strip" => [x; 3],
        "matmul_register_tile" | "matmul_register_tile_vector" => {
            let kernel = Kernel::read("08-tiling.cl", name)?;
            let size = |name| kernel.constant(name);
            [size("TM")?, size("TN")?, size("TK")?]
        }
        _ => return Ok(None),
    };
    let (rm, rn) = (rows / y, columns / x);
    Ok(Some(
        json!({ "TM": rows, "TN": columns, "TK": deep, "RM": rm, "RN": rn }),
    ))
}

/// Every recorded kernel that has a tile.
pub fn tiled(run: &str) -> Result<Vec<(Record, Value)>> {
    let mut found = Vec::new();
    for lesson in ["lesson06", "lesson08"] {
        for record in Recording::read(run, lesson)?.records {
            let tile = tile(&record)?;
            found.extend(tile.map(|tile| (record, tile)));
        }
    }
    Ok(found)
}

/// `play.facts`, as a script: a page that is a file can load no other data.
pub fn script() -> Result<String> {
    let side = Kernel::read("06-local-memory.cl", "transpose_tile")?.constant("SIDE")?;
    let devices = RUNS.iter().map(|(run, colour)| device(run, colour));
    let devices: Vec<Value> = devices.collect::<Result<_>>()?;
    let facts = json!({ "banks": { "side": side }, "roofline": { "devices": devices } });
    Ok(format!(
        "// Made from the kernels and the recordings by `cargo makers pages`.\n\
         \"use strict\";\nplay.facts = {};\n",
        serde_json::to_string_pretty(&facts)?
    ))
}

/// A device's limits, and the kernels that are set beside them.
fn device(run: &str, colour: &str) -> Result<Value> {
    let recording = Recording::read(run, "lesson11")?;
    let record = recording.best().context("no product is recorded")?;
    let limits = record.limits.as_ref().context("no limits are recorded")?;
    let kernels = tiled(run)?;
    let (first, _) = kernels.first().context("no kernel with a tile")?;
    let size = json!({ "m": first.m, "n": first.n, "k": first.k });
    let kernels = kernels.iter().map(|(record, tile)| {
        let (kernel, gflops) = (&record.kernel, record.gflops);
        let intensity = roofline::intensity(record);
        json!({ "kernel": kernel, "tile": tile, "gflops": gflops, "intensity": intensity })
    });
    let listed = |name| number(&listed(run, record, name)?);
    Ok(json!({
        "name": device_name(record),
        "colour": colour,
        "size": size,
        "gflops": limits.gflops,
        "gbytes": limits.gbytes_per_second,
        "largestGroup": listed("largest work-group")?,
        "localMemory": listed("local memory")?,
        "kernels": kernels.collect::<Vec<Value>>(),
    }))
}
