//! What kernels and recordings say to the things to play with.

use anyhow::{Context, Result};
use common::record::Record;
use process::data::recording::{Recording, device_name};
use serde_json::{Value, json};

use crate::figures::{Kernel, roofline};
use crate::printed::{listed, number};

/// The recordings of a GPU and of a CPU, and the colour of each.
pub const RUNS: [(&str, &str); 2] = [("h200-4096", "gpu"), ("pocl-1024", "cpu")];

/// The sides of a group's tile, its depth, and the sides of an item's tile.
#[derive(Clone, Copy)]
pub struct Tile {
    /// Rows and columns of C per group, and how deep its tiles are.
    group: [usize; 3],
    /// Rows and columns of C per item.
    item: [usize; 2],
}

impl Tile {
    /// The tile of a recorded kernel, if it is one of lessons 6 and 8 that have such.
    ///
    /// # Errors
    /// When the kernel's file does not say its sizes.
    pub fn of(record: &Record) -> Result<Option<Tile>> {
        let [x, y] = record.group[..] else {
            return Ok(None);
        };
        let name = record.function();
        let [rows, columns, deep] = match name {
            "matmul_tiled" | "matmul_column_strip" => [x; 3],
            "matmul_register_tile" | "matmul_register_tile_vector" => {
                let kernel = Kernel::read("08-tiling.cl", name)?;
                let sizes = ["TM", "TN", "TK"].map(|size| kernel.constant(size));
                let sizes: Vec<usize> = sizes.into_iter().collect::<Result<_>>()?;
                [sizes[0], sizes[1], sizes[2]]
            }
            _ => return Ok(None),
        };
        Ok(Some(Tile {
            group: [rows, columns, deep],
            item: [rows / y, columns / x],
        }))
    }

    /// By the names that the kernels give its sides.
    pub fn json(self) -> Value {
        let ([tm, tn, tk], [rm, rn]) = (self.group, self.item);
        json!({ "TM": tm, "TN": tn, "TK": tk, "RM": rm, "RN": rn })
    }
}

/// Every recorded kernel that has a tile.
///
/// # Errors
/// When a recording or a kernel's file is missing.
pub fn tiled(run: &str) -> Result<Vec<(Record, Tile)>> {
    let mut found = Vec::new();
    for lesson in ["lesson06", "lesson08"] {
        for record in Recording::read(run, lesson)?.records {
            if let Some(tile) = Tile::of(&record)? {
                found.push((record, tile));
            }
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
        json!({
            "kernel": record.kernel,
            "tile": tile.json(),
            "gflops": record.gflops,
            "intensity": roofline::intensity(record),
        })
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
