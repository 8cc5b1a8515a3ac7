//! Ways to compute one product: each is checked, then timed in turns with the others, and has
//! a row in the table.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use common::element::Elements;
use common::error::{Error, Result};
use common::host;
use common::matrix::Matrix;
use common::numbers::bytes;
use common::problem::Problem;
use common::record::Work;
use common::shape::Shape;
use common::timing::{Runs, Timing};
use common::verify::{self, vectors};
use lesson::Lesson;

use crate::engine::Engine;
use crate::host::Floats;
use crate::product::{Outcome, multiply};
use crate::worker::{Job, Product};

/// Rounds in which all take turns, unless `--runs` says otherwise.
const ROUNDS: usize = 5;
/// Beyond so many multiply-adds C is held against random vectors.
const EVERY_ELEMENT: usize = 4096 * 4096 * 4096;

/// A way to compute the product.
#[derive(Clone)]
pub struct Way {
    pub name: String,
    pub says: String,
    /// Which of the lesson's devices, and each as it is opened.
    pub devices: Vec<usize>,
    pub engines: Vec<Arc<Engine>>,
    pub product: Arc<Product>,
    pub job: Job,
}

impl Way {
    fn has_mishap(&self) -> bool {
        self.job.mishap.each().next().is_some()
    }
}

/// The problem, in floats.
pub fn problem(lesson: &mut Lesson) -> Result<Rc<Problem>> {
    let Shape { m, n, k } = lesson.shape()?;
    // The problem, its product twice, and what a CPU's devices have beside them.
    must_have_memory(6 * size_of::<f32>() * (m * k + k * n + m * n))?;
    lesson.must_be_of_floats()?;
    lesson.problem()
}

/// Refuses what the memory of the host cannot hold, before anything begins.
pub fn must_have_memory(needed: usize) -> Result<()> {
    match host::room() {
        Some(room) if needed as u64 > room.bytes => Err(Error::Usage(format!(
            "the matrices and their parts take {} of the host's memory, {} are left ({})\n  \
             next: a smaller --size",
            bytes(needed as u64),
            bytes(room.bytes),
            room.of
        ))),
        _ => Ok(()),
    }
}

fn floats(matrix: &Matrix) -> &[f32] {
    match &matrix.data {
        Elements::Float(floats) => floats,
        _ => &[],
    }
}

/// The problem's matrices in memory of the host, pinned for an engine's context or not.
pub fn product(problem: &Problem, pinned: Option<&Engine>) -> Result<Arc<Product>> {
    let Shape { m, n, k } = problem.shape;
    Ok(Arc::new(Product {
        a: Floats::of(floats(problem.a()), pinned)?,
        b: Floats::of(floats(problem.b()), pinned)?,
        c: Floats::of(&vec![f32::NAN; m * n], pinned)?,
        sizes: [m, n, k],
    }))
}

/// Whether C is right, or what is wrong.
fn check(lesson: &mut Lesson, problem: &Problem, way: &Way) -> Result<()> {
    let Shape { m, n, k } = problem.shape;
    lesson.console.doing(format!("checking {}", way.name))?;
    let c = way.product.c.to_vec();
    let wrong = if m * n * k > EVERY_ELEMENT {
        let [a, b] = problem.operands().each_ref().map(floats);
        let row = vectors::wrong_row([[a, b]].into_iter(), &c, m, lesson.flags().seed);
        row.map(|row| format!("row {row} of C is wrong"))
    } else {
        let data = Elements::Float(c);
        let checked = verify::check(
            problem,
            &Matrix {
                rows: m,
                cols: n,
                data,
            },
        );
        checked.err().map(|wrong| format!("C is wrong\n{wrong}"))
    };
    wrong.map_or(Ok(()), |why| {
        Err(Error::Wrong(format!("{}: {why}", way.name)))
    })
}

/// Runs all ways and shows their table; of each, its rate and its middle run.
pub fn show(
    lesson: &mut Lesson,
    problem: &Problem,
    ways: &[Way],
) -> Result<Vec<(f64, Option<Outcome>)>> {
    let has_mishap = ways.iter().any(Way::has_mishap);
    let rounds = match lesson.runs()? {
        Some(Runs::Exactly(runs)) => runs,
        Some(_) => ROUNDS,
        None => usize::from(has_mishap),
    };
    let most = Duration::from_secs(lesson.flags().timeout.saturating_sub(5).max(1));
    let flop = 2.0 * (problem.shape.m * problem.shape.n * problem.shape.k) as f64;
    let mut outcomes: Vec<Vec<Outcome>> = ways.iter().map(|_| Vec::new()).collect();
    // Of each device alone, in its last run; the first one compiles, too.
    let mut rates = vec![1.0; ways.len()];
    for round in 0..=rounds {
        for (way, outcomes) in ways.iter().zip(&mut outcomes) {
            let first = if way.has_mishap() { rounds } else { 0 };
            if round < first {
                continue;
            }
            lesson
                .console
                .doing(format!("{}, round {round}", way.name))?;
            if round == first {
                way.product.c.poison();
            }
            // A mishap shows more where each device has something to do.
            let shares = way.devices.iter().map(|&device| match way.has_mishap() {
                true => 1.0,
                false => rates[device],
            });
            let shares: Vec<f64> = shares.collect();
            let outcome = multiply(&way.engines, &way.product, &shares, &way.job, most)?;
            if let [device] = way.devices[..] {
                rates[device] = flop / outcome.seconds;
            }
            match outcome.failed.iter().flatten().next() {
                Some(why) if !way.has_mishap() => return Err(Error::Died(why.clone())),
                _ => {}
            }
            if round == first {
                check(lesson, problem, way)?;
            }
            if round > 0 {
                outcomes.push(outcome);
            }
        }
    }
    lesson.table("GFLOP/s")?;
    let limit = lesson.peak()?.map(|peak| peak.gflops);
    let mut shown = Vec::new();
    for (way, mut outcomes) in ways.iter().zip(outcomes) {
        let mut record = lesson.record(&way.name, &way.says, problem.shape)?;
        (record.verified, record.made_from) = (true, Some(String::new()));
        let seconds: Vec<f64> = outcomes.iter().map(|outcome| outcome.seconds).collect();
        if !seconds.is_empty() {
            record.timed(
                &Timing::by_the_wall(seconds.clone()),
                Work::Flop(flop),
                limit,
            );
        }
        shown.push((record.rate().unwrap_or(0.0), {
            outcomes.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
            let middle = outcomes.len() / 2;
            outcomes.into_iter().nth(middle)
        }));
        lesson.console.row(record)?;
    }
    Ok(shown)
}
