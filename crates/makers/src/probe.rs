//! Measures what the parts of a device take, with the kernels of `kernels/machine.cl`,
//! and keeps it in `data/machine/NAME.jsonl`: docs/machine.md shows it.
//!
//! `probe/tasks.rs` times and checks the launches, `expected.rs` computes what each must leave
//! behind.

mod expected;
mod tasks;

use std::rc::Rc;

use anyhow::{Context, Result};
use clap::Args;
use common::device;
use common::numbers::significant;
use common::session::Session;
use process::data::date;
use process::peak::peak;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use text::aside;

use crate::kept::{self, must_be_a_name};

/// What to probe, and where to keep it.
#[derive(Args)]
pub struct Options {
    /// File below data/machine/ that receives the figures, for example pocl
    name: String,
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(long, value_name = "NUMBER|NAME")]
    device: Option<String>,
}

/// What a step of a probe took.
#[derive(Debug, Serialize, Deserialize)]
pub struct StepTime {
    /// The kernel.
    pub probe: String,
    /// How it was launched: a size, a number of chains, who takes which branch.
    pub variant: String,
    /// Median time of a step, in nanoseconds.
    pub nanoseconds: f64,
    /// Bytes that all units together read in a step, where that is what counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Half the interquartile range, as a share of the median.
    pub spread: f64,
    pub runs: usize,
}

impl StepTime {
    /// What all units together read, in GB/s.
    pub fn rate(&self) -> Option<f64> {
        Some(self.bytes? as f64 / self.nanoseconds)
    }

    /// Tells it as soon as it is there: all of them take a minute.
    pub fn tell(&self) {
        let (probe, variant) = (&self.probe, &self.variant);
        let time = significant(self.nanoseconds);
        let rate = self.rate();
        let rate = rate.map(|rate| format!(", {} GB/s", significant(rate)));
        aside!("{probe} {variant}: {time} ns{}", rate.unwrap_or_default());
    }
}

/// What was measured of one device.
pub struct Machine {
    /// The first line of a file: where and when it was measured.
    pub about: Value,
    pub figures: Vec<StepTime>,
}

impl Machine {
    /// Reads `data/machine/NAME.jsonl`.
    pub fn read(name: &str) -> Result<Machine> {
        let path = path(name);
        Machine::of(&kept::read(&path)?).context(path)
    }

    fn of(text: &str) -> Result<Machine> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let figures = lines.map(serde_json::from_str);
        Ok(Machine {
            about: serde_json::from_str(first).context("the first line does not say where")?,
            figures: figures
                .collect::<Result<_, _>>()
                .context("a damaged figure")?,
        })
    }

    /// The figure of a probe in one of its variants.
    pub fn figure(&self, probe: &str, variant: &str) -> Result<&StepTime> {
        let is_it = |figure: &&StepTime| figure.probe == probe && figure.variant == variant;
        let found = self.figures.iter().find(is_it);
        found.with_context(|| format!("no figure of {probe} {variant}"))
    }
}

fn path(name: &str) -> String {
    format!("data/machine/{name}.jsonl")
}

/// Measures everything and writes the file.
pub fn probe(options: &Options) -> Result<()> {
    must_be_a_name(&options.name)?;
    let mut devices = device::list()?;
    let chosen = device::choose_as_told(&devices, options.device.as_deref())?;
    let session = Session::open(devices.swap_remove(chosen.index), Rc::new(()))?;
    aside!("probing {}", session.device.label());
    let device = &session.device;
    let about = json!({
        "command": format!("cargo makers probe {}", options.name),
        "date": date("+%Y-%m-%d")?,
        "device": device.name,
        "platform": device.platform.name,
        "driver": device.driver,
        "compute_units": device.limits.compute_units,
        "limits": peak(&session)?,
    });
    let mut lines = vec![about.to_string()];
    // Twice: whatever else runs for a second is seen in one of the two.
    for figure in faster([tasks::all(&session)?, tasks::all(&session)?]) {
        lines.push(serde_json::to_string(&figure)?);
    }
    kept::write(path(&options.name), &(lines.join("\n") + "\n"))
}

/// Of each figure the one that took less time.
fn faster([first, second]: [Vec<StepTime>; 2]) -> impl Iterator<Item = StepTime> {
    let pairs = first.into_iter().zip(second);
    pairs.map(|(one, other)| match other.nanoseconds < one.nanoseconds {
        true => other,
        false => one,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = concat!(
        r#"{"command":"c","date":"d","device":"x","platform":"p","driver":"1","#,
        r#""compute_units":2,"limits":{"gflops":100.0,"gbytes_per_second":20.0}}"#,
        "\n",
        r#"{"probe":"sweep","variant":"1 MiB","nanoseconds":2.0,"bytes":64,"spread":0.1,"runs":3}"#,
        "\n",
        r#"{"probe":"chain","variant":"1","nanoseconds":1.25,"spread":0.1,"runs":3}"#,
        "\n",
    );

    #[test]
    fn a_figure_is_found_by_probe_and_variant() {
        let machine = Machine::of(KEPT).unwrap();
        let sweep = machine.figure("sweep", "1 MiB").unwrap();
        assert_eq!(sweep.rate(), Some(32.0));
        assert_eq!(machine.figure("chain", "1").unwrap().rate(), None);
        assert!(machine.figure("chain", "2").is_err());
        assert!(Machine::read("no-such-machine").is_err());
    }

    #[test]
    fn the_faster_of_two_passes_counts() {
        let pass = |times: [f64; 2]| -> Vec<StepTime> {
            let mut figures = Machine::of(KEPT).unwrap().figures;
            for (figure, time) in figures.iter_mut().zip(times) {
                figure.nanoseconds = time;
            }
            figures
        };
        let kept: Vec<_> = faster([pass([2.0, 1.0]), pass([1.5, 3.0])]).collect();
        assert_eq!(kept[0].nanoseconds, 1.5);
        assert_eq!(kept[1].nanoseconds, 1.0);
        assert_eq!(kept[1].variant, "1");
    }

    #[test]
    fn a_damaged_file_is_refused_or_has_its_figures() {
        damage::must_be_survived(KEPT.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            if let Ok(machine) = Machine::of(&text) {
                assert_eq!(machine.figures.len() + 1, text.lines().count());
            }
        });
    }
}
