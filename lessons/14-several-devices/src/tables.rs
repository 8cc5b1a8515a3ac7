//! The tables of this lesson: each product checked, then timed in turns with the others.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::device::{self, Device, Kind};
use common::element::{Elements, Type};
use common::error::{Error, Result};
use common::matrix::Matrix;
use common::numbers::{self, median, percent, significant};
use common::problem::Problem;
use common::shape::Shape;
use common::timing::Runs;
use common::verify::{self, vectors};
use lesson::Lesson;
use serde::Serialize;

use crate::Own;
use crate::engine::{Engine, Target};
use crate::host::Host;
use crate::overlap::{self, Operands, Run};
use crate::split::{self, Mishap, Outcome, Product};
use crate::timeline::{self, Lane};

/// Rounds in which all orders take turns, unless `--runs` says otherwise.
const ROUNDS: usize = 5;
/// Columns of a time line.
const COLUMNS: usize = 64;
/// Beyond so many multiply-adds C is held against random vectors.
const EVERY_ELEMENT: usize = 4096 * 4096 * 4096;

/// One line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    lesson: u32,
    part: &'a str,
    name: &'a str,
    device: &'a str,
    #[serde(flatten)]
    shape: Shape,
    seconds_median: f64,
    gflops: f64,
    verified: bool,
    /// Seconds that uploads, kernels and downloads were at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    busy: Option<[f64; 3]>,
    /// Blocks of C that each device did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    done: Vec<usize>,
}

fn gflops(shape: Shape, seconds: f64) -> f64 {
    2.0 * (shape.m * shape.n * shape.k) as f64 / seconds * 1e-9
}

fn rounds(lesson: &mut Lesson) -> Result<usize> {
    Ok(match lesson.runs()? {
        Some(Runs::Exactly(runs)) => runs,
        Some(_) => ROUNDS,
        None => 0,
    })
}

/// A device's name in so many columns.
fn narrowed(name: &str, columns: usize) -> String {
    match name.char_indices().nth(columns) {
        None => name.into(),
        Some(_) => name
            .chars()
            .take(columns - 3)
            .chain("...".chars())
            .collect(),
    }
}

/// The problem, in floats.
pub fn problem(lesson: &mut Lesson) -> Result<std::rc::Rc<Problem>> {
    let problem = lesson.problem()?;
    match problem.ty {
        Type::Float => Ok(problem),
        _ => Err(Error::Usage(
            "this lesson multiplies floats: leave --type out".into(),
        )),
    }
}

fn floats(matrix: &Matrix) -> &[f32] {
    match &matrix.data {
        Elements::Float(floats) => floats,
        _ => &[],
    }
}

/// Whether C is right, or what is wrong.
fn check(lesson: &mut Lesson, problem: &Problem, c: &[f32], by: &str) -> Result<()> {
    let Shape { m, n, k } = problem.shape;
    lesson.console.doing(format!("checking {by}"))?;
    if m * n * k > EVERY_ELEMENT {
        let (a, b) = (floats(&problem.a), floats(&problem.b));
        let seed = lesson.flags().seed;
        return match vectors::wrong_row(a, b, c, [m, n, k], seed) {
            None => Ok(()),
            Some(row) => Err(Error::Wrong(format!("{by}: row {row} of C is wrong"))),
        };
    }
    let c = Matrix {
        rows: m,
        cols: n,
        data: Elements::Float(c.to_vec()),
    };
    let checked = verify::check(problem, &c);
    checked
        .map(|_| ())
        .map_err(|wrong| Error::Wrong(format!("{by}: C is wrong\n{wrong}")))
}

