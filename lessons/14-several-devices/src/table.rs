//! The lesson's tables: ways to compute one product, which take turns. The first is of one device,
//! with one queue or three, the second of each device alone and of all together.

use std::rc::Rc;

use common::device::{self, Device, Kind};
use common::error::{Error, Result};
use common::timing::{Runs, Timing};
use common::{outcome, record::Work::Flop, stage::Stage};
use lesson::Lesson;
use verify::numbers::{count, percent, seconds};
use verify::problem::Problem;

use crate::flags::Own;
use crate::product::{Board, OnHost, Outcome, Way};
use crate::work::{Engine, Work};

/// Rounds in which all take turns, unless `--runs` says otherwise.
const ROUNDS: usize = 5;

/// One device, several queues: from pageable memory and from pinned, in one queue and in three.
pub fn queues(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let device = lesson.session()?.device.clone();
    let engine = Engine::open(&device, &*lesson.source()?, lesson.flags.raw_log)?;
    let pageable = OnHost::of(problem, None)?;
    let pinned = OnHost::of(problem, Some(&engine))?;
    #[rustfmt::skip]
    let ways = [
        ("one queue, pageable memory", "one command after the other", &pageable, 1),
        ("one queue, pinned memory", "the copy engine reads it by itself", &pinned, 1),
        ("three queues, pageable memory", "C in blocks; the host still copies", &pageable, 3),
        ("three queues, pinned memory", "all three engines at once", &pinned, 3),
    ];
    let mut ways = Vec::from(ways.map(|(name, says, matrices, queues)| Way {
        name: name.into(),
        says: says.into(),
        engines: vec![engine.clone()],
        matrices: matrices.clone(),
        queues,
    }));
    if device.is_simulator() {
        ways.truncate(2); // it runs one command after the other
    }
    lesson.say("\n  From host memory to host memory")?;
    let shown = show(lesson, problem, &ways)?;
    if let Some(Outcome { seconds: whole, ends, .. }) = shown.get(3)
        && let [Ok(busy)] = ends[..]
    {
        let slowest = busy.into_iter().fold(0.0, f64::max);
        let rest = busy.iter().sum::<f64>() - slowest;
        let hidden = percent(((slowest + rest - whole) / rest).clamp(0.0, 1.0));
        let (share, whole, busy) = (percent(slowest / whole), seconds(*whole), in_words(busy));
        lesson.say(format!("  {busy}: the slowest is at work for {share} of {whole}"))?;
        lesson.say(format!("  hidden: {hidden} of the others' {}", seconds(rest)))?;
    }
    Ok(())
}

/// Uploads, kernels and downloads, and for how many seconds each was at work.
fn in_words(busy: [f64; 3]) -> String {
    let [up, kernels, down] = busy.map(seconds);
    format!("uploads {up}, kernels {kernels}, downloads {down}")
}

/// This machine's GPUs and its CPUs, without simulators.
pub fn real_devices() -> Result<[Vec<Device>; 2]> {
    let mut all = device::list()?;
    all.retain(|one| !one.is_simulator() && !one.is_llvmpipe());
    let (gpus, cpus) = all.into_iter().partition(|one| one.kind == Kind::Gpu);
    Ok([gpus, cpus])
}

/// The devices of the second part.
fn chosen(lesson: &mut Lesson, own: &Own) -> Result<Vec<Device>> {
    if !own.devices.is_empty() {
        let all = device::list()?;
        let one = |which: &String| Ok(all[device::choose(&all, Some(which))?.index].clone());
        return own.devices.iter().map(one).collect();
    }
    let [gpus, mut cpus] = real_devices()?;
    cpus.truncate(if gpus.is_empty() { cpus.len() } else { 1 });
    let all = [gpus, cpus].concat();
    if lesson.flags.device.is_none() && all.len() > 1 {
        return Ok(all);
    }
    let this = lesson.session()?.device.clone();
    Ok(this.parts(2).unwrap_or_else(|| vec![this]))
}

/// Several devices, one product.
pub fn devices(lesson: &mut Lesson, own: &Own, problem: &Problem) -> Result<()> {
    if lesson.session()?.device.is_simulator() {
        return lesson.say("\n  Several devices: not in a simulator, which is one");
    }
    let devices = chosen(lesson, own)?;
    let here = count(devices.len(), "device");
    let struck = own.fail.max(own.hang);
    if struck.is_some_and(|device| device >= devices.len()) {
        return Err(Error::Usage(format!("--fail and --hang name one of {here}, from 0")));
    }
    let (source, raw_log) = (lesson.source()?, lesson.flags.raw_log);
    let engines = devices.iter().map(|device| Engine::open(device, &source, raw_log));
    let engines = engines.collect::<Result<Vec<_>>>()?;
    // Pinned is what one context knows: that of a GPU, which has a use for it.
    let gpu = engines.iter().find(|one| one.device().kind == Kind::Gpu);
    let matrices = OnHost::of(problem, Some(gpu.unwrap_or(&engines[0])))?;
    let way = |name, says, engines: &[Rc<Engine>]| {
        let (engines, matrices) = (engines.to_vec(), matrices.clone());
        Way { name, says, engines, matrices, queues: 3 }
    };
    let alone = |(i, engine): (usize, &Rc<Engine>)| {
        let name = format!("device {i} alone");
        way(name, engine.device().label(), std::slice::from_ref(engine))
    };
    let mut ways: Vec<Way> = engines.iter().enumerate().map(alone).collect();
    let says = "rows by rate; a context for each device";
    let together = way("together".into(), says.into(), &engines);
    if devices.len() > 1 {
        ways.push(together.clone());
    }
    lesson.say(format!("\n  Rows of C on {here}"))?;
    let shown = show(lesson, problem, &ways)?;
    if let Some(all) = shown.get(devices.len()) {
        let sum: f64 = shown[..devices.len()].iter().map(|alone| 1.0 / alone.seconds).sum();
        let share = percent(1.0 / all.seconds / sum);
        lesson.say(format!("  together: {share} of the sum of the rates alone"))?;
        for (device, end) in all.ends.iter().enumerate() {
            let busy = in_words(end.clone().unwrap_or_default());
            lesson.say(format!("    device {device}: {busy}"))?;
        }
    }
    struck.map_or(Ok(()), |_| with_a_mishap(lesson, problem, &together, own))
}

