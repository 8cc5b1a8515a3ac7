//! Libraries that the lessons are compared with, loaded at run time where they
//! are installed. Each runs in a child process of its own, `course peer NAME`, on
//! the lessons' matrices, and is checked as they are before it is timed.

mod clblast;
mod openblas;

use std::io::Write;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use common::device;
use common::element::{Elements, Type};
use common::matrix::{Fill, Matrix};
use common::problem::Problem;
use common::record::{Record, Work};
use common::session::Session;
use common::shape::Shape;
use common::timing::{self, Profile, Runs};
use common::verify;
use dlopen2::wrapper::{Container, WrapperApi};
use serde::{Deserialize, Serialize};

use crate::packages;
use clblast::ClBlast;
use openblas::OpenBlas;

/// A library that multiplies matrices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Peer {
    /// OpenCL, on the device of the lessons.
    Clblast,
    /// The host's CPU, all its cores.
    Openblas,
}

impl Peer {
    /// In the order of the report.
    pub const ALL: [Peer; 2] = [Peer::Clblast, Peer::Openblas];

    /// As its makers write it.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Clblast => "CLBlast",
            Peer::Openblas => "OpenBLAS",
        }
    }

    /// The names that its library may have.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Peer::Clblast => &["libclblast.so.1", "libclblast.dylib", "clblast.dll"],
            // Debian's libblas.so.3 may be it, too, but need not.
            Peer::Openblas => &[
                "libopenblasp.so.0", // Fedora's, with threads
                "libopenblas.so.0",
                "libopenblas.so",
                "libopenblas.dylib",
                "libopenblas.dll",
            ],
        }
    }

    /// The library, and the name under which it was found; else notes what is missing.
    fn load<Api: WrapperApi>(self, record: &mut Record) -> Option<(Container<Api>, &'static str)> {
        let found = self.libraries().iter().find_map(|name| {
            // SAFETY: each Api has the types of its library's headers.
            let library = unsafe { Container::load(name) };
            Some((library.ok()?, *name))
        });
        if found.is_none() {
            let name = self.name();
            let install = packages::install(&name.to_lowercase());
            let next = install.unwrap_or_else(|| "./setup --full".into());
            record.skipped = Some(format!("missing: {name} is not installed; next: {next}"));
        }
        found
    }
}

/// What the child is told.
#[derive(Args)]
pub struct Options {
    /// The library
    peer: Peer,
    /// Number of the device in lesson 1's listing
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// Shape of the product
    #[arg(long)]
    size: Shape,
    /// Timed runs
    #[arg(long)]
    runs: Option<usize>,
}

/// A product that a library can compute again and again.
trait Product {
    /// Computes it once: seconds by the wall clock, and the device's own times, where
    /// there is a device.
    fn run(&mut self) -> Result<(f64, Option<Profile>)>;
    /// The bytes of C.
    fn result(&self) -> Result<Vec<u8>>;
}

/// The child: measures one library on one product, and prints the record.
pub fn run(options: &Options) -> Result<()> {
    let problem = Problem::new(options.size, Type::Float, Fill::Random, 1);
    let mut record = Record {
        kernel: options.peer.name().into(),
        platform: "host".into(),
        device: "host".into(),
        m: options.size.m,
        n: options.size.n,
        k: options.size.k,
        ty: Some(Type::Float),
        fill: Some(Fill::Random),
        seed: 1,
        ..Record::default()
    };
    let runs = options.runs.map_or(Runs::Enough, Runs::Exactly);
    match options.peer {
        Peer::Openblas => {
            if let Some((library, _)) = options.peer.load(&mut record) {
                let product = OpenBlas::new(library, &problem)?;
                record.says = product.about();
                measure(product, &problem, runs, &mut record)?;
            }
        }
        Peer::Clblast => {
            if let Some((library, file)) = options.peer.load(&mut record) {
                let device = device::list()?.into_iter().nth(options.device);
                let device = device.context("there is no such device")?;
                let session = Session::open(device, Rc::new(()))?;
                record.platform = session.device.platform.name.clone();
                record.device = session.device.name.clone();
                record.driver = session.device.driver.clone();
                record.says = format!("{file}, on the lessons' device and queue");
                let product = ClBlast::new(library, &session, &problem)?;
                measure(product, &problem, runs, &mut record)?;
            }
        }
    }
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&record)?)?;
    Ok(())
}

/// One run, which may compile; the check of what it computed; and only then the timing.
fn measure(
    mut product: impl Product,
    problem: &Problem,
    runs: Runs,
    record: &mut Record,
) -> Result<()> {
    record.build_seconds = product.run()?.0;
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
    while begin.elapsed() < WARM_UP {
        product.run()?;
    }
    let (mut walls, mut profiles) = (Vec::new(), Vec::new());
    while !runs.done(&walls) {
        let (wall, profile) = product.run()?;
        walls.push(wall);
        profiles.push(profile.into_iter().collect());
    }
    let timing = timing::settle(&walls, &profiles);
    record.timed(&timing, Work::Flop(problem.shape.flop()), None);
    Ok(())
}

/// How long a library is run before it is timed, as the kernels are.
const WARM_UP: Duration = Duration::from_millis(30);
/// CblasRowMajor, and CLBlastLayoutRowMajor.
const ROW_MAJOR: i32 = 101;
/// CblasNoTrans, and CLBlastTransposeNo.
const NOT_TRANSPOSED: i32 = 111;
