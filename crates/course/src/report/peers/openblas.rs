//! OpenBLAS: cblas_sgemm on the host, with all cores.

use std::ffi::{CStr, c_char, c_int};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use common::element::{Elements, Type};
use common::matrix::Matrix;
use common::timing::{self, Runs};
use common::verify::{CANARY_BYTES, Problem, Right, canary_alive, poisoned};
use dlopen2::raw::Library;

use super::{Measured, NOT_TRANSPOSED, ROW_MAJOR, WARM_UP, function};

/// The variable that overrules OpenBLAS' own detection of the CPU.
const CORE_VARIABLE: &str = "OPENBLAS_CORETYPE";
/// Its value for the kernels that use AVX-512.
const WITH_AVX512: &str = "SKYLAKEX";

/// The C interface: layout, transpositions, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc.
type Sgemm = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    f32,
    *mut f32,
    c_int,
);

/// Checks and times the product.
pub fn measure(
    library: &Library,
    problem: &Problem,
    runs: Runs,
    check: impl Fn(&Matrix, bool) -> Result<Right, String>,
) -> Result<Result<(Measured, Right), String>> {
    let about = About::of(library)?;
    if about.detected_too_little() {
        again_with_avx512();
    }
    // SAFETY: the type is that of cblas_sgemm in cblas.h, with 32-bit integers,
    // and the library is open for as long as this function runs.
    let sgemm: Sgemm = unsafe { function(library, "cblas_sgemm") }?;
    let s = problem.shape;
    let bytes = s.m * s.n * 4;
    let (Elements::Float(a), Elements::Float(b)) = (&problem.a.data, &problem.b.data) else {
        bail!("only floats are compared");
    };
    let Elements::Float(mut c) =
        Elements::from_bytes(Type::Float, &poisoned(bytes, CANARY_BYTES, Type::Float))
    else {
        bail!("asked for floats");
    };
    let [m, n, k] = [s.m, s.n, s.k].map(|side| side as c_int);
    let call = |c: &mut Vec<f32>| {
        // SAFETY: row-major matrices of M x K, K x N and M x N elements, as the
        // sizes and leading dimensions say; C is borrowed mutably.
        unsafe {
            sgemm(
                ROW_MAJOR,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
                m,
                n,
                k,
                1.0,
                a.as_ptr(),
                k,
                b.as_ptr(),
                n,
                0.0,
                c.as_mut_ptr(),
                n,
            )
        }
    };
    let begin = Instant::now();
    call(&mut c);
    let first_seconds = begin.elapsed().as_secs_f64();
    let all = Elements::Float(c.clone());
    let canary = canary_alive(all.as_bytes(), bytes, CANARY_BYTES, Type::Float);
    let result = Matrix {
        rows: s.m,
        cols: s.n,
        data: Elements::from_bytes(Type::Float, &all.as_bytes()[..bytes]),
    };
    let right = match check(&result, canary) {
        Ok(right) => right,
        Err(wrong) => return Ok(Err(wrong)),
    };
    let begin = Instant::now();
    while begin.elapsed() < WARM_UP {
        call(&mut c);
    }
    let timing = timing::measure_call(runs, || {
        call(&mut c);
        Ok(())
    })?;
    let measured = Measured {
        says: about.says(),
        timing,
        first_seconds,
    };
    Ok(Ok((measured, right)))
}

/// What the library says of itself.
struct About {
    config: String,
    core: String,
    threads: c_int,
}

impl About {
    fn of(library: &Library) -> Result<About> {
        type Text = unsafe extern "C" fn() -> *const c_char;
        // SAFETY: the three functions of openblas_config.h; the texts are
        // constants of the library, which is open.
        unsafe {
            let text = |name: &str| -> Result<String> {
                let told: Text = function(library, name)?;
                Ok(CStr::from_ptr(told()).to_string_lossy().into_owned())
            };
            let threads: unsafe extern "C" fn() -> c_int =
                function(library, "openblas_get_num_threads")?;
            Ok(About {
                config: text("openblas_get_config")?,
                core: text("openblas_get_corename")?,
                threads: threads(),
            })
        }
    }

    /// "OpenBLAS 0.3.21, core SkylakeX, 2 threads".
    fn says(&self) -> String {
        let version = self.config.split_whitespace().take(2);
        let version: Vec<&str> = version.collect();
        let by_us = match std::env::var(CORE_VARIABLE) {
            Ok(core) => format!(" ({CORE_VARIABLE}={core})"),
            Err(_) => String::new(),
        };
        format!(
            "{}, core {}{by_us}, {} threads",
            version.join(" "),
            self.core,
            self.threads
        )
    }

    /// A CPU that OpenBLAS does not know gets an old one's kernels: half the
    /// speed where there is AVX-512. The variable may have been set to one, too:
    /// who compares with a library compares with its best.
    fn detected_too_little(&self) -> bool {
        let good = ["skylakex", "cooperlake", "sapphirerapids"];
        let core = self.core.to_lowercase();
        let tried = std::env::var(CORE_VARIABLE).is_ok_and(|core| core == WITH_AVX512);
        has_avx512() && !good.contains(&&*core) && !tried
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    // What OpenBLAS' own SkylakeX kernels need.
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512bw")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

/// This very command again, with the better kernels: OpenBLAS decides when it is
/// loaded. The new process prints the result.
fn again_with_avx512() -> ! {
    let again = std::env::current_exe().and_then(|this| {
        Command::new(this)
            .args(std::env::args_os().skip(1))
            .env(CORE_VARIABLE, WITH_AVX512)
            .status()
    });
    let code = again.ok().and_then(|status| status.code()).unwrap_or(1);
    std::process::exit(code)
}
