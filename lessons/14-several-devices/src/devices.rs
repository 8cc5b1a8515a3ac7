//! The second part: each device alone, then all together.

use std::rc::Rc;
use std::slice;

use common::device::{self, Device, Kind};
use common::error::{Error, Result};
use lesson::Lesson;
use verify::numbers::{count, percent};
use verify::problem::Problem;

use crate::board::Board;
use crate::engine::Engine;
use crate::flags::Own;
use crate::product::Way;
use crate::table::{self, product, show};
use crate::timeline;
use crate::work::Work;

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
            all.get(number).cloned().ok_or_else(|| {
                Error::Selector(format!(
                    "there is no device {number}; there are {}, from 0: cargo run -p lesson01",
                    all.len()
                ))
            })
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
        return lesson.say("\n  Several devices: not in a simulator, which is one");
    }
    let (targets, why) = chosen(lesson, own)?;
    let mishaps = [
        ("fail", own.fail),
        ("hang", own.hang),
        ("overrate", own.overrate),
    ];
    for (name, number) in mishaps {
        if number.is_some_and(|number| number >= targets.len()) {
            let count = targets.len();
            let why = format!("--{name}: there are {count} devices, from 0");
            return Err(Error::Usage(why));
        }
    }
    let ways = ways(lesson, own, &targets, problem)?;
    let count = count(targets.len(), "device");
    lesson.say(format!("\n  Rows of C on {count}: {why}"))?;
    let shown = show(lesson, problem, &ways)?;
    let is_together = |way: &Way| way.devices.len() > 1;
    let together = ways.iter().position(is_together).unwrap_or(0);
    let who_did_what = match mishaps.iter().any(|(_, number)| number.is_some()) {
        true => with_a_mishap(lesson, problem, &ways[together], own)?,
        false => Vec::new(),
    };
    for (way, (rate, outcome)) in ways.iter().zip(&shown) {
        let is_alone = |other: &Way| !is_together(other) && other.resident == way.resident;
        let alone = ways.iter().zip(&shown).filter(|(other, _)| is_alone(other));
        let sum: f64 = alone.map(|(_, (rate, _))| rate).sum();
        if is_together(way) && outcome.is_some() {
            let (name, share) = (&way.name, percent(rate / sum));
            lesson.say(format!("  {name}: {share} of the sum of the rates alone"))?;
        }
    }
    for line in who_did_what {
        lesson.say(line)?;
    }
    match &shown[together].1 {
        Some(outcome) if targets.len() > 1 => {
            let spans = &outcome.spans[..];
            lesson.say(timeline::text(&[(&ways[together].name, spans)]))
        }
        _ => Ok(()),
    }
}

/// The product once more, and something goes wrong with it: who did what.
fn with_a_mishap(
    lesson: &mut Lesson,
    problem: &Problem,
    together: &Way,
    own: &Own,
) -> Result<Vec<String>> {
    let way = Way {
        name: "with a mishap".into(),
        says: "the same again".into(),
        ..together.clone()
    };
    // It shows more where each device has something to do.
    let mut rates = vec![1.0; way.engines.len()];
    if let Some(device) = own.overrate {
        rates[device] *= 10.0;
    }
    let turn = |work: &mut Work, board: &mut Board| {
        let me = work.me;
        let is_struck = |which, board: &Board| which == Some(me) && !board.done_by(me).is_empty();
        if is_struck(own.hang, board) {
            return Ok(false); // it never says that it is done
        }
        let has_moved = work.go_on(board)?;
        match is_struck(own.fail, board) {
            true => Err(Error::Died("it failed, as --fail asks".into())),
            false => Ok(has_moved),
        }
    };
    let outcome = table::run(lesson, problem, &way, &rates, &turn, true)?;
    let (board, failed) = (&outcome.board, &outcome.failed);
    let line = |(me, engine): (usize, &Rc<Engine>)| {
        let (given, did) = (board.shares[me].len(), board.done_by(me).len());
        let why = failed[me].as_ref().map(|why| format!("; {why}"));
        let (label, why) = (engine.device().label(), why.unwrap_or_default());
        format!("    {label}: given {given} blocks, did {did}{why}")
    };
    let lines = way.engines.iter().enumerate().map(line).collect();
    table::row(lesson, problem.shape, &way, slice::from_ref(&outcome))?;
    Ok(lines)
}

/// Each device alone, and all together: in one context for each driver, and in one for each
/// device. On request with resident operands, too.
fn ways(lesson: &Lesson, own: &Own, devices: &[Device], problem: &Problem) -> Result<Vec<Way>> {
    let (source, raw_log) = (lesson.source()?, lesson.flags().raw_log);
    let open = |devices: &[Device]| Engine::all(devices, &source, raw_log);
    let engines = open(devices)?;
    // Pinned is what one context knows: that of a GPU, which has a use for it.
    let gpu = engines.iter().find(|one| one.device().kind == Kind::Gpu);
    let together = Way {
        name: "together".into(),
        says: "rows by rate; a context for each driver".into(),
        devices: (0..devices.len()).collect(),
        product: product(problem, Some(gpu.unwrap_or(&engines[0])))?,
        engines,
        queues: 3,
        resident: false,
    };
    let alone = together.engines.iter().enumerate().map(|(i, engine)| Way {
        name: format!("device {i} alone"),
        says: engine.device().label(),
        devices: vec![i],
        engines: vec![engine.clone()],
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
            way.resident = true;
        }
        ways.extend(resident);
    }
    let share_a_driver = |pair: &[Device]| pair[0].platform.name == pair[1].platform.name;
    if devices.windows(2).any(share_a_driver) {
        let alone = devices.iter().map(slice::from_ref);
        let engines = alone.map(open).collect::<Result<Vec<_>>>()?.concat();
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
