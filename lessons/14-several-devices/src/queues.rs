//! The first part: one device, and one or several queues.

use std::rc::Rc;
use std::slice;

use common::device::Kind;
use common::error::Result;
use lesson::Lesson;
use verify::numbers::{percent, seconds};
use verify::problem::Problem;

use crate::engine::Engine;
use crate::product::{Product, Way};
use crate::table::{product, show};

/// Uploads, kernels and downloads, and for how many seconds each was at work.
pub fn in_words([uploads, kernels, downloads]: [f64; 3]) -> String {
    let [up, kernels, down] = [uploads, kernels, downloads].map(seconds);
    format!("uploads {up}, kernels {kernels}, downloads {down}")
}

/// One device, several queues: from pageable memory and from pinned, in one queue and in three.
pub fn queues(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let device = lesson.session()?.device.clone();
    let (source, raw_log) = (lesson.source()?, lesson.flags().raw_log);
    let engines = Engine::all(slice::from_ref(&device), &source, raw_log)?;
    let way = |name: &str, says: &str, product: &Rc<Product>, queues| Way {
        name: name.into(),
        says: says.into(),
        devices: vec![0],
        engines: engines.clone(),
        product: product.clone(),
        queues,
        resident: false,
    };
    let (pageable, pinned) = (
        product(problem, None)?,
        product(problem, Some(&engines[0]))?,
    );
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
    // What of the transfers was hidden.
    let (whole, sum) = (last.seconds, busy.iter().sum::<f64>());
    let limit = busy.into_iter().fold(0.0, f64::max);
    let (share, busy) = (percent(limit / whole), in_words(busy));
    lesson.say(format!(
        "  {busy}: the slowest is at work for {share} of {}",
        seconds(whole)
    ))?;
    // A CPU's copies are made by the cores that compute.
    let rest = sum - limit;
    lesson.say(match device.kind == Kind::Cpu || rest < 0.1 * sum {
        true => format!(
            "  little to hide: the others are at work for {}",
            seconds(rest)
        ),
        false => {
            let hidden = ((sum - whole) / rest).clamp(0.0, 1.0);
            format!("  hidden: {} of what could be", percent(hidden))
        }
    })
}
