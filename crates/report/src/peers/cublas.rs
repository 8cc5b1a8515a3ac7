//! cuBLAS on CUDA's runtime, outside of OpenCL. Its matrices are column-major. A row-major
//! C = A B is the column-major C' = B' A', so B goes first.

// The arguments are those of the library.
#![allow(clippy::too_many_arguments)]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use common::device::{self, Device};
use common::element::Elements;
use common::problem::Problem;
use common::shape::Shape;
use dlopen2::wrapper::{Container, WrapperApi};

use super::library::{About, Library, Missing, Opened, Product, Sample};
use super::peer::{Peer, load};

type Pointer = *mut c_void;

/// What is used of cuda_runtime_api.h.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Runtime {
    #[dlopen2_name = "cudaSetDevice"]
    set_device: unsafe extern "C" fn(number: c_int) -> c_int,
    #[dlopen2_name = "cudaMalloc"]
    malloc: unsafe extern "C" fn(address: *mut Pointer, bytes: usize) -> c_int,
    #[dlopen2_name = "cudaFree"]
    free: unsafe extern "C" fn(address: Pointer) -> c_int,
    #[dlopen2_name = "cudaMemcpy"]
    memcpy: unsafe extern "C" fn(
        to: Pointer, from: *const c_void, bytes: usize, kind: c_int,
    ) -> c_int,
    #[dlopen2_name = "cudaEventCreate"]
    event_create: unsafe extern "C" fn(event: *mut Pointer) -> c_int,
    #[dlopen2_name = "cudaEventRecord"]
    event_record: unsafe extern "C" fn(event: Pointer, stream: Pointer) -> c_int,
    #[dlopen2_name = "cudaEventSynchronize"]
    event_synchronize: unsafe extern "C" fn(event: Pointer) -> c_int,
    // CUDA has begun to number it.
    #[dlopen2_name = "cudaEventElapsedTime"]
    elapsed: Option<unsafe extern "C" fn(ms: *mut f32, begin: Pointer, end: Pointer) -> c_int>,
    #[dlopen2_name = "cudaEventElapsedTime_v2"]
    elapsed_2: Option<unsafe extern "C" fn(ms: *mut f32, begin: Pointer, end: Pointer) -> c_int>,
}

/// The files of the runtime; a newer one first.
#[rustfmt::skip]
const RUNTIMES: [&str; 4] =
    ["libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"];

/// What is used of cublas_v2.h.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Cublas {
    #[dlopen2_name = "cublasCreate_v2"]
    create: unsafe extern "C" fn(handle: *mut Pointer) -> c_int,
    #[dlopen2_name = "cublasSetMathMode"]
    set_math_mode: unsafe extern "C" fn(handle: Pointer, mode: c_int) -> c_int,
    #[dlopen2_name = "cublasGetMathMode"]
    math_mode: unsafe extern "C" fn(handle: Pointer, mode: *mut c_int) -> c_int,
    #[dlopen2_name = "cublasGetVersion_v2"]
    version: unsafe extern "C" fn(handle: Pointer, number: *mut c_int) -> c_int,
    #[dlopen2_name = "cublasSgemm_v2"]
    sgemm: unsafe extern "C" fn(
        handle: Pointer, a_transposed: c_int, b_transposed: c_int, m: c_int, n: c_int, k: c_int,
        alpha: *const f32, a: *const c_void, a_column: c_int, b: *const c_void, b_column: c_int,
        beta: *const f32, c: Pointer, c_column: c_int,
    ) -> c_int,
}

/// CUBLAS_OP_N.
const NOT_TRANSPOSED: c_int = 0;
/// The mode in which cuBLAS uses TF32 only where a variable asks for it.
const CUBLAS_DEFAULT_MATH: c_int = 0;
/// Kinds of a copy.
const TO_DEVICE: c_int = 1;
const TO_HOST: c_int = 2;

/// The library, open on a GPU.
struct OnGpu {
    blas: Container<Cublas>,
    runtime: Container<Runtime>,
    handle: Pointer,
    begin: Pointer,
    end: Pointer,
}

