//! The libraries of a GPU's vendor, outside of OpenCL: cuBLAS on CUDA's runtime, rocBLAS on
//! HIP's. The two have the same functions by other names, so one file is enough. What is
//! for HIP is written from AMD's documentation and untried.
//!
//! Both have column-major matrices. A row-major C = A B is the column-major C' = B' A', so
//! B goes first.

mod product;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use anyhow::{Result, bail};
use common::device::{self, Device};
use dlopen2::raw::Library as Raw;

use super::library::{About, Missing, Opened};
use super::peer::Peer;

/// A vendor's names.
pub struct Vendor {
    /// Begins each function of the runtime, which manages memory and events.
    prefix: &'static str,
    /// The runtime's library; a newer one first.
    runtimes: &'static [&'static str],
    create: &'static str,
    sgemm: &'static str,
    /// What says that a matrix is not transposed.
    not_transposed: c_int,
}

/// cuda_runtime_api.h and cublas_v2.h.
pub const CUDA: Vendor = Vendor {
    prefix: "cuda",
    runtimes: &[
        "libcudart.so.13",
        "libcudart.so.12",
        "libcudart.so.11.0",
        "libcudart.so",
    ],
    create: "cublasCreate_v2",
    sgemm: "cublasSgemm_v2",
    not_transposed: 0,
};

/// hip_runtime_api.h and rocblas.h.
pub const HIP: Vendor = Vendor {
    prefix: "hip",
    runtimes: &[
        "libamdhip64.so.7",
        "libamdhip64.so.6",
        "libamdhip64.so.5",
        "libamdhip64.so",
    ],
    create: "rocblas_create_handle",
    sgemm: "rocblas_sgemm",
    not_transposed: 111,
};

type Pointer = *mut c_void;
type Sgemm = unsafe extern "C" fn(
    handle: Pointer,
    a_transposed: c_int,
    b_transposed: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const f32,
    a: *const c_void,
    a_column: c_int,
    b: *const c_void,
    b_column: c_int,
    beta: *const f32,
    c: Pointer,
    c_column: c_int,
) -> c_int;

/// What is used of the runtime and of the library.
struct Functions {
    set_device: unsafe extern "C" fn(c_int) -> c_int,
    malloc: unsafe extern "C" fn(*mut Pointer, usize) -> c_int,
    free: unsafe extern "C" fn(Pointer) -> c_int,
    memcpy: unsafe extern "C" fn(Pointer, *const c_void, usize, c_int) -> c_int,
    event_create: unsafe extern "C" fn(*mut Pointer) -> c_int,
    event_record: unsafe extern "C" fn(Pointer, Pointer) -> c_int,
    event_synchronize: unsafe extern "C" fn(Pointer) -> c_int,
    event_elapsed: unsafe extern "C" fn(*mut f32, Pointer, Pointer) -> c_int,
    create: unsafe extern "C" fn(*mut Pointer) -> c_int,
    sgemm: Sgemm,
}

impl Functions {
    fn of(vendor: &Vendor, runtime: &Raw, blas: &Raw) -> Result<Functions, dlopen2::Error> {
        let prefix = vendor.prefix;
        let named = |name: &str| format!("{prefix}{name}");
        // SAFETY: the types are those of the headers, and both libraries stay open as long
        // as the functions are called.
        unsafe {
            let elapsed = named("EventElapsedTime");
            Ok(Functions {
                set_device: runtime.symbol(&named("SetDevice"))?,
                malloc: runtime.symbol(&named("Malloc"))?,
                free: runtime.symbol(&named("Free"))?,
                memcpy: runtime.symbol(&named("Memcpy"))?,
                event_create: runtime.symbol(&named("EventCreate"))?,
                event_record: runtime.symbol(&named("EventRecord"))?,
                event_synchronize: runtime.symbol(&named("EventSynchronize"))?,
                // CUDA has begun to number it.
                event_elapsed: (runtime.symbol(&elapsed))
                    .or_else(|_| runtime.symbol(&format!("{elapsed}_v2")))?,
                create: blas.symbol(vendor.create)?,
                sgemm: blas.symbol(vendor.sgemm)?,
            })
        }
    }
}

