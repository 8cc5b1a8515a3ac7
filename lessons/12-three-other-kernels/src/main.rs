//! Lesson 12: three other kernels, a sum, a histogram and softmax of rows. M x N of the size
//! are rows and columns; the sum and the histogram have as many elements.

use std::rc::Rc;

use common::Result;
use lesson::lesson;
use task::{Right, Task};
use verify::element::{Elements, Type};
use verify::{Same, problem::Problem};

const STEPS: &str = include_str!("../steps.toml");

fn main() -> std::process::ExitCode {
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

/// What the kernels are given, and what must come out, which the host computes in f64. Inputs are
/// made by what their formulas in steps.toml know: floats from -0.3 to 1.7, which do not
/// cancel in a sum, and bytes in no order that a kernel could use.
struct Numbers {
    rows: usize,
    columns: usize,
    seed: usize,
}

impl Numbers {
    fn count(&self) -> usize {
        self.rows * self.columns
    }

    /// What the formulas draw from.
    fn drawn(&self, i: usize) -> usize {
        i * 7919 + self.seed
    }

    fn floats(&self, scale: f64) -> impl Iterator<Item = f32> {
        let float = move |i| scale * ((self.drawn(i) % 2003) as f64 / 1000.0 - 0.3);
        (0..self.count()).map(move |i| float(i) as f32)
    }

    fn sum(&self) -> Right {
        let sum: f64 = self.floats(1.0).map(f64::from).sum();
        self.same("sum", Elements::Float(vec![sum as f32]))
    }

    fn histogram(&self, is_constant: bool) -> Right {
        let mut count = vec![0.0; 256];
        for i in 0..self.count() {
            count[if is_constant { 7 } else { self.drawn(i) % 65521 % 256 }] += 1.0;
        }
        let elements = Elements::from_fn(Type::Uint, 256, |bin| count[bin]);
        self.same("count", elements)
    }

    fn softmax(&self) -> Right {
        let all: Vec<f64> = self.floats(20.0).map(f64::from).collect();
        let row = |row: &[f64]| {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let powers: Vec<f64> = row.iter().map(|x| (x - most).exp()).collect();
            let sum: f64 = powers.iter().sum();
            powers.into_iter().map(move |power| (power / sum) as f32)
        };
        let out = all.chunks(self.columns).flat_map(row).collect();
        self.same("out", Elements::Float(out))
    }

    fn same(&self, name: &str, elements: Elements) -> Right {
        let same = Same::of(elements, None, self.columns as f64, &[], 0.0);
        Right::Same(vec![(name.into(), Rc::new(same))])
    }

    /// How far two orders of the same additions in float are off.
    fn rounding(&self) -> String {
        let x: Vec<f32> = self.floats(1.0).collect();
        let exact: f64 = x.iter().copied().map(f64::from).sum();
        let off = |sum: f32| (f64::from(sum) - exact).abs() / exact.abs();
        let [chain, tree] = [x.iter().sum(), halves(&x)].map(off);
        format!(
            "\n  In float, one after the other, the sum is off by {chain:.1e} of its size; in a \
             tree by {tree:.1e}"
        )
    }
}

/// The sum of two halves, each added in the same way.
fn halves(x: &[f32]) -> f32 {
    match x {
        [] => 0.0,
        [one] => *one,
        _ => halves(&x[..x.len() / 2]) + halves(&x[x.len() / 2..]),
    }
}
