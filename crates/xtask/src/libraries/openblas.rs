//! Libraries of the host: oneMKL, OpenBLAS and BLIS by cblas_sgemm, and the crate
//! matrixmultiply, which is part of this program.

// Arguments and names are those of the library.
#![allow(clippy::too_many_arguments, non_snake_case)]

use std::ffi::{CStr, c_char, c_int};
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result};
use common::element::Elements;
use common::matrix::Matrix;
use common::problem::Problem;
use common::reference::library_multiply;
use common::shape::Shape;
use common::verify::cores::cores;
use dlopen2::wrapper::{Container, WrapperApi};

use super::library::{Library, NOT_TRANSPOSED, Opened, Peer, ROW_MAJOR, Sample};

/// What is used of cblas.h, with 32-bit integers, and what each library has to tell of itself:
/// openblas_config.h; mkl_service.h; blis.h, whose dim_t has 64 bits.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Api {
    cblas_sgemm: unsafe extern "C" fn(
        layout: c_int, a_transposed: c_int, b_transposed: c_int, m: c_int, n: c_int, k: c_int,
        alpha: f32, a: *const f32, a_row: c_int, b: *const f32, b_row: c_int,
        beta: f32, c: *mut f32, c_row: c_int,
    ),
    openblas_get_config: Option<unsafe extern "C" fn() -> *const c_char>,
    openblas_get_corename: Option<unsafe extern "C" fn() -> *const c_char>,
    openblas_get_num_threads: Option<unsafe extern "C" fn() -> c_int>,
    MKL_Get_Version_String: Option<unsafe extern "C" fn(text: *mut c_char, length: c_int)>,
    MKL_Get_Max_Threads: Option<unsafe extern "C" fn() -> c_int>,
    bli_info_get_version_str: Option<unsafe extern "C" fn() -> *const c_char>,
    bli_arch_query_id: Option<unsafe extern "C" fn() -> c_int>,
    bli_arch_string: Option<unsafe extern "C" fn(id: c_int) -> *const c_char>,
    bli_thread_get_num_threads: Option<unsafe extern "C" fn() -> i64>,
}

/// A product of floats on the host, by what computes C of a problem.
struct OnHost<Multiply> {
    multiply: Multiply,
    product: Option<(Rc<Problem>, Matrix)>,
}

fn on_host(
    multiply: impl Fn(Shape, &Matrix, &Matrix, &mut Matrix) -> Option<()> + 'static,
    version: String,
    threads: Option<usize>,
) -> Opened {
    let product = None;
    Opened {
        library: Box::new(OnHost { multiply, product }),
        version,
        threads,
    }
}

impl<Multiply: Fn(Shape, &Matrix, &Matrix, &mut Matrix) -> Option<()>> Library
    for OnHost<Multiply>
{
    fn take(&mut self, problem: &Rc<Problem>) -> Result<()> {
        let (rows, cols) = (problem.shape.m, problem.shape.n);
        let data = Elements::from_fn(problem.ty, rows * cols, |_| f64::NAN);
        // Now, since nobody times it.
        problem.operands();
        self.product = Some((problem.clone(), Matrix { rows, cols, data }));
        Ok(())
    }

    fn run(&mut self) -> Result<Sample> {
        let (problem, c) = self.product.as_mut().context("no product")?;
        let begin = Instant::now();
        let done = (self.multiply)(problem.shape, problem.a(), problem.b(), c);
        done.context("only floats are compared")?;
        let wall = begin.elapsed().as_secs_f64();
        Ok(Sample { wall, device: None })
    }

    fn result(&self) -> Result<Vec<u8>> {
        let (_, c) = self.product.as_ref().context("no product")?;
        Ok(c.data.as_bytes().to_vec())
    }
}

/// The crate.
pub fn matrixmultiply() -> Opened {
    on_host(library_multiply, "as in Cargo.lock".into(), Some(cores()))
}

/// Opens a library of the system, with its best kernels for this CPU.
pub fn open(peer: Peer) -> Result<Opened> {
    let (library, file) = peer.load::<Api>()?;
    let told = openblas(&library).or_else(|| mkl(&library));
    let told = told.or_else(|| blis(&library));
    let (version, threads) = told.unwrap_or((file.into(), -1));
    let multiply = move |shape, a: &_, b: &_, c: &mut _| multiply(&library, shape, a, b, c);
    Ok(on_host(multiply, version, usize::try_from(threads).ok()))
}

/// "0.3.21, core Zen", and the threads.
fn openblas(library: &Container<Api>) -> Option<(String, i64)> {
    // SAFETY: they take and change nothing.
    let (config, core, threads) = unsafe {
        let config = words(library.openblas_get_config()?);
        let core = words(library.openblas_get_corename()?);
        (config, core, library.openblas_get_num_threads()?)
    };
    let version = config.split_whitespace().nth(1).unwrap_or("?");
    Some((format!("{version}, core {core}"), threads.into()))
}

/// "2026.2": what it says begins with "Intel(R) oneAPI Math Kernel Library Version ".
fn mkl(library: &Container<Api>) -> Option<(String, i64)> {
    let mut text = [0u8; 256];
    // SAFETY: the buffer is as long as is said.
    let threads = unsafe {
        library.MKL_Get_Version_String(text.as_mut_ptr().cast(), text.len() as c_int - 1)?;
        library.MKL_Get_Max_Threads()?
    };
    let text = String::from_utf8_lossy(&text);
    let text = text.trim_matches(['\0', ' ']);
    let version = text.split_once("Version ").map_or(text, |(_, rest)| rest);
    let version = version.split(['-', ' ']).next().unwrap_or_default();
    Some((version.into(), threads.into()))
}

/// "0.9.0, kernels for zen3", and the threads.
fn blis(library: &Container<Api>) -> Option<(String, i64)> {
    // SAFETY: they change nothing, and the texts are constants of the library.
    unsafe {
        let version = words(library.bli_info_get_version_str()?);
        let kernels = words(library.bli_arch_string(library.bli_arch_query_id()?)?);
        let threads = library.bli_thread_get_num_threads()?;
        Some((format!("{version}, kernels for {kernels}"), threads))
    }
}

/// A constant text of a library that is open.
fn words(text: *const c_char) -> String {
    if text.is_null() {
        return "?".into();
    }
    // SAFETY: it is not null, and the libraries' texts end with a zero.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}

/// C = A B, row-major.
fn multiply(api: &Container<Api>, s: Shape, a: &Matrix, b: &Matrix, c: &mut Matrix) -> Option<()> {
    let (Elements::Float(a), Elements::Float(b), Elements::Float(c)) =
        (&a.data, &b.data, &mut c.data)
    else {
        return None;
    };
    let [m, n, k] = [s.m, s.n, s.k].map(|side| side as c_int);
    let (a, b, c, plain) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), NOT_TRANSPOSED);
    // SAFETY: row-major matrices of M x K, K x N and M x N elements, as the
    // sizes and leading dimensions say; C is borrowed mutably.
    unsafe { api.cblas_sgemm(ROW_MAJOR, plain, plain, m, n, k, 1.0, a, k, b, n, 0.0, c, n) };
    Some(())
}
