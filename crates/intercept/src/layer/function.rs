//! One function of ours for every function of OpenCL: its arguments, and what it gives back, are
//! words of eight bytes, which `making` tells and passes on: no function of OpenCL takes anything
//! else.

use std::mem::transmute_copy;
use std::ptr;

use super::{driver, making};

/// A function of OpenCL.
pub trait Function {
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
