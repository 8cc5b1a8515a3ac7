//! cuBLAS on CUDA's runtime, outside of OpenCL. Its matrices are column-major. A row-major
//! C = A B is the column-major C' = B' A', so B goes first.

// Arguments and names are those of the library.
#![allow(clippy::too_many_arguments, clippy::type_complexity, non_snake_case)]

use std::{ffi::c_int, ptr, time::Duration};

use anyhow::{Result, ensure};
use dlopen2::wrapper::{Container, WrapperApi};
use verify::element::{Elements, Type};
use verify::{Shape, problem::Problem};

use super::library::{Library, Multiply, Seconds};

type Pointer = *mut std::ffi::c_void;

/// What is used of cuda_runtime_api.h. CUDA has begun to number what tells a time.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Runtime {
    cudaSetDevice: unsafe extern "C" fn(number: c_int) -> c_int,
    cudaMalloc: unsafe extern "C" fn(address: *mut Pointer, bytes: usize) -> c_int,
    cudaFree: unsafe extern "C" fn(address: Pointer) -> c_int,
    cudaMemcpy: unsafe extern "C" fn(to: Pointer, from: Pointer, n: usize, kind: c_int) -> c_int,
    cudaMemset: unsafe extern "C" fn(address: Pointer, byte: c_int, n: usize) -> c_int,
    cudaDeviceSynchronize: unsafe extern "C" fn() -> c_int,
    cudaEventCreate: unsafe extern "C" fn(event: *mut Pointer) -> c_int,
    cudaEventRecord: unsafe extern "C" fn(event: Pointer, stream: Pointer) -> c_int,
    cudaEventSynchronize: unsafe extern "C" fn(event: Pointer) -> c_int,
    cudaEventElapsedTime: Option<
        unsafe extern "C" fn(ms: *mut f32, begin: Pointer, end: Pointer) -> c_int>,
    cudaEventElapsedTime_v2: Option<
        unsafe extern "C" fn(ms: *mut f32, begin: Pointer, end: Pointer) -> c_int>,
}

/// The files of both; a newer one first.
const RUNTIMES: [&str; 3] = ["libcudart.so.13", "libcudart.so.12", "libcudart.so"];
const LIBRARIES: [&str; 3] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];

/// What is used of cublas_v2.h.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Cublas {
    cublasCreate_v2: unsafe extern "C" fn(handle: *mut Pointer) -> c_int,
    cublasGetVersion_v2: unsafe extern "C" fn(handle: Pointer, number: *mut c_int) -> c_int,
    cublasGemmEx: unsafe extern "C" fn(
        handle: Pointer, a_transposed: c_int, b_transposed: c_int, m: c_int, n: c_int, k: c_int,
        alpha: *const f32, a: Pointer, a_type: c_int, a_column: c_int,
        b: Pointer, b_type: c_int, b_column: c_int,
        beta: *const f32, c: Pointer, c_type: c_int, c_column: c_int,
        compute: c_int, algorithm: c_int,
    ) -> c_int,
}

/// Types of elements: CUDA_R_32F, CUDA_R_16F.
const FLOAT: c_int = 0;
const HALF: c_int = 2;
/// How sums are computed: CUBLAS_COMPUTE_32F, and of floats that are rounded to TF32.
const SUMS_IN_FLOAT: c_int = 68;
const BY_TF32: c_int = 77;
/// CUBLAS_GEMM_DEFAULT: the library chooses its kernel.
const AS_IT_CHOOSES: c_int = -1;

/// CUBLAS_OP_N.
const NOT_TRANSPOSED: c_int = 0;
/// Kinds of a copy.
const TO_DEVICE: c_int = 1;
const TO_HOST: c_int = 2;

/// The library, open on a GPU, and the product that it computes.
pub struct OnGpu {
    blas: Container<Cublas>,
    runtime: Container<Runtime>,
    handle: Pointer,
    /// Type of A and B.
    inputs: Type,
    /// At the beginning and at the end of what is timed.
    events: [Pointer; 2],
    shape: Shape,
    /// A, B and C, column-major; null where there is none.
    matrices: [Pointer; 3],
    /// Between two events: these hold the launch of what lies between them, too.
    products: usize,
}

fn must_be_zero(status: c_int, call: &str) -> Result<()> {
    ensure!(status == 0, "{call} ended with status {status}");
    Ok(())
}

impl OnGpu {
    /// Opens the library and its runtime on the GPU that has this number in lesson 1's listing.
    pub fn open(index: usize, inputs: Type) -> Result<OnGpu> {
        let blas = Library::Cublas.load::<Cublas>(&LIBRARIES)?;
        let runtime = Library::Cublas.load::<Runtime>(&RUNTIMES)?;
        // Its number among those of its platform: CUDA counts these alone. A child lists them:
        // some loaders leave OCL_ICD_FILENAMES cut short in a process that has loaded drivers, and
        // lessons, which inherit it, would find less.
        let devices = watchdog::machine::chosen(None, true)?;
        let find = |one: usize| devices.iter().find(|device| device.index == one);
        let platform = |one: usize| find(one).map(|device| &device.platform);
        let ordinal = (0..index).filter(|&one| platform(one) == platform(index)).count() as c_int;
        let (null, shape) = (ptr::null_mut(), Shape::cube(0));
        let (mut handle, mut events, matrices) = (null, [null; 2], [null; 3]);
        // SAFETY: what is written to lives here; the device's number is checked by the call.
        unsafe {
            must_be_zero(runtime.cudaSetDevice(ordinal), "cudaSetDevice")?;
            must_be_zero(blas.cublasCreate_v2(&mut handle), "cublasCreate")?;
            for event in &mut events {
                must_be_zero(runtime.cudaEventCreate(event), "cudaEventCreate")?;
            }
        }
        Ok(OnGpu { blas, runtime, handle, inputs, events, shape, matrices, products: 1 })
    }

