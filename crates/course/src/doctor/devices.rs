//! Platforms and devices, and what each device does with a kernel.

use std::path::Path;

use anyhow::Result;
use common::device::pocl::{self, CACHE_VARIABLE};
use common::device::{self, DEVICE_VARIABLE};
use serde_json::Value;
use verify::numbers::bytes;
use watchdog::Environment;

use super::child;
use super::drivers;
use super::finding::{Finding, Health, Topic};
use watchdog::machine::on_path;
use watchdog::packages;

/// Examines every device, and shows each as soon as it is known. Gives what
/// `--device` takes to choose a usable one: nothing for the one that a lesson
/// would choose itself.
pub fn examine(
    environment: &Environment,
    show: &mut dyn FnMut(Finding) -> Result<()>,
) -> Result<Option<String>> {
    let answer = match child::ask(&["devices"], environment) {
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
        let cure = drivers::cure(&answer);
        show(Topic::Devices.bad("devices", why).mended_by(cure))?;
    }
    if let Some(why) = answer["stale"].as_str() {
        let finding = Topic::Devices.bad(DEVICE_VARIABLE, format!("{why}, so every lesson stops"));
        show(finding.next(format!("unset {DEVICE_VARIABLE}")))?;
    }
    let mut usable = Vec::new();
    for device in devices {
        let finding = one(environment, device);
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

/// Most platforms without a device are harmless, but not those whose hardware is here;
/// rusticl must be told its hardware.
fn without_device(name: &str, environment: &Environment) -> Finding {
    let what = format!("platform {name}");
    if let Some(cause) = device::hidden(name) {
        return Topic::Devices.bad(what, cause.says).mended_by(cause.mend);
    }
    let variable = "RUSTICL_ENABLE";
    let is_told = std::env::var_os(variable).is_some()
        || environment.iter().any(|(name, _)| *name == variable);
    if name.contains("rusticl") && !is_told {
        let says = "no device: it must be told which hardware to drive (radeonsi, iris, \
                    llvmpipe for the CPU)";
        let enable = "export RUSTICL_ENABLE=llvmpipe";
        return Topic::Devices.note(what, says).next(enable);
    }
    let says = "no device: its hardware is not here, or not yours to use; harmless";
    Topic::Devices.note(what, says)
}

/// One device: what it is, and whether it runs a kernel right.
fn one(environment: &Environment, device: &Value) -> Finding {
    let index = device["index"].as_u64().unwrap_or(0);
    let limits = &device["limits"];
    let (name, platform) = (text(device, "name"), text(&device["platform"], "name"));
    let what = format!("{index}  {name} ({platform})");
    let bad = |says: String| Topic::Devices.bad(&what, says);
    let ask = |environment| child::ask(&["kernel", &index.to_string()], environment);
    let answer = ask(environment);
    let is_right =
        |answer: &Result<Value, String>| answer.as_ref().is_ok_and(|one| one["right"] == true);
    if platform.contains(pocl::PLATFORM) && !is_right(&answer) {
        let mut without_cache = environment.clone();
        without_cache.push((CACHE_VARIABLE, "0".into()));
        if is_right(&ask(&without_cache)) {
            let says = "it runs a simple kernel only without its cache, in which a file is damaged";
            let clear = format!("rm -r {}", pocl::cache_folder().display());
            return bad(says.into()).next(clear);
        }
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(how) => {
            let no_linker = on_path("ld").is_none() && what.contains("Portable Computing");
            let install = || packages::install("linker").unwrap_or_else(|| "./setup".into());
            let cure = no_linker.then(install);
            return bad(format!("it cannot run a simple kernel: {how}")).mended_by(cure);
        }
    };
    if let Some(wrong) = answer["wrong"].as_str() {
        let finding = bad(format!("it cannot run a simple kernel: {wrong}"));
        return finding.mended_by(answer["mend"].as_str().map(String::from));
    }
    if answer["right"] != true {
        return bad("it runs a simple kernel, and the result is wrong: do not trust it".into());
    }
    let is = |limit: &str| usize::from(limits[limit] == true);
    let local = ["part of global memory", "a memory of its own"][is("local_mem_dedicated")];
    let double = ["no", "has"][is("fp64")];
    let mut says = format!(
        "{}, driver {}. A kernel was built in {:.2} s and is right. {} of local memory, {local}; \
         {double} type double",
        text(device, "c_version"),
        text(device, "driver"),
        answer["build_seconds"].as_f64().unwrap_or(0.0),
        bytes(limits["local_mem_bytes"].as_u64().unwrap_or(0)),
    );
    if answer["credible"] == true {
        says += ". Its event times are credible";
        return Topic::Devices.good(what, says);
    }
    says += ". But its event times cannot be true: lessons take the wall clock";
    Topic::Devices.note(what, says)
}

/// Hardware of a GPU that has no OpenCL device.
fn idle_hardware() -> Option<Finding> {
    let files = ["/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128"];
    let file = files.into_iter().find(|file| Path::new(file).exists())?;
    let says = format!(
        "is here ({file}), but no driver brings it to OpenCL; docs/setting-up.md says which \
         package does, per system"
    );
    Some(Topic::Devices.note("a GPU", says).next("./setup"))
}
