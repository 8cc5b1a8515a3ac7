//! `--show-best`: what earlier runs found, and how to launch it.

use std::collections::BTreeMap;

use common::error::{Error, Result};
use common::matrix::Fill;
use common::numbers::significant;
use common::program;
use lesson::{Given, Lesson, results};
use serde_json::json;

use crate::log::{KIND, Log};

/// The best configuration that is known for the problem, and how to launch it; an error
/// where none is.
pub fn show_best(lesson: &mut Lesson) -> Result<()> {
    let shape = lesson.shape()?;
    let ty = lesson.flags().ty;
    let device = &lesson.session()?.device;
    let log = Log::at(results::file(KIND, device, &lesson.source()?.text, ty))?;
    let known = log.known(shape);
    let Some((point, gflops)) = known.best() else {
        let others: Vec<String> = log.bests().iter().map(|best| best.0.to_string()).collect();
        let others = if others.is_empty() {
            String::new()
        } else {
            format!("; known are: {}", others.join(", "))
        };
        return Err(Error::Usage(format!(
            "nothing is known about {shape}, {}, on this device{others}\n  \
             next: run the lesson without --show-best, which searches",
            ty.name()
        )));
    };
    let step = point.step("");
    let task = step.task(&Given {
        shape,
        ty,
        fill: Fill::Random,
        seed: 0,
    });
    let range = &task.plan()?.ranges[task.own()];
    let padded = if step.host_pads {
        step.padded(shape)
    } else {
        shape
    };
    let options = program::options(ty, &step.defines);
    lesson.say(format!(
        "  problem  {shape}, {}\n  best     {}, {} GFLOP/s (of {} candidates tried)\n  \
         options  {options}\n  NDRange  global {:?}, local {:?}\n  padded   {padded}",
        ty.name(),
        point.family().kernel,
        significant(gflops),
        known.trials.0.len(),
        range.global(),
        range.local()
    ))?;
    lesson.console.report.json(&json!({
        "kernel": point.family().kernel,
        "m": shape.m, "n": shape.n, "k": shape.k,
        "type": ty,
        "gflops": gflops,
        "tried": known.trials.0.len(),
        "parameters": step.defines.iter().cloned().collect::<BTreeMap<_, _>>(),
        "options": options,
        "global": range.global(),
        "local": range.local(),
        "padded": [padded.m, padded.n, padded.k],
    }))
}
