//! The child that measures one library, `course peer NAME`: it may crash, and takes nobody
//! with it. It computes the lessons' matrices, and is checked as they are before it is timed.

use std::ffi::OsString;
use std::io::Write;
use std::rc::Rc;
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

use super::library::{About, Library, Missing, Opened};
use super::peer::Peer;
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
#[derive(Serialize, Deserialize)]
pub struct Measured {
    #[serde(flatten)]
    pub record: Record,
    #[serde(flatten)]
    pub about: About,
}

/// Measures the library on each product, and prints a record of each.
pub fn run(options: &Options) -> Result<()> {
    let mut environment = options.peer.environment();
    if options.inputs == Type::Tf32 {
        environment.retain(|(name, _)| *name != "NVIDIA_TF32_OVERRIDE");
    }
    begin_again_with(environment);
    let mut opened = match open(options).map_err(|error| error.downcast::<Missing>()) {
        Ok(opened) => Ok(opened),
        Err(Ok(missing)) => Err(missing),
        Err(Err(error)) => return Err(error),
    };
    for &shape in &options.size {
        let mut record = record(options.peer, shape);
        let mut about = About::default();
        match &mut opened {
            Err(missing) => record.skipped = Some(missing.to_string()),
            Ok((library, told)) => {
                about = told.clone();
                told.note(&mut record);
                let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
                let by_units = options.inputs != Type::Float;
                let problem = problem.with_inputs(options.inputs, by_units);
                measure(&mut **library, &problem.into(), options.runs, &mut record)?;
            }
        }
        let line = serde_json::to_string(&Measured { record, about })?;
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(())
}

fn open(options: &Options) -> Result<Opened> {
    if options.inputs != Type::Float && options.peer != Peer::Cublas {
        let why = format!(
            "{}: the course calls it with floats alone",
            options.peer.name()
        );
        return Err(Missing(why).into());
    }
    match options.peer {
        Peer::Cublas => cublas::open(options.device, options.inputs),
        Peer::Clblast => clblast::open(options.device),
        Peer::Matrixmultiply => Ok(host::matrixmultiply()),
        Peer::Onemkl | Peer::Openblas | Peer::Blis => host::open(options.peer),
    }
}

fn record(peer: Peer, Shape { m, n, k }: Shape) -> Record {
    Record {
        kernel: peer.name().into(),
        platform: "host".into(),
        device: "host".into(),
        m,
        n,
        k,
        ty: Some(Type::Float),
        fill: Some(Fill::Random),
        seed: 1,
        ..Record::default()
    }
}

impl About {
    fn note(&self, record: &mut Record) {
        if let Some(device) = &self.device {
            record.platform.clone_from(&device.platform.name);
            record.device.clone_from(&device.name);
            record.driver.clone_from(&device.driver);
        }
        let threads = self.threads.map(|threads| format!(", {threads} threads"));
        record.says = format!("{}{}", self.version, threads.unwrap_or_default());
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
        Ok(right) => record.right(right),
        Err(wrong) => {
            record.failed = Some(wrong.to_string());
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

/// This very command again with these variables, unless they are set: libraries read them
/// when they are loaded. The new process prints the result.
fn begin_again_with(variables: Vec<(&'static str, OsString)>) {
    let is_set = |(name, value): &(&str, OsString)| std::env::var_os(name).as_ref() == Some(value);
    if variables.iter().all(is_set) {
        return;
    }
    let again = process::this_program().and_then(|mut this| {
        let words = std::env::args_os().skip(1);
        this.args(words).envs(variables).status()
    });
    let code = again.ok().and_then(|status| status.code());
    std::process::exit(code.unwrap_or(1))
}
