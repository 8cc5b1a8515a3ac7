//! The first part: one device, and one or several queues.

use std::slice;

use common::device::Kind;
use common::error::Result;
use lesson::Lesson;
use verify::numbers::{percent, seconds};
use verify::problem::Problem;

use crate::table::{Way, product, show};
use crate::timeline::{self, Run, busy};
use crate::worker::{Job, Worker};

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
    let workers = Worker::start(
        slice::from_ref(&device),
        &*lesson.source()?,
        lesson.flags().raw_log,
    )?;
    let memory = [
        product(problem, None)?,
        product(problem, Some(&workers[0]))?,
    ];
    let way = |(i, (name, says)): (usize, (&str, &str))| Way {
        name: name.into(),
        says: says.into(),
        devices: vec![0],
        workers: workers.clone(),
        product: memory[i % 2].clone(),
        job: Job {
            queues: [1, 3][i / 2],
            resident: false,
        },
    };
    let mut ways: Vec<Way> = ORDERS.into_iter().enumerate().map(way).collect();
    // A simulator runs one command after the other.
    ways.truncate(if device.is_simulator() { 2 } else { 4 });
    lesson.say("\n  From host memory to host memory")?;
    let shown = show(lesson, problem, &ways)?;
    let runs = ways
        .iter()
        .zip(&shown)
        .filter_map(|(way, (_, outcome))| Some((way.name.as_str(), &outcome.as_ref()?.spans[..])));
    let runs: Vec<Run> = runs.collect();
    let [_, _, _, (_, spans)] = runs[..] else {
        return Ok(());
    };
    lesson.say(timeline::text(&runs[1..]))?;
    // What of the transfers was hidden.
    let whole = shown[3].1.as_ref().map_or(0.0, |outcome| outcome.seconds);
    let times = [0, 1, 2].map(|row| busy(spans, row));
    let (sum, limit) = (
        times.iter().sum::<f64>(),
        times.into_iter().fold(0.0, f64::max),
    );
    let names = ["Uploads", "Kernels", "Downloads"].into_iter().zip(times);
    let slowest: String = names
        .filter(|(_, time)| *time == limit)
        .map(|(name, _)| name)
        .collect();
    lesson.say(format!(
        "  {slowest} are at work for {} of {}: {} of what the slowest queue allows",
        seconds(limit),
        seconds(whole),
        percent(limit / whole),
    ))?;
    // A CPU's copies are made by the cores that compute.
    let rest = seconds(sum - limit);
    lesson.say(match device.kind == Kind::Cpu || sum - limit < 0.1 * sum {
        true => format!("  little to hide: the other two queues are at work for {rest}"),
        false => {
            let hidden = ((sum - whole) / (sum - limit)).clamp(0.0, 1.0);
            format!("  hidden: {} of what could be", percent(hidden))
        }
    })
}
