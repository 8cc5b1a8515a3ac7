//! Lesson 13: beyond fp32. Operands in 16 bits, one vendor's instructions, matrix units.

mod matrix_units;

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use common::Result;
use common::device::Kind;
use lesson::{Candidates, Costs, Lesson, lesson_with};
use task::Task;
use verify::element::Type;
use verify::problem::Problem;
use verify::shape::Shape;

const STEPS: &str = include_str!("../steps.toml");
/// The longest row of B: a matrix of as many rows has 2^28 elements.
const LONGEST: usize = 16384;

/// The flag of this lesson alone.
#[derive(Args)]
struct Own {
    /// Run only the fastest kernel for inputs of this type: for `cargo xtask libraries`
    #[arg(long, hide = true, value_parser = ["half", "tf32"])]
    inputs: Option<String>,
}

fn main() -> ExitCode {
    let files = &["13-half-storage.cl", "13-copies.cl", "13-matrix-units.cl"];
    lesson_with(13, "beyond fp32", files, |lesson, own: &Own| {
        if lesson.flags.ty != Type::Float {
            lesson.say("  Only the copies have other types than float")?;
            let problem = lesson.problem()?;
            return copies(lesson, &problem);
        }
        if own.inputs.is_some() {
            let problem = lesson.problem()?;
            return matrix_units::show(lesson, &problem, own.inputs.as_deref());
        }
        one_row(lesson)?;
        let problem = lesson.problem()?;
        let below = |lesson: &mut Lesson, heading: &str, table: &str| {
            lesson.measure_below(heading, STEPS, table, &problem)
        };
        below(lesson, "A product is bound by arithmetic", "product")?;
        below(lesson, "Ones, added in floats and in halves", "halves")?;
        below(lesson, "Sub-groups", "sub-group")?;
        copies(lesson, &problem)?;
        let capability = lesson.session()?.device.limits.nvidia_compute_capability;
        if capability < 8 {
            return lesson.say(
                "\n  Matrix units: none that this lesson can ask for. mma.sync needs an NVIDIA GPU of\n  \
                 compute capability 8.0 or more, wgmma one of 9.0",
            );
        }
        below(lesson, "Matrix units, by mma.sync", "unit")?;
        if capability < 9 {
            return lesson.say("\n  wgmma: this GPU has none; compute capability 9.0 has");
        }
        matrix_units::show(lesson, &problem, None)
    })
}

/// Copies that pass no register: OpenCL's by the group, and two that one vendor has.
fn copies(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let tasks = lesson.tasks(include_str!("../copies.toml"), "step", problem)?;
    let tasks = choose(lesson, tasks, false)?;
    lesson.measure_against("Copies that pass no register", tasks, |_| Ok(()))
}

/// The table: of launches of one name the one that is reckoned to take the least on this device.
/// Where one `alone` is wanted, the best of these is marked.
fn choose(lesson: &mut Lesson, tasks: Vec<Task>, alone: bool) -> Result<Vec<Task>> {
    let device = &lesson.session()?.device;
    let candidates = Candidates::on(device.kind, &device.limits, tasks, "h200.jsonl", alone);
    let costs = Costs::read(Path::new(""), candidates.recording);
    Ok(candidates.choose(&costs))
}

/// The first table: a row times a matrix, which is too large for the caches of most devices.
fn one_row(lesson: &mut Lesson) -> Result<()> {
    let (asked, shape) = (lesson.size, lesson.shape()?);
    let is_gpu = lesson.session()?.device.kind == Kind::Gpu;
    let n = (if is_gpu { 8 } else { 4 } * shape.n).min(LONGEST.max(shape.n));
    lesson.size = Some(Shape { m: 1, n, k: n });
    let problem = lesson.problem()?;
    let heading = "A row times a matrix is bound by memory";
    lesson.measure_below(heading, STEPS, "row", &problem)?;
    lesson.size = asked;
    Ok(())
}
