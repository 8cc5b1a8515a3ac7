//! A library: what it is called, what it must find in its environment, and how its product is
//! checked, as the lessons' are, before it is timed.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use anyhow::{Error, Result, anyhow};
use clap::ValueEnum;
use common::file::own_workspace;
use common::outcome::Outcome;
use common::record::{Record, Work};
use common::timing::{Clock, Runs, Timing};
use dlopen2::wrapper::{Container, WrapperApi};
use verify::element::{Elements, Type};
use verify::matrix::{Fill, Matrix};
use verify::problem::Problem;
use verify::shape::Shape;
use watchdog::{machine, packages};

/// A library that multiplies matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Library {
    /// NVIDIA's, on its GPUs, with matrices of any type that lesson 13 has.
    Cublas,
    /// On the host, with floats.
    Openblas,
}

/// An open library, and the product that it computes again and again.
pub trait Multiply {
    /// Its version, with which of its kernels or modes it uses.
    fn version(&self) -> String;
    /// Takes the operands of this product in place of the last one's; C is poisoned.
    fn take(&mut self, problem: &Problem) -> Result<()>;
    /// Computes it once.
    fn run(&mut self, problem: &Problem) -> Result<Seconds>;
    /// The bytes of C, row-major.
    fn result(&self) -> Result<Vec<u8>>;
}

/// Of one product: by the wall clock, from the call until it was done; and by the device's events,
/// where it has them and they can be believed.
pub type Seconds = (f64, Option<f64>);

impl Library {
    /// As its makers write it.
    pub fn name(self) -> &'static str {
        match self {
            Library::Cublas => "cuBLAS",
            Library::Openblas => "OpenBLAS",
        }
    }

    /// The first of these files that opens.
    pub fn load<Api: WrapperApi>(self, files: &[&str]) -> Result<Container<Api>> {
        // SAFETY: each Api has the types of its library's headers.
        let mut open = files.iter().map(|name| unsafe { Container::load(name) });
        open.find_map(Result::ok).ok_or_else(|| self.missing())
    }

    /// What is said where it is not here, with the next command.
    fn missing(self) -> Error {
        let package = packages::install(&self.name().to_lowercase());
        let next = package.unwrap_or_else(|| {
            "./setup --peers, or LD_LIBRARY_PATH with libcublas.so.13 and libcudart.so.13".into()
        });
        anyhow!("{} is not installed; next: {next}", self.name())
    }

    /// What it reads from its environment when it is loaded: no product may be rounded more than
    /// is asked for by the type of A and B.
    pub fn environment(self, inputs: Type) -> Vec<(&'static str, OsString)> {
        match self {
            // A CPU that it does not know gets an old one's kernels, half as fast where there
            // is AVX-512: who compares with a library compares with its best.
            Library::Openblas => {
                let has_avx512 = machine::vector_instructions().contains(&"AVX-512");
                let core = has_avx512.then(|| ("OPENBLAS_CORETYPE", "SKYLAKEX".into()));
                core.into_iter().collect()
            }
            // Only what is not the default can be set so: TF32 where somebody has switched it on,
            // and sums of bfloat16, which stand for floats on newer GPUs. `./setup --peers` fills
            // a folder, behind those where libraries are looked for anyway.
            Library::Cublas => {
                let set = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
                let set = std::env::split_paths(&set).filter(|one| !one.as_os_str().is_empty());
                let folders = set.chain([own_workspace().join(".opencl/peers")]);
                let folders = std::env::join_paths(folders).unwrap_or_default();
                let mut set = vec![
                    ("CUBLAS_EMULATE_SINGLE_PRECISION", "0".into()),
                    ("CUDA_DEVICE_ORDER", "PCI_BUS_ID".into()),
                    ("LD_LIBRARY_PATH", folders),
                ];
                if inputs != Type::Tf32 {
                    set.push(("NVIDIA_TF32_OVERRIDE", "0".into()));
                }
                set
            }
        }
    }
}

/// How long a library is run before it is timed. A lesson measures its device's limits
/// before its kernels, so clocks are up by then; here the host has checked for a while.
const WARM_UP: Duration = Duration::from_millis(100);
/// Seconds above which one timed run is enough for a turn: there are several turns.
const SLOW: f64 = 2.0;

/// One run, which may compile; the check of what it computed; and only then the timing.
pub fn measure(
    library: &mut dyn Multiply,
    shape: Shape,
    inputs: Type,
    runs: Option<u32>,
) -> Result<Record> {
    let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
    let problem = &problem.with_inputs(inputs, inputs != Type::Float);
    library.take(problem)?;
    let mut record = Record { build_seconds: library.run(problem)?.0, ..Record::default() };
    let c = Matrix {
        rows: shape.m,
        cols: shape.n,
        data: Elements::from_bytes(problem.ty, &library.result()?),
    };
    match verify::check(problem, &c) {
        Ok(compared) => record.outcome = Outcome::right(compared),
        Err(wrong) => {
            record.outcome = Outcome::Wrong((&*wrong).into());
            return Ok(record);
        }
    }
    let begin = Instant::now();
    let mut last = library.run(problem)?;
    while begin.elapsed() < WARM_UP {
        last = library.run(problem)?;
    }
    let runs = match runs {
        Some(runs) => Runs::Exactly(runs as usize),
        None if last.0 > SLOW => Runs::Exactly(1),
        None => Runs::Enough,
    };
    let (mut walls, mut seconds) = (Vec::new(), Vec::new());
    while !runs.done(&walls) {
        let (wall, by_events) = library.run(problem)?;
        walls.push(wall);
        seconds.extend(by_events);
    }
    // The device's times where every run has one, else the wall clock's.
    let mut timing = Timing::by_the_wall(walls);
    if seconds.len() == timing.seconds.len() {
        timing.wall_seconds = std::mem::replace(&mut timing.seconds, seconds);
        timing.clock = Clock::Event;
    }
    record.timed(&timing, Work::Flop(shape.flop()), None);
    Ok(record)
}