/// The product once more, and something goes wrong with it: who did what.
fn with_a_mishap(lesson: &mut Lesson, problem: &Problem, way: &Way, own: &Own) -> Result<()> {
    // It shows more where each device has something to do.
    way.engines.iter().for_each(|engine| engine.rate.set(1.0));
    let outcome = checked(lesson, problem, way, |work: &mut Work, board: &mut Board| {
        let is_struck = |which| which == Some(work.me) && board.done_by(work.me) > 0;
        match (is_struck(own.hang), is_struck(own.fail)) {
            (true, _) => Ok(()), // it never says that it is done
            (_, true) => Err(Error::Died("it failed, as --fail asks".into())),
            _ => work.go_on(board),
        }
    })?;
    lesson.say(format!("  with a mishap: right, after {}", seconds(outcome.seconds)))?;
    for (me, (engine, end)) in way.engines.iter().zip(&outcome.ends).enumerate() {
        let (label, given) = (engine.device().label(), outcome.board.shares[me].len());
        let (did, why) = (outcome.board.done_by(me), end.as_ref().err());
        let why = why.map_or(String::new(), |why| format!("; {why}"));
        lesson.say(format!("    {label}: given {given} blocks, did {did}{why}"))?;
    }
    Ok(())
}

/// Computes the product over a C of NaN, and holds what is there then against A and B by random
/// vectors.
fn checked(
    lesson: &mut Lesson,
    problem: &Problem,
    way: &Way,
    turn: impl Fn(&mut Work, &mut Board) -> Result<()>,
) -> Result<Outcome> {
    let c = &way.matrices[2];
    c.floats().fill(f32::NAN);
    let outcome = way.multiply(turn)?;
    lesson.console.doing(Stage::Checking(way.name.clone()))?;
    // A copy: a device that was given up may still write.
    let c = c.floats().to_vec();
    let operands = problem.operands().each_ref();
    let panels = operands.map(|one| bytemuck::cast_slice::<u8, f32>(one.data.as_bytes()));
    let (rows, seed) = (problem.shape.m, lesson.flags.seed);
    let wrong = verify::vectors::wrong_row([panels].into_iter(), &c, rows, seed);
    let wrong = wrong.map(|row| format!("{}: row {row} of C is wrong", way.name));
    wrong.map_or(Ok(outcome), |why| Err(Error::Wrong(why.into())))
}

/// Checks these ways, times them in turns, and shows their table; of each its middle run, if it is
/// timed.
fn show(lesson: &mut Lesson, problem: &Problem, ways: &[Way]) -> Result<Vec<Outcome>> {
    let rounds = match lesson.runs()? {
        Some(Runs::Exactly(runs)) => runs,
        Some(_) => ROUNDS,
        None => 0,
    };
    let mut all = Vec::from_iter(ways.iter().map(|_| vec![]));
    for round in 0..=rounds {
        for (way, runs) in ways.iter().zip(&mut all) {
            lesson.console.doing(Stage::Working(format!("{}, round {round}", way.name)))?;
            // The first one compiles, too.
            let run = match round {
                0 => checked(lesson, problem, way, Work::go_on)?,
                _ => way.multiply(Work::go_on)?,
            };
            if let Some(Err(why)) = run.ends.iter().find(|end| end.is_err()) {
                return Err(Error::Died(why.clone()));
            }
            if let [alone] = &way.engines[..] {
                alone.rate.set(1.0 / run.seconds);
            }
            runs.extend((round > 0).then_some(run));
        }
    }
    lesson.table("GFLOP/s")?;
    let mut shown = Vec::new();
    for (way, mut runs) in ways.iter().zip(all) {
        let mut record = lesson.record(&way.name, &way.says, problem.shape)?;
        (record.made_from, record.outcome) = (Some(String::new()), outcome::Outcome::RIGHT);
        if rounds > 0 {
            let seconds = runs.iter().map(|run| run.seconds).collect();
            let limit = lesson.peak()?.map(|peak| peak.gflops);
            record.timed(&Timing::by_the_wall(seconds), Flop(problem.shape.flop()), limit);
        }
        lesson.console.row(record)?;
        runs.sort_by(|one: &Outcome, other| one.seconds.total_cmp(&other.seconds));
        shown.extend(runs.into_iter().nth(rounds / 2));
    }
    Ok(shown)
}
