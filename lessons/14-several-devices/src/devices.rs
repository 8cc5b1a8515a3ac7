//! The second part: each device alone, then all together.

use std::slice;

use common::device::{self, Device, Kind};
use common::error::{Error, Result};
use lesson::Lesson;
use verify::numbers::{self, percent};
use verify::problem::Problem;

use crate::flags::{Mishap, Own};
use crate::table::{Way, product, show};
use crate::timeline;
use crate::worker::{Job, Worker};

/// This machine's GPUs and its CPUs, without simulators.
pub fn real_devices() -> Result<[Vec<Device>; 2]> {
    let mut all = device::list()?;
    all.retain(|one| !one.is_simulator() && !one.is_llvmpipe());
    let (gpus, cpus) = all.into_iter().partition(|one| one.kind == Kind::Gpu);
    Ok([gpus, cpus])
}

/// The devices of the second part, and why these.
fn chosen(lesson: &mut Lesson, own: &Own) -> Result<(Vec<Device>, String)> {
    if !own.devices.is_empty() {
        let all = device::list()?;
        let target = |&number: &usize| {
            let none = || {
                Error::Selector(format!(
                    "there is no device {number}; there are {}, from 0: cargo run -p lesson01",
                    all.len()
                ))
            };
            all.get(number).cloned().ok_or_else(none)
        };
        let wanted = own.devices.iter().map(target).collect::<Result<_>>()?;
        return Ok((wanted, "as --devices asks".into()));
    }
    let [gpus, mut cpus] = real_devices()?;
    cpus.truncate(if gpus.is_empty() { cpus.len() } else { 1 });
    let wanted = [gpus, cpus].concat();
    if own.parts.is_none() && lesson.flags().device.is_none() && wanted.len() > 1 {
        return Ok((wanted, "all that are here".into()));
    }
    let this = lesson.session()?.device.clone();
    let count = own.parts.map_or(2, usize::from);
    match this.parts(count) {
        Some(parts) => {
            let why = format!("the {count} parts that its driver makes of one device");
            Ok((parts, why))
        }
        None if own.parts.is_some() => Err(Error::Usage(format!(
            "{} cannot be cut into {count} parts: its driver refuses, or it has fewer units",
            this.label()
        ))),
        None => {
            let why = "the only one; with more, each would get rows by its rate";
            Ok((vec![this], why.into()))
        }
    }
}

/// Several devices, one product.
pub fn devices(lesson: &mut Lesson, own: &Own, problem: &Problem) -> Result<()> {
    if lesson.session()?.device.is_simulator() {
        return lesson
            .say("\n  Several devices: not in a simulator, which several threads cannot use");
    }
    let (targets, why) = chosen(lesson, own)?;
    let count = targets.len();
    for (name, number) in own.mishap.each() {
        if number >= count {
            let why = format!("--{name}: there are {count} devices, from 0");
            return Err(Error::Usage(why));
        }
    }
    let ways = ways(lesson, own, &targets, problem)?;
    lesson.say(format!(
        "\n  Rows of C on {}: {why}",
        numbers::count(count, "device")
    ))?;
    let shown = show(lesson, problem, &ways)?;
    let together = |way: &Way| way.devices.len() > 1;
    let all = ways.iter().position(together).unwrap_or(0);
    let mended = match &own.mishap {
        none if *none == Mishap::default() => None,
        mishap => {
            let way = Way {
                name: "with a mishap".into(),
                says: "the same again".into(),
                ..ways[all].clone()
            };
            // It shows more where each device has something to do.
            let outcome = way.run(lesson, problem, (&vec![1.0; count], mishap), true)?;
            way.row(lesson, problem, slice::from_ref(&outcome))?;
            Some(outcome)
        }
    };
    for (way, (rate, outcome)) in ways.iter().zip(&shown) {
        let is_alone = |other: &Way| !together(other) && other.job == way.job;
        let alone = ways.iter().zip(&shown).filter(|(other, _)| is_alone(other));
        let sum: f64 = alone.map(|(_, (rate, _))| rate).sum();
        if together(way) && outcome.is_some() {
            let (name, share) = (&way.name, percent(rate / sum));
            lesson.say(format!("  {name}: {share} of the sum of the rates alone"))?;
        }
    }
    // Who did what, after a mishap.
    if let Some(outcome) = mended {
        for (me, device) in targets.iter().enumerate() {
            let (label, given, did) = (device.label(), outcome.given[me], outcome.did[me]);
            let why = outcome.failed[me].iter().map(|why| format!("; {why}"));
            let why: String = why.collect();
            lesson.say(format!("    {label}: given {given} blocks, did {did}{why}"))?;
        }
    }
    match &shown[all].1 {
        Some(outcome) if count > 1 => {
            let spans = &outcome.spans[..];
            lesson.say(timeline::text(&[(&ways[all].name, spans)]))
        }
        _ => Ok(()),
    }
}

/// Each device alone, and all together: in one context for each driver, and in one for each
/// device. On request with resident operands, too.
fn ways(lesson: &Lesson, own: &Own, devices: &[Device], problem: &Problem) -> Result<Vec<Way>> {
    let (source, raw_log) = (lesson.source()?, lesson.flags().raw_log);
    let start = |devices: &[Device]| Worker::start(devices, &source, raw_log);
    let workers = start(devices)?;
    // Pinned is what one context knows: that of a GPU, which has a use for it.
    let gpu = workers.iter().find(|one| one.device.kind == Kind::Gpu);
    let together = Way {
        name: "together".into(),
        says: "rows by rate; a context for each driver".into(),
        devices: (0..devices.len()).collect(),
        product: product(problem, Some(gpu.unwrap_or(&workers[0])))?,
        workers,
        job: Job {
            queues: 3,
            resident: false,
        },
    };
    let alone = together.workers.iter().enumerate().map(|(i, worker)| Way {
        name: format!("device {i} alone"),
        says: worker.device.label(),
        devices: vec![i],
        workers: vec![worker.clone()],
        ..together.clone()
    });
    let mut ways: Vec<Way> = alone.collect();
    if devices.len() > 1 {
        ways.push(together.clone());
    }
    if own.resident {
        let mut resident = ways.clone();
        for way in &mut resident {
            way.name += ", resident";
            way.job.resident = true;
        }
        ways.extend(resident);
    }
    let share_a_driver = |pair: &[Device]| pair[0].platform.name == pair[1].platform.name;
    if devices.windows(2).any(share_a_driver) {
        let alone = devices.iter().map(slice::from_ref);
        let workers = alone.map(start).collect::<Result<Vec<_>>>()?.concat();
        ways.push(Way {
            name: "together, a context each".into(),
            says: "the same, nothing shared".into(),
            product: product(problem, Some(&workers[0]))?,
            workers,
            ..together
        });
    }
    Ok(ways)
}
