//! The table of the first part: four orders of the same transfers, and the time line.

use std::fs;
use std::path::Path;

use common::device::Kind;
use common::error::{Error, Result};
use common::numbers::{self, median, percent, significant};
use common::problem::Problem;
use lesson::Lesson;

use super::{Line, check, floats, gflops, rounds};
use crate::engine::{Engine, Target};
use crate::host::Host;
use crate::overlap::{self, Operands, Run};
use crate::timeline::{self, Lane};

/// Columns of a time line.
const COLUMNS: usize = 64;

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
        tell_hidden(lesson, best, engine.kind)?;
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
fn tell_hidden(lesson: &mut Lesson, run: &Run, kind: Kind) -> Result<()> {
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
    // A CPU's copies are made by the cores that compute.
    if kind == Kind::Cpu || sum - limit < 0.1 * sum {
        return lesson.say(format!(
            "  little to hide: the other two queues are at work for {}",
            numbers::seconds(sum - limit)
        ));
    }
    lesson.say(format!(
        "  hidden: {} of what could be",
        percent(hidden.clamp(0.0, 1.0))
    ))
}
