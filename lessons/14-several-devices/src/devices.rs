//! The second part: each device alone, then all together.

use std::slice;

use common::device::{self, Device, Kind};
use common::error::{Error, Result};
use lesson::Lesson;
use verify::numbers::{count, percent};
use verify::problem::Problem;

use crate::board::Board;
use crate::engine::Engine;
use crate::flags::Own;
use crate::product::{Product, Way};
use crate::queues::in_words;
use crate::table::{checked, row, show};
use crate::work::Work;

/// This machine's GPUs and its CPUs, without simulators.
pub fn real_devices() -> Result<[Vec<Device>; 2]> {
    let mut all = device::list()?;
    all.retain(|one| !one.is_simulator() && !one.is_llvmpipe());
    let (gpus, cpus) = all.into_iter().partition(|one| one.kind == Kind::Gpu);
    Ok([gpus, cpus])
}

/// The devices of the second part, and why these.
fn chosen(lesson: &mut Lesson, own: &Own) -> Result<(Vec<Device>, &'static str)> {
    if !own.devices.is_empty() {
        let all = device::list()?;
        let one = |which: &String| Ok(all[device::choose(&all, Some(which))?.index].clone());
        let wanted = own.devices.iter().map(one).collect::<Result<_>>()?;
        return Ok((wanted, "as --devices asks"));
    }
    let [gpus, mut cpus] = real_devices()?;
    cpus.truncate(if gpus.is_empty() { cpus.len() } else { 1 });
    let wanted = [gpus, cpus].concat();
    if own.parts.is_none() && lesson.flags().device.is_none() && wanted.len() > 1 {
        return Ok((wanted, "all that are here"));
    }
    let this = lesson.session()?.device.clone();
    match (this.parts(own.parts.unwrap_or(2).into()), own.parts) {
        (Some(parts), _) => Ok((parts, "parts that its driver makes of one device")),
        (None, Some(count)) => Err(Error::Usage(format!(
            "{} cannot be cut into {count} parts: its driver refuses, or it has fewer units",
            this.label()
        ))),
        (None, None) => {
            let why = "the only one; with more, each would get rows by its rate";
            Ok((vec![this], why))
        }
    }
}

/// Several devices, one product.
pub fn devices(lesson: &mut Lesson, own: &Own, problem: &Problem) -> Result<()> {
    if lesson.session()?.device.is_simulator() {
        return lesson.say("\n  Several devices: not in a simulator, which is one");
    }
    let (devices, why) = chosen(lesson, own)?;
    let here = count(devices.len(), "device");
    let struck = own.fail.max(own.hang).max(own.overrate);
    if struck.is_some_and(|device| device >= devices.len()) {
        let why = format!("--fail, --hang and --overrate name one of {here}, from 0");
        return Err(Error::Usage(why));
    }
    let ways = ways(lesson, own, &devices, problem)?;
    lesson.say(format!("\n  Rows of C on {here}: {why}"))?;
    let shown = show(lesson, problem, &ways)?;
    if struck.is_some() {
        let together = ways.iter().find(|way| way.is_together());
        with_a_mishap(lesson, problem, together.unwrap_or(&ways[0]), own)?;
    }
    for (way, (rate, outcome)) in ways.iter().zip(&shown) {
        let is_alone = |other: &Way| !other.is_together() && other.resident == way.resident;
        let alone = ways.iter().zip(&shown).filter(|(other, _)| is_alone(other));
        let sum: f64 = alone.map(|(_, (rate, _))| rate).sum();
        if let Some(outcome) = outcome.as_ref().filter(|_| way.is_together()) {
            let (name, share) = (&way.name, percent(rate / sum));
            lesson.say(format!("  {name}: {share} of the sum of the rates alone"))?;
            for (device, end) in outcome.ends.iter().enumerate() {
                let busy = in_words(end.clone().unwrap_or_default());
                lesson.say(format!("    device {device}: {busy}"))?;
            }
        }
    }
    Ok(())
}

/// The product once more, and something goes wrong with it: who did what.
fn with_a_mishap(lesson: &mut Lesson, problem: &Problem, together: &Way, own: &Own) -> Result<()> {
    let way =
        Way { name: "with a mishap".into(), says: "the same again".into(), ..together.clone() };
    // It shows more where each device has something to do.
    let mut rates = vec![1.0; way.engines.len()];
    if let Some(device) = own.overrate {
        rates[device] = 10.0;
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
    let outcome = checked(lesson, problem, &way, &rates, &turn)?;
    row(lesson, problem.shape, &way, slice::from_ref(&outcome))?;
    for (me, (engine, end)) in way.engines.iter().zip(&outcome.ends).enumerate() {
        let (label, given) = (engine.device().label(), outcome.board.shares[me].len());
        let (did, why) = (outcome.board.done_by(me).len(), end.as_ref().err());
        let why = why.map_or(String::new(), |why| format!("; {why}"));
        lesson.say(format!("    {label}: given {given} blocks, did {did}{why}"))?;
    }
    Ok(())
}

/// Each device alone, and all together: in one context for each driver, and in one for each
/// device. On request with resident operands, too.
fn ways(lesson: &Lesson, own: &Own, devices: &[Device], problem: &Problem) -> Result<Vec<Way>> {
    let (source, raw_log) = (lesson.source()?, lesson.flags().raw_log);
    let open = |devices: &[Device]| Engine::all(devices, &source, raw_log);
    let engines = open(devices)?;
    // Pinned is what one context knows: that of a GPU, which has a use for it.
    let gpu = engines.iter().find(|one| one.device().kind == Kind::Gpu);
    let product = Product::of(problem, Some(gpu.unwrap_or(&engines[0])))?;
    let says = "rows by rate; a context for each driver";
    let together = Way::new("together", says, &engines, &product, 3);
    let alone = together.engines.iter().enumerate().map(|(i, engine)| Way {
        name: format!("device {i} alone"),
        says: engine.device().label(),
        engines: vec![engine.clone()],
        ..together.clone()
    });
    let mut ways: Vec<Way> = alone.collect();
    if together.is_together() {
        ways.push(together.clone());
    }
    if own.resident {
        let resident = ways.clone().into_iter().map(|way| Way {
            name: way.name + ", resident",
            resident: true,
            ..way
        });
        ways.extend(resident);
    }
    let share_a_driver = |pair: &[Device]| pair[0].platform.name == pair[1].platform.name;
    if devices.windows(2).any(share_a_driver) {
        let alone = devices.iter().map(slice::from_ref);
        let engines = alone.map(open).collect::<Result<Vec<_>>>()?.concat();
        let product = Product::of(problem, Some(&engines[0]))?;
        let (name, says) = ("together, a context each", "the same, nothing shared");
        ways.push(Way::new(name, says, &engines, &product, 3));
    }
    Ok(ways)
}
