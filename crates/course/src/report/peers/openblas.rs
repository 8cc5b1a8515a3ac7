//! OpenBLAS: cblas_sgemm on the host, with all cores.

// The arguments are those of the library.
#![allow(clippy::too_many_arguments)]

use std::ffi::{CStr, c_char, c_int};
use std::time::Instant;

use anyhow::{Result, bail};
use common::element::Elements;
use common::problem::Problem;
use common::shape::Shape;
use common::timing::Profile;
use dlopen2::wrapper::{Container, WrapperApi};

use super::{NOT_TRANSPOSED, Product, ROW_MAJOR};
use crate::machine;

/// The variable that overrules OpenBLAS' own detection of the CPU.
const CORE_VARIABLE: &str = "OPENBLAS_CORETYPE";
/// Its value for the kernels that use AVX-512.
const WITH_AVX512: &str = "SKYLAKEX";

/// What is used of cblas.h, with 32-bit integers, and of openblas_config.h.
#[derive(WrapperApi)]
pub struct Api {
    cblas_sgemm: unsafe extern "C" fn(
        layout: c_int,
        a_transposed: c_int,
        b_transposed: c_int,
        m: c_int,
        n: c_int,
        k: c_int,
        alpha: f32,
        a: *const f32,
        a_row: c_int,
        b: *const f32,
        b_row: c_int,
        beta: f32,
        c: *mut f32,
        c_row: c_int,
    ),
    openblas_get_config: unsafe extern "C" fn() -> *const c_char,
    openblas_get_corename: unsafe extern "C" fn() -> *const c_char,
    openblas_get_num_threads: unsafe extern "C" fn() -> c_int,
}

pub struct OpenBlas<'a> {
    library: Container<Api>,
    shape: Shape,
    a: &'a [f32],
    b: &'a [f32],
    c: Vec<f32>,
}

impl<'a> OpenBlas<'a> {
    pub fn new(library: Container<Api>, problem: &'a Problem) -> Result<OpenBlas<'a>> {
        let bytes = problem.shape.m * problem.shape.n * problem.ty.size();
        let c = Elements::from_bytes(problem.ty, &vec![0xff; bytes]);
        let (Elements::Float(a), Elements::Float(b), Elements::Float(c)) =
            (&problem.a.data, &problem.b.data, c)
        else {
            bail!("only floats are compared");
        };
        let product = OpenBlas {
            library,
            shape: problem.shape,
            a,
            b,
            c,
        };
        if product.detected_too_little() {
            again_with_avx512();
        }
        Ok(product)
    }

    /// What the library says of itself: "OpenBLAS 0.3.21, core SkylakeX, 2 threads".
    pub fn about(&self) -> String {
        // SAFETY: the text is a constant of the library, which is open.
        let config = unsafe { CStr::from_ptr(self.library.openblas_get_config()) };
        let config = config.to_string_lossy();
        let version: Vec<&str> = config.split_whitespace().take(2).collect();
        let by_us = match std::env::var(CORE_VARIABLE) {
            Ok(core) => format!(" ({CORE_VARIABLE}={core})"),
            Err(_) => String::new(),
        };
        // SAFETY: it takes and changes nothing.
        let threads = unsafe { self.library.openblas_get_num_threads() };
        let (version, core) = (version.join(" "), self.core());
        format!("{version}, core {core}{by_us}, {threads} threads")
    }

    fn core(&self) -> String {
        // SAFETY: the text is a constant of the library, which is open.
        let core = unsafe { CStr::from_ptr(self.library.openblas_get_corename()) };
        core.to_string_lossy().into_owned()
    }

    /// A CPU that OpenBLAS does not know gets an old one's kernels: half the
    /// speed where there is AVX-512. The variable may have been set to one, too:
    /// who compares with a library compares with its best.
    fn detected_too_little(&self) -> bool {
        let good = ["skylakex", "cooperlake", "sapphirerapids"];
        let tried = std::env::var(CORE_VARIABLE).is_ok_and(|core| core == WITH_AVX512);
        let has_avx512 = machine::vector_instructions().contains(&"AVX-512");
        has_avx512 && !good.contains(&&*self.core().to_lowercase()) && !tried
    }
}

impl Product for OpenBlas<'_> {
    fn run(&mut self) -> Result<(f64, Option<Profile>)> {
        let Shape { m, n, k } = self.shape;
        let [m, n, k] = [m, n, k].map(|side| side as c_int);
        let begin = Instant::now();
        // SAFETY: row-major matrices of M x K, K x N and M x N elements, as the
        // sizes and leading dimensions say; C is borrowed mutably.
        unsafe {
            self.library.cblas_sgemm(
                ROW_MAJOR,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
                m,
                n,
                k,
                1.0,
                self.a.as_ptr(),
                k,
                self.b.as_ptr(),
                n,
                0.0,
                self.c.as_mut_ptr(),
                n,
            )
        }
        Ok((begin.elapsed().as_secs_f64(), None))
    }

    fn result(&self) -> Result<Vec<u8>> {
        Ok(Elements::Float(self.c.clone()).as_bytes().to_vec())
    }
}

/// This very command again, with the better kernels: OpenBLAS decides when it is
/// loaded. The new process prints the result.
fn again_with_avx512() -> ! {
    let again = supervise::this_program().and_then(|mut this| {
        this.args(std::env::args_os().skip(1))
            .env(CORE_VARIABLE, WITH_AVX512)
            .status()
    });
    let code = again.ok().and_then(|status| status.code()).unwrap_or(1);
    std::process::exit(code)
}
