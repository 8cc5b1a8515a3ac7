//! Lesson 4: coalescing. Neighbouring work-items should ask for neighbouring
//! addresses.

use std::process::ExitCode;

use common::Result;
use common::device::Kind;
use lesson::cli::Flags;
use lesson::{Lesson, lesson};
use verify::element::Type;
use verify::problem::Problem;
use verify::shape::Shape;

const STEPS: &str = include_str!("../steps.toml");

fn main() -> ExitCode {
    lesson(4, "coalescing", &["04-coalescing.cl"], |lesson| {
        // Kernels that read a row apart take seconds at the size of other lessons.
        if lesson.size.is_none() && lesson.session()?.device.kind == Kind::Gpu {
            lesson.size = Some(Shape::cube(1024));
        }
        let problem = lesson.problem()?;
        lesson.measure_table(STEPS, "step", &problem)?;
        lesson.compare_with_host(&problem)?;
        copies(lesson, problem.shape)
    })
}

/// The same elements, copied in worse and worse order.
fn copies(lesson: &mut Lesson, size: Shape) -> Result<()> {
    let kernels = ["copy_stride", "copy_stride_vector", "copy_offset"];
    if !kernels.iter().any(|kernel| lesson.flags().wants(kernel)) {
        return Ok(());
    }
    let n = copied_elements(lesson, size)?;
    lesson.say(format!(
        "\n  Copies of {n} floats: bandwidth of the bytes that are used"
    ))?;
    let Flags { fill, seed, .. } = *lesson.flags();
    let all = Problem::new(Shape { m: 1, n, k: 1 }, Type::Float, fill, seed);
    let mut tables = ["stride", "vector", "offset"].into_iter();
    tables.try_for_each(|table| lesson.measure_table(STEPS, table, &all))
}

/// More than the caches of the device hold, where its memory allows. A GPU does
/// not tell the size of its last cache, so there it is 64 MiB, from where to where
/// together what the largest hold. A virtual machine tells the cache of a whole
/// socket, of which it has a part: so a CPU copies 128 MiB at most, which the cache of the
/// largest sockets does hold. A small product is copied 64 times over at most, and
/// at least 32 MiB: a small size is a short run.
fn copied_elements(lesson: &mut Lesson, size: Shape) -> Result<usize> {
    if lesson.runs()?.is_none() {
        // Several groups of whole warps, the last one not full, also where vectors are copied.
        return Ok(3 << 10);
    }
    let device = &lesson.session()?.device;
    let limits = &device.limits;
    let want = match device.kind {
        Kind::Gpu => 64 << 20,
        _ => (2 * limits.cache_bytes).clamp(32 << 20, 128 << 20),
    };
    let room = limits.max_alloc_bytes.min(limits.global_mem_bytes / 8);
    let asked = (64 * size.m * size.n).max(8 << 20);
    let elements = (want.min(room / 2) as usize / 4).min(asked);
    // A power of two, so that every stride divides it.
    Ok(1 << elements.ilog2())
}
