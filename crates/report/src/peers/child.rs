//! The child that measures one library, `course peer NAME`: it may crash, and takes nobody
//! with it. It computes the lessons' matrices, and is checked as they are before it is timed.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use common::element::{Elements, Type};
use common::matrix::{Fill, Matrix};
use common::problem::Problem;
use common::record::{Record, Work};
use common::shape::Shape;
use common::timing::{Clock, Runs, Timing};
use common::verify;
use serde::{Deserialize, Serialize};

use super::library::{About, Missing, Opened, Product, begin_again_with, matrixmultiply};
use super::peer::Peer;
use super::{cblas, clblast, cublas};

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
    /// Timed runs
    #[arg(long)]
    runs: Option<usize>,
}

/// What the child prints of each product: a lesson's record, and what it says of the library.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    #[serde(flatten)]
    pub record: Record,
    #[serde(flatten)]
    pub about: About,
}

/// Measures the library on each product, and prints a record of each.
pub fn run(options: &Options) -> Result<()> {
    begin_again_with(options.peer.environment());
    let opened = open(options)?;
    for &shape in &options.size {
        let mut record = record(options.peer, shape);
        let mut about = About::default();
        match &opened {
            Err(missing) => record.skipped = Some(missing.clone()),
            Ok((library, told)) => {
                about = told.clone();
                if let Some(device) = &about.device {
                    record.platform = device.platform.name.clone();
                    record.device = device.name.clone();
                    record.driver = device.driver.clone();
                }
                record.says = about.version.clone();
                if let Some(threads) = about.threads {
                    record.says += &format!(", {threads} threads");
                }
                let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
                let product = library.product(&problem)?;
                measure(product, &problem, options.runs, &mut record)?;
            }
        }
        let line = serde_json::to_string(&Measured { record, about })?;
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(())
}

fn open(options: &Options) -> Result<Result<Opened, Missing>> {
    match options.peer {
        Peer::Cublas => cublas::open(options.device),
        Peer::Clblast => clblast::open(options.device),
        Peer::Matrixmultiply => Ok(Ok(matrixmultiply())),
        Peer::Onemkl | Peer::Openblas | Peer::Blis => Ok(cblas::open(options.peer)),
    }
}

fn record(peer: Peer, shape: Shape) -> Record {
    Record {
        kernel: peer.name().into(),
        platform: "host".into(),
        device: "host".into(),
        m: shape.m,
        n: shape.n,
        k: shape.k,
        ty: Some(Type::Float),
        fill: Some(Fill::Random),
        seed: 1,
        ..Record::default()
    }
}

/// One run, which may compile; the check of what it computed; and only then the timing.
fn measure(
    mut product: Box<dyn Product + '_>,
    problem: &Problem,
    runs: Option<usize>,
    record: &mut Record,
) -> Result<()> {
    record.build_seconds = product.run()?.wall;
    let (ty, Shape { m, n, .. }) = (problem.ty, problem.shape);
    let c = Matrix {
        rows: m,
        cols: n,
        data: Elements::from_bytes(ty, &product.result()?),
    };
    match verify::check(problem, &c) {
        Ok(right) => record.right(right),
        Err(wrong) => {
            record.failed = Some(wrong.to_string());
            return Ok(());
        }
    }
    let begin = Instant::now();
    let mut last = product.run()?;
    while begin.elapsed() < WARM_UP {
        last = product.run()?;
    }
    let enough = if last.wall > SLOW {
        Runs::Exactly(1)
    } else {
        Runs::Enough
    };
    let runs = runs.map_or(enough, Runs::Exactly);
    let (mut walls, mut devices) = (Vec::new(), Vec::new());
    while !runs.done(&walls) {
        let sample = product.run()?;
        walls.push(sample.wall);
        devices.extend(sample.device);
    }
    let timing = settle(walls, devices);
    record.timed(&timing, Work::Flop(problem.shape.flop()), None);
    Ok(())
}

/// The device's times where every run has one, else the wall clock's.
fn settle(walls: Vec<f64>, devices: Vec<f64>) -> Timing {
    if devices.len() < walls.len() {
        return Timing::by_the_wall(walls);
    }
    Timing {
        seconds: devices,
        wall_seconds: walls,
        clock: Clock::Event,
        ..Timing::by_the_wall(Vec::new())
    }
}

/// How long a library is run before it is timed. A lesson measures its device's limits
/// before its kernels, so clocks are up by then; here the host has checked for a while.
const WARM_UP: Duration = Duration::from_millis(100);

/// Seconds above which one timed run is enough for a turn: there are several turns.
const SLOW: f64 = 2.0;
