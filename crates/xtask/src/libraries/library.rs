//! A library: what it is called, what it must find in its environment, and how its product is
//! checked, as the lessons' are, before it is timed. And OpenBLAS on the host, by `cblas_sgemm`.

// Arguments and names are those of the library.
#![allow(clippy::too_many_arguments)]

use std::ffi::{CStr, OsString, c_char, c_int};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use common::{outcome::Outcome, record::Record, timing::Timing};
use dlopen2::wrapper::{Container, WrapperApi};
use verify::element::{Elements, Type};
use verify::matrix::{Fill, Matrix};
use verify::{Shape, problem::Problem};
use watchdog::machine;

/// A library that multiplies matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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
    /// C, row-major.
    fn result(&self) -> Result<Elements>;
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
        open.find_map(Result::ok).with_context(|| {
            let next = machine::install(&self.name().to_lowercase()).unwrap_or_else(|| {
                "./setup --peers, or LD_LIBRARY_PATH with libcublas.so.13 and libcudart.so.13"
                    .into()
            });
            format!("{} is not installed; next: {next}", self.name())
        })
    }
}

/// What libraries read from their environment when they are loaded: no product may be rounded more
/// than is asked for by the type of A and B.
pub fn environment(inputs: Type) -> Vec<(&'static str, OsString)> {
    // `./setup --peers` fills a folder, behind those where libraries are looked for anyway.
    let set = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let set = std::env::split_paths(&set).filter(|one| !one.as_os_str().is_empty());
    let folders = set.chain([common::file::own_workspace().join(".opencl/peers")]);
    let mut set = vec![
        ("LD_LIBRARY_PATH", std::env::join_paths(folders).unwrap_or_default()),
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID".into()),
        // Sums of bfloat16, which stand for floats on newer GPUs.
        ("CUBLAS_EMULATE_SINGLE_PRECISION", "0".into()),
    ];
    if inputs != Type::Tf32 {
        set.push(("NVIDIA_TF32_OVERRIDE", "0".into())); // somebody may have switched it on
    }
    // A CPU that OpenBLAS does not know gets an old one's kernels, half as fast where there is
    // AVX-512: who compares with a library compares with its best.
    if machine::has_instructions("avx512vl") {
        set.push(("OPENBLAS_CORETYPE", "SKYLAKEX".into()));
    }
    set
}

/// How long a library is run before it is timed. A lesson measures its device's limits
/// before its kernels, so clocks are up by then; here the host has checked for a while.
const WARM_UP: Duration = Duration::from_millis(100);
/// One run, which may compile; the check of what it computed; and only then the timing.
pub fn measure(
    library: &mut dyn Multiply,
    shape: Shape,
    inputs: Type,
    runs: common::timing::Runs,
) -> Result<Record> {
    let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
    let problem = &problem.with_inputs(inputs, inputs != Type::Float);
    library.take(problem)?;
    let mut record = Record { build_seconds: library.run(problem)?.0, ..Record::default() };
    let c = Matrix { rows: shape.m, cols: shape.n, data: library.result()? };
    record.outcome = verify::check(problem, &c).map_or_else(Outcome::Wrong, Outcome::right);
    if !record.is_right() {
        return Ok(record);
    }
    let begin = Instant::now();
    while begin.elapsed() < WARM_UP {
        library.run(problem)?;
    }
    let (mut walls, mut seconds) = (Vec::new(), Vec::new());
    while !runs.done(&walls) {
        let (wall, by_events) = library.run(problem)?;
        walls.push(wall);
        seconds.extend(by_events);
    }
    // The device's times where every run has one, else the wall clock's.
    let timing = match seconds.len() == walls.len() {
        true => Timing { seconds, wall_seconds: walls, ..Timing::default() },
        false => Timing::by_the_wall(walls),
    };
    record.timed(&timing, common::record::Work::Flop(shape.flop()), None);
    Ok(record)
}

/// What is used of cblas.h, with 32-bit integers, and of openblas_config.h.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Api {
    cblas_sgemm: unsafe extern "C" fn(
        layout: c_int, a_transposed: c_int, b_transposed: c_int, m: c_int, n: c_int, k: c_int,
        alpha: f32, a: *const f32, a_row: c_int, b: *const f32, b_row: c_int,
        beta: f32, c: *mut f32, c_row: c_int,
    ),
    openblas_get_config: unsafe extern "C" fn() -> *const c_char,
    openblas_get_corename: unsafe extern "C" fn() -> *const c_char,
    openblas_get_num_threads: unsafe extern "C" fn() -> c_int,
}

/// Debian's libblas.so.3 may be it, too, but need not; the first is Fedora's, with threads.
const FILES: [&str; 4] =
    ["libopenblasp.so.0", "libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"];
/// CblasRowMajor and CblasNoTrans.
const ROW_MAJOR: c_int = 101;
const NOT_TRANSPOSED: c_int = 111;

/// The library, and C of the product of floats that it computes.
pub struct OnHost {
    api: Container<Api>,
    c: Vec<f32>,
}

impl OnHost {
    /// Opens it, with its best kernels for this CPU.
    pub fn open() -> Result<OnHost> {
        let api = Library::Openblas.load::<Api>(&FILES)?;
        Ok(OnHost { api, c: Vec::new() })
    }
}

impl Multiply for OnHost {
    /// "0.3.21, core Zen, 2 threads".
    fn version(&self) -> String {
        // SAFETY: they take and change nothing, and the texts are constants of the library.
        let (config, core, threads) = unsafe {
            let [config, core] = [self.api.openblas_get_config(), self.api.openblas_get_corename()];
            let [config, core] = [config, core].map(|text| CStr::from_ptr(text).to_string_lossy());
            (config, core, self.api.openblas_get_num_threads())
        };
        let version = config.split_whitespace().nth(1).unwrap_or("?");
        format!("{version}, core {core}, {threads} threads")
    }

    fn take(&mut self, problem: &Problem) -> Result<()> {
        // Now, since nobody times it.
        problem.operands();
        // Poison: what is not computed is not a number.
        self.c = vec![f32::NAN; problem.shape.m * problem.shape.n];
        Ok(())
    }

    fn run(&mut self, problem: &Problem) -> Result<Seconds> {
        let (Elements::Float(a), Elements::Float(b)) = (&problem.a().data, &problem.b().data)
        else {
            bail!("the course calls OpenBLAS with floats alone");
        };
        let shape = problem.shape;
        let [m, n, k] = [shape.m, shape.n, shape.k].map(|side| side as c_int);
        let (a, b, c, plain) = (a.as_ptr(), b.as_ptr(), self.c.as_mut_ptr(), NOT_TRANSPOSED);
        let begin = Instant::now();
        // SAFETY: row-major matrices of M x K, K x N and M x N elements, as the sizes and
        // leading dimensions say; C is borrowed mutably.
        unsafe {
            self.api.cblas_sgemm(ROW_MAJOR, plain, plain, m, n, k, 1.0, a, k, b, n, 0.0, c, n);
        }
        Ok((begin.elapsed().as_secs_f64(), None))
    }

    fn result(&self) -> Result<Elements> {
        Ok(Elements::Float(self.c.clone()))
    }
}