/// One device, several queues.
pub fn overlap(lesson: &mut Lesson, svg: Option<&Path>, problem: &Problem) -> Result<()> {
    let shape = problem.shape;
    let session = lesson.session()?;
    let engine = Engine::open(&Target::of(&session.device))?;
    let label = session.device.label();
    let operands = |pinned: Option<&Engine>| -> Result<Operands> {
        Ok(Operands {
            a: Host::of(floats(&problem.a), pinned)?,
            b: Host::of(floats(&problem.b), pinned)?,
            c: Host::of(&vec![f32::NAN; shape.m * shape.n], pinned)?,
            sizes: [shape.m, shape.n, shape.k],
        })
    };
    type Order = fn(&Engine, &mut Operands) -> Result<Run>;
    let orders: [(&str, Order, bool); 4] = [
        ("one queue, pageable memory", overlap::plain, false),
        ("one queue, pinned memory", overlap::plain, true),
        ("three queues, pageable memory", overlap::overlapped, false),
        ("three queues, pinned memory", overlap::overlapped, true),
    ];
    // A simulator runs one command after the other.
    let orders = if session.device.is_simulator() {
        &orders[..2]
    } else {
        &orders[..]
    };
    let mut both = [operands(None)?, operands(Some(&engine))?];
    for &(name, order, pinned) in orders {
        lesson.console.doing(format!("running {name}"))?;
        let host = &mut both[usize::from(pinned)];
        host.c.as_mut().fill(f32::NAN);
        order(&engine, host)?;
        check(lesson, problem, host.c.as_ref(), name)?;
    }
    let rounds = rounds(lesson)?;
    let mut runs: [Vec<Run>; 4] = Default::default();
    for round in 0..rounds {
        for (i, &(name, order, pinned)) in orders.iter().enumerate() {
            lesson
                .console
                .doing(format!("timing {name}, round {}", round + 1))?;
            runs[i].push(order(&engine, &mut both[usize::from(pinned)])?);
        }
    }
    let parts = overlap::parts([shape.m, shape.n, shape.k], engine.kind == Kind::Gpu);
    lesson.say(format!(
        "\n  From host memory to host memory; three queues: {parts} x {parts} blocks of C\n\n  \
         {:<32}{:>9}{:>9}  uploads, kernels, downloads",
        "order", "median", "GFLOP/s"
    ))?;
    for (i, (name, ..)) in orders.iter().enumerate() {
        let walls: Vec<f64> = runs[i].iter().map(|run| run.seconds).collect();
        if walls.is_empty() {
            lesson.say(format!("  {name:<32}  right, not timed ✓"))?;
            continue;
        }
        let wall = median(&walls);
        let busy = [0, 1, 2].map(|lane| {
            median(
                &runs[i]
                    .iter()
                    .map(|run| timeline::busy(&run.spans)[lane])
                    .collect::<Vec<_>>(),
            )
        });
        lesson.say(format!(
            "  {name:<32}{:>9}{:>9}  {} ✓",
            numbers::seconds(wall),
            significant(gflops(shape, wall)),
            busy.map(numbers::seconds).join(", ")
        ))?;
        lesson.console.report.json(&Line {
            lesson: 14,
            part: "overlap",
            name,
            device: &label,
            shape,
            seconds_median: wall,
            gflops: gflops(shape, wall),
            verified: true,
            busy: Some(busy),
            done: Vec::new(),
        })?;
    }
    let last = runs[3]
        .iter()
        .min_by(|one, other| one.seconds.total_cmp(&other.seconds));
    if let Some(best) = last {
        tell_hidden(lesson, best)?;
        if let Some(file) = svg {
            let title = format!("C = A * B, {shape}, on {}", session.device.name);
            let drawn = timeline::svg(&title, &best.spans);
            fs::write(file, drawn).map_err(|error| Error::File {
                path: file.into(),
                why: error.to_string(),
            })?;
        }
    }
    Ok(())
}

