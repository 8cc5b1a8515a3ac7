//! How a call becomes a line of the file.

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::fs::File;
use std::io::Write;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use opencl_sys::{
    CL_DEVICE_NAME, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
    CL_KERNEL_ARG_NAME, CL_KERNEL_ARG_TYPE_CONST, CL_KERNEL_ARG_TYPE_NAME,
    CL_KERNEL_ARG_TYPE_QUALIFIER, CL_KERNEL_NUM_ARGS, CL_SUCCESS, cl_device_id, cl_int, cl_kernel,
};
use serde_json::{Map, Value, json};

use super::next::next;
use crate::line::{Begin, Call, Device, Line, VARIABLE};

/// Texts longer than this are cut.
const LETTERS: usize = 300;
/// Of transfers up to this size it is told whether their bytes are the same.
const HASHED: usize = 64 << 20;

static FILE: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let path = std::env::var_os(VARIABLE)?;
    let file = File::options().append(true).create(true).open(path);
    file.ok().map(Mutex::new)
});

/// Whether anybody reads what we write.
pub fn is_wanted() -> bool {
    FILE.is_some()
}

/// Writes a line, at once: the program may crash in the next call.
pub fn write(line: &Line) {
    if let (Some(file), Ok(mut text)) = (&*FILE, serde_json::to_string(line)) {
        text.push('\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // The program goes on, whoever reads or does not.
        let _ = file.write_all(text.as_bytes());
    }
}

/// A call that is being made.
pub struct Making {
    call: Call,
    begun: Instant,
}

impl Making {
    /// Notes that it begins.
    pub fn begin(name: &str, args: Map<String, Value>, may_take_long: bool) -> Making {
        static THREADS: AtomicU64 = AtomicU64::new(1);
        thread_local!(static THREAD: u64 = THREADS.fetch_add(1, Ordering::Relaxed));
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let begin = Begin {
            call: name.into(),
            process: std::process::id(),
            thread: THREAD.with(|thread| *thread),
            at: now.unwrap_or_default().as_nanos() as u64,
        };
        if may_take_long {
            write(&Line::Begin(begin.clone()));
        }
        let call = Call {
            begin,
            took: 0,
            status: 0,
            args,
        };
        Making {
            call,
            begun: Instant::now(),
        }
    }

    /// Notes what is known once it has returned.
    pub fn set(&mut self, name: &str, value: Value) {
        self.call.args.insert(name.into(), value);
    }

    /// Stops its clock.
    pub fn returned(&mut self, status: cl_int) {
        self.call.took = self.begun.elapsed().as_nanos() as u64;
        self.call.status = status;
    }

    /// Writes it, and gives it back.
    pub fn write(self) -> Call {
        write(&Line::Call(self.call.clone()));
        self.call
    }
}

/// An argument as JSON: a number as it is, a pointer as its address.
pub trait Told {
    fn told(self) -> Value;
}

macro_rules! told {
    ($($type:ty)*) => {$(impl Told for $type {
        fn told(self) -> Value {
            json!(self)
        }
    })*};
}
told!(i32 u32 u64 usize);

impl<T> Told for *mut T {
    fn told(self) -> Value {
        json!(self.addr())
    }
}

impl<T> Told for *const T {
    fn told(self) -> Value {
        json!(self.addr())
    }
}

impl<F> Told for Option<F> {
    fn told(self) -> Value {
        json!(self.is_some())
    }
}

/// A text of C.
pub unsafe fn text(pointer: *const c_char) -> Value {
    if pointer.is_null() {
        return Value::Null;
    }
    // SAFETY: OpenCL asks for a text that ends with a zero.
    let text = unsafe { CStr::from_ptr(pointer) }.to_string_lossy();
    json!(text.chars().take(LETTERS).collect::<String>())
}

/// So many numbers, or addresses.
pub unsafe fn list<T: Copy + Told>(pointer: *const T, length: u32) -> Value {
    if pointer.is_null() {
        return Value::Null;
    }
    // SAFETY: OpenCL asks for a list of this length, whose elements are aligned.
    let list = unsafe { slice::from_raw_parts(pointer, length as usize) };
    Value::Array(list.iter().map(|one| one.told()).collect())
}

/// The letters of all pieces of a program.
pub unsafe fn letters(count: u32, pieces: *const *const c_char, lengths: *const usize) -> Value {
    let mut sum = 0;
    for piece in 0..if pieces.is_null() { 0 } else { count as usize } {
        // SAFETY: both are lists of `count`, if they are any; a text whose length is not
        // given, or 0, ends with a zero.
        sum += unsafe {
            let length = if lengths.is_null() {
                0
            } else {
                *lengths.add(piece)
            };
            match (length, *pieces.add(piece)) {
                (0, piece) if !piece.is_null() => CStr::from_ptr(piece).count_bytes(),
                (length, _) => length,
            }
        };
    }
    json!(sum)
}

/// The first bytes of an argument, as a number.
pub unsafe fn first_bytes(pointer: *const c_void, size: usize) -> Value {
    if pointer.is_null() || size > 8 {
        return Value::Null;
    }
    let mut bytes = [0; 8];
    // SAFETY: OpenCL asks for `size` bytes, and there is room for eight.
    unsafe { ptr::copy_nonoverlapping(pointer.cast(), bytes.as_mut_ptr(), size) };
    json!(u64::from_le_bytes(bytes))
}

/// A number that other bytes hardly have.
pub unsafe fn hash(pointer: *const c_void, size: usize) -> Value {
    if pointer.is_null() || size > HASHED {
        return Value::Null;
    }
    // SAFETY: the program passes so many bytes to be copied.
    let bytes = unsafe { slice::from_raw_parts(pointer.cast::<u8>(), size) };
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_ne_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    // FNV's multiplier, by words; the rotation brings high bits down.
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(29);
    json!(words.chain(rest).fold(size as u64, mix))
}

/// What a function of `clGet...Info` answers, in so many bytes at most.
fn ask<const BYTES: usize>(
    call: impl FnOnce(usize, *mut c_void, *mut usize) -> cl_int,
) -> Option<Vec<u8>> {
    let (mut bytes, mut size) = (vec![0; BYTES], 0);
    let status = call(BYTES, bytes.as_mut_ptr().cast(), &mut size);
    bytes.truncate(size);
    (status == CL_SUCCESS).then_some(bytes)
}

fn as_text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes)
        .trim_end_matches('\0')
        .trim()
        .into()
}

