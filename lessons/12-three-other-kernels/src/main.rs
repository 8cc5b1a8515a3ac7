//! Lesson 12: three other kernels, a sum, a histogram and softmax of rows. M x N of the size
//! are rows and columns; the sum and the histogram have as many elements.

mod right;

use std::process::ExitCode;

use common::Result;
use lesson::lesson;
use task::{Right, Task};
use verify::element::Type;
use verify::problem::Problem;

use right::Numbers;

const STEPS: &str = include_str!("../steps.toml");

fn main() -> ExitCode {
    let file = &["12-three-other-kernels.cl"];
    lesson(12, "three other kernels", file, |lesson| {
        let (shape, fill, seed) = (lesson.shape()?, lesson.flags.fill, lesson.flags.seed);
        let problem = Problem::new(shape, Type::Float, fill, seed);
        let numbers = Numbers { rows: shape.m, columns: shape.n, seed: seed as usize % 1000 };
        let n = numbers.count();
        let sums = lesson.tasks(STEPS, "sum", &problem)?;
        lesson.measure_against(&format!("A sum of {n} floats"), sums, |tasks| {
            each_is(tasks, numbers.sum())
        })?;
        if !lesson.flags.json && lesson.flags.wants("sum_tree") {
            lesson.say(numbers.rounding())?;
        }
        for (input, constant) in [("scattered", "0"), ("constant", "1")] {
            let mut histograms = lesson.tasks(STEPS, "histogram", &problem)?;
            for task in &mut histograms {
                task.variant = input.into();
                task.names.push(("constant".into(), constant.into()));
            }
            let title = format!("A histogram of {n} bytes, {input}");
            lesson.measure_against(&title, histograms, |tasks| {
                each_is(tasks, numbers.histogram(constant == "1"))
            })?;
        }
        let title = format!("Softmax of {} rows of {}", shape.m, shape.n);
        let softmaxes = lesson.tasks(STEPS, "softmax", &problem)?;
        lesson.measure_against(&title, softmaxes, |tasks| each_is(tasks, numbers.softmax()))
    })
}

fn each_is(tasks: &mut [Task], right: Right) -> Result<()> {
    tasks.iter_mut().for_each(|task| task.right = right.clone());
    Ok(())
}
