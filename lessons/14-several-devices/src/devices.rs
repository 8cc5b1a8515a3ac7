//! The second part: each device alone, then all together.

use std::slice;

use common::device::{self, Kind};
use common::error::{Error, Result};
use common::source::Source;
use lesson::Lesson;
use verify::numbers::{self, percent};
use verify::problem::Problem;

use crate::engine::{Engine, Target, real_devices};
use crate::flags::Own;
use crate::table::{Way, product, show};
use crate::timeline;
use crate::worker::{Job, Mishap};

/// The devices of the second part, and why these.
fn chosen(lesson: &mut Lesson, own: &Own) -> Result<(Vec<Target>, String)> {
    if !own.devices.is_empty() {
        let all = device::list()?;
        let target = |&number: &usize| {
            let none = || {
                Error::Selector(format!(
                    "there is no device {number}; there are {}, from 0: cargo run -p lesson01",
                    all.len()
                ))
            };
            all.get(number).map(Target::of).ok_or_else(none)
        };
        let wanted = own.devices.iter().map(target).collect::<Result<_>>()?;
        return Ok((wanted, "as --devices asks".into()));
    }
    let [gpus, mut cpus] = real_devices()?;
    cpus.truncate(if gpus.is_empty() { cpus.len() } else { 1 });
    let wanted: Vec<Target> = gpus.iter().chain(&cpus).map(Target::of).collect();
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
    let together = |way: &Way| way.devices.len() > 1;
    let all = ways.iter().position(together).unwrap_or(0);
    let mut mended = None;
    if own.mishap != Mishap::default() {
        let way = Way {
            name: "with a mishap".into(),
            says: "the same again".into(),
            job: Job {
                mishap: own.mishap.clone(),
                ..ways[all].job
            },
            ..ways[all].clone()
        };
        // It shows more where each device has something to do.
        let outcome = way.run(lesson, problem, &vec![1.0; count], true)?;
        way.row(lesson, problem, slice::from_ref(&outcome))?;
        mended = Some(outcome);
    }
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
        for (me, target) in targets.iter().enumerate() {
            let (label, given, did) = (&target.label, outcome.given[me], outcome.did[me]);
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
    let alone = together.engines.iter().enumerate().map(|(i, engine)| Way {
        name: format!("device {i} alone"),
        says: engine.target.label.clone(),
        devices: vec![i],
        engines: vec![engine.clone()],
        ..together.clone()
    });
    let mut ways: Vec<Way> = alone.collect();
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
    let share_a_driver = |pair: &[Target]| pair[0].platform == pair[1].platform;
    if targets.windows(2).any(share_a_driver) {
        let open = |target| Engine::open(slice::from_ref(target), source);
        let engines: Vec<_> = targets.iter().map(open).collect::<Result<_>>()?;
        let engines = engines.concat();
        ways.push(Way {
            name: "together, a context each".into(),
            says: "the same, nothing shared".into(),
            product: product(problem, Some(&engines[0]))?,
            engines,
            ..together
        });
    }
    Ok(ways)
}
