//! Platforms and devices, and what each device does with a kernel.

use std::path::Path;

use anyhow::Result;
use common::device::pocl::{self, CACHE_VARIABLE};
use common::device::{self, DEVICE_VARIABLE};
use serde_json::Value;
use watchdog::Environment;

use super::child;
use super::drivers;
use super::finding::{Finding, Health, Topic};

/// Examines every device that was found, and shows each as soon as it is known. Gives what
/// `--device` takes to choose a usable one: nothing for the one that a lesson
/// would choose itself.
pub fn examine(
    answer: &Value,
    environment: &Environment,
    show: &mut dyn FnMut(Finding) -> Result<()>,
) -> Result<Option<String>> {
    for platform in list(&answer["platforms"]) {
        if platform["devices"] == 0 {
            show(without_device(text(platform, "name")))?;
        }
    }
    let devices = list(&answer["devices"]);
    if devices.is_empty() {
        let why = answer["error"].as_str().unwrap_or("no device");
        let cure = drivers::cure(answer);
        show(Topic::Devices.bad("devices", why).next(cure))?;
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
fn one(environment: &Environment, device: &Value) -> Finding {
    let index = device["index"].as_u64().unwrap_or(0);
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
        Err(how) => return bad(format!("it cannot run a simple kernel: {how}")),
    };
    if let Some(wrong) = answer["wrong"].as_str() {
        let finding = bad(format!("it cannot run a simple kernel: {wrong}"));
        return finding.next(answer["mend"].as_str().map(String::from));
    }
    if answer["right"] != true {
        return bad("it runs a simple kernel, and the result is wrong: do not trust it".into());
    }
    let mut says = format!(
        "{}, driver {}. A kernel was built in {:.2} s and is right",
        text(device, "c_version"),
        text(device, "driver"),
        answer["build_seconds"].as_f64().unwrap_or(0.0),
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
    Some(Topic::Devices.note("a GPU", says))
}
