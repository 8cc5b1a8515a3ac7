//! The table of the second part: each device alone, then all together.

use std::sync::Arc;
use std::time::Duration;

use common::device::{self, Device, Kind};
use common::error::{Error, Result};
use common::numbers::{self, percent, significant};
use common::problem::Problem;
use common::shape::Shape;
use lesson::Lesson;

use super::{Line, check, floats, gflops, rounds};
use crate::engine::{Engine, Target};
use crate::flags::Own;
use crate::split::{self, Mishap, Outcome, Product};

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
