//! One function of ours for every function of OpenCL: its arguments, and what it gives back, are
//! words of eight bytes, which `making` tells and passes on: no function of OpenCL takes anything
//! else.

use std::ptr;

use super::making;
use super::memory::Word;
use super::table::driver;

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
