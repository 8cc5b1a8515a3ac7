//! Platforms and devices, and what each device does with a kernel.

use std::path::Path;

use anyhow::Result;
use common::numbers::bytes;
use serde_json::Value;

use super::drivers;
use super::finding::{Finding, Health, Topic};
use super::packages::Tool;
use super::probe::{self, Environment};
use super::system::System;
use crate::machine::on_path;

/// Examines every device, and shows each as soon as it is known. Gives what
/// `--device` takes to choose a usable one: nothing for the one that a lesson
/// would choose itself.
pub fn examine(
    system: &System,
    environment: &Environment,
    show: &mut dyn FnMut(Finding) -> Result<()>,
) -> Result<Option<String>> {
    let answer = match probe::ask(&["devices"], environment) {
        Ok(answer) => answer,
        Err(how) => {
            let says = format!(
                "a driver fails when it is asked for its devices: {how}. Take away one ICD file \
                 after the other, or name a folder with one alone in OCL_ICD_VENDORS"
            );
            show(Topic::Devices.bad("devices", says))?;
            return Ok(None);
        }
    };
    for platform in list(&answer["platforms"]) {
        if platform["devices"] == 0 {
            show(without_device(text(platform, "name"), environment))?;
        }
    }
    let devices = list(&answer["devices"]);
    if devices.is_empty() {
        let why = answer["error"].as_str().unwrap_or("no device");
        let cure = drivers::cure(system, why);
        show(Topic::Devices.bad("devices", why).mended_by(cure))?;
    }
    let mut usable = Vec::new();
    for device in devices {
        let finding = one(system, environment, device);
        if finding.health != Health::Bad {
            usable.push(&device["index"]);
        }
        show(finding)?;
    }
    if !devices.iter().any(|device| device["kind"] == "gpu") {
        idle_hardware().map(show).transpose()?;
    }
    Ok(if usable.contains(&&answer["chosen"]) {
        Some(String::new())
    } else {
        usable.first().map(ToString::to_string)
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or("?")
}

/// Most platforms without a device are harmless; rusticl must be told its hardware.
fn without_device(name: &str, environment: &Environment) -> Finding {
    let enabled = std::env::var_os("RUSTICL_ENABLE").is_some()
        || environment.iter().any(|(name, _)| name == "RUSTICL_ENABLE");
    let (says, mend) = if name.contains("rusticl") && !enabled {
        (
            "no device: it must be told which hardware to drive (radeonsi, iris, llvmpipe for the CPU)",
            Some("export RUSTICL_ENABLE=llvmpipe".to_string()),
        )
    } else {
        (
            "no device: its hardware is not here, or not yours to use; harmless",
            None,
        )
    };
    let finding = Topic::Devices.note(format!("platform {name}"), says);
    finding.mended_by(mend)
}

/// One device: what it is, and whether it runs a kernel right.
fn one(system: &System, environment: &Environment, device: &Value) -> Finding {
    let index = device["index"].as_u64().unwrap_or(0);
    let limits = &device["limits"];
    let what = format!(
        "{index}  {} ({})",
        text(device, "name"),
        text(&device["platform"], "name")
    );
    let bad = |says: String| Topic::Devices.bad(&what, says);
    let answer = match probe::ask(&["kernel", &index.to_string()], environment) {
        Ok(answer) => answer,
        Err(how) => {
            let no_linker = on_path("ld").is_none() && what.contains("Portable Computing");
            let install = || system.install(Tool::Linker);
            let cure = no_linker.then(|| install().unwrap_or_else(|| "./setup".into()));
            return bad(format!("it cannot run a simple kernel: {how}")).mended_by(cure);
        }
    };
    if let Some(wrong) = answer["wrong"].as_str() {
        return bad(format!("it cannot run a simple kernel: {wrong}"));
    }
    if answer["right"] != true {
        return bad("it runs a simple kernel, and the result is wrong: do not trust it".into());
    }
    let local = if limits["local_mem_dedicated"] == true {
        "a memory of its own"
    } else {
        "part of global memory"
    };
    let double = if limits["fp64"] == true {
        "has type double"
    } else {
        "no type double"
    };
    let mut says = format!(
        "{}, driver {}. A kernel was built in {:.2} s and is right. {} of local memory, {local}; {double}",
        text(device, "c_version"),
        text(device, "driver"),
        answer["build_seconds"].as_f64().unwrap_or(0.0),
        bytes(limits["local_mem_bytes"].as_u64().unwrap_or(0)),
    );
    let long_loops = answer["long_loops"] == true;
    if !long_loops {
        says +=
            ". But the driver ends loops after some 65,000 rounds: results of long sums are wrong";
    }
    let credible = answer["credible_events"] == true;
    says += if credible {
        ". Its event times are credible"
    } else {
        ". But its event times cannot be true: lessons take the wall clock"
    };
    if long_loops && credible {
        Topic::Devices.good(what, says)
    } else {
        Topic::Devices.note(what, says)
    }
}

/// Hardware of a GPU that has no OpenCL device.
fn idle_hardware() -> Option<Finding> {
    let known = [
        ("/dev/nvidiactl", "an NVIDIA GPU"),
        ("/dev/kfd", "an AMD GPU"),
        ("/dev/dri/renderD128", "a GPU"),
    ];
    let there = |(file, _): &(&str, &str)| Path::new(file).exists();
    let (file, hardware) = known.into_iter().find(there)?;
    let says = format!(
        "is here ({file}), but no driver brings it to OpenCL; docs/setting-up.md says which \
         package does, per system"
    );
    let finding = Topic::Devices.note(hardware, says);
    Some(finding.mended_by("./setup".to_string()))
}