/// Opens the library and its runtime on the GPU that has this number in lesson 1's listing.
pub fn open(index: usize) -> Result<Result<Opened, Missing>> {
    let (blas, file) = match Peer::Cublas.load() {
        Ok(opened) => opened,
        Err(missing) => return Ok(Err(missing + OR_FOLDERS)),
    };
    let Some((runtime, _)) = load(&RUNTIMES) else {
        return Ok(Err(Peer::Cublas.missing() + OR_FOLDERS));
    };
    let (device, ordinal) = device_of(index)?;
    let null = ptr::null_mut();
    let mut gpu = OnGpu {
        blas,
        runtime,
        handle: null,
        begin: null,
        end: null,
    };
    // SAFETY: what is written to lives here; the device's number is checked by the call.
    unsafe {
        must_be_zero(gpu.runtime.set_device(ordinal), "cudaSetDevice")?;
        must_be_zero(gpu.blas.create(&mut gpu.handle), "cublasCreate")?;
        for event in [&mut gpu.begin, &mut gpu.end] {
            must_be_zero(gpu.runtime.event_create(event), "cudaEventCreate")?;
        }
    }
    let about = About {
        version: gpu.version().unwrap_or_else(|| file.into()),
        threads: None,
        device: Some(device),
    };
    Ok(Ok((Box::new(gpu), about)))
}

const OR_FOLDERS: &str =
    ", or LD_LIBRARY_PATH=FOLDER:FOLDER with libcublas.so.13 and libcudart.so.13";

/// The device, and its number among those of its platform: CUDA counts these alone.
fn device_of(index: usize) -> Result<(Device, c_int)> {
    let devices = device::list()?;
    let device = devices.iter().find(|device| device.index == index);
    let device = device.with_context(|| format!("there is no device {index}"))?;
    let platform = &device.platform.name;
    let before = devices[..index].iter();
    let ordinal = before.filter(|one| one.platform.name == *platform).count();
    Ok((device.clone(), ordinal as c_int))
}

fn must_be_zero(status: c_int, call: &str) -> Result<()> {
    if status != 0 {
        bail!("{call} ended with status {status}");
    }
    Ok(())
}

impl OnGpu {
    /// "13.0.2, CUBLAS_DEFAULT_MATH: floats, no TF32".
    fn version(&self) -> Option<String> {
        let (mut number, mut mode) = (0, 0);
        // SAFETY: the handle is the library's, and what is written to lives here.
        let status = unsafe {
            self.blas.set_math_mode(self.handle, CUBLAS_DEFAULT_MATH)
                | self.blas.math_mode(self.handle, &mut mode)
                | self.blas.version(self.handle, &mut number)
        };
        let (major, minor, patch) = (number / 10_000, number / 100 % 100, number % 100);
        let is_float = status == 0 && mode == CUBLAS_DEFAULT_MATH;
        let says = "CUBLAS_DEFAULT_MATH: floats, no TF32";
        is_float.then(|| format!("{major}.{minor}.{patch}, {says}"))
    }

    fn upload(&self, bytes: &[u8]) -> Result<Memory<'_>> {
        let mut memory = Memory {
            runtime: &self.runtime,
            address: ptr::null_mut(),
            length: bytes.len(),
        };
        // SAFETY: as many bytes are allocated as are copied.
        unsafe {
            let allocated = self.runtime.malloc(&mut memory.address, bytes.len());
            must_be_zero(allocated, "an allocation")?;
            let from = bytes.as_ptr().cast();
            let copied = self
                .runtime
                .memcpy(memory.address, from, bytes.len(), TO_DEVICE);
            must_be_zero(copied, "a copy to the device")?;
        }
        Ok(memory)
    }
}

/// An allocation on the device.
struct Memory<'a> {
    runtime: &'a Container<Runtime>,
    address: Pointer,
    length: usize,
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: it was allocated so, or is null, and nobody uses it any more.
        unsafe { self.runtime.free(self.address) };
    }
}