/// The time line of the fastest run, and what of it was hidden.
fn tell_hidden(lesson: &mut Lesson, run: &Run) -> Result<()> {
    let busy = timeline::busy(&run.spans);
    let slowest = (0..3)
        .max_by(|&a, &b| busy[a].total_cmp(&busy[b]))
        .unwrap_or(0);
    let (sum, limit): (f64, f64) = (busy.iter().sum(), busy[slowest]);
    let hidden = (sum - run.seconds) / (sum - limit);
    lesson.say(format!("\n{}", timeline::text(&run.spans, COLUMNS)))?;
    lesson.say(format!(
        "  {:?} are at work for {} of {}: {} of what the slowest queue allows",
        Lane::ALL[slowest],
        numbers::seconds(limit),
        numbers::seconds(run.seconds),
        percent(limit / run.seconds),
    ))?;
    if hidden > 0.05 {
        lesson.say(format!(
            "  hidden: {} of what could be",
            percent(hidden.min(1.0))
        ))
    } else {
        lesson.say("  hidden: nothing; the same cores move and compute")
    }
}

/// The devices of the second part, and why these.
fn chosen(lesson: &mut Lesson, own: &Own) -> Result<(Vec<Target>, String)> {
    let all = device::list()?;
    let this = lesson.session()?.device.clone();
    if !own.devices.is_empty() {
        let missing = own.devices.iter().find(|&&number| number >= all.len());
        if let Some(number) = missing {
            return Err(Error::Selector(format!(
                "there is no device {number}; there are {}, from 0: cargo run -p lesson01",
                all.len()
            )));
        }
        let wanted = own.devices.iter().map(|&number| Target::of(&all[number]));
        return Ok((wanted.collect(), "as --devices asks".into()));
    }
    let is_real = |one: &&Device| !one.is_simulator() && !one.is_llvmpipe();
    let gpus: Vec<&Device> = all
        .iter()
        .filter(is_real)
        .filter(|one| one.kind == Kind::Gpu)
        .collect();
    let cpus: Vec<&Device> = all
        .iter()
        .filter(is_real)
        .filter(|one| one.kind == Kind::Cpu)
        .collect();
    let wanted: Vec<&Device> = if gpus.is_empty() {
        cpus
    } else {
        gpus.into_iter().chain(cpus.into_iter().take(1)).collect()
    };
    let is_one = own.parts.is_some() || lesson.flags().device.is_some() || wanted.len() < 2;
    if is_one {
        let count = own.parts.map_or(2, usize::from);
        if let Some(parts) = Target::parts(&this, count) {
            return Ok((
                parts,
                format!("the {count} parts that its driver makes of one device"),
            ));
        }
        if own.parts.is_some() {
            return Err(Error::Usage(format!(
                "{} cannot be cut into {count} parts: its driver refuses, or it has fewer units",
                this.label()
            )));
        }
        let one = vec![Target::of(&this)];
        return Ok((
            one,
            "the only one; with more, each would get rows by its rate".into(),
        ));
    }
    let all = wanted.into_iter().map(Target::of).collect();
    Ok((all, "all that are here".into()))
}