    fn launch(&self) -> Result<()> {
        let [m, n, k] = [self.shape.m, self.shape.n, self.shape.k].map(|side| side as c_int);
        let (one, zero, plain) = (1.0f32, 0.0f32, NOT_TRANSPOSED);
        let (handle, [a, b, c]) = (self.handle, self.matrices);
        let (ty, compute) = match self.inputs {
            Type::Half => (HALF, SUMS_IN_FLOAT),
            Type::Tf32 => (FLOAT, BY_TF32),
            _ => (FLOAT, SUMS_IN_FLOAT),
        };
        // SAFETY: the matrices have these sizes, in column-major order, and both factors
        // are read before the call returns.
        #[rustfmt::skip]
        let status = unsafe {
            self.blas.cublasGemmEx(
                handle, plain, plain, n, m, k, &one, b, ty, n, a, ty, k, &zero, c, FLOAT, n,
                compute, AS_IT_CHOOSES)
        };
        must_be_zero(status, "the product")
    }
}

impl Multiply for OnGpu {
    /// "13.0.2, CUBLAS_DEFAULT_MATH: floats, no TF32", the mode in which a handle is made.
    fn version(&self) -> String {
        let mut number = 0;
        // SAFETY: the handle is the library's, and what is written to lives here.
        unsafe { self.blas.cublasGetVersion_v2(self.handle, &mut number) };
        let (major, minor, patch) = (number / 10_000, number / 100 % 100, number % 100);
        let says = match self.inputs {
            Type::Half => "halves, sums and C in floats",
            Type::Tf32 => "floats by TF32",
            _ => "CUBLAS_DEFAULT_MATH: floats, no TF32",
        };
        format!("{major}.{minor}.{patch}, {says}")
    }

    fn take(&mut self, problem: &Problem) -> Result<()> {
        (self.shape, self.products) = (problem.shape, 1);
        // C is poisoned: what is not computed is not a number.
        let c = Elements::from_fn(problem.ty, self.shape.m * self.shape.n, |_| f64::NAN);
        let data = [&problem.a().data, &problem.b().data, &c];
        for (matrix, data) in self.matrices.iter_mut().zip(data) {
            let bytes = data.as_bytes();
            // SAFETY: what was allocated, or null, is used no more; as many bytes are allocated as
            // are copied, and the source is only read.
            unsafe {
                self.runtime.cudaFree(*matrix);
                let allocated = self.runtime.cudaMalloc(matrix, bytes.len());
                must_be_zero(allocated, "an allocation")?;
                let (to, from) = (*matrix, bytes.as_ptr().cast_mut().cast());
                let copied = self.runtime.cudaMemcpy(to, from, bytes.len(), TO_DEVICE);
                must_be_zero(copied, "a copy to the device")?;
            }
        }
        Ok(())
    }

    fn run(&mut self, _: &Problem) -> Result<Seconds> {
        let (runtime, [begin, end], default_stream) = (&self.runtime, self.events, ptr::null_mut());
        let bytes = self.shape.m * self.shape.n * size_of::<f32>();
        let mut ms = 0f32;
        // SAFETY: C has so many bytes, and all of them set make NaN; the events live as long as the
        // library; the time is written to a local.
        let wall = unsafe {
            // C is poisoned before each run, as a lesson's is: the same pause for both.
            must_be_zero(runtime.cudaMemset(self.matrices[2], 0xff, bytes), "a fill")?;
            must_be_zero(runtime.cudaDeviceSynchronize(), "the fill")?;
            let start = std::time::Instant::now();
            must_be_zero(runtime.cudaEventRecord(begin, default_stream), "an event")?;
            for _ in 0..self.products {
                self.launch()?;
            }
            must_be_zero(runtime.cudaEventRecord(end, default_stream), "an event")?;
            must_be_zero(runtime.cudaEventSynchronize(end), "the product")?;
            let elapsed = runtime.cudaEventElapsedTime(&mut ms, begin, end);
            let elapsed = elapsed.or_else(|| runtime.cudaEventElapsedTime_v2(&mut ms, begin, end));
            must_be_zero(elapsed.unwrap_or(-1), "the time between two events")?;
            start.elapsed().as_secs_f64() / self.products as f64
        };
        let seconds = f64::from(ms) * 1e-3 / self.products as f64;
        self.products = common::timing::in_a_row(Duration::from_secs_f64(seconds.max(0.0)));
        // As of OpenCL's events: nothing takes no time, or longer than the call.
        let credible = seconds > 1e-7 && seconds <= wall * 1.05 + 1e-4;
        Ok((wall, credible.then_some(seconds)))
    }

    fn result(&self) -> Result<Elements> {
        let mut c = vec![0f32; self.shape.m * self.shape.n];
        let (to, bytes) = (c.as_mut_ptr().cast(), size_of_val(&*c));
        // SAFETY: there are as many bytes as of C.
        let copied = unsafe { self.runtime.cudaMemcpy(to, self.matrices[2], bytes, TO_HOST) };
        must_be_zero(copied, "a copy from the device")?;
        Ok(Elements::Float(c))
    }
}
