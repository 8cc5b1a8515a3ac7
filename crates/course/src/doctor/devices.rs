//! Platforms and devices, and what each device does with a kernel.

use std::path::Path;

use common::command;
use common::device::pocl::CACHE_VARIABLE;
use common::device::{self, DEVICE_VARIABLE, Device, Kind, LLVMPIPE};
use common::error::Error;
use serde::{Deserialize, Serialize};
use verify::numbers::count;
use watchdog::Environment;

use super::child;
use super::finding::{Finding, Topic};

/// What a process finds that looks for devices.
#[derive(Default, Deserialize, Serialize)]
pub struct Listing {
    /// What each brings.
    pub platforms: Vec<String>,
    /// What there is to say without a trial.
    pub findings: Vec<Finding>,
    /// Those that a lesson may take unasked, by their numbers.
    pub devices: Vec<(usize, String)>,
    /// The one that it would choose.
    pub chosen: Option<usize>,
}

impl Listing {
    pub fn of_this_process() -> Listing {
        let platforms = device::platforms();
        let listed = device::list();
        let devices = listed.as_deref().unwrap_or_default();
        let chosen = device::choose_as_told(devices, None);
        let error = listed.as_ref().err().or(chosen.as_ref().err());
        let idle = platforms.iter().filter(|(_, count)| *count == 0);
        let idle = idle.map(|(platform, _)| without_device(&platform.name));
        let mut findings: Vec<Finding> = idle.collect();
        findings.extend(error.map(|error| {
            let (what, says, next) = match error {
                Error::Selector(told) => (DEVICE_VARIABLE, told.in_short().into(), &told.next),
                Error::NoDevice(told) => ("devices", error.to_string(), &told.next),
                _ => ("devices", error.to_string(), &None),
            };
            Topic::Devices.bad(what, says).next(next.clone().unwrap_or(command::setup("")))
        }));
        let (doubted, taken): (Vec<&Device>, Vec<_>) =
            devices.iter().partition(|one| one.is_llvmpipe());
        let doubted = doubted.into_iter();
        findings.extend(doubted.map(|one| Topic::Devices.note(one.label(), LLVMPIPE)));
        if devices.iter().all(|one| one.kind != Kind::Gpu) {
            findings.extend(idle_hardware());
        }
        let brings = platforms.iter().map(|(platform, devices)| {
            format!("{} ({})", platform.name, count(*devices, "device"))
        });
        Listing {
            platforms: brings.collect(),
            findings,
            chosen: chosen.ok().map(|choice| choice.index),
            devices: taken.iter().map(|one| (one.index, one.label())).collect(),
        }
    }
}

/// Most platforms without a device are harmless, but not those whose hardware is here.
fn without_device(name: &str) -> Finding {
    let what = format!("platform {name}");
    if let Some(cause) = device::hidden(name) {
        return Topic::Devices.bad(what, cause.happened).next(cause.next);
    }
    let says = "no device: its hardware is not here, not named (RUSTICL_ENABLE), or not yours to \
                use; harmless";
    Topic::Devices.note(what, says)
}

/// A GPU that no driver brings to OpenCL.
fn idle_hardware() -> Option<Finding> {
    let files = ["/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128"];
    let file = files.into_iter().find(|file| Path::new(file).exists())?;
    let says = format!("is here ({file}), but without a driver: see docs/setting-up.md");
    Some(Topic::Devices.note("a GPU", says))
}

/// What a device does with a kernel. PoCL's cache is left alone: where a file of it is damaged, the
/// lesson that dies of it says so.
pub fn tried((index, label): &(usize, String), environment: &Environment) -> Finding {
    let mut environment = environment.clone();
    environment.insert(CACHE_VARIABLE, "0".into());
    let tried = child::ask(&["kernel", &index.to_string()], &environment);
    let what = format!("{index}  {label}");
    match tried.and_then(|told: Result<String, String>| told) {
        Ok(says) => Topic::Devices.good(what, says),
        Err(why) => Topic::Devices.bad(what, format!("a simple kernel does not run: {why}")),
    }
}
