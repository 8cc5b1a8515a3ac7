//! Libraries of the host with cblas_sgemm: oneMKL, OpenBLAS, BLIS.

// The arguments are those of the library.
#![allow(clippy::too_many_arguments)]

use std::ffi::{CStr, OsString, c_char, c_int};

use anyhow::{Result, bail};
use common::element::Elements;
use common::matrix::Matrix;
use common::problem::Problem;
use common::shape::Shape;
use dlopen2::wrapper::{Container, WrapperApi};
use process::machine;

use super::library::{About, Missing, NOT_TRANSPOSED, OnHost, Opened, ROW_MAJOR, begin_again_with};
use super::peer::Peer;

/// What is used of cblas.h, with 32-bit integers, and what each library has to tell of itself.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Api {
    cblas_sgemm: unsafe extern "C" fn(
        layout: c_int, a_transposed: c_int, b_transposed: c_int, m: c_int, n: c_int, k: c_int,
        alpha: f32, a: *const f32, a_row: c_int, b: *const f32, b_row: c_int,
        beta: f32, c: *mut f32, c_row: c_int,
    ),
    // openblas_config.h
    openblas_get_config: Option<unsafe extern "C" fn() -> *const c_char>,
    openblas_get_corename: Option<unsafe extern "C" fn() -> *const c_char>,
    openblas_get_num_threads: Option<unsafe extern "C" fn() -> c_int>,
    // mkl_service.h
    #[dlopen2_name = "MKL_Get_Version_String"]
    mkl_version: Option<unsafe extern "C" fn(text: *mut c_char, length: c_int)>,
    #[dlopen2_name = "MKL_Get_Max_Threads"]
    mkl_threads: Option<unsafe extern "C" fn() -> c_int>,
    // blis.h, whose dim_t has 64 bits
    bli_info_get_version_str: Option<unsafe extern "C" fn() -> *const c_char>,
    bli_arch_query_id: Option<unsafe extern "C" fn() -> c_int>,
    bli_arch_string: Option<unsafe extern "C" fn(id: c_int) -> *const c_char>,
    bli_thread_get_num_threads: Option<unsafe extern "C" fn() -> i64>,
}

/// Opens the library, with its best kernels for this CPU.
pub fn open(peer: Peer) -> Result<Opened, Missing> {
    let (library, file) = peer.load::<Api>()?;
    if let Some(core) = openblas_core(&library)
        && detected_too_little(&core)
    {
        begin_again_with(vec![(CORE_VARIABLE, OsString::from(WITH_AVX512))]);
    }
    let told = openblas(&library).or_else(|| mkl(&library));
    let told = told.or_else(|| blis(&library));
    let (version, threads) = told.map_or((file.into(), None), |(version, threads)| {
        (version, usize::try_from(threads).ok())
    });
    let about = About {
        version,
        threads,
        device: None,
    };
    let multiply = move |problem: &Problem, c: &mut Matrix| multiply(&library, problem, c);
    Ok((Box::new(OnHost(multiply)), about))
}

/// "0.3.21, core Zen", and the threads.
fn openblas(library: &Container<Api>) -> Option<(String, i64)> {
    // SAFETY: they take and change nothing.
    let (config, threads) = unsafe {
        let config = library.openblas_get_config()?;
        (words(config), library.openblas_get_num_threads()?)
    };
    let version = config.split_whitespace().nth(1).unwrap_or("?");
    let by_us = match std::env::var(CORE_VARIABLE) {
        Ok(core) => format!(" ({CORE_VARIABLE}={core})"),
        Err(_) => String::new(),
    };
    let core = openblas_core(library)?;
    Some((format!("{version}, core {core}{by_us}"), threads.into()))
}

fn openblas_core(library: &Container<Api>) -> Option<String> {
    // SAFETY: it takes and changes nothing.
    unsafe { library.openblas_get_corename() }.map(words)
}

/// "2026.2": what it says begins with "Intel(R) oneAPI Math Kernel Library Version ".
fn mkl(library: &Container<Api>) -> Option<(String, i64)> {
    let mut text = [0u8; 256];
    // SAFETY: the buffer is as long as is said.
    let threads = unsafe {
        library.mkl_version(text.as_mut_ptr().cast(), text.len() as c_int - 1)?;
        library.mkl_threads()?
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
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// The variable that overrules OpenBLAS' own detection of the CPU.
const CORE_VARIABLE: &str = "OPENBLAS_CORETYPE";
/// Its value for the kernels that use AVX-512.
const WITH_AVX512: &str = "SKYLAKEX";

/// A CPU that OpenBLAS does not know gets an old one's kernels: half the
/// speed where there is AVX-512. The variable may have been set to one, too:
/// who compares with a library compares with its best.
fn detected_too_little(core: &str) -> bool {
    let good = ["skylakex", "cooperlake", "sapphirerapids"];
    let has_avx512 = machine::vector_instructions().contains(&"AVX-512");
    has_avx512 && !good.contains(&&*core.to_lowercase())
}

/// C = A B, row-major.
fn multiply(library: &Container<Api>, problem: &Problem, c: &mut Matrix) -> Result<()> {
    let (Elements::Float(a), Elements::Float(b), Elements::Float(c)) =
        (&problem.a.data, &problem.b.data, &mut c.data)
    else {
        bail!("only floats are compared");
    };
    let Shape { m, n, k } = problem.shape;
    let [m, n, k] = [m, n, k].map(|side| side as c_int);
    let (a, b, c, plain) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), NOT_TRANSPOSED);
    // SAFETY: row-major matrices of M x K, K x N and M x N elements, as the
    // sizes and leading dimensions say; C is borrowed mutably.
    unsafe { library.cblas_sgemm(ROW_MAJOR, plain, plain, m, n, k, 1.0, a, k, b, n, 0.0, c, n) };
    Ok(())
}
