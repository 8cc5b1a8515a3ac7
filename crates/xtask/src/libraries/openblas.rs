//! OpenBLAS on the host, by `cblas_sgemm`.

// Arguments and names are those of the library.
#![allow(clippy::too_many_arguments)]

use std::ffi::{CStr, c_char, c_int};
use std::time::Instant;

use anyhow::{Result, bail};
use dlopen2::wrapper::{Container, WrapperApi};
use verify::element::Elements;
use verify::problem::Problem;

use super::library::{Library, Multiply, Seconds};

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
const FILES: [&str; 5] = [
    "libopenblasp.so.0",
    "libopenblas.so.0",
    "libopenblas.so",
    "libopenblas.dylib",
    "libopenblas.dll",
];
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

    fn result(&self) -> Result<Vec<u8>> {
        Ok(Elements::Float(self.c.clone()).as_bytes().to_vec())
    }
}
