//! Platforms and devices, and what each device does with a kernel.

use std::path::Path;

use anyhow::Result;
use common::Error;
use common::command;
use common::device::pocl::{self, CACHE_VARIABLE};
use common::device::{self, DEVICE_VARIABLE, Kind};
use serde::{Deserialize, Serialize};
use verify::numbers::count;
use watchdog::Environment;

use super::child;
use super::finding::{Finding, Health, Topic};

/// What a process finds that looks for devices.
#[derive(Deserialize, Serialize)]
pub struct Listing {
    /// Whether a library is opened as OpenCL.
    pub loader: Finding,
    /// What each brings.
    pub platforms: Vec<String>,
    /// What is wrong but for the devices themselves.
    findings: Vec<Finding>,
    devices: Vec<String>,
    has_gpu: bool,
    /// The one that a lesson would choose.
    chosen: Option<usize>,
}

impl Listing {
    pub fn of_this_process() -> Listing {
        let listed = device::list();
        let platforms = device::platforms();
        let mut findings = Vec::new();
        for (platform, _) in platforms.iter().filter(|(_, count)| *count == 0) {
            findings.push(without_device(&platform.name));
        }
        let mut loader = Topic::Loader.good("loader", "is there, and lists platforms");
        if let Err(error) = &listed {
            let mend = error
                .mend()
                .map_or_else(|| command::setup(""), String::from);
            if !device::has_loader() {
                loader = Topic::Loader
                    .bad("loader", error.to_string())
                    .next(mend.clone());
            }
            findings.push(Topic::Devices.bad("devices", error.to_string()).next(mend));
        }
        let devices = listed.unwrap_or_default();
        let chosen = device::choose_as_told(&devices, None);
        if let (Err(Error::Selector(why)), false) = (&chosen, devices.is_empty()) {
            let why = why.lines().next().unwrap_or_default();
            let finding =
                Topic::Devices.bad(DEVICE_VARIABLE, format!("{why}, so every lesson stops"));
            findings.push(finding.next(format!("unset {DEVICE_VARIABLE}")));
        }
        let brings = platforms.iter().map(|(platform, devices)| {
            format!("{} ({})", platform.name, count(*devices, "device"))
        });
        Listing {
            loader,
            platforms: brings.collect(),
            findings,
            has_gpu: devices.iter().any(|device| device.kind == Kind::Gpu),
            chosen: chosen.ok().map(|choice| choice.index),
            devices: devices.iter().map(|device| device.label()).collect(),
        }
    }

    /// Examines every device that was found, and shows each as soon as it is known. Gives what
    /// `--device` takes to choose a usable one: nothing for the one that a lesson
    /// would choose itself.
    pub fn examine(
        &self,
        environment: &Environment,
        show: &mut dyn FnMut(Finding) -> Result<()>,
    ) -> Result<Option<String>> {
        self.findings.iter().cloned().try_for_each(&mut *show)?;
        let mut usable = Vec::new();
        for (index, label) in self.devices.iter().enumerate() {
            let finding = one(environment, index, label);
            if finding.health != Health::Bad {
                usable.push(index);
            }
            show(finding)?;
        }
        if !self.has_gpu {
            idle_hardware().map(show).transpose()?;
        }
        let is_chosen = |index: &usize| Some(*index) == self.chosen;
        Ok(match usable.iter().any(is_chosen) {
            true => Some(String::new()),
            false => usable.first().map(ToString::to_string),
        })
    }
}

/// Most platforms without a device are harmless, but not those whose hardware is here.
fn without_device(name: &str) -> Finding {
    let what = format!("platform {name}");
    if let Some(cause) = device::hidden(name) {
        return Topic::Devices.bad(what, cause.says).next(cause.mend);
    }
    let says = "no device: its hardware is not here, not named (RUSTICL_ENABLE), or not yours to \
                use; harmless";
    Topic::Devices.note(what, says)
}

/// One device: what it is, and whether it runs a kernel right.
fn one(environment: &Environment, index: usize, label: &str) -> Finding {
    let what = format!("{index}  {label}");
    let tried = |environment: &Environment| {
        let tried = child::ask(&["kernel", &index.to_string()], environment);
        tried.unwrap_or_else(|how| {
            Topic::Devices.bad("", format!("it cannot run a simple kernel: {how}"))
        })
    };
    let mut finding: Finding = tried(environment);
    if label.contains(pocl::PLATFORM) && finding.health == Health::Bad {
        let mut without_cache = environment.clone();
        without_cache.push((CACHE_VARIABLE, "0".into()));
        if tried(&without_cache).health != Health::Bad {
            let says = "it runs a simple kernel only without its cache, in which a file is damaged";
            let clear = format!("rm -r {}", pocl::cache_folder().display());
            finding = Topic::Devices.bad("", says).next(clear);
        }
    }
    Finding { what, ..finding }
}

/// Hardware of a GPU that has no OpenCL device.
fn idle_hardware() -> Option<Finding> {
    let files = ["/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128"];
    let file = files.into_iter().find(|file| Path::new(file).exists())?;
    let says = format!(
        "is here ({file}), but no driver brings it to OpenCL; docs/setting-up.md says which \
         package does, per system"
    );
    Some(Topic::Devices.note("a GPU", says))
}
