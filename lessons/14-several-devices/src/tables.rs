//! The tables of this lesson: each product checked, then timed in turns with the others.

mod devices;
mod queues;

use std::rc::Rc;

use common::element::{Elements, Type};
use common::error::{Error, Result};
use common::matrix::Matrix;
use common::problem::Problem;
use common::shape::Shape;
use common::timing::Runs;
use common::verify::{self, vectors};
use lesson::Lesson;
use serde::Serialize;

pub use devices::split;
pub use queues::overlap;

/// Rounds in which all orders take turns, unless `--runs` says otherwise.
const ROUNDS: usize = 5;
/// Beyond so many multiply-adds C is held against random vectors.
const EVERY_ELEMENT: usize = 4096 * 4096 * 4096;

/// One line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    lesson: u32,
    part: &'a str,
    name: &'a str,
    device: &'a str,
    #[serde(flatten)]
    shape: Shape,
    seconds_median: f64,
    gflops: f64,
    verified: bool,
    /// Seconds that uploads, kernels and downloads were at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    busy: Option<[f64; 3]>,
    /// Blocks of C that each device did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    done: Vec<usize>,
}

fn gflops(shape: Shape, seconds: f64) -> f64 {
    2.0 * (shape.m * shape.n * shape.k) as f64 / seconds * 1e-9
}

fn rounds(lesson: &mut Lesson) -> Result<usize> {
    Ok(match lesson.runs()? {
        Some(Runs::Exactly(runs)) => runs,
        Some(_) => ROUNDS,
        None => 0,
    })
}

/// The problem, in floats.
pub fn problem(lesson: &mut Lesson) -> Result<Rc<Problem>> {
    let problem = lesson.problem()?;
    match problem.ty {
        Type::Float => Ok(problem),
        _ => Err(Error::Usage(
            "this lesson multiplies floats: leave --type out".into(),
        )),
    }
}

fn floats(matrix: &Matrix) -> &[f32] {
    match &matrix.data {
        Elements::Float(floats) => floats,
        _ => &[],
    }
}

/// Whether C is right, or what is wrong.
fn check(lesson: &mut Lesson, problem: &Problem, c: &[f32], by: &str) -> Result<()> {
    let Shape { m, n, k } = problem.shape;
    lesson.console.doing(format!("checking {by}"))?;
    if m * n * k > EVERY_ELEMENT {
        let (a, b) = (floats(&problem.a), floats(&problem.b));
        let seed = lesson.flags().seed;
        return match vectors::wrong_row(a, b, c, [m, n, k], seed) {
            None => Ok(()),
            Some(row) => Err(Error::Wrong(format!("{by}: row {row} of C is wrong"))),
        };
    }
    let c = Matrix {
        rows: m,
        cols: n,
        data: Elements::Float(c.to_vec()),
    };
    let checked = verify::check(problem, &c);
    checked
        .map(|_| ())
        .map_err(|wrong| Error::Wrong(format!("{by}: C is wrong\n{wrong}")))
}
