//! The devices of this machine, as lesson 1 lists and chooses them.

use crate::lessons::LESSONS;
use crate::worker::{self, PATIENCE};
use anyhow::{Result, ensure};
use common::command;
use common::device::pocl::PLATFORM;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A device, as lesson 1 lists it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Its number in the listing.
    pub index: usize,
    /// As its driver calls it.
    pub name: String,
    /// Its OpenCL implementation.
    pub platform: String,
    /// That one's version.
    pub driver: String,
    /// "gpu", "cpu", ...
    pub kind: String,
    /// Cores of a CPU, multiprocessors of a GPU.
    pub compute_units: usize,
}

impl Device {
    /// "NVIDIA H200 (NVIDIA CUDA)".
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.platform)
    }

    /// Whether it is a CPU, the host's own.
    pub fn is_cpu(&self) -> bool {
        self.kind == "cpu"
    }
}

/// The one that lesson 1 chooses, or all that measure times; at least one.
pub fn chosen(selector: Option<&str>, all: bool) -> Result<Vec<Device>> {
    let mut work = LESSONS[0].work()?;
    let selector = selector.into_iter().flat_map(|one| ["--device", one]);
    work.arg("--json").args(selector);
    let listing = worker::finish(&work, PATIENCE)?;
    if listing.failure.is_some() {
        return Err(listing.refused().into());
    }
    let devices = listing.answers.iter().filter_map(|listed| {
        let device = device(&listed["device"])?;
        // A simulator's times mean nothing; chosen by name, it may show that.
        let simulator = device.platform.contains("Oclgrind");
        (listed["chosen"] == true || all && !simulator).then_some(device)
    });
    let devices: Vec<Device> = devices.collect();
    ensure!(!devices.is_empty(), "lesson 1 lists no device; run {}", command::setup(""));
    Ok(devices)
}

/// PoCL's, the CPU implementation of most machines, where it is here.
pub fn pocl() -> Option<Device> {
    let is_pocl = |device: &Device| device.platform.contains(PLATFORM);
    chosen(None, true).ok()?.into_iter().find(is_pocl)
}

fn device(told: &Value) -> Option<Device> {
    let mut fields = told.clone();
    fields["platform"] = told["platform"]["name"].clone();
    fields["compute_units"] = told["limits"]["compute_units"].clone();
    serde_json::from_value(fields).ok()
}
