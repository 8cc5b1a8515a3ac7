//! The process in which a kernel of a name of its own runs: a lesson with this one
//! kernel. The course starts itself again for it, with an environment variable.

use std::process::{Command, ExitCode};

use anyhow::Context;
use common::Result;
use common::error::During;
use lesson::{Lesson, lesson};
use opencl3::kernel::Kernel;

use super::{Launch, other};

/// Set to how the kernel is launched.
const VARIABLE: &str = "OPENCL_COURSE_INSPECT";

/// The course itself, as the process in which a kernel is launched like this.
pub fn command(launch: &Launch) -> anyhow::Result<Command> {
    let this = process::this_program();
    let mut command = this.context("cannot find this program's own path")?;
    command.env(VARIABLE, serde_json::to_string(launch)?);
    Ok(command)
}

/// Runs the kernel of `--only`, if this process was started for that.
pub fn run_if_asked() -> Option<ExitCode> {
    let launch: Launch = serde_json::from_str(&std::env::var(VARIABLE).ok()?).ok()?;
    Some(lesson(0, "an inspection", None, |lesson| {
        let kernel = lesson.flags().only.concat();
        let required = required_group(lesson, &kernel, &launch)?;
        let step = launch.step(&kernel, required);
        if let Some(arguments) = &launch.arguments {
            let task = other::task(lesson, step, arguments, launch.group(required))?;
            lesson.table("GB/s")?;
            return lesson.measure_task(&task);
        }
        let problem = lesson.problem()?;
        lesson.measure(&step, &problem)
    }))
}

/// The group that the kernel's own attribute asks for, as its compiler understood it.
fn required_group(
    lesson: &mut Lesson,
    kernel: &str,
    launch: &Launch,
) -> Result<Option<[usize; 2]>> {
    let program = lesson.program(&launch.define)?;
    let session = lesson.session()?;
    let kernel = Kernel::create(&program.cl, kernel).during(format!("creating kernel {kernel}"))?;
    let group = kernel.get_compile_work_group_size(session.device.cl().id());
    Ok(match group.unwrap_or_default()[..] {
        [x, y, _] if x > 0 => Some([x, y]),
        _ => None,
    })
}
