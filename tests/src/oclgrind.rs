//! Oclgrind, the simulator: it sees every access of a kernel, and says which is
//! a race, out of bounds, or of something that was never written.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::{Outcome, Program, or_note, scratch_folder, workspace};

/// Where Debian's package puts the library that a program loads as OpenCL.
const DEBIAN: &str = "/usr/lib/oclgrind/liboclgrind-rt.so";

/// The kinds of fault, as the broken kernels' headers call them, and the words of
/// the log that stand for them.
pub const FAULTS: [(&str, &str); 4] = [
    ("races", "data race"),
    ("bounds", "Invalid "),
    ("uninitialised", "ninitialized "), // at a sentence's beginning, or inside
    ("other", "without waiting for events"),
];

/// The simulator on this machine.
pub struct Oclgrind(PathBuf);

impl Oclgrind {
    /// Finds it by the variable OCLGRIND_LIBRARY, else where Debian has it; with what `./setup`
    /// builds for it, which writes down accesses.
    pub fn find() -> Option<Oclgrind> {
        let library = env::var_os("OCLGRIND_LIBRARY").unwrap_or_else(|| DEBIAN.into());
        let library = PathBuf::from(library);
        let plugin = workspace().join(".opencl/oclgrind/libtrace.so");
        let is_here = library.is_file() && plugin.is_file();
        or_note(is_here.then_some(Oclgrind(library)), "Oclgrind, or its plugin")
    }

    /// The library that a program loads as OpenCL.
    pub fn library(&self) -> &Path {
        &self.0
    }

    /// Runs a lesson with all checks; `name` is the test's own. Gives the outcome
    /// and what the simulator has to say, which is nothing about a sound kernel.
    pub fn run(&self, name: &str, program: Program) -> (Outcome, String) {
        let log = scratch_folder("oclgrind").join(name).with_extension("log");
        // The log of an earlier test run.
        let _ = fs::remove_file(&log);
        let program = program
            .env("OCLGRIND_DATA_RACES", "1")
            // A race is one also where both items write the same value.
            .env("OCLGRIND_UNIFORM_WRITES", "1")
            .env("OCLGRIND_UNINITIALIZED", "1")
            .env("OCLGRIND_CHECK_API", "1")
            .env("OCLGRIND_LOG", &log);
        let outcome = self.simulates(program).run();
        (outcome, fs::read_to_string(&log).unwrap_or_default())
    }

    /// The same, and the instructions of each launch are counted, and printed in front of
    /// its record. By one thread: each numbers the functions in the order in which its
    /// groups call them, and version 21.10 adds the threads' counts up by number.
    pub fn run_and_count(&self, name: &str, program: Program) -> (Outcome, String) {
        let program = program.env("OCLGRIND_INST_COUNTS", "1").env("OCLGRIND_NUM_THREADS", "1");
        self.run(name, program)
    }

    fn simulates(&self, program: Program) -> Program {
        program
            .env("OPENCL_DYLIB_PATH", &self.0)
            // As written, not as optimised: every access of the source is seen.
            // Besides, Oclgrind 21.10 crashes on some vector code that the
            // optimiser makes (shuffles with undefined lanes).
            .env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable")
    }
}
