//! Arguments as words, and what lies where they point to.
//!
//! All of that is unsafe for the same reason: the address is one that the program passed, or null,
//! and there has to be what OpenCL asks for in that argument.

use std::ffi::{CStr, c_char, c_void};
use std::hash::{DefaultHasher, Hasher};
use std::{mem::transmute_copy, ptr, slice};

use opencl_sys::{CL_SUCCESS, cl_int};
use serde_json::{Value, json};

/// Texts longer than this are cut.
const LETTERS: usize = 300;
/// Of transfers up to this size it is told whether their bytes are the same.
const HASHED: u64 = 64 << 20;

const _: () = assert!(size_of::<usize>() == size_of::<u64>());

/// An argument as a word, and back.
pub trait Word: Copy {
    fn word(self) -> u64;
    /// # Safety
    /// The word was made from a value of this type.
    unsafe fn of(word: u64) -> Self;
}

macro_rules! numbers {
    ($($type:ty)*) => {$(impl Word for $type {
        fn word(self) -> u64 {
            self as u64
        }
        unsafe fn of(word: u64) -> Self {
            word as $type
        }
    })*};
}
numbers!(i32 u32 u64 usize);

impl<T> Word for *mut T {
    fn word(self) -> u64 {
        self.expose_provenance() as u64
    }
    unsafe fn of(word: u64) -> Self {
        ptr::with_exposed_provenance_mut(word as usize)
    }
}

impl<T> Word for *const T {
    fn word(self) -> u64 {
        self.expose_provenance() as u64
    }
    unsafe fn of(word: u64) -> Self {
        ptr::with_exposed_provenance(word as usize)
    }
}

/// A function of the program's that is called back.
impl<F: Copy> Word for Option<F> {
    fn word(self) -> u64 {
        const { assert!(size_of::<Option<F>>() == size_of::<*const ()>()) };
        // SAFETY: a function that may be none is an address, or zero.
        unsafe { transmute_copy::<Self, *const ()>(&self) }.word()
    }
    unsafe fn of(word: u64) -> Self {
        // SAFETY: the word was such a function's.
        unsafe { transmute_copy(&<*const ()>::of(word)) }
    }
}

/// What is there, if anything is.
pub unsafe fn get<T: Copy>(address: u64) -> Option<T> {
    // SAFETY: as the caller's.
    unsafe { <*const T>::of(address).as_ref().copied() }
}

/// Puts an answer there, if the program asked for it.
pub unsafe fn put<T>(address: u64, value: T) {
    // SAFETY: as the caller's.
    if let Some(place) = unsafe { <*mut T>::of(address).as_mut() } {
        *place = value;
    }
}

/// So many values; none where there is no address.
pub unsafe fn values<T>(address: u64, length: u64) -> Option<&'static [T]> {
    // SAFETY: as the caller's; nobody keeps them beyond the call.
    (address != 0).then(|| unsafe { slice::from_raw_parts(Word::of(address), length as usize) })
}

/// A text of C.
pub unsafe fn c_text(address: u64) -> &'static CStr {
    match address {
        0 => c"",
        // SAFETY: as the caller's; nobody keeps it beyond the call.
        address => unsafe { CStr::from_ptr(<*const c_char>::of(address)) },
    }
}

/// A text of C, or its beginning.
pub unsafe fn text(address: u64) -> Value {
    if address == 0 {
        return Value::Null;
    }
    // SAFETY: as the caller's.
    let text = unsafe { c_text(address) }.to_string_lossy();
    json!(text.chars().take(LETTERS).collect::<String>())
}

/// So many sizes, or addresses.
pub unsafe fn list(address: u64, length: u64) -> Value {
    // SAFETY: as the caller's.
    json!(unsafe { values::<u64>(address, length) })
}

/// All pieces of a program, one after the other.
pub unsafe fn source(count: u64, pieces: u64, lengths: u64) -> Vec<u8> {
    // SAFETY: both are lists of `count`, if they are any; a text whose length is not given, or
    // 0, ends with a zero.
    unsafe {
        let lengths = values::<u64>(lengths, count).unwrap_or_default();
        let pieces = values::<u64>(pieces, count).unwrap_or_default().iter();
        let texts = pieces.enumerate().map(|(at, piece)| match lengths.get(at) {
            None | Some(0) => c_text(*piece).to_bytes(),
            Some(length) => values(*piece, *length).unwrap_or_default(),
        });
        texts.collect::<Vec<_>>().concat()
    }
}

/// A number that other bytes there hardly have; none of too many.
pub unsafe fn hash(address: u64, size: u64) -> Option<u64> {
    // SAFETY: as the caller's.
    let bytes = unsafe { values::<u8>(address, size) };
    bytes.filter(|_| size <= HASHED).map(hash_of)
}

/// The same of these bytes.
pub fn hash_of(bytes: &[u8]) -> u64 {
    let mut hash = DefaultHasher::new();
    hash.write(bytes);
    hash.finish()
}

/// What a function of `clGet...Info` answers, in 256 bytes at most.
pub fn ask(call: impl FnOnce(usize, *mut c_void, *mut usize) -> cl_int) -> Option<Vec<u8>> {
    let (mut bytes, mut size) = (vec![0; 256], 0);
    let status = call(bytes.len(), bytes.as_mut_ptr().cast(), &mut size);
    bytes.truncate(size);
    (status == CL_SUCCESS).then_some(bytes)
}

/// An answer that is a text.
pub fn as_text(bytes: Vec<u8>) -> String {
    let text = String::from_utf8_lossy(&bytes);
    text.trim_end_matches('\0').trim().into()
}

/// An answer that is a number.
pub fn as_number(bytes: Vec<u8>) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}
