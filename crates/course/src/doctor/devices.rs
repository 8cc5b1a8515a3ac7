//! Platforms and devices, and what each device does with a kernel.

use anyhow::Result;
use common::numbers::bytes;
use serde_json::Value;

use super::drivers;
use super::finding::{Finding, Part, Verdict};
use super::probe::{self, Answer, Environment};
use super::system::{System, on_path};
use super::tools::Tool;

/// Examines every device, and shows each as soon as it is known. Gives what
/// `--device` takes to choose a usable one: nothing for the one that a lesson
/// would choose itself.
pub fn examine(
    system: &System,
    environment: &Environment,
    show: &mut dyn FnMut(Finding) -> Result<()>,
) -> Result<Option<String>> {
    let answer = match probe::ask(&["devices"], environment) {
        Answer::Said(answer) => answer,
        Answer::Failed(how) => {
            let says = format!(
                "a driver fails when it is asked for its devices: {how}. Take away one ICD file \
                 after the other, or name a folder with one alone in OCL_ICD_VENDORS"
            );
            show(Finding::new(Part::Devices, Verdict::Bad, "devices", says))?;
            return Ok(None);
        }
    };
    for platform in list(&answer["platforms"]) {
        if platform["devices"] == 0 {
            show(without_device(&platform["name"], environment))?;
        }
    }
    let devices = list(&answer["devices"]);
    if devices.is_empty() {
        let why = answer["error"].as_str().unwrap_or("no device");
        let finding = Finding::new(Part::Devices, Verdict::Bad, "devices", why);
        show(finding.mended_by(drivers::cure(system, why)))?;
    }
    let mut usable = Vec::new();
    for device in devices {
        let finding = one(system, environment, device);
        if finding.verdict != Verdict::Bad {
            usable.push(device);
        }
        show(finding)?;
    }
    if let Some(finding) = idle_hardware(devices) {
        show(finding)?;
    }
    Ok(preferred(devices, &usable))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or("?")
}

/// Most platforms without a device are harmless; rusticl must be told its hardware.
fn without_device(name: &Value, environment: &Environment) -> Finding {
    let name = name.as_str().unwrap_or("a platform");
    let enabled = std::env::var_os("RUSTICL_ENABLE").is_some()
        || environment.iter().any(|(name, _)| name == "RUSTICL_ENABLE");
    let finding = |says| {
        Finding::new(
            Part::Devices,
            Verdict::Note,
            format!("platform {name}"),
            says,
        )
    };
    if name.contains("rusticl") && !enabled {
        finding("no device: it must be told which hardware to drive (radeonsi, iris, llvmpipe for the CPU)")
            .mended_by("export RUSTICL_ENABLE=llvmpipe".to_string())
    } else {
        finding("no device: its hardware is not here, or not yours to use; harmless")
    }
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
    let finding = |verdict, says: String| Finding::new(Part::Devices, verdict, &what, says);
    let answer = match probe::ask(&["kernel", &index.to_string()], environment) {
        Answer::Said(answer) => answer,
        Answer::Failed(how) => {
            let no_linker = on_path("ld").is_none() && what.contains("Portable Computing");
            let install = || {
                system
                    .install(Tool::Linker)
                    .unwrap_or_else(|| "./setup".into())
            };
            let cure = no_linker.then(install);
            let says = format!("it cannot run a simple kernel: {how}");
            return finding(Verdict::Bad, says).mended_by(cure);
        }
    };
    if let Some(wrong) = answer["wrong"].as_str() {
        return finding(
            Verdict::Bad,
            format!("it cannot run a simple kernel: {wrong}"),
        );
    }
    if answer["right"] != true {
        return finding(
            Verdict::Bad,
            "it runs a simple kernel, and the result is wrong: do not trust it".into(),
        );
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
    let mut verdict = Verdict::Good;
    let mut but = |bad: bool, words: &str| {
        if bad {
            verdict = Verdict::Note;
            says.push_str(words);
        }
    };
    but(
        answer["long_loops"] != true,
        ". But the driver ends loops after some 65,000 rounds: results of long sums are wrong",
    );
    let credible = answer["credible_events"] == true;
    but(
        !credible,
        ". But its event times cannot be true: lessons take the wall clock",
    );
    if credible {
        says.push_str(". Its event times are credible");
    }
    finding(verdict, says)
}

/// Hardware of a GPU without an OpenCL device for it.
fn idle_hardware(devices: &[Value]) -> Option<Finding> {
    if devices.iter().any(|device| device["kind"] == "gpu") {
        return None;
    }
    let there = |path: &str| std::path::Path::new(path).exists();
    let (hardware, says) = if there("/dev/nvidiactl") {
        (
            "an NVIDIA GPU",
            "is here (/dev/nvidiactl), but no driver brings it to OpenCL",
        )
    } else if there("/dev/kfd") {
        (
            "an AMD GPU",
            "is here (/dev/kfd), but no driver brings it to OpenCL",
        )
    } else if there("/dev/dri/renderD128") {
        (
            "a GPU",
            "is here (/dev/dri/renderD128), but no driver brings it to OpenCL",
        )
    } else {
        return None;
    };
    let says = format!("{says}; docs/setting-up.md says which package does, per system");
    Some(
        Finding::new(Part::Devices, Verdict::Note, hardware, says).mended_by("./setup".to_string()),
    )
}

/// The first usable device that a lesson would choose: GPUs first.
fn preferred(devices: &[Value], usable: &[&Value]) -> Option<String> {
    use common::device::{Candidate, Kind, choose};
    let kind = |device: &Value| match text(device, "kind") {
        "gpu" => Kind::Gpu,
        "accelerator" => Kind::Accelerator,
        "cpu" => Kind::Cpu,
        _ => Kind::Other,
    };
    let candidates: Vec<Candidate> = devices
        .iter()
        .map(|device| Candidate {
            name: text(device, "name").into(),
            platform: text(&device["platform"], "name").into(),
            kind: kind(device),
            compute_units: device["limits"]["compute_units"].as_u64().unwrap_or(0) as usize,
        })
        .collect();
    let first = usable.first()?["index"].to_string();
    let chosen = choose(&candidates, None).ok().map(|choice| choice.index);
    let is_usable = usable
        .iter()
        .any(|device| device["index"].as_u64() == chosen.map(|index| index as u64));
    Some(if is_usable { String::new() } else { first })
}
