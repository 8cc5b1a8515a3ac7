//! Libraries that the lessons are compared with, loaded at run time where they
//! are installed. Each runs in a child process of its own, `course peer NAME`, on
//! the lessons' matrices, and is checked as they are before it is timed.

mod clblast;
mod openblas;

use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use common::element::Type;
use common::matrix::Fill;
use common::record::{Record, Work};
use common::session::Session;
use common::shape::Shape;
use common::timing::{Runs, Timing};
use common::verify::{self, Problem};
use common::{device, matrix::Matrix};
use dlopen2::raw::Library;
use serde::{Deserialize, Serialize};

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

    /// What `course peer` calls it.
    pub fn argument(self) -> &'static str {
        match self {
            Peer::Clblast => "clblast",
            Peer::Openblas => "openblas",
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

    /// How to get it.
    fn package(self) -> &'static str {
        match self {
            Peer::Clblast => "the package libclblast1 (Debian, Ubuntu) or clblast",
            Peer::Openblas => "the package libopenblas0-pthread (Debian, Ubuntu) or openblas",
        }
    }

    /// The library, and the name under which it was found; else what is missing.
    fn load(self) -> Result<(Library, &'static str), String> {
        let mut found = self
            .libraries()
            .iter()
            .filter_map(|name| Some((Library::open(name).ok()?, *name)));
        found.next().ok_or_else(|| {
            format!(
                "missing: {} is not installed; {} has it",
                self.name(),
                self.package()
            )
        })
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

/// How a library was measured.
struct Measured {
    /// What it is: version, threads.
    says: String,
    /// Its last result.
    timing: Timing,
    /// Seconds of the first call, which may compile.
    first_seconds: f64,
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
    match options.peer.load() {
        Err(missing) => record.skipped = Some(missing),
        Ok((library, file)) => {
            let check = |c: &Matrix, canary| {
                verify::check(&problem, c, canary).map_err(|wrong| wrong.to_string())
            };
            let measured = match options.peer {
                Peer::Openblas => openblas::measure(&library, &problem, runs, check)?,
                Peer::Clblast => {
                    let session = session(options.device)?;
                    record.platform = session.device.platform.name.clone();
                    record.device = session.device.name.clone();
                    record.driver = session.device.driver.clone();
                    clblast::measure(&library, file, &session, &problem, runs, check)?
                }
            };
            match measured {
                Err(wrong) => record.failed = Some(wrong),
                Ok((measured, right)) => {
                    record.right(right);
                    record.says = measured.says;
                    record.build_seconds = measured.first_seconds;
                    record.timed(&measured.timing, Work::Flop(problem.shape.flop()), None);
                }
            }
        }
    }
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&record)?)?;
    Ok(())
}

fn session(index: usize) -> Result<Session> {
    let mut devices = device::list()?;
    if index >= devices.len() {
        bail!("there is no device {index}");
    }
    Ok(Session::open(devices.swap_remove(index), Rc::new(()))?)
}

/// A function of a library.
///
/// # Safety
/// `T` must be the type of the function that the library has under this name,
/// and the function must not be called after the library is closed.
unsafe fn function<T>(library: &Library, name: &str) -> Result<T> {
    // SAFETY: as this function's own.
    unsafe { library.symbol(name) }.with_context(|| format!("the library has no {name}"))
}

/// How long a library is run before it is timed, as the kernels are.
const WARM_UP: Duration = Duration::from_millis(30);
/// CblasRowMajor, and CLBlastLayoutRowMajor.
const ROW_MAJOR: i32 = 101;
/// CblasNoTrans, and CLBlastTransposeNo.
const NOT_TRANSPOSED: i32 = 111;
