//! Ways to compute one product: each is checked, then timed in turns with the others, and has
//! a row in the table.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use common::error::{Error, Result};
use common::host;
use common::record::Work;
use common::stage::Stage;
use common::timing::{Runs, Timing};
use lesson::Lesson;
use verify::element::Elements;
use verify::matrix::Matrix;
use verify::numbers::bytes;
use verify::problem::Problem;
use verify::shape::Shape;
use verify::{self, vectors};

use crate::flags::Mishap;
use crate::host::Floats;
use crate::product::{Outcome, multiply};
use crate::worker::{Job, Product, Worker};

/// Rounds in which all take turns, unless `--runs` says otherwise.
const ROUNDS: usize = 5;
/// Beyond so many multiply-adds C is held against random vectors.
const EVERY_ELEMENT: usize = 4096 * 4096 * 4096;

/// A way to compute the product.
#[derive(Clone)]
pub struct Way {
    pub name: String,
    pub says: String,
    /// Which of the lesson's devices, and each at work.
    pub devices: Vec<usize>,
    pub workers: Vec<Rc<Worker>>,
    pub product: Arc<Product>,
    pub job: Job,
}

impl Way {
    /// Computes the product, once; whether it is right is asked where it is the `first` time.
    pub fn run(
        &self,
        lesson: &mut Lesson,
        problem: &Problem,
        (rates, mishap): (&[f64], &Mishap),
        first: bool,
    ) -> Result<Outcome> {
        if first {
            self.product.c.poison();
        }
        let most = Duration::from_secs(lesson.flags().timeout.saturating_sub(5).max(1));
        let how = (rates, mishap);
        let outcome = multiply(&self.workers, &self.product, how, self.job, most)?;
        let failed = outcome.failed.iter().flatten().next();
        if let (Some(why), true) = (failed, *mishap == Mishap::default()) {
            return Err(Error::Died(why.clone()));
        }
        if first {
            check(lesson, problem, self)?;
        }
        Ok(outcome)
    }

    /// Its row, and its rate by these runs.
    pub fn row(&self, lesson: &mut Lesson, problem: &Problem, runs: &[Outcome]) -> Result<f64> {
        let mut record = lesson.record(&self.name, &self.says, problem.shape)?;
        record.made_from = Some(String::new());
        record.outcome = common::outcome::Outcome::RIGHT;
        let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
        if !seconds.is_empty() {
            let limit = lesson.peak()?.map(|peak| peak.gflops);
            let work = Work::Flop(problem.shape.flop());
            record.timed(&Timing::by_the_wall(seconds), work, limit);
        }
        let rate = record.rate().unwrap_or(0.0);
        lesson.console.row(record)?;
        Ok(rate)
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

/// The problem's matrices in memory of the host, pinned for a device's context or not.
pub fn product(problem: &Problem, pinned: Option<&Worker>) -> Result<Arc<Product>> {
    let Shape { m, n, k } = problem.shape;
    let pinned = pinned.map(|one| (&*one.context, &one.device));
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
    let kernel = way.name.clone();
    lesson.console.doing(Stage::Checking { kernel })?;
    let c = way.product.c.to_vec();
    let wrong = if m * n * k > EVERY_ELEMENT {
        let [a, b] = problem.operands().each_ref().map(floats);
        let row = vectors::wrong_row([[a, b]].into_iter(), &c, m, lesson.flags().seed);
        row.map(|row| format!("row {row} of C is wrong"))
    } else {
        let c = Matrix {
            rows: m,
            cols: n,
            data: Elements::Float(c),
        };
        let checked = verify::check(problem, &c);
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
    let rounds = match lesson.runs()? {
        Some(Runs::Exactly(runs)) => runs,
        Some(_) => ROUNDS,
        None => 0,
    };
    let (mut all, none) = (
        Vec::from_iter(ways.iter().map(|_| vec![])),
        Mishap::default(),
    );
    // Of each device alone, in its last run; the first one compiles, too.
    let mut rates = vec![1.0; ways.len()];
    for round in 0..=rounds {
        for (way, outcomes) in ways.iter().zip(&mut all) {
            let doing = format!("{}, round {round}", way.name);
            lesson.console.doing(Stage::Working(doing))?;
            let shares = way.devices.iter().map(|&device| rates[device]);
            let shares: Vec<f64> = shares.collect();
            let outcome = way.run(lesson, problem, (&shares, &none), round == 0)?;
            if let [device] = way.devices[..] {
                rates[device] = 1.0 / outcome.seconds;
            }
            if round > 0 {
                outcomes.push(outcome);
            }
        }
    }
    lesson.table("GFLOP/s")?;
    let shown = ways.iter().zip(all).map(|(way, mut outcomes)| {
        let rate = way.row(lesson, problem, &outcomes)?;
        outcomes.sort_by(|one: &Outcome, other| one.seconds.total_cmp(&other.seconds));
        let middle = outcomes.len() / 2;
        Ok((rate, outcomes.into_iter().nth(middle)))
    });
    shown.collect()
}
