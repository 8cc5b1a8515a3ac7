//! Lesson 13: beyond fp32. Operands in 16 bits, one vendor's instructions, matrix units.

use std::path::Path;

use clap::Args;
use common::{Result, device::Kind};
use lesson::{Candidates, Costs, Lesson, lesson_with};
use task::{Arg, Buffer, Fill, Role, Task};
use verify::{Shape, element::Type, formula::Formula, problem::Problem};

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

fn main() -> std::process::ExitCode {
    let files = &["13-half-storage.cl", "13-copies.cl", "13-matrix-units.cl"];
    lesson_with(13, "beyond fp32", files, |lesson, own: &Own| {
        if lesson.flags.ty != Type::Float {
            lesson.say("  Only the copies have other types than float")?;
            let problem = lesson.problem()?;
            return copies(lesson, &problem);
        }
        if own.inputs.is_some() {
            let problem = lesson.problem()?;
            return wgmma(lesson, &problem, own.inputs.as_deref());
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
        wgmma(lesson, &problem, None)
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

/// Prints the table of the kernels with wgmma, which the driver's compiler refuses: their program is
/// built from PTX that was changed. For `inputs`, a type's name, only the fastest.
fn wgmma(lesson: &mut Lesson, problem: &Problem, inputs: Option<&str>) -> Result<()> {
    let mut tasks = lesson.tasks(STEPS, "group", problem)?;
    if let Some(inputs) = inputs {
        retain_fastest(&mut tasks, inputs);
    }
    let mut tasks = choose(lesson, tasks, inputs.is_some())?;
    tasks.retain(|task| task.chosen || inputs.is_none());
    let units = lesson.session()?.device.limits.compute_units;
    tasks.iter_mut().for_each(|task| in_a_line(task, units));
    lesson.rewrite = Some(for_sm_90a);
    let heading = "Matrix units, by wgmma: the program's PTX is changed";
    let measured = lesson.measure_against(heading, tasks, |_| Ok(()));
    lesson.rewrite = None;
    measured
}

/// Without the steps before the fastest kernel for `inputs`: of the same type, they cost the same by
/// what was measured, and would be chosen first.
fn retain_fastest(tasks: &mut Vec<Task>, inputs: &str) {
    tasks.retain(|task| task.variant.starts_with(inputs));
}

/// PTX for a Hopper GPU and no other, with the instructions that stand in comments.
fn for_sm_90a(ptx: &str) -> String {
    ptx.replace(".target sm_90,", ".target sm_90a,")
        .replace(".target sm_90\n", ".target sm_90a\n")
        .replace("//sm_90a ", "")
}

/// Groups in a line, as many as the device has units, or as there are turns; and room for what
/// each tells the copy engine, for shares of sums, and for how many of these came.
fn in_a_line(task: &mut Task, units: usize) {
    let groups = format!("min({units}, SHARES*ceil(M/128)*ceil(N/WN))");
    // Each launch leaves the zeros as it found them.
    let zeros = Role::In(Fill::Each(Formula::default()));
    let beside = [
        ("maps", Type::Uint, "64", Role::Between),
        ("left", Type::Float, "if(SHARES == 1, 1, 128*WN)", Role::Between),
        ("came", Type::Uint, "8", zeros),
    ];
    let own = task.own();
    let launch = &mut task.launches[own];
    launch.over = vec![Formula::from(format!("384*{groups}"))];
    launch.group = vec![384.into()];
    for (name, ty, of_a_group, role) in beside {
        let length = format!("{of_a_group}*{groups}");
        task.buffers.push(Buffer::vector(name, ty, length, role));
        launch.args.push(Arg::Buffer(name.into()));
    }
}

#[cfg(test)]
mod tests {
    use common::device::Limits;
    use task::table::{Table, given};
    use verify::matrix::Fill;

    use super::*;

    /// What is chosen for inputs of a type on an H200, and what it says.
    fn chosen(inputs: &str, [m, n, k]: [usize; 3]) -> String {
        let problem = Problem::new(Shape { m, n, k }, Type::Float, Fill::Random, 1);
        let limits = Limits {
            compute_units: 132,
            nvidia_compute_capability: 9,
            max_work_group_size: 1024,
            ..Limits::default()
        };
        let given = given(&limits, Kind::Gpu, &problem);
        let tasks = Table::read(STEPS).and_then(|all| all.tasks("group", &given, &problem));
        let mut tasks = tasks.expect("a table");
        retain_fastest(&mut tasks, inputs);
        let candidates = Candidates::on(Kind::Gpu, &limits, tasks, "h200.jsonl", true);
        let costs = Costs::read("".as_ref(), candidates.recording);
        let table = candidates.choose(&costs);
        let chosen = table.iter().find(|task| task.chosen).expect("one");
        format!("{}: {}", chosen.variant, chosen.says)
    }

    #[test]
    fn what_is_chosen_fills_the_units() {
        let half = "half: C in whole lines; tiles of 128x";
        for (m, n, k, tile) in [
            (4096, 4096, 4096, "256, SHARES=1"),
            (1112, 1112, 1112, "128, SHARES=1"),
            (128, 4096, 4096, "128, SHARES=4"),
            (2000, 3000, 5000, "256, SHARES=2"),
        ] {
            assert_eq!(chosen("half", [m, n, k]), format!("{half}{tile}"));
        }
        let moved = "half, padded: rows filled up first";
        assert_eq!(chosen("half", [4095; 3]), moved);
        assert!(chosen("tf32", [4096; 3]).starts_with("tf32: "));
    }

    #[test]
    fn the_target_is_changed_and_what_stood_in_comments_is_code() {
        let ptx =
            ".version 9.0\n.target sm_90, texmode_independent\n\t//sm_90a wgmma.fence;\n// x\n";
        let changed = ".version 9.0\n.target sm_90a, texmode_independent\n\twgmma.fence;\n// x\n";
        assert_eq!(for_sm_90a(ptx), changed);
    }
}