/// A library that is open on a GPU.
struct OnGpu {
    call: Functions,
    not_transposed: c_int,
    handle: Pointer,
    begin: Pointer,
    end: Pointer,
    // Last, so that they are closed last.
    _libraries: [Raw; 2],
}

/// Opens the library and its runtime on the GPU that has this number in lesson 1's listing.
pub fn open(peer: Peer, vendor: &Vendor, index: usize) -> Result<Result<Opened, Missing>> {
    let first = |names: &[&'static str]| {
        let opened = |name: &&'static str| Some((Raw::open(name).ok()?, *name));
        names.iter().find_map(opened)
    };
    let (Some((blas, file)), Some((runtime, _))) =
        (first(peer.libraries()), first(vendor.runtimes))
    else {
        let (blas, runtime) = (peer.libraries()[0], vendor.runtimes[0]);
        let folders = "or LD_LIBRARY_PATH=FOLDER:FOLDER with";
        return Ok(Err(format!(
            "{}, {folders} {blas} and {runtime}",
            peer.missing()
        )));
    };
    let call = Functions::of(vendor, &runtime, &blas)?;
    let (device, ordinal) = device_of(index)?;
    let name = vendor.prefix;
    let mut handle = ptr::null_mut();
    let (mut begin, mut end) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: what is written to lives here; the device's number is checked by the call.
    unsafe {
        must_be_zero((call.set_device)(ordinal), &format!("{name}SetDevice"))?;
        must_be_zero((call.create)(&mut handle), vendor.create)?;
        for event in [&mut begin, &mut end] {
            must_be_zero((call.event_create)(event), &format!("{name}EventCreate"))?;
        }
    }
    let version = version(peer, &blas, handle).unwrap_or_else(|| file.into());
    let about = About {
        version,
        threads: None,
        device: Some(device),
    };
    let library = OnGpu {
        call,
        not_transposed: vendor.not_transposed,
        handle,
        begin,
        end,
        _libraries: [runtime, blas],
    };
    Ok(Ok((Box::new(library), about)))
}

/// The device, and its number among those of its platform: the vendor's runtime
/// counts these alone.
fn device_of(index: usize) -> Result<(Device, c_int)> {
    let devices = device::list()?;
    let Some(device) = devices.iter().find(|device| device.index == index) else {
        bail!("there is no device {index}");
    };
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

/// "13.0.2, CUBLAS_DEFAULT_MATH, no TF32"; rocBLAS tells a text.
fn version(peer: Peer, blas: &Raw, handle: Pointer) -> Option<String> {
    type Number = unsafe extern "C" fn(Pointer, *mut c_int) -> c_int;
    type Text = unsafe extern "C" fn(*mut c_char, usize) -> c_int;
    if peer == Peer::Cublas {
        let (mut number, mut mode) = (0, 0);
        // SAFETY: the types are those of cublas_v2.h, and the handle is the library's.
        let status = unsafe {
            let set: unsafe extern "C" fn(Pointer, c_int) -> c_int =
                blas.symbol("cublasSetMathMode").ok()?;
            let math_mode: Number = blas.symbol("cublasGetMathMode").ok()?;
            let version: Number = blas.symbol("cublasGetVersion_v2").ok()?;
            set(handle, CUBLAS_DEFAULT_MATH)
                | math_mode(handle, &mut mode)
                | version(handle, &mut number)
        };
        let (major, minor, patch) = (number / 10_000, number / 100 % 100, number % 100);
        let is_float = status == 0 && mode == CUBLAS_DEFAULT_MATH;
        let says = "CUBLAS_DEFAULT_MATH: floats, no TF32";
        return is_float.then(|| format!("{major}.{minor}.{patch}, {says}"));
    }
    let mut text = [0u8; 128];
    // SAFETY: the buffer is as long as is said; it ends with a zero, as it was filled so.
    unsafe {
        let version: Text = blas.symbol("rocblas_get_version_string").ok()?;
        (version(text.as_mut_ptr().cast(), text.len() - 1) == 0).then(|| {
            CStr::from_ptr(text.as_ptr().cast())
                .to_string_lossy()
                .into_owned()
        })
    }
}

/// The mode in which cuBLAS uses TF32 only where a variable asks for it.
const CUBLAS_DEFAULT_MATH: c_int = 0;
