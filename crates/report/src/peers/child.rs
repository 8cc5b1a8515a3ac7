//! The child that measures one library, `course peer NAME`: it may crash, and takes nobody
//! with it. It computes the lessons' matrices, and is checked as they are before it is timed.

use std::io::Write;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use common::element::{Elements, Type};
use common::matrix::{Fill, Matrix};
use common::outcome::{Outcome, Skip};
use common::problem::Problem;
use common::record::{Record, Work};
use common::shape::Shape;
use common::timing::{Clock, Runs, Timing};
use common::verify;
use serde::{Deserialize, Serialize};

use super::library::{Library, Opened, Peer};
use super::{clblast, cublas, host};

/// What the child is told.
#[derive(Args)]
pub struct Options {
    /// The library
    peer: Peer,
    /// Number of the device in lesson 1's listing
    #[arg(long, default_value_t = 0)]
    pub device: usize,
    /// Shapes of the products
    #[arg(long, value_delimiter = ',', required = true)]
    size: Vec<Shape>,
    /// Type of A and B
    #[arg(long, default_value = "float", value_parser = super::inputs)]
    pub inputs: Type,
    /// Timed runs
    #[arg(long)]
    runs: Option<usize>,
}

/// What the child prints of each product: a lesson's record, and what it says of the library.
#[derive(Default, Serialize, Deserialize)]
pub struct Measured {
    #[serde(flatten)]
    pub record: Record,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub threads: Option<usize>,
}

/// Measures the library on each product, and prints a record of each.
pub fn run(options: &Options) -> Result<()> {
    let mut opened = open(options);
    for &shape in &options.size {
        let Shape { m, n, k } = shape;
        let mut measured = Measured {
            record: Record {
                kernel: options.peer.name().into(),
                platform: "host".into(),
                m,
                n,
                k,
                ..Record::default()
            },
            ..Measured::default()
        };
        let record = &mut measured.record;
        match &mut opened {
            Err(why) => record.outcome = Outcome::Skipped(Skip::Since(format!("{why:#}"))),
            Ok(opened) => {
                let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
                let by_units = options.inputs != Type::Float;
                let problem = problem.with_inputs(options.inputs, by_units);
                measure(&mut *opened.library, &problem.into(), options.runs, record)?;
                measured.version.clone_from(&opened.version);
                measured.threads = opened.threads;
            }
        }
        writeln!(std::io::stdout(), "{}", serde_json::to_string(&measured)?)?;
    }
    Ok(())
}

fn open(options: &Options) -> Result<Opened> {
    if options.inputs != Type::Float && options.peer != Peer::Cublas {
        bail!("the course calls {} with floats alone", options.peer.name());
    }
    match options.peer {
        Peer::Cublas => cublas::open(options.device, options.inputs),
        Peer::Clblast => clblast::open(options.device),
        Peer::Matrixmultiply => Ok(host::matrixmultiply()),
        Peer::Onemkl | Peer::Openblas | Peer::Blis => host::open(options.peer),
    }
}

/// How long a library is run before it is timed. A lesson measures its device's limits
/// before its kernels, so clocks are up by then; here the host has checked for a while.
const WARM_UP: Duration = Duration::from_millis(100);
/// Seconds above which one timed run is enough for a turn: there are several turns.
const SLOW: f64 = 2.0;

/// One run, which may compile; the check of what it computed; and only then the timing.
fn measure(
    library: &mut dyn Library,
    problem: &Rc<Problem>,
    runs: Option<usize>,
    record: &mut Record,
) -> Result<()> {
    library.take(problem)?;
    record.build_seconds = library.run()?.wall;
    let c = Matrix {
        rows: problem.shape.m,
        cols: problem.shape.n,
        data: Elements::from_bytes(problem.ty, &library.result()?),
    };
    match verify::check(problem, &c) {
        Ok(right) => record.outcome = right.into(),
        Err(wrong) => {
            record.outcome = Outcome::Wrong(wrong.to_string());
            return Ok(());
        }
    }
    let begin = Instant::now();
    let mut last = library.run()?;
    while begin.elapsed() < WARM_UP {
        last = library.run()?;
    }
    let runs = match runs {
        Some(runs) => Runs::Exactly(runs),
        None if last.wall > SLOW => Runs::Exactly(1),
        None => Runs::Enough,
    };
    let (mut walls, mut seconds) = (Vec::new(), Vec::new());
    while !runs.done(&walls) {
        let sample = library.run()?;
        walls.push(sample.wall);
        seconds.extend(sample.device);
    }
    // The device's times where every run has one, else the wall clock's.
    let mut timing = Timing::by_the_wall(walls);
    if seconds.len() == timing.seconds.len() {
        timing.wall_seconds = std::mem::replace(&mut timing.seconds, seconds);
        timing.clock = Clock::Event;
    }
    record.timed(&timing, Work::Flop(problem.shape.flop()), None);
    Ok(())
}
