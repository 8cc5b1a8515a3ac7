//! `--show-best`: what earlier runs found, and how to launch it.

use std::collections::BTreeMap;

use common::error::{Error, Result};
use common::program;
use lesson::Lesson;
use serde_json::json;
use verify::matrix::Fill;
use verify::numbers::significant;
use verify::problem::Problem;
use verify::shape::Shape;

use crate::log::Log;

/// The best configuration that is known for the problem, and how to launch it; an error
/// where none is.
pub fn show_best(lesson: &mut Lesson) -> Result<()> {
    let (shape, ty) = (lesson.shape()?, lesson.flags().ty);
    let log = Log::of(lesson)?;
    let known = log.known(shape);
    let Some((point, gflops)) = known.best() else {
        let others = Vec::from_iter(log.bests().iter().map(|best| best.0.to_string())).join(", ");
        let others = match &others[..] {
            "" => String::new(),
            others => format!("; known are: {others}"),
        };
        return Err(Error::Usage(format!(
            "nothing is known about {shape}, {}, on this device{others}\n  \
             next: run the lesson without --show-best, which searches",
            ty.name()
        )));
    };
    let task = point.task("", &Problem::new(shape, ty, Fill::Random, 0))?;
    let plan = task.plan()?;
    let range = &plan.ranges[task.own()];
    let (kernel, tried, ty_name) = (&task.kernel, known.0.len(), ty.name());
    let ([m, k], [_, n]) = (plan.shapes[0][0], plan.shapes[1][0]);
    let (padded, options) = (Shape { m, n, k }, program::options(ty, &task.defines));
    let (global, local, rate) = (range.global(), range.local(), significant(gflops));
    lesson.say(format!(
        "  problem  {shape}, {ty_name}\n  \
         best     {kernel}, {rate} GFLOP/s (of {tried} candidates tried)\n  \
         options  {options}\n  NDRange  global {global:?}, local {local:?}\n  padded   {padded}"
    ))?;
    lesson.console.report.json(&json!({
        "kernel": kernel, "m": shape.m, "n": shape.n, "k": shape.k, "type": ty,
        "gflops": gflops, "tried": tried, "options": options,
        "parameters": task.defines.iter().cloned().collect::<BTreeMap<_, _>>(),
        "global": global, "local": local, "padded": [m, n, k],
    }))
}
