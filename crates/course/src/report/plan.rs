//! What belongs to a run: the devices, and the jobs on each.

use anyhow::{Context, Result, bail};
use common::Error;
use common::shape::Shape;
use serde_json::Value;
use toolbox::child::Finished;
use toolbox::lessons::LESSONS;

use super::model::{Device, Job, Settings, Subject, VECTORS};
use crate::peers::peer::Peer;

/// The devices to run on, as lesson 1 lists and chooses them.
pub fn devices(selector: Option<&str>, all: bool) -> Result<Vec<Device>> {
    let mut command = LESSONS[0].command()?;
    command.arg("--json");
    if let Some(selector) = selector {
        command.args(["--device", selector]);
    }
    let listing = Finished::of(&mut command)?;
    if !listing.status.success() {
        let told = listing.message();
        return Err(match listing.status.code() {
            Some(3) => Error::NoDevice {
                state: told.trim_start_matches("no usable OpenCL device: ").into(),
                // What lesson 1 said ends with it.
                mend: None,
            },
            _ => Error::Selector(told),
        }
        .into());
    }
    let mut devices = Vec::new();
    for line in listing.stdout.lines() {
        let listed: Value = serde_json::from_str(line).context("lesson 1's listing")?;
        let device = device(&listed["device"]);
        // A simulator's times mean nothing; chosen by name, it may show that.
        let simulator = device.platform.contains("Oclgrind");
        if listed["chosen"] == true || all && !simulator {
            devices.push(device);
        }
    }
    if devices.is_empty() {
        bail!("lesson 1 lists no device; run ./setup");
    }
    Ok(devices)
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

/// Lessons on products once for each size, then the libraries; vectors once.
pub fn jobs(settings: &Settings, devices: &[Device]) -> Vec<Job> {
    let mut sizes: Vec<Option<Shape>> = settings.sizes.iter().copied().map(Some).collect();
    if sizes.is_empty() {
        sizes.push(None);
    }
    let lessons = settings.lessons.iter().copied().map(Subject::Lesson);
    let (vectors, products): (Vec<_>, Vec<_>) = lessons.partition(|one| *one == VECTORS);
    let mut jobs = Vec::new();
    for device in devices {
        let mut products = products.clone();
        if settings.peers {
            // The lessons measure the crate themselves.
            let peers = Peer::beside(device).into_iter();
            let peers = peers.filter(|peer| *peer != Peer::Matrixmultiply);
            products.extend(peers.map(Subject::Peer));
        }
        let job = |size, subject| Job {
            device: device.index,
            size,
            subject,
        };
        jobs.extend(vectors.iter().map(|&subject| job(None, subject)));
        for &size in &sizes {
            jobs.extend(products.iter().map(|&subject| job(size, subject)));
        }
    }
    jobs
}

/// The lessons that measure something, or those of them that are asked for.
pub fn lessons(wanted: &[u32]) -> Result<Vec<u32>> {
    let all = LESSONS.iter().map(|lesson| lesson.number);
    let mut measuring: Vec<u32> = all.filter(|&number| number > 1).collect();
    if let Some(unknown) = wanted.iter().find(|number| !measuring.contains(number)) {
        return Err(Error::Usage(format!(
            "lesson {unknown} measures nothing, or is not there; `cargo run` lists the lessons"
        ))
        .into());
    }
    measuring.retain(|number| wanted.is_empty() || wanted.contains(number));
    Ok(measuring)
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
        let names = |jobs: Vec<Job>| -> Vec<String> { jobs.iter().map(Job::name).collect() };
        let all = jobs(&settings(&[64, 100], false), &[device(0)]);
        assert_eq!(
            names(all),
            ["lesson02", "lesson08 at 64", "lesson08 at 100"]
        );
        let own = jobs(&settings(&[], true), &[device(0), device(1)]);
        assert_eq!(
            own.len(),
            8,
            "two lessons and CLBlast in two ways on two devices"
        );
        assert_eq!(own[7].device, 1);
    }

    #[test]
    fn a_lesson_that_measures_nothing_is_refused() {
        assert!(lessons(&[1]).is_err() && lessons(&[99]).is_err());
        assert_eq!(lessons(&[8, 3]).unwrap(), [3, 8]);
    }
}
