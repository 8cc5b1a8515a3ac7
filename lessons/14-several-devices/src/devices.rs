//! The second part: each device alone, then all together.

use std::slice;

use common::device::{self, Device, Kind};
use common::error::{Error, Result};
use common::numbers::{self, percent};
use common::problem::Problem;
use common::source::Source;
use lesson::Lesson;

use crate::engine::{Engine, Target};
use crate::flags::Own;
use crate::table::{Way, product, show};
use crate::timeline;
use crate::worker::Job;

/// The devices of the second part, and why these.
fn chosen(lesson: &mut Lesson, own: &Own) -> Result<(Vec<Target>, String)> {
    let all = device::list()?;
    if let Some(number) = own.devices.iter().find(|&&number| number >= all.len()) {
        return Err(Error::Selector(format!(
            "there is no device {number}; there are {}, from 0: cargo run -p lesson01",
            all.len()
        )));
    }
    if !own.devices.is_empty() {
        let wanted = own.devices.iter().map(|&number| Target::of(&all[number]));
        return Ok((wanted.collect(), "as --devices asks".into()));
    }
    let real = all
        .iter()
        .filter(|one| !one.is_simulator() && !one.is_llvmpipe());
    let (gpus, mut cpus): (Vec<&Device>, Vec<&Device>) =
        real.partition(|one| one.kind == Kind::Gpu);
    cpus.truncate(if gpus.is_empty() { cpus.len() } else { 1 });
    let wanted: Vec<Target> = gpus.into_iter().chain(cpus).map(Target::of).collect();
    if own.parts.is_none() && lesson.flags().device.is_none() && wanted.len() > 1 {
        return Ok((wanted, "all that are here".into()));
    }
    let this = lesson.session()?.device.clone();
    let count = own.parts.map_or(2, usize::from);
    match Target::parts(&this, count) {
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
            Ok((vec![Target::of(&this)], why.into()))
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
    let ways = ways(own, &targets, &lesson.source()?, problem)?;
    lesson.say(format!(
        "\n  Rows of C on {}: {why}",
        numbers::count(count, "device")
    ))?;
    let shown = show(lesson, problem, &ways)?;
    for (way, (rate, outcome)) in ways.iter().zip(&shown) {
        let Some(outcome) = outcome.as_ref().filter(|_| way.devices.len() > 1) else {
            continue;
        };
        let is_alone = |other: &Way| other.devices.len() == 1 && other.job == way.job;
        let alone = ways.iter().zip(&shown).filter(|(other, _)| is_alone(other));
        let sum: f64 = alone.map(|(_, (rate, _))| rate).sum();
        if sum > 0.0 {
            let share = percent(rate / sum);
            lesson.say(format!(
                "  {}: {share} of the sum of the rates alone",
                way.name
            ))?;
            continue;
        }
        // Who did what, after a mishap.
        for (me, target) in targets.iter().enumerate() {
            let (label, given, did) = (&target.label, outcome.given[me], outcome.did[me]);
            let why = outcome.failed[me]
                .as_ref()
                .map_or(String::new(), |why| format!("; {why}"));
            lesson.say(format!("    {label}: given {given} blocks, did {did}{why}"))?;
        }
    }
    let together = ways
        .iter()
        .zip(shown)
        .find(|(way, _)| way.devices.len() > 1);
    match together {
        Some((way, (_, Some(outcome)))) => {
            lesson.say(timeline::text(&[(&way.name, &outcome.spans)]))
        }
        _ => Ok(()),
    }
}

/// Each device alone, and all together: in one context for each driver, and in one for each
/// device. On request with resident operands, too, and with a mishap.
fn ways(own: &Own, targets: &[Target], source: &Source, problem: &Problem) -> Result<Vec<Way>> {
    let engines = Engine::open(targets, source)?;
    // Pinned is what one context knows: that of a GPU, which has a use for it.
    let gpu = engines
        .iter()
        .find(|engine| engine.target.kind == Kind::Gpu);
    let together = Way {
        name: "together".into(),
        says: "rows by rate; a context for each driver".into(),
        devices: (0..targets.len()).collect(),
        product: product(problem, Some(gpu.unwrap_or(&engines[0])))?,
        engines,
        job: Job {
            queues: 3,
            ..Job::default()
        },
    };
    let mut ways: Vec<Way> = targets
        .iter()
        .zip(&together.engines)
        .enumerate()
        .map(|(i, (target, engine))| Way {
            name: format!("device {i} alone"),
            says: target.label.clone(),
            devices: vec![i],
            engines: vec![engine.clone()],
            ..together.clone()
        })
        .collect();
    if targets.len() > 1 {
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
    if targets
        .windows(2)
        .any(|pair| pair[0].platform == pair[1].platform)
    {
        let open = |target| Engine::open(slice::from_ref(target), source);
        let engines: Vec<_> = targets.iter().map(open).collect::<Result<_>>()?;
        let engines = engines.concat();
        ways.push(Way {
            name: "together, a context each".into(),
            says: "the same, nothing shared".into(),
            product: product(problem, Some(&engines[0]))?,
            engines,
            ..together.clone()
        });
    }
    if own.mishap.each().next().is_some() {
        ways.push(Way {
            name: "with a mishap".into(),
            says: "the same again".into(),
            job: Job {
                mishap: own.mishap.clone(),
                ..together.job
            },
            ..together
        });
    }
    Ok(ways)
}
