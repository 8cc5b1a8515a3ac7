//! The course used as its users use it. One program of tests, so that there is one
//! to link, and all tests share the cores; a file for each idea.
//!
//! ```sh
//! cargo test -p tests                    # all
//! cargo test -p tests step::             # those of step.rs and step/
//! ```

/// A test for each of these: they share the cores, and a failure names its lesson.
macro_rules! each {
    // Each has one of so many days, and runs wherever nothing is left out.
    ($check:ident on a day of $days:literal: $($(#[$long:meta])? $name:ident $argument:literal)*) => {$(
        #[test]
        $(#[$long])?
        fn $name() {
            if tests::has_its_day(stringify!($name), $days) {
                $check($argument);
            }
        }
    )*};
    // In CI alone.
    ($check:ident in CI, $why:literal: $($name:ident $argument:literal)*) => {$(
        #[test]
        #[ignore = $why]
        fn $name() {
            $check($argument);
        }
    )*};
    ($check:ident: $($(#[$long:meta])? $name:ident $argument:literal)*) => {$(
        #[test]
        $(#[$long])?
        fn $name() {
            $check($argument);
        }
    )*};
}

mod ablation;
mod broken;
mod calls;
mod checks;
mod docs;
mod editors;
mod everyday;
mod game;
mod host;
mod house;
mod imports;
mod inspect;
mod kernels;
mod keys;
mod lessons;
mod libraries;
mod new;
mod report;
mod sessions;
mod several;
mod simulator;
mod step;
mod symptoms;
mod trace;
mod traffic;