/// Several devices, one product.
pub fn split(lesson: &mut Lesson, own: &Own, mishap: Mishap, problem: &Problem) -> Result<()> {
    let shape = problem.shape;
    if lesson.session()?.device.is_simulator() {
        return lesson
            .say("\n  Several devices: not in a simulator, which several threads cannot use");
    }
    let (targets, why) = chosen(lesson, own)?;
    let count = targets.len();
    for (name, number) in [
        ("fail", own.fail),
        ("hang", own.hang),
        ("overrate", own.overrate),
    ] {
        if number.is_some_and(|number| number >= count) {
            return Err(Error::Usage(format!(
                "--{name}: there are {count} devices, from 0"
            )));
        }
    }
    let product = Arc::new(Product {
        a: floats(&problem.a).to_vec(),
        b: floats(&problem.b).to_vec(),
        sizes: [shape.m, shape.n, shape.k],
    });
    let most = Duration::from_secs(lesson.flags().timeout.saturating_sub(5).max(1));
    let open = |targets: &[Target]| targets.iter().map(Engine::open).collect::<Result<Vec<_>>>();
    let mut crews: Vec<(String, Vec<Engine>)> = Vec::new();
    for target in &targets {
        crews.push((target.label.clone(), open(std::slice::from_ref(target))?));
    }
    if count > 1 {
        crews.push(("together, a context each".into(), open(&targets)?));
        // Devices of two drivers cannot be in one.
        if let Ok(engines) = Engine::open_together(&targets) {
            crews.push(("together, in one context".into(), engines));
        }
    }
    lesson.say(format!(
        "\n  Rows of C on {}: {why}\n\n  {:<44}{:>9}{:>9}",
        numbers::count(count, "device"),
        "",
        "median",
        "GFLOP/s"
    ))?;
    // The rates of the first round, in which all is checked, decide the shares.
    let mut rates: Vec<f64> = Vec::new();
    let mut seconds = vec![Vec::new(); crews.len()];
    for round in 0..=rounds(lesson)? {
        for (i, (name, engines)) in crews.iter_mut().enumerate() {
            lesson.console.doing(format!("{name}, round {round}"))?;
            let shares = if i < count { &[1.0] } else { &rates[..] };
            let outcome = split::multiply(engines, &product, shares, Mishap::default(), most)?;
            if let Some((_, why)) = outcome.failed.first() {
                return Err(Error::Died(why.clone()));
            }
            if round == 0 {
                check(lesson, problem, &outcome.c, name)?;
                rates.push(gflops(shape, outcome.seconds));
            } else {
                seconds[i].push(outcome.seconds);
            }
        }
        rates.truncate(count);
    }
    let medians: Vec<Option<f64>> = seconds
        .iter()
        .map(|all| (!all.is_empty()).then(|| numbers::median(all)))
        .collect();
    for ((name, _), median) in crews.iter().zip(&medians) {
        row(lesson, shape, name, *median, Vec::new())?;
    }
    let alone: f64 = medians[..count]
        .iter()
        .flatten()
        .map(|took| gflops(shape, *took))
        .sum();
    if let Some(Some(together)) = medians.get(count) {
        let share = percent(gflops(shape, *together) / alone);
        lesson.say(format!("  together: {share} of the sum of the rates alone"))?;
    }
    if own.overrate.or(mishap.fails).or(mishap.hangs).is_none() {
        return Ok(());
    }
    if let Some(liar) = own.overrate {
        rates[liar] *= 10.0;
    }
    lesson.console.doing("running with a mishap")?;
    let outcome = split::multiply(&mut open(&targets)?, &product, &rates, mishap, most)?;
    check(lesson, problem, &outcome.c, "C with a mishap")?;
    row(
        lesson,
        shape,
        "with a mishap",
        Some(outcome.seconds),
        outcome.done.clone(),
    )?;
    let labels: Vec<&str> = targets.iter().map(|target| target.label.as_str()).collect();
    tell_outcome(lesson, &labels, &outcome)
}

fn row(
    lesson: &mut Lesson,
    shape: Shape,
    name: &str,
    took: Option<f64>,
    done: Vec<usize>,
) -> Result<()> {
    let short = narrowed(name, 43);
    let Some(took) = took else {
        return lesson.say(format!("  {short:<44}  right, not timed ✓"));
    };
    let (rate, time) = (gflops(shape, took), numbers::seconds(took));
    lesson.say(format!("  {short:<44}{time:>9}{:>9} ✓", significant(rate)))?;
    lesson.console.report.json(&Line {
        lesson: 14,
        part: "split",
        name,
        device: name,
        shape,
        seconds_median: took,
        gflops: rate,
        verified: true,
        busy: None,
        done,
    })
}

/// Who did what, where it was not what he was given.
fn tell_outcome(lesson: &mut Lesson, labels: &[&str], outcome: &Outcome) -> Result<()> {
    for (i, label) in labels.iter().enumerate() {
        let (given, done) = (outcome.shares[i], outcome.done[i]);
        let failed = outcome.failed.iter().find(|(number, _)| *number == i);
        let failed = failed.map_or(String::new(), |(_, why)| format!("; {why}"));
        lesson.say(format!(
            "    {label}: given {given} blocks, did {done}{failed}"
        ))?;
    }
    Ok(())
}
