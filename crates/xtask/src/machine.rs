//! Measures what the parts of a device take, and keeps it in `docs/data/machine/NAME.jsonl`, of which
//! docs/latency.md is made: `course run --time` runs the task files of `machine/`, each at several
//! sizes, and checks what they leave behind.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use verify::numbers::bytes;
use watchdog::machine::{self, Device, has_instructions};

use crate::{kept, record::told};

/// What to measure, and where to keep it.
#[derive(clap::Args)]
pub struct MachineArgs {
    /// File below docs/data/machine/ that receives the figures, for example pocl
    #[arg(value_parser = kept::name)]
    name: String,
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(long, value_name = "NUMBER|NAME")]
    device: Option<String>,
}

/// A task file at one size: the kernel, and its file; how it is launched; its steps; the other
/// sizes, and the macros, as TOML.
type Point = (&'static str, String, usize, [String; 2]);

/// Measures everything and writes the file.
pub fn machine(options: &MachineArgs) -> Result<()> {
    let device = machine::chosen(options.device.as_deref(), false)?.remove(0);
    let folder = watchdog::scratch::Scratch::new()?;
    for file in kept::entries("crates/xtask/machine")? {
        fs::copy(&file, folder.0.join(file.file_name().context("a file")?))?;
    }
    let points = points(&device);
    let index = device.index.to_string();
    let words = ["run", "--time", "--size=time", "--json", "--device", &index];
    let mut words = words.map(String::from).to_vec();
    for (at, (like, _, steps, [size, define])) in points.iter().enumerate() {
        let path = folder.0.join(format!("{at}.toml"));
        let time = format!("steps = {steps}, {size}");
        let task = format!("like = '{like}.toml'\ntime = {{ {time} }}\ndefine = {{ {define} }}\n");
        fs::write(&path, task)?;
        words.push(path.display().to_string());
    }
    let told = told(&words, &[0])?;
    ensure!(told.len() == points.len(), "not every task was told");
    let mut lines = vec![kept::about_device(&device)?];
    for ((probe, variant, steps, _), told) in points.iter().zip(told) {
        let figure = |field: &str| told["sizes"][0][field].as_f64();
        let seconds = figure("seconds_median").with_context(|| format!("no time: {told}"))?;
        let nanoseconds = seconds * 1e9 / *steps as f64;
        ensure!(nanoseconds > 1e-3, "{told}: did the compiler drop its work?");
        let mut line = json!({ "probe": probe, "variant": variant, "nanoseconds": nanoseconds });
        line["spread"] = json!(figure("spread"));
        if let Some((rate, share)) = figure("gbytes_per_second").zip(figure("share_of_copy")) {
            // What all units together read in a step.
            line["bytes"] = json!((rate * nanoseconds).round());
            lines[0]["limits"] = json!({ "gbytes_per_second": rate / share });
        }
        lines.push(line);
    }
    kept::write_lines(format!("docs/data/machine/{}.jsonl", options.name), &lines)
}

/// Everything that is measured of such a device.
fn points(device: &Device) -> Vec<Point> {
    let (gpu, units) = (!device.is_cpu(), device.compute_units.max(1));
    let wide = |name| usize::from(has_instructions(name));
    let floats = 4 << (wide("avx") + wide("avx512vl"));
    // As many items as run in lockstep, and enough to fill every unit.
    let lockstep = format!("items = {}", if gpu { 32 } else { 1 });
    let (items, group) = if gpu { (2048, 256) } else { (128, 32) };
    let everywhere = format!("items = {}, group = {group}", items * units);
    let mut points = Vec::new();
    let mut add = |probe, variant: &str, steps, says| {
        points.push((probe, variant.to_string(), steps, says));
    };
    for kib in [16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10] {
        let (size, apart) = (kib << 10, if gpu { 32 } else { 16 });
        let lines = size / 4 / apart;
        let says = [format!("lines = {lines}, apart = {apart}"), String::new()];
        add("chase", &bytes(size as u64), lines.max(1 << 18) + 1, says);
        // On a CPU an item is a loop of its own, which should walk through memory in order. On a
        // GPU none shall: the groups of a unit share its cache.
        let (at, width, steps, scatter) = match gpu {
            true => (everywhere.clone(), 4, 1 << 12, 0x1e37_79b9),
            false => (format!("items = {}, group = 1", 8 * units), floats, 1 << 17, 1),
        };
        let blocks = size / (16 * width * if gpu { group } else { 1 });
        let size_of = format!("{at}, blocks = {blocks}, scatter = {scatter}");
        add("sweep", &bytes(size as u64), steps, [size_of, format!("WIDTH = {width}")]);
    }
    add("chase_local", "8 KiB", 250_000, [lockstep.clone(), String::new()]);
    for chains in [1, 2, 4, 6, 8, 10, 12] {
        let define = format!("CHAINS = {chains}, WIDTH = {}", if gpu { 1 } else { floats });
        add("chain", &chains.to_string(), 1 << 19, [lockstep.clone(), define]);
    }
    // Words of a tile's row, and items that stand above each other in it.
    let tiles = ["1 32", "2 32", "32 32", "33 32", "16 16", "17 16", "18 16"];
    let tiles = tiles.map(|tile| ("local_read", tile));
    let vectors = ["1 32", "8 32", "9 32"].map(|tile| ("local_read_vector", tile));
    for (probe, tile) in tiles.into_iter().chain(vectors) {
        let define = format!("ROW = {}", tile.replace(' ', ", HIGH = "));
        add(probe, tile, 1 << 15, [everywhere.clone(), define]);
    }
    // Who takes the first branch: the bits of an item's number that count.
    let every = [("every other warp", 32), ("every other item", 1)];
    for (who, mask) in every.into_iter().chain([("all items", 0xfffff), ("no item", 0)]) {
        let says = [format!("{everywhere}, mask = {mask}"), String::new()];
        add("branch", who, 1 << 16, says);
    }
    points
}
