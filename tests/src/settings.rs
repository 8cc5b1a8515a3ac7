//! What is set around a command: nothing of the person who runs the tests, and what spares
//! work that the test does not look at.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use crate::files::search_path;
use crate::{Program, lesson_without_device, scratch_folder, workspace};

/// What a loop of `--watch` gives to all runs but the first: the device's limits.
const LIMITS_VARIABLE: &str = "OPENCL_COURSE_LIMITS";

/// As good as any where nobody looks at them. To measure them takes most of the time of a
/// lesson on small matrices.
const LIMITS: &str = r#"{"gflops":100.0,"gbytes_per_second":10.0}"#;

/// What PoCL adds to each build's options.
const POCL_FLAGS_VARIABLE: &str = "POCL_EXTRA_BUILD_FLAGS";

/// Builds in a third of the time, half of which tests spend there on a machine whose PoCL
/// has built nothing yet. A right kernel is right either way, and `.ci/run` looks at both.
const UNOPTIMISED: &str = "-cl-opt-disable";

/// Where a loader looks for drivers.
const DRIVERS_VARIABLE: &str = "OCL_ICD_VENDORS";

/// Where it looks if nobody says anything.
const DRIVERS: &str = "/etc/OpenCL/vendors";

/// PoCL alone, which chooses the same device on a machine without a GPU: the other drivers
/// take a third of a short lesson's time to load.
const POCL: &str = "/etc/OpenCL/vendors/pocl.icd";

/// What the person who runs the tests has set must not change what they see.
pub fn clean(command: &mut Command) -> &mut Command {
    crate::seconds::count();
    let settings = env::vars_os().map(|(name, _)| name);
    let of_the_course =
        settings.filter(|name| name.to_string_lossy().starts_with("OPENCL_COURSE_"));
    for name in of_the_course.collect::<Vec<_>>() {
        command.env_remove(name);
    }
    for name in ["CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR"] {
        command.env_remove(name);
    }
    command
        .env("PATH", search_path())
        // What tests find must not be taken for what their user found.
        .env("OPENCL_COURSE_CACHE", scratch_folder("cache"))
        .env(LIMITS_VARIABLE, LIMITS)
        .env(POCL_FLAGS_VARIABLE, UNOPTIMISED)
        // Nobody reads a pager's pages, and marks are looked for as they are.
        .env("PAGER", "cat")
        .env("LC_ALL", "C.UTF-8")
}

/// Where the system's driver is that has the device that lessons choose: the file of PoCL's,
/// or else the folder of all. `None` where they have no device, and where nothing is saved by
/// naming them: without a driver of the workspace's own no other process looks for one first.
fn drivers() -> Option<&'static str> {
    static FOUND: LazyLock<Option<&str>> = LazyLock::new(|| {
        let chosen = [DRIVERS_VARIABLE, "OPENCL_DYLIB_PATH"];
        let is_chosen = chosen.iter().any(|name| env::var_os(name).is_some());
        if is_chosen || !workspace().join(".opencl").is_dir() || !Path::new(DRIVERS).is_dir() {
            return None;
        }
        let chosen_by = |drivers: &str| {
            let listing = lesson_without_device(1).args("--json");
            let listing = listing.env(DRIVERS_VARIABLE, drivers).run();
            let mut listed = listing.records().into_iter();
            listed.find(|listed| listed["chosen"] == true)
        };
        let of_all = chosen_by(DRIVERS)?;
        let is_the_same = Path::new(POCL).exists() && chosen_by(POCL) == Some(of_all);
        Some(if is_the_same { POCL } else { DRIVERS })
    });
    *FOUND
}

impl Program {
    /// Names the system's driver that it would choose anyhow: so it need not ask another
    /// process first whether there is a device, nor load the others.
    pub fn on_the_chosen_driver(self) -> Program {
        match drivers() {
            Some(drivers) => self.env(DRIVERS_VARIABLE, drivers),
            None => self,
        }
    }

    /// Measures the device's limits by itself, as for a learner: for tests that look at
    /// them, or at how they are told.
    pub fn with_limits_of_its_own(mut self) -> Program {
        self.command.env_remove(LIMITS_VARIABLE);
        self
    }

    /// Has PoCL and Oclgrind run on one core: for kernels without an end, which would keep all
    /// cores from other tests until somebody ends them.
    pub fn on_one_core(self) -> Program {
        let program = self.env("POCL_MAX_PTHREAD_COUNT", "1");
        program.env("OCLGRIND_NUM_THREADS", "1")
    }

    /// Has PoCL optimise kernels as it does for a learner: where that is looked at, where a
    /// kernel is proven, and where it has so much to do that building it pays.
    pub fn optimised(mut self) -> Program {
        self.command.env_remove(POCL_FLAGS_VARIABLE);
        self
    }
}
