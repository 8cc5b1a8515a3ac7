//! A GPU's compute unit beside a CPU's core: what is near, and what it can do.

use anyhow::{Context, Result};
use common::numbers::significant;
use toolbox::recording::{Recording, file};

use crate::Figure;
use crate::drawing::Drawing;
use crate::ladder::RUNS;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(392.0);
    let mut told = Vec::new();
    for ((run, class), left) in RUNS.iter().zip([14.0, 250.0]) {
        let device = Recording::read(run, "lesson02")?;
        let record = device.on_device().context("an empty recording")?;
        let limits = record.limits.context("no limits")?;
        let printed = file(run, "lesson01", "txt")?;
        let listed = listed(&printed, &record.platform)?;
        let value = |name: &str| {
            let line = listed
                .lines()
                .find_map(|line| line.trim().strip_prefix(name));
            let value = line.and_then(|line| line.trim().split("  ").next());
            value
                .map(String::from)
                .with_context(|| format!("lesson 1 does not list {name}"))
        };
        let units = value("compute units")?;
        let local = value("local memory")?;
        let kind = value("its kind")?;
        let unit = if *class == "gpu" {
            "compute units"
        } else {
            "cores"
        };
        d.text("bold", (left, 24.0), &device.device());
        d.rect("frame", (left, 38.0), 216.0, 216.0);
        d.text(
            "small",
            (left + 12.0, 58.0),
            &format!("one of {units} {unit}"),
        );
        let vector: u32 = value("native float width")?.parse()?;
        let (lanes, words) = if *class == "gpu" {
            (32, "32 items at once: a warp".to_string())
        } else {
            (vector, format!("{vector} lanes of one vector"))
        };
        for lane in 0..lanes {
            let step = 192.0 / f64::from(lanes);
            d.rect(
                "item",
                (left + 12.0 + step * f64::from(lane), 72.0),
                step - 1.2,
                16.0,
            );
        }
        d.text("tiny soft", (left + 12.0, 104.0), &words);
        let registers = if *class == "gpu" {
            "up to 255 for each item"
        } else {
            "vectors, for one item"
        };
        block(
            &mut d,
            "private",
            left + 12.0,
            114.0,
            "registers",
            registers,
        );
        let own = kind.starts_with("a memory");
        let (name, says) = if own {
            ("local memory", format!("{local} for a group"))
        } else {
            ("cache", "local memory lies here, too".to_string())
        };
        block(
            &mut d,
            if own { "local" } else { "global" },
            left + 12.0,
            160.0,
            name,
            &says,
        );
        let (name, says) = if own {
            ("first cache", "beside it")
        } else {
            ("next cache", "of this core")
        };
        block(&mut d, "global", left + 12.0, 206.0, name, says);
        d.arrow(&[(left + 108.0, 254.0), (left + 108.0, 296.0)]);
        d.text(
            "small soft",
            (left + 118.0, 280.0),
            &format!("{} GB/s", significant(limits.gbytes_per_second)),
        );
        d.rect("global", (left, 298.0), 216.0, 40.0);
        d.text(
            "small middle",
            (left + 108.0, 322.0),
            &format!("global memory, {}", value("global memory")?),
        );
        let speed = format!("{} GFLOP/s in all", significant(limits.gflops));
        d.text("bold", (left, 370.0), &speed);
        told.push(format!(
            "{}: {units} {unit}, {speed}, {} GB/s from global memory, {local} of local memory, which is {kind}",
            device.device(), significant(limits.gbytes_per_second)
        ));
    }
    Ok(Figure {
        title: "A GPU's compute unit beside a CPU's core".into(),
        description: format!(
            "Two machines side by side, drawn from the lanes at the top down to global memory. {}. \
             The speeds are measured. The GPU has many units, with local memory of their own; the CPU \
             has few cores, with caches.",
            told.join(". ")
        ),
        drawing: d,
    })
}

/// What lesson 1 printed of the limits of this platform's device.
fn listed<'a>(printed: &'a str, platform: &str) -> Result<&'a str> {
    let mut devices = printed.split("\n  Device ").skip(1);
    let found = devices.find(|text| {
        text.lines()
            .next()
            .is_some_and(|line| line.contains(platform))
    });
    found.with_context(|| format!("lesson 1 does not list {platform}"))
}

fn block(d: &mut Drawing, class: &str, left: f64, top: f64, name: &str, says: &str) {
    d.rect(class, (left, top), 192.0, 38.0);
    d.text("small", (left + 8.0, top + 16.0), name);
    d.text("tiny", (left + 8.0, top + 31.0), says);
}
