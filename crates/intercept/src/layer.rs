//! The layer itself, as cl_layer.h has it: the loader of OpenCL asks for our table of functions,
//! and gives us the one that comes after us. What ours does not tell is that one's.

mod function;
mod making;
mod memory;
mod profiling;

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::fs::File;
use std::io::Write;
use std::mem::{MaybeUninit, offset_of, size_of};
use std::ptr;
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::cl_layer::{CL_LAYER_API_VERSION, CL_LAYER_API_VERSION_100, CL_LAYER_NAME};
use opencl_sys::{CL_INVALID_VALUE, CL_SUCCESS, cl_int, cl_uint};

use crate::line::{Line, VARIABLE};
use crate::story::Told;
use function::Function;

const NAME: &CStr = c"opencl-course calls";
/// The functions of a table, which may be fewer in an older loader.
const ENTRIES: usize = size_of::<cl_icd_dispatch>() / size_of::<*const c_void>();

/// What this process was given, and gave.
struct Layer {
    /// What comes after us.
    driver: cl_icd_dispatch,
    /// What the loader is given.
    told: cl_icd_dispatch,
    /// The calls that are told, by their places in the tables.
    calls: HashMap<usize, &'static Told>,
}

/// That of this process.
static LAYER: OnceLock<Layer> = OnceLock::new();

/// Only what the loader calls by our table asks for it.
fn layer() -> &'static Layer {
    LAYER.get().expect("the layer was initialised")
}

/// What comes after us.
fn driver() -> &'static cl_icd_dispatch {
    &layer().driver
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

static FILE: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let path = std::env::var_os(VARIABLE)?;
    let file = File::options().append(true).create(true).open(path);
    file.ok().map(Mutex::new)
});

/// Writes a line, at once: the program may crash in the next call.
fn write(line: &Line) {
    if let (Some(file), Ok(mut text)) = (&*FILE, serde_json::to_string(line)) {
        text.push('\n');
        // The program goes on, whoever reads or does not.
        let _ = lock(file).write_all(text.as_bytes());
    }
}

/// Puts functions of ours before those of the calls that are told.
fn layer_before(driver: cl_icd_dispatch) -> Layer {
    let mut layer = Layer { driver, told: driver, calls: HashMap::new() };
    macro_rules! calls {
        ($($name:ident $args:literal $says:literal)*) => {{$(
            if let (Some(function), Some(call)) = (driver.$name, Told::of(stringify!($name))) {
                const PLACE: usize = offset_of!(cl_icd_dispatch, $name);
                layer.told.$name = Some(function.told::<PLACE>());
                layer.calls.insert(PLACE, call);
            }
        )*}};
    }
    include!("calls.in");
    layer
}

/// What the loader asks of a layer.
///
/// # Safety
/// As in cl_layer.h: `value` has room for `room` bytes or is null, `size` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetLayerInfo(
    name: cl_uint,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> cl_int {
    let version = CL_LAYER_API_VERSION_100.to_ne_bytes();
    let answer = match name {
        CL_LAYER_API_VERSION => &version[..],
        CL_LAYER_NAME => NAME.to_bytes_with_nul(),
        _ => return CL_INVALID_VALUE,
    };
    if !value.is_null() && room < answer.len() {
        return CL_INVALID_VALUE;
    }
    // SAFETY: both places are the caller's, and large enough.
    unsafe {
        if !value.is_null() {
            ptr::copy_nonoverlapping(answer.as_ptr(), value.cast(), answer.len());
        }
        if !size.is_null() {
            *size = answer.len();
        }
    }
    CL_SUCCESS
}

/// The loader's begin: it gives the next table, and is given ours.
///
/// # Safety
/// As in cl_layer.h: `target` is a table of so many entries that lives for ever; the two other
/// pointers are places for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clInitLayer(
    entries: cl_uint,
    target: *const cl_icd_dispatch,
    entries_ret: *mut cl_uint,
    ours: *mut *const cl_icd_dispatch,
) -> cl_int {
    if target.is_null() || entries_ret.is_null() || ours.is_null() || FILE.is_none() {
        return CL_INVALID_VALUE;
    }
    let entries = ENTRIES.min(entries as usize);
    let layer = LAYER.get_or_init(|| {
        let mut driver = MaybeUninit::<cl_icd_dispatch>::zeroed();
        // SAFETY: both tables are rows of functions, of which the shorter number is copied;
        // a function that is all zeros is none.
        layer_before(unsafe {
            let from = target.cast::<*const c_void>();
            ptr::copy_nonoverlapping(from, driver.as_mut_ptr().cast(), entries);
            driver.assume_init()
        })
    });
    // SAFETY: the two places are the caller's.
    unsafe {
        *entries_ret = entries as cl_uint;
        *ours = &layer.told;
    }
    CL_SUCCESS
}
