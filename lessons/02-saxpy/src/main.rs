//! Lesson 2: saxpy, C = d * A + B. The program of `examples/saxpy`, told: the same
//! eleven steps on opencl3, each announced, timed and shown by `--step`. Then the same
//! with a kernel that comes to the memory's limit, and what the transfers cost.

mod check;
mod compare;
mod problem;
mod steps;
mod stream;
mod tell;
mod transfer;
mod vector;

use std::process::ExitCode;

use common::Result;
use common::device::{Candidate, Kind, choose_as_told};
use lesson::{Lesson, lesson};
use narrate::Beat;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device};
use opencl3::platform::get_platforms;
use text::plain_name;

use problem::Saxpy;
use steps::eleven_steps;

fn main() -> ExitCode {
    lesson(2, "saxpy", Some("02-saxpy.cl"), |lesson| {
        // Step 1: every device of every platform.
        lesson.console.narrator.beat(Beat::Device)?;
        lesson.console.doing("looking for devices")?;
        let platforms = get_platforms().unwrap_or_default();
        let mut devices = Vec::new();
        let mut candidates = Vec::new();
        for platform in &platforms {
            // A platform may have no device; that is no error here.
            for id in platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default() {
                let device = Device::new(id);
                candidates.push(describe(&device, &platform.name().unwrap_or_default()));
                devices.push(device);
            }
        }
        if devices.is_empty() {
            // Why there is none is told by the library: no loader, no driver, or no device.
            common::device::list()?;
        }
        lesson.console.narrator.platforms();
        let choice = choose_as_told(&candidates, lesson.flags().selector().as_deref())?;
        let chosen = &candidates[choice.index];
        lesson.say(format!(
            "   1  {} platform(s), {} device(s); using {}, {}",
            platforms.len(),
            devices.len(),
            chosen.name,
            choice.reason
        ))?;
        let saxpy = problem::problem(lesson, chosen, &devices[choice.index])?;
        if lesson.flags().wants("saxpy") {
            by_hand(lesson, &saxpy, &devices[choice.index], chosen)?;
        }
        vector::measure(lesson, &saxpy)?;
        compare::host(lesson, &saxpy)?;
        compare::every_device(lesson, &saxpy, &devices, &candidates)
    })
}

/// The eleven steps, unless the learner's own file holds the other kernel only.
fn by_hand(
    lesson: &mut Lesson,
    saxpy: &Saxpy,
    device: &Device,
    candidate: &Candidate,
) -> Result<()> {
    let narrator = lesson.console.narrator.clone();
    narrator.kernel(|| tell::card(saxpy))?;
    lesson.once(compare::begun(saxpy, candidate), |lesson| {
        if let Some(reason) = lesson.left_out("saxpy")? {
            lesson.table("GB/s")?;
            let record = lesson.record("saxpy", "", saxpy.shape())?;
            return lesson.console.row(record.skip(reason));
        }
        narrator.again(|| {
            let times = eleven_steps(lesson, device, saxpy, true)?;
            compare::report(lesson, saxpy, &times)
        })
    })
}

fn describe(device: &Device, platform: &str) -> Candidate {
    let bits = device.dev_type().unwrap_or(0);
    let kind = match bits {
        _ if bits & CL_DEVICE_TYPE_GPU != 0 => Kind::Gpu,
        _ if bits & CL_DEVICE_TYPE_CPU != 0 => Kind::Cpu,
        _ => Kind::Other,
    };
    Candidate {
        name: plain_name(&device.name().unwrap_or_default()),
        platform: plain_name(platform),
        kind,
        compute_units: device.max_compute_units().unwrap_or(1) as usize,
    }
}
