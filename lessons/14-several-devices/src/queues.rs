//! The first part: one device, and one or several queues.

use std::slice;

use common::device::Kind;
use common::error::Result;
use lesson::Lesson;
use verify::numbers::{percent, seconds};
use verify::problem::Problem;

use crate::engine::Engine;
use crate::product::Way;
use crate::table::{product, show};
use crate::timeline::{self, NAMES, Run, busy};

/// The four orders and what is new in each: from pageable memory and from pinned, in one queue
/// and in three.
const ORDERS: [(&str, &str); 4] = [
    ("one queue, pageable memory", "one command after the other"),
    (
        "one queue, pinned memory",
        "the copy engine reads it by itself",
    ),
    (
        "three queues, pageable memory",
        "C in blocks; the host still copies",
    ),
    ("three queues, pinned memory", "all three engines at once"),
];

/// One device, several queues.
pub fn queues(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let device = lesson.session()?.device.clone();
    let (source, raw_log) = (lesson.source()?, lesson.flags().raw_log);
    let engines = Engine::all(slice::from_ref(&device), &source, raw_log)?;
    let memory = [
        product(problem, None)?,
        product(problem, Some(&engines[0]))?,
    ];
    // A simulator runs one command after the other.
    let orders = if device.is_simulator() { 2 } else { 4 };
    let way = |(i, (name, says)): (usize, &(&str, &str))| Way {
        name: name.to_string(),
        says: says.to_string(),
        devices: vec![0],
        engines: engines.clone(),
        product: memory[i % 2].clone(),
        queues: [1, 3][i / 2],
        resident: false,
    };
    let ways: Vec<Way> = ORDERS[..orders].iter().enumerate().map(way).collect();
    lesson.say("\n  From host memory to host memory")?;
    let shown = show(lesson, problem, &ways)?;
    let runs = ways.iter().zip(&shown);
    let runs = runs.filter_map(|(way, (_, run))| Some((&*way.name, &run.as_ref()?.spans[..])));
    let runs: Vec<Run> = runs.collect();
    let ([_, _, _, (_, spans)], Some((_, Some(last)))) = (&runs[..], shown.last()) else {
        return Ok(());
    };
    lesson.say(timeline::text(&runs[1..]))?;
    // What of the transfers was hidden.
    let whole = last.seconds;
    let times = [0, 1, 2].map(|row| busy(spans, row));
    let sum: f64 = times.iter().sum();
    let limit = times.into_iter().fold(0.0, f64::max);
    let slowest = times.iter().position(|&time| time == limit).unwrap_or(0);
    let (name, rest) = (NAMES[slowest], seconds(sum - limit));
    lesson.say(format!(
        "  {}{} are at work for {} of {}: {} of what the slowest queue allows",
        name[..1].to_uppercase(),
        &name[1..],
        seconds(limit),
        seconds(whole),
        percent(limit / whole),
    ))?;
    // A CPU's copies are made by the cores that compute.
    lesson.say(match device.kind == Kind::Cpu || sum - limit < 0.1 * sum {
        true => format!("  little to hide: the other two queues are at work for {rest}"),
        false => {
            let hidden = ((sum - whole) / (sum - limit)).clamp(0.0, 1.0);
            format!("  hidden: {} of what could be", percent(hidden))
        }
    })
}