fn as_number(bytes: Vec<u8>) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Tells these devices' names, once each.
pub unsafe fn introduce(devices: *const cl_device_id, count: u32) -> Value {
    static KNOWN: Mutex<Option<HashSet<usize>>> = Mutex::new(None);
    if devices.is_null() {
        return Value::Null;
    }
    // SAFETY: OpenCL asks for a list of this length.
    for device in unsafe { slice::from_raw_parts(devices, count as usize) } {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = known.get_or_insert_default().insert(device.addr());
        drop(known);
        let Some(info) = next()
            .clGetDeviceInfo
            .filter(|_| is_new && !device.is_null())
        else {
            continue;
        };
        // SAFETY: the driver is given a place of the size that it is told.
        let name = ask::<256>(|room, value, size| unsafe {
            info(*device, CL_DEVICE_NAME, room, value, size)
        });
        let name = as_text(name.unwrap_or_default());
        let (process, device) = (std::process::id(), device.addr() as u64);
        write(&Line::Device(Device {
            process,
            device,
            name,
        }));
    }
    // SAFETY: as above.
    unsafe { list(devices, count) }
}

/// A kernel's parameters, as far as the driver tells them.
pub fn parameters(kernel: cl_kernel) -> Value {
    let (Some(info), Some(of_argument)) = (next().clGetKernelInfo, next().clGetKernelArgInfo)
    else {
        return Value::Null;
    };
    // SAFETY: the driver is given places of the sizes that it is told, and a kernel of its own.
    let count = ask::<8>(|room, value, size| unsafe {
        info(kernel, CL_KERNEL_NUM_ARGS, room, value, size)
    });
    let count = as_number(count.unwrap_or_default()) as u32;
    let all = (0..count).map(|index| {
        let of = |what| {
            // SAFETY: the same.
            ask::<256>(|room, value, size| unsafe {
                of_argument(kernel, index, what, room, value, size)
            })
        };
        let kind = as_number(of(CL_KERNEL_ARG_ADDRESS_QUALIFIER)?);
        let qualifiers = as_number(of(CL_KERNEL_ARG_TYPE_QUALIFIER)?);
        Some(json!({
            "name": as_text(of(CL_KERNEL_ARG_NAME)?),
            "type": as_text(of(CL_KERNEL_ARG_TYPE_NAME)?),
            "const": kind != u64::from(CL_KERNEL_ARG_ADDRESS_GLOBAL)
                || qualifiers & u64::from(CL_KERNEL_ARG_TYPE_CONST) != 0,
        }))
    });
    json!(all.collect::<Option<Vec<_>>>())
}
