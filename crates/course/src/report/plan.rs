//! What belongs to a run: the devices, and the parts on each.

use std::process::Command;

use anyhow::{Context, Result, bail};
use common::Error;
use common::shape::Shape;
use serde_json::Value;
use toolbox::lessons::LESSONS;

use super::model::{Device, Part, Settings, Work};
use super::peers::Peer;

/// The devices to run on, as lesson 1 lists and chooses them.
pub fn devices(selector: Option<&str>, all: bool) -> Result<Vec<Device>> {
    let mut command = Command::new(LESSONS[0].binary()?);
    command.arg("--json");
    if let Some(selector) = selector {
        command.args(["--device", selector]);
    }
    let output = command.output()?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let told = told.trim().trim_start_matches("error: ");
        return Err(match output.status.code() {
            Some(3) => Error::NoDevice {
                state: told.trim_start_matches("no usable OpenCL device: ").into(),
            },
            _ => Error::Selector(told.into()),
        }
        .into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut devices = Vec::new();
    for line in text.lines() {
        let listed: Value = serde_json::from_str(line).context("lesson 1's listing")?;
        let device = device(&listed["device"]);
        // A simulator's times mean nothing; chosen by name, it may show that.
        let simulator = device.platform.contains("Oclgrind");
        if listed["chosen"] == true || all && !simulator {
            devices.push(device);
        }
    }
    if devices.is_empty() {
        bail!("lesson 1 lists no device; run ./setup")
    } else {
        Ok(devices)
    }
}

fn device(told: &Value) -> Device {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_string();
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    Device {
        index: number(&told["index"]),
        name: text(&told["name"]),
        platform: text(&told["platform"]["name"]),
        driver: text(&told["driver"]),
        kind: text(&told["kind"]),
        compute_units: number(&told["limits"]["compute_units"]),
    }
}

/// Lessons on products once for each size, then the libraries; lesson 2 works on
/// vectors and has a size of its own.
pub fn parts(settings: &Settings, devices: &[Device]) -> Vec<Part> {
    let sizes: Vec<Option<Shape>> = if settings.sizes.is_empty() {
        vec![None]
    } else {
        settings.sizes.iter().copied().map(Some).collect()
    };
    let mut parts = Vec::new();
    for device in devices {
        let mut add = |size, work| {
            parts.push(Part {
                device: device.index,
                size,
                work,
            });
        };
        if settings.lessons.contains(&2) {
            add(None, Work::Lesson(2));
        }
        for &size in &sizes {
            for &number in settings.lessons.iter().filter(|&&number| number > 2) {
                add(size, Work::Lesson(number));
            }
            for peer in Peer::ALL.into_iter().filter(|_| settings.peers) {
                add(size, Work::Peer(peer));
            }
        }
    }
    parts
}

/// The lessons that measure something, or those of them that are asked for.
pub fn lessons(wanted: &[u32]) -> Result<Vec<u32>> {
    let measuring = || {
        LESSONS
            .iter()
            .map(|lesson| lesson.number)
            .filter(|&n| n > 1)
    };
    if let Some(unknown) = wanted
        .iter()
        .find(|&&n| !measuring().any(|known| known == n))
    {
        return Err(Error::Usage(format!(
            "lesson {unknown} measures nothing, or is not there; `cargo run` lists the lessons"
        ))
        .into());
    }
    Ok(if wanted.is_empty() {
        measuring().collect()
    } else {
        measuring().filter(|n| wanted.contains(n)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize) -> Device {
        super::device(&serde_json::json!({ "index": index }))
    }

    fn settings(sizes: &[usize], peers: bool) -> Settings {
        Settings {
            lessons: vec![2, 8],
            sizes: sizes.iter().map(|&n| Shape::cube(n)).collect(),
            runs: None,
            peers,
            kernels: 0,
        }
    }

    #[test]
    fn every_lesson_runs_at_every_size_and_lesson_2_once() {
        let names = |parts: Vec<Part>| -> Vec<String> { parts.iter().map(Part::name).collect() };
        let all = parts(&settings(&[64, 100], false), &[device(0)]);
        assert_eq!(
            names(all),
            ["lesson02", "lesson08 at 64", "lesson08 at 100"]
        );
        let own = parts(&settings(&[], true), &[device(0), device(1)]);
        assert_eq!(own.len(), 8, "two lessons and two libraries on two devices");
        assert_eq!(own[7].device, 1);
    }

    #[test]
    fn a_lesson_that_measures_nothing_is_refused() {
        assert!(lessons(&[1]).is_err() && lessons(&[99]).is_err());
        assert_eq!(lessons(&[8, 3]).unwrap(), [3, 8]);
    }
}
