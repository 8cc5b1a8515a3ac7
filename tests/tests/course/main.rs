//! The course used as its users use it. One program of tests, so that there is one
//! to link, and all tests share the cores; a file for each idea.
//!
//! ```sh
//! cargo test -p tests                    # all
//! cargo test -p tests step::             # those of step.rs and step/
//! ```

/// A test for each of these: they share the cores, and a failure names its lesson.
macro_rules! each {
    ($check:ident: $($(#[$long:meta])? $name:ident $argument:literal)*) => {$(
        #[test]
        $(#[$long])?
        fn $name() {
            $check($argument);
        }
    )*};
}

mod ablation;
mod asm;
mod autotuning;
mod bad_input;
mod bad_kernels;
mod broken;
mod cache;
mod calls;
mod checks;
mod choice;
mod deaths;
mod diff;
mod docs;
mod doctor;
mod everyday;
mod exits;
mod explain;
mod flags;
mod game;
mod house;
mod implementations;
mod imports;
mod inspect;
mod kernels;
mod lessons;
mod mutation;
mod new;
mod no_device;
mod occupancy;
mod oclcc;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(target_os = "linux")]
mod outside;
mod packages;
mod panics;
mod peers;
mod report;
#[cfg(target_os = "linux")]
mod setting_up;
mod simulator;
mod step;
mod symptoms;
mod terminal;
mod timing;
mod too_large;
mod trace;
mod traffic;
mod watch;
mod watched;