impl Library for OnGpu {
    fn product<'a>(&'a self, problem: &'a Problem) -> Result<Box<dyn Product + 'a>> {
        let s = problem.shape;
        // C is poisoned: what is not computed is not a number.
        let c = Elements::from_fn(problem.ty, s.m * s.n, |_| f64::NAN);
        let [a, b, c] = [&problem.a.data, &problem.b.data, &c];
        Ok(Box::new(Multiplied {
            gpu: self,
            shape: s,
            a: self.upload(a.as_bytes())?,
            b: self.upload(b.as_bytes())?,
            c: self.upload(c.as_bytes())?,
            products: 1,
        }))
    }
}

struct Multiplied<'a> {
    gpu: &'a OnGpu,
    shape: Shape,
    a: Memory<'a>,
    b: Memory<'a>,
    c: Memory<'a>,
    /// Between two events.
    products: usize,
}

/// Two events hold the launch of what lies between them, too, unless the device is still
/// at work when it comes. An OpenCL event does not. So short products are timed in a row.
const IN_A_ROW: usize = 20;
/// Seconds that a row shall last.
const ROW: f64 = 1e-3;

impl Multiplied<'_> {
    fn launch(&self) -> Result<()> {
        let Shape { m, n, k } = self.shape;
        let [m, n, k] = [m, n, k].map(|side| side as c_int);
        let (one, zero, plain) = (1.0f32, 0.0f32, NOT_TRANSPOSED);
        let [a, b, c] = [&self.a, &self.b, &self.c].map(|memory| memory.address);
        let OnGpu { blas, handle, .. } = self.gpu;
        // SAFETY: the matrices have these sizes, in column-major order, and both factors
        // are read before the call returns.
        let status = unsafe {
            blas.sgemm(
                *handle, plain, plain, n, m, k, &one, b, n, a, k, &zero, c, n,
            )
        };
        must_be_zero(status, "cublasSgemm")
    }

    /// Launches the products between two events: milliseconds by these.
    fn between_events(&self) -> Result<f32> {
        let OnGpu {
            runtime,
            begin,
            end,
            ..
        } = self.gpu;
        let default_stream = ptr::null_mut();
        let mut milliseconds = 0.0;
        // SAFETY: the events live as long as the library; the time is written to a local.
        unsafe {
            must_be_zero(runtime.event_record(*begin, default_stream), "an event")?;
            for _ in 0..self.products {
                self.launch()?;
            }
            must_be_zero(runtime.event_record(*end, default_stream), "an event")?;
            must_be_zero(runtime.event_synchronize(*end), "the product")?;
            let elapsed = runtime.elapsed(&mut milliseconds, *begin, *end);
            let elapsed = elapsed.or_else(|| runtime.elapsed_2(&mut milliseconds, *begin, *end));
            must_be_zero(elapsed.unwrap_or(-1), "the time between two events")?;
        }
        Ok(milliseconds)
    }
}

impl Product for Multiplied<'_> {
    fn run(&mut self) -> Result<Sample> {
        let start = Instant::now();
        let milliseconds = f64::from(self.between_events()?);
        let products = self.products as f64;
        let wall = start.elapsed().as_secs_f64() / products;
        let seconds = milliseconds * 1e-3 / products;
        self.products = ((ROW / seconds.max(1e-9)) as usize).clamp(1, IN_A_ROW);
        // As of OpenCL's events: nothing takes no time, or longer than the call.
        let credible = seconds > 1e-7 && seconds <= wall * 1.05 + 1e-4;
        Ok(Sample {
            wall,
            device: credible.then_some(seconds),
        })
    }

    fn result(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.c.length];
        let to = bytes.as_mut_ptr().cast();
        // SAFETY: the buffer is as long as C.
        let copied = unsafe {
            self.gpu
                .runtime
                .memcpy(to, self.c.address, bytes.len(), TO_HOST)
        };
        must_be_zero(copied, "a copy from the device")?;
        Ok(bytes)
    }
}
