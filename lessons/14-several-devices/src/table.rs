//! Ways to compute one product take turns: each is checked, then timed, and has a row in the
//! table.

use std::collections::HashMap;
use std::rc::Rc;

use bytemuck::cast_slice;
use common::error::{Error, Result};
use common::outcome;
use common::record::Work::Flop;
use common::session::{Need, side_of};
use common::stage::Stage;
use common::timing::{Runs, Timing};
use lesson::Lesson;
use verify::element::Type;
use verify::problem::Problem;
use verify::shape::Shape;
use verify::vectors;

use crate::engine::Engine;
use crate::product::{Outcome, Turn, Way};
use crate::work::Work;

/// Rounds in which all take turns, unless `--runs` says otherwise.
const ROUNDS: usize = 5;

/// The problem, in floats, which the host has room for beside copies of it in the memory that
/// devices read and write.
pub fn problem(lesson: &mut Lesson) -> Result<Rc<Problem>> {
    lesson.must_be_of_floats()?;
    let Shape { m, n, k } = lesson.shape()?;
    let copies = [m * k, k * n, m * n].map(|floats| Need::Written(4 * floats as u64));
    let session = lesson.session()?;
    session.must_have_room(&copies, |bytes| Some(side_of(bytes, Type::Float)))?;
    lesson.problem()
}

/// Computes the product over a C of NaN, and holds what is there then against A and B by random
/// vectors.
pub fn checked(
    lesson: &mut Lesson,
    problem: &Problem,
    way: &Way,
    rates: &[f64],
    turn: Turn,
) -> Result<Outcome> {
    way.product.c.floats().fill(f32::NAN);
    let outcome = way.multiply(rates, turn)?;
    let kernel = way.name.clone();
    lesson.console.doing(Stage::Checking { kernel })?;
    // A copy: a device that was given up may still write.
    let c = way.product.c.floats().to_vec();
    let operands = problem.operands().each_ref();
    let panels = operands.map(|one| cast_slice::<u8, f32>(one.data.as_bytes()));
    let (rows, seed) = (problem.shape.m, lesson.flags().seed);
    let wrong = vectors::wrong_row([panels].into_iter(), &c, rows, seed);
    let wrong = wrong.map(|row| format!("{}: row {row} of C is wrong", way.name));
    wrong.map_or(Ok(outcome), |why| Err(Error::Wrong(why.into())))
}

/// A way's row, and its rate by these runs.
pub fn row(lesson: &mut Lesson, shape: Shape, way: &Way, runs: &[Outcome]) -> Result<f64> {
    let mut record = lesson.record(&way.name, &way.says, shape)?;
    record.made_from = Some(String::new());
    record.outcome = outcome::Outcome::RIGHT;
    if !runs.is_empty() {
        let seconds = runs.iter().map(|run| run.seconds).collect();
        let limit = lesson.peak()?.map(|peak| peak.gflops);
        record.timed(&Timing::by_the_wall(seconds), Flop(shape.flop()), limit);
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
    let mut rates = HashMap::new();
    let id = |engine: &Rc<Engine>| engine.device().cl().id();
    for round in 0..=rounds {
        for (way, outcomes) in ways.iter().zip(&mut all) {
            let doing = format!("{}, round {round}", way.name);
            lesson.console.doing(Stage::Working(doing))?;
            let rate = |engine| rates.get(&id(engine)).copied().unwrap_or(1.0);
            let shares: Vec<f64> = way.engines.iter().map(rate).collect();
            let outcome = match round {
                0 => checked(lesson, problem, way, &shares, &Work::go_on)?,
                _ => way.multiply(&shares, &Work::go_on)?,
            };
            if let Some(Err(why)) = outcome.ends.iter().find(|end| end.is_err()) {
                return Err(Error::Died(why.clone()));
            }
            if let [alone] = &way.engines[..] {
                rates.insert(id(alone), 1.0 / outcome.seconds);
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
