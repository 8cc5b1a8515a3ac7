//! Ways to compute one product take turns: each is checked, then timed, and has a row in the
//! table.

use std::rc::Rc;
use std::time::Duration;

use common::error::{Error, Result};
use common::record;
use common::session::Need;
use common::stage::Stage;
use common::timing::{Runs, Timing};
use lesson::Lesson;
use verify::element::{Elements, Type};
use verify::matrix::Matrix;
use verify::problem::Problem;
use verify::shape::Shape;
use verify::vectors;

use crate::engine::Engine;
use crate::host::OnHost;
use crate::product::{Outcome, Product, Turn, Way};
use crate::work::Work;

/// Rounds in which all take turns, unless `--runs` says otherwise.
const ROUNDS: usize = 5;

/// The problem, in floats, which the host has room for beside copies of it in the memory that
/// devices read and write.
pub fn problem(lesson: &mut Lesson) -> Result<Rc<Problem>> {
    lesson.must_be_of_floats()?;
    let Shape { m, n, k } = lesson.shape()?;
    let copies = [m * k, k * n, m * n].map(|floats| Need::written(4 * floats as u64));
    lesson
        .session()?
        .must_have_room(copies, Some(Type::Float))?;
    lesson.problem()
}

fn floats(matrix: &Matrix) -> &[f32] {
    match &matrix.data {
        Elements::Float(floats) => floats,
        _ => &[],
    }
}

/// The problem's matrices in memory of the host, pinned for a device's context or not.
pub fn product(problem: &Problem, pinned: Option<&Engine>) -> Result<Rc<Product>> {
    let Shape { m, n, k } = problem.shape;
    let pinned = pinned.map(|one| &one.queues[0]);
    Ok(Rc::new(Product {
        a: OnHost::of(floats(problem.a()), k, pinned)?,
        b: OnHost::of(floats(problem.b()), n, pinned)?,
        c: OnHost::of(&vec![f32::NAN; m * n], n, pinned)?,
        sizes: [m, n, k],
    }))
}

/// Computes the product once. Where it is the `first` time, what nobody computes is NaN, and C
/// is held against A and B by random vectors.
pub fn run(
    lesson: &mut Lesson,
    problem: &Problem,
    way: &Way,
    rates: &[f64],
    turn: Turn,
    first: bool,
) -> Result<Outcome> {
    if first {
        way.product.c.with(|c| c.fill(f32::NAN));
    }
    let most = Duration::from_secs(lesson.flags().timeout.saturating_sub(5).max(1));
    let outcome = way.multiply(rates, turn, most)?;
    if first {
        let kernel = way.name.clone();
        lesson.console.doing(Stage::Checking { kernel })?;
        // A copy: a device that was given up may still write.
        let c = way.product.c.with(|c| c.to_vec());
        let (operands, seed) = (problem.operands().each_ref(), lesson.flags().seed);
        let panels = [operands.map(floats)].into_iter();
        if let Some(row) = vectors::wrong_row(panels, &c, problem.shape.m, seed) {
            let why = format!("{}: row {row} of C is wrong", way.name);
            return Err(Error::Wrong(why.into()));
        }
    }
    Ok(outcome)
}

/// A way's row, and its rate by these runs.
pub fn row(lesson: &mut Lesson, shape: Shape, way: &Way, runs: &[Outcome]) -> Result<f64> {
    let mut record = lesson.record(&way.name, &way.says, shape)?;
    record.made_from = Some(String::new());
    record.outcome = common::outcome::Outcome::RIGHT;
    let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    if !seconds.is_empty() {
        let limit = lesson.peak()?.map(|peak| peak.gflops);
        let flop = record::Work::Flop(shape.flop());
        record.timed(&Timing::by_the_wall(seconds), flop, limit);
    }
    let rate = record.rate().unwrap_or(0.0);
    lesson.console.row(record)?;
    Ok(rate)
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
    let mut all = Vec::from_iter(ways.iter().map(|_| vec![]));
    // Of each device alone, in its last run; the first one compiles, too.
    let mut rates = vec![1.0; ways.len()];
    for round in 0..=rounds {
        for (way, outcomes) in ways.iter().zip(&mut all) {
            let doing = format!("{}, round {round}", way.name);
            lesson.console.doing(Stage::Working(doing))?;
            let shares = way.devices.iter().map(|&device| rates[device]);
            let shares: Vec<f64> = shares.collect();
            let outcome = run(lesson, problem, way, &shares, &Work::go_on, round == 0)?;
            if let Some(Err(why)) = outcome.ends.iter().find(|end| end.is_err()) {
                return Err(Error::Died(why.clone()));
            }
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
        let rate = row(lesson, problem.shape, way, &outcomes)?;
        outcomes.sort_by(|one: &Outcome, other| one.seconds.total_cmp(&other.seconds));
        let middle = outcomes.len() / 2;
        Ok((rate, outcomes.into_iter().nth(middle)))
    });
    shown.collect()
}
