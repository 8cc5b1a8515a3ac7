//! The layer itself, as cl_layer.h has it: the loader of OpenCL asks for our table of functions,
//! and gives us the one that comes after us. What ours does not tell is that one's.

mod making;
mod memory;
mod profiling;
mod table;

use std::mem::{MaybeUninit, offset_of, size_of};
use std::{collections::HashMap, ffi::c_void, ptr};

use opencl_sys::cl_layer::{CL_LAYER_API_VERSION, CL_LAYER_API_VERSION_100, CL_LAYER_NAME};
use opencl_sys::{CL_INVALID_VALUE, CL_SUCCESS, cl_icd::cl_icd_dispatch, cl_int, cl_uint};

use crate::story::Told;
use memory::Word;
use table::{FILE, LAYER, Layer, driver};

/// A function of OpenCL: its arguments, and what it gives back, are words of eight bytes, which
/// `making` tells and passes on: none takes anything else.
trait Function {
    /// One with the same arguments, that tells its calls and makes them by the function at this
    /// place of the driver's table, which has to be of this type.
    fn told<const PLACE: usize>(self) -> Self;
}

macro_rules! functions {
    () => {};
    ($first:ident $First:ident $($arg:ident $Arg:ident)*) => {
        impl<R: Word, $First: Word, $($Arg: Word),*> Function
            for unsafe extern "C" fn($First, $($Arg),*) -> R
        {
            fn told<const PLACE: usize>(self) -> Self {
                unsafe extern "C" fn told<const PLACE: usize, R: Word, $First: Word, $($Arg: Word),*>(
                    $first: $First, $($arg: $Arg),*
                ) -> R {
                    let make = |words: &[u64]| {
                        let &[$first, $($arg),*] = words else { return 0 };
                        // SAFETY: the table has a function of this type at this place, and the
                        // words are those of the program's arguments, or of ours in their places.
                        unsafe {
                            let next = ptr::from_ref(driver()).byte_add(PLACE);
                            let next = *next.cast::<unsafe extern "C" fn($First, $($Arg),*) -> R>();
                            next($First::of($first), $($Arg::of($arg)),*).word()
                        }
                    };
                    let words = [$first.word(), $($arg.word()),*];
                    // SAFETY: the program's arguments are as OpenCL asks for them, and the
                    // answer is the function's.
                    unsafe { R::of(making::made(PLACE, &words, &make)) }
                }
                told::<PLACE, R, $First, $($Arg),*>
            }
        }
        functions! { $($arg $Arg)* }
    };
}
functions! { a A b B c C d D e E f F g G h H i I j J k K l L m M n N }

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
        CL_LAYER_NAME => c"opencl-course calls".to_bytes_with_nul(),
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
    // The functions of a table may be fewer in an older loader.
    let most = size_of::<cl_icd_dispatch>() / size_of::<*const c_void>();
    let entries = most.min(entries as usize);
    let layer = LAYER.get_or_init(|| {
        let mut driver = MaybeUninit::<cl_icd_dispatch>::zeroed();
        // SAFETY: both tables are rows of functions, of which the shorter number is copied;
        // a function that is all zeros is none.
        let driver = unsafe {
            let from = target.cast::<*const c_void>();
            ptr::copy_nonoverlapping(from, driver.as_mut_ptr().cast(), entries);
            driver.assume_init()
        };
        // Functions of ours stand before those of the calls that are told.
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
    });
    // SAFETY: the two places are the caller's.
    unsafe {
        *entries_ret = entries as cl_uint;
        *ours = &layer.told;
    }
    CL_SUCCESS
}
