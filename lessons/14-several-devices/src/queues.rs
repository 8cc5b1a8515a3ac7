//! The first part: one device, and one or several queues.

use std::slice;

use common::device::Kind;
use common::error::Result;
use lesson::Lesson;
use verify::numbers::{percent, seconds};
use verify::problem::Problem;

use crate::engine::Engine;
use crate::product::{Product, Way};
use crate::table::show;

/// Uploads, kernels and downloads, and for how many seconds each was at work.
pub fn in_words(busy: [f64; 3]) -> String {
    let [up, kernels, down] = busy.map(seconds);
    format!("uploads {up}, kernels {kernels}, downloads {down}")
}

/// One device, several queues: from pageable memory and from pinned, in one queue and in three.
pub fn queues(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let device = lesson.session()?.device.clone();
    let (source, raw_log) = (lesson.source()?, lesson.flags().raw_log);
    let engines = Engine::all(slice::from_ref(&device), &source, raw_log)?;
    let pageable = Product::of(problem, None)?;
    let pinned = Product::of(problem, Some(&engines[0]))?;
    let way = |name, says, product, queues| Way::new(name, says, &engines, product, queues);
    #[rustfmt::skip]
    let mut ways = vec![
        way("one queue, pageable memory", "one command after the other", &pageable, 1),
        way("one queue, pinned memory", "the copy engine reads it by itself", &pinned, 1),
        way("three queues, pageable memory", "C in blocks; the host still copies", &pageable, 3),
        way("three queues, pinned memory", "all three engines at once", &pinned, 3),
    ];
    if device.is_simulator() {
        ways.truncate(2); // it runs one command after the other
    }
    lesson.say("\n  From host memory to host memory")?;
    let shown = show(lesson, problem, &ways)?;
    let Some((_, Some(last))) = shown.get(3) else {
        return Ok(());
    };
    let [Ok(busy)] = last.ends[..] else {
        return Ok(());
    };
    // What of the transfers was hidden. A CPU's copies are made by the cores that compute.
    let (whole, sum) = (last.seconds, busy.iter().sum::<f64>());
    let slowest = busy.into_iter().fold(0.0, f64::max);
    let (rest, share, took) = (sum - slowest, percent(slowest / whole), seconds(whole));
    let hidden = percent(((sum - whole) / rest).clamp(0.0, 1.0));
    let of_the_rest = match device.kind == Kind::Cpu || rest < 0.1 * sum {
        true => format!("little to hide: the others are at work for {}", seconds(rest)),
        false => format!("hidden: {hidden} of what could be"),
    };
    let busy = in_words(busy);
    lesson.say(format!("  {busy}: the slowest is at work for {share} of {took}\n  {of_the_rest}"))
}
