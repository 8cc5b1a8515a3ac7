//! A GPU of many units, whose warps wait for each other, beside a CPU of few large cores.

use anyhow::{Context, Result};
use common::numbers::significant;
use common::probe::Peak;
use process::data::recording::Recording;

use super::{CPU, Drawing, GPU, Grid, Run, WARP};
use crate::printed::{listed, number};

/// Schedulers of an NVIDIA unit, and the warps that each can hold.
const SCHEDULERS: usize = 4;
const WARPS: usize = 16;
/// Units in a row.
const ACROSS: usize = 22;

/// A device, as lessons 1 and 2 recorded it.
struct Device {
    name: String,
    /// GFLOP/s of all units, and GB/s between them and global memory.
    limits: Peak,
    units: usize,
    /// Floats of a vector.
    lanes: usize,
    local: String,
    global: String,
}

pub fn draw() -> Result<String> {
    let mut d = Drawing::new(466.0);
    let (gpu, cpu) = (Device::read(&GPU)?, Device::read(&CPU)?);
    gpu.frame(&mut d, 14.0, "compute units", "L2 cache, for all units");
    let units = Grid::new((14.0, 60.0), (10.0, 10.0), 1.5);
    for unit in 0..gpu.units {
        units.cell(&mut d, "item-soft", unit % ACROSS, unit / ACROSS);
    }
    units.cell(&mut d, "item", 0, 0);
    gpu.unit(&mut d);
    cpu.frame(&mut d, 256.0, "cores", "L3 cache, for all cores");
    for core in 0..cpu.units.min(2) {
        cpu.core(&mut d, 256.0 + 108.0 * core as f64);
    }
    let (of_gpu, of_cpu) = (gpu.words("compute units"), cpu.words("cores"));
    let lanes = cpu.lanes;
    let description = format!(
        "Two machines side by side, from the lanes at the top down to global memory. {of_gpu}. One \
         of its units is enlarged: {SCHEDULERS} schedulers, each of which issues for one of up to \
         {WARPS} warps of {WARP} items while the others wait for memory; below them registers, and \
         local memory with the L1 cache. {of_cpu}. Each core has vectors of {lanes} lanes, and caches \
         of its own. The speeds are measured."
    );
    Ok(d.svg(
        "A GPU of many small units beside a CPU of few large cores",
        &description,
    ))
}

impl Device {
    fn read(run: &Run) -> Result<Device> {
        let recording = Recording::read(run.first, "lesson02")?;
        let record = recording.on_device().context("an empty recording")?;
        let value = |name: &str| listed(run.first, record, name);
        Ok(Device {
            name: recording.device(),
            limits: record.limits.context("no limits")?,
            units: number(&value("compute units")?)?,
            lanes: number(&value("native float width")?)?,
            local: value("local memory")?,
            global: value("global memory")?,
        })
    }

    /// What both have: names, the cache that all units share, global memory, and its speed.
    fn frame(&self, d: &mut Drawing, left: f64, units: &str, cache: &str) {
        d.text("bold", (left, 24.0), &self.name);
        d.text("small", (left, 46.0), &format!("{} {units}", self.units));
        block(d, "box", (left, 320.0), 210.0, &[cache]);
        d.arrow((left + 40.0, 346.0), (left + 40.0, 380.0));
        let speed = format!("{} GB/s", significant(self.limits.gbytes_per_second));
        d.text("small soft", (left + 50.0, 368.0), &speed);
        let global = format!("global memory, {}", self.global);
        block(d, "global", (left, 382.0), 210.0, &[&global]);
        let speed = format!("{} GFLOP/s in all", significant(self.limits.gflops));
        d.text("bold", (left, 440.0), &speed);
    }

    /// One of a GPU's units, enlarged.
    fn unit(&self, d: &mut Drawing) {
        d.line("measure", &[(18.0, 68.0), (14.0, 134.0)]);
        d.rect("frame", (14.0, 134.0), 218.0, 172.0);
        d.text("small", (22.0, 152.0), "one unit: 4 schedulers");
        let warps = Grid::new((22.0, 160.0), (12.6, 11.0), 2.0);
        for (scheduler, warp) in (0..SCHEDULERS).flat_map(|at| (0..WARPS).map(move |of| (at, of))) {
            // Which one is ready is another one in each.
            let is_ready = (warp + 5 * scheduler) % WARPS == 3;
            let class = if is_ready { "item" } else { "item-soft" };
            warps.cell(d, class, warp, scheduler);
        }
        d.text("tiny soft", (22.0, 218.0), "strong: it issues; pale: waits");
        let registers = ["registers", "up to 255 for each item"];
        block(d, "private", (22.0, 226.0), 202.0, &registers);
        let local = format!("L1 cache; {} local", self.local);
        block(d, "local", (22.0, 268.0), 202.0, &[&local]);
    }

    /// One of a CPU's cores.
    fn core(&self, d: &mut Drawing, left: f64) {
        d.rect("frame", (left, 60.0), 102.0, 246.0);
        let left = left + 8.0;
        d.text("small", (left, 80.0), "one core");
        let lanes = Grid::new((left, 92.0), (86.0 / self.lanes as f64, 34.0), 1.0);
        for lane in 0..self.lanes {
            lanes.cell(d, "item", lane, 0);
        }
        d.text("tiny soft", (left, 142.0), &format!("{} lanes", self.lanes));
        let parts: [(&str, f64, &[&str]); 3] = [
            ("private", 152.0, &["registers", "of one item"]),
            ("local", 196.0, &["L1 cache;", "local mem.", "lies here"]),
            ("box", 258.0, &["L2 cache", "of its own"]),
        ];
        for (class, top, lines) in parts {
            block(d, class, (left, top), 86.0, lines);
        }
    }

    fn words(&self, units: &str) -> String {
        let Device {
            name,
            units: count,
            limits,
            ..
        } = self;
        let [flops, bytes] = [limits.gflops, limits.gbytes_per_second].map(significant);
        format!("{name}: {count} {units}, {flops} GFLOP/s in all, {bytes} GB/s from global memory")
    }
}

/// A part with its name, and what is said of it.
fn block(d: &mut Drawing, class: &str, at: (f64, f64), width: f64, lines: &[&str]) {
    d.rect(class, at, width, 10.0 + 14.0 * lines.len() as f64);
    d.paragraph("tiny", (at.0 + 7.0, at.1 + 16.0), 14.0, lines);
}
