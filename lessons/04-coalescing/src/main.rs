//! Lesson 4: coalescing. Neighbouring work-items should ask for neighbouring
//! addresses.

use std::process::ExitCode;

use common::Result;
use common::device::Kind;
use common::shape::Shape;
use lesson::{Copy, Lesson, lesson};

fn main() -> ExitCode {
    lesson(4, "coalescing", &["04-coalescing.cl"], |lesson| {
        // Kernels that read a row apart take seconds at the size of other lessons.
        if lesson.size.is_none() && lesson.session()?.device.kind == Kind::Gpu {
            lesson.size = Some(Shape::cube(1024));
        }
        let problem = lesson.problem()?;
        lesson.measure_table(include_str!("../steps.toml"), "step", &problem)?;
        lesson.compare_with_host(&problem)?;
        copies(lesson)
    })
}

/// The same elements, copied in worse and worse order.
fn copies(lesson: &mut Lesson) -> Result<()> {
    let kernels = ["copy_stride", "copy_stride_vector", "copy_offset"];
    if !kernels.iter().any(|kernel| lesson.flags().wants(kernel)) {
        return Ok(());
    }
    let elements = copied_elements(lesson)?;
    let seed = lesson.flags().seed;
    let copy = |kernel, variant: usize, says, items: Vec<usize>, sizes, from| Copy {
        kernel,
        variant: variant.to_string(),
        says,
        defines: Vec::new(),
        sizes,
        group: [256, 1][..items.len()].to_vec(),
        items,
        fixed: false,
        elements,
        // 64 more than are copied, so that a copy may begin at any offset.
        length: elements + 64,
        seed,
        from,
    };
    lesson.say(format!(
        "\n  Copies of {elements} floats: bandwidth of the bytes that are used"
    ))?;
    let of_floats = "i % columns * stride + floor(i/columns)";
    let of_vectors = "(floor(i/4) % columns * stride + floor(i/4/columns))*4 + i % 4";
    for (kernel, floats, from, strides) in [
        ("copy_stride", 1, of_floats, &[1, 2, 4, 8, 16, 32, 64][..]),
        ("copy_stride_vector", 4, of_vectors, &[1, 2, 4]),
    ] {
        lesson.table("GB/s")?;
        for &stride in strides {
            let columns = elements / floats / stride;
            let says = format!("neighbours read {} bytes apart", 4 * floats * stride);
            let (items, sizes) = (
                vec![columns, stride],
                [("columns", columns), ("stride", stride)],
            );
            lesson.measure_task(&copy(kernel, stride, says, items, sizes, from).task())?;
        }
    }
    lesson.table("GB/s")?;
    for offset in [0, 1, 7, 8, 16, 32] {
        let says = format!("neighbours, beginning {} bytes further on", 4 * offset);
        let sizes = [("columns", elements), ("offset", offset)];
        let items = vec![elements];
        let copied = copy("copy_offset", offset, says, items, sizes, "i + offset");
        lesson.measure_task(&copied.task())?;
    }
    Ok(())
}

/// More than the caches of the device hold, where its memory allows. A GPU does
/// not tell the size of its last cache, so there it is 64 MiB, from where to where
/// together what the largest hold. A virtual machine tells the cache of a whole
/// socket, of which it has a part: so a CPU copies 128 MiB at most, which the cache of the
/// largest sockets does hold.
fn copied_elements(lesson: &mut Lesson) -> Result<usize> {
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
    // A power of two, so that every stride divides it.
    let elements = want.min(room / 2) as usize / 4;
    Ok(1 << elements.ilog2())
}
