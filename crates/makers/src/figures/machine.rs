//! A GPU's compute unit beside a CPU's core: what is near, and what it can do.

use anyhow::{Context, Result};
use common::numbers::significant;
use common::probe::Peak;
use process::data::recording::Recording;

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::listed::Listed;
use crate::figures::runs::RUNS;

/// A device, as lessons 1 and 2 recorded it.
struct Device {
    name: String,
    is_gpu: bool,
    /// GFLOP/s of all units, and GB/s between them and global memory.
    limits: Peak,
    units: String,
    /// Floats of a vector.
    lanes: u32,
    local: String,
    /// Whether local memory is one of its own, as lesson 1 says it.
    kind: String,
    global: String,
}

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(392.0);
    let mut described = Vec::new();
    for ((run, class), left) in RUNS.iter().zip([14.0, 250.0]) {
        let device = Device::read(run, *class == "gpu")?;
        device.draw(&mut d, left);
        described.push(device.words());
    }
    Ok(Figure {
        title: "A GPU's compute unit beside a CPU's core".into(),
        description: format!(
            "Two machines side by side, drawn from the lanes at the top down to global memory. {}. \
             The speeds are measured. The GPU has many units, with local memory of their own; the CPU \
             has few cores, with caches.",
            described.join(". ")
        ),
        drawing: d,
    })
}

impl Device {
    fn read(run: &str, is_gpu: bool) -> Result<Device> {
        let recording = Recording::read(run, "lesson02")?;
        let record = recording.on_device().context("an empty recording")?;
        let listed = Listed::of(run, record)?;
        let value = |name: &str| listed.words(name).map(String::from);
        Ok(Device {
            name: recording.device(),
            is_gpu,
            limits: record.limits.context("no limits")?,
            units: value("compute units")?,
            lanes: value("native float width")?.parse()?,
            local: value("local memory")?,
            kind: value("its kind")?,
            global: value("global memory")?,
        })
    }

    fn draw(&self, d: &mut Drawing, left: f64) {
        let (units, unit, global) = (&self.units, self.unit(), &self.global);
        d.text("bold", (left, 24.0), &self.name);
        d.rect("frame", (left, 38.0), 216.0, 216.0);
        let words = format!("one of {units} {unit}");
        d.text("small", (left + 12.0, 58.0), &words);
        self.lanes(d, left + 12.0);
        self.memories(d, left + 12.0);
        d.arrow(&[(left + 108.0, 254.0), (left + 108.0, 296.0)]);
        d.text("small soft", (left + 118.0, 280.0), &self.bandwidth());
        d.rect("global", (left, 298.0), 216.0, 40.0);
        let words = format!("global memory, {global}");
        d.text("small middle", (left + 108.0, 322.0), &words);
        d.text("bold", (left, 370.0), &self.speed());
    }

    fn lanes(&self, d: &mut Drawing, left: f64) {
        let (lanes, words) = if self.is_gpu {
            (32, "32 items at once: a warp".to_string())
        } else {
            (self.lanes, format!("{} lanes of one vector", self.lanes))
        };
        let step = 192.0 / f64::from(lanes);
        for lane in 0..lanes {
            let at = (left + step * f64::from(lane), 72.0);
            d.rect("item", at, step - 1.2, 16.0);
        }
        d.text("tiny soft", (left, 104.0), &words);
    }

    /// Registers, local memory and caches of a unit.
    fn memories(&self, d: &mut Drawing, left: f64) {
        let registers = if self.is_gpu {
            "up to 255 for each item"
        } else {
            "vectors, for one item"
        };
        block(d, "private", left, 114.0, "registers", registers);
        if self.kind.starts_with("a memory") {
            let says = format!("{} for a group", self.local);
            block(d, "local", left, 160.0, "local memory", &says);
            block(d, "global", left, 206.0, "first cache", "beside it");
        } else {
            let says = "local memory lies here, too";
            block(d, "global", left, 160.0, "cache", says);
            block(d, "global", left, 206.0, "next cache", "of this core");
        }
    }

    fn unit(&self) -> &'static str {
        if self.is_gpu {
            "compute units"
        } else {
            "cores"
        }
    }

    fn speed(&self) -> String {
        format!("{} GFLOP/s in all", significant(self.limits.gflops))
    }

    fn bandwidth(&self) -> String {
        format!("{} GB/s", significant(self.limits.gbytes_per_second))
    }

    fn words(&self) -> String {
        format!(
            "{}: {} {}, {}, {} from global memory, {} of local memory, which is {}",
            self.name,
            self.units,
            self.unit(),
            self.speed(),
            self.bandwidth(),
            self.local,
            self.kind
        )
    }
}

fn block(d: &mut Drawing, class: &str, left: f64, top: f64, name: &str, says: &str) {
    d.rect(class, (left, top), 192.0, 38.0);
    d.text("small", (left + 8.0, top + 16.0), name);
    d.text("tiny", (left + 8.0, top + 31.0), says);
}
