//! What kernels and recordings say to the things to play with.

use anyhow::{Context, Result};
use common::record::Record;
use serde_json::{Value, json};
use toolbox::recording::{self, Recording};

use crate::kernel::Kernel;
use crate::ladder::RUNS;
use crate::roofline;

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
        let name = record.kernel.split(' ').next().unwrap_or_default();
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
        "// Made from the kernels and the recordings by `cargo workshop pages`.\n\
         \"use strict\";\nplay.facts = {};\n",
        serde_json::to_string_pretty(&facts)?
    ))
}

/// A device's limits, and the kernels that are set beside them.
fn device(run: &str, colour: &str) -> Result<Value> {
    let lessons = roofline::lessons(run);
    let (_, name, record) = lessons.last().context("no lesson is recorded")?;
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
    let printed = recording::file(run, "lesson01", "txt")?;
    Ok(json!({
        "name": name,
        "colour": colour,
        "size": size,
        "gflops": limits.gflops,
        "gbytes": limits.gbytes_per_second,
        "largestGroup": limit(&printed, &record.device, "largest work-group")?,
        "localMemory": limit(&printed, &record.device, "local memory")?,
        "kernels": kernels.collect::<Vec<Value>>(),
    }))
}

/// A line of what lesson 1 printed of a device: "local memory           48 KiB   two tiles".
fn limit(printed: &str, device: &str, name: &str) -> Result<usize> {
    let mut lines = printed.lines();
    lines.find(|line| line.trim_start().starts_with("Device") && line.contains(device));
    let found = lines.find_map(|line| line.trim().strip_prefix(name));
    let mut words = found.unwrap_or_default().split_whitespace();
    let number = words.next().and_then(|word| word.parse::<usize>().ok());
    let number =
        number.with_context(|| format!("lesson 1 did not print the {name} of {device}"))?;
    Ok(match words.next() {
        Some("KiB") => number << 10,
        Some("MiB") => number << 20,
        _ => number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_that_of_the_right_device() {
        let printed = "Device 0: a CPU\n  local memory  2 MiB  x\nDevice 1: GPU X (y)\n  \
                    largest work-group     1024   z\n  local memory  48 KiB  x\n";
        assert_eq!(limit(printed, "GPU X", "local memory").unwrap(), 49152);
        assert_eq!(limit(printed, "GPU X", "largest work-group").unwrap(), 1024);
        assert!(limit(printed, "GPU Z", "local memory").is_err());
    }
}
