//! Arguments as words of eight bytes: none of OpenCL's functions takes anything else.

use std::mem::transmute_copy;
use std::ptr;

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
