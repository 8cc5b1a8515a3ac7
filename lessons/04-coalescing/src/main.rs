//! Lesson 4: coalescing. Neighbouring work-items should ask for neighbouring
//! addresses.

use std::process::ExitCode;

use common::device::Kind;
use common::{Result, Traffic};
use lesson::{Axes, Copy, Layout, Lesson, Step, lesson};

fn main() -> ExitCode {
    lesson(4, "coalescing", Some("04-coalescing.cl"), |lesson| {
        let problem = lesson.problem()?;
        lesson.measure_all(&steps(), &problem)?;
        lesson.compare_with_host(&problem)?;
        copies(lesson)
    })
}

/// Groups are 32 wide, so that the 32 items that a GPU runs in lockstep differ
/// in id0 alone and one of the two mappings is seen pure.
fn step(kernel: &str, axes: Axes, layout: Layout, says: &str) -> Step {
    // The same number of loads throughout: what differs is who asks for what when.
    let traffic = if kernel.ends_with("sum_in_c") {
        Traffic::global("3*M*N*K", "M*N*(K + 1)")
    } else {
        Traffic::global("2*M*N*K", "M*N")
    };
    Step::new(kernel, says)
        .traffic(traffic)
        .axes(axes)
        .layout(layout)
        .group([32, 8])
}

#[rustfmt::skip]
fn steps() -> [Step; 6] {
    use Axes::{ColumnsFirst, RowsFirst};
    use Layout::{BTransposed, RowMajor};
    [
        step("matmul_id0_rows", RowsFirst, RowMajor,
            "id(0) counts rows: neighbours read A a row apart"),
        step("matmul_id0_rows_bt", RowsFirst, BTransposed,
            "B transposed: for neighbours nothing changes"),
        step("matmul_id0_columns", ColumnsFirst, RowMajor,
            "id(0) counts columns: neighbours read neighbours of B")
            .made_from("matmul_id0_rows"),
        step("matmul_id0_columns_bt", ColumnsFirst, BTransposed,
            "B transposed: neighbours read B a row apart again"),
        step("matmul_id0_rows_sum_in_c", RowsFirst, RowMajor,
            "as published: the sum lives in C")
            .made_from("matmul_id0_rows"),
        step("matmul_id0_rows_bt_sum_in_c", RowsFirst, BTransposed,
            "as published: B transposed, \"coalesced\""),
    ]
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
/// not tell the size of its last cache, so there it is half a gigabyte. A virtual
/// machine tells the cache of a whole socket, of which it has a part, and checking
/// takes seconds for each copy: so a CPU copies 128 MiB at most, which the cache of
/// the largest sockets does hold.
fn copied_elements(lesson: &mut Lesson) -> Result<usize> {
    if lesson.runs()?.is_none() {
        // Several groups of whole warps, the last one not full, also where vectors are copied.
        return Ok(3 << 10);
    }
    let device = &lesson.session()?.device;
    let limits = &device.limits;
    let want = match device.kind {
        Kind::Gpu => 512 << 20,
        _ => (2 * limits.cache_bytes).clamp(32 << 20, 128 << 20),
    };
    let room = limits.max_alloc_bytes.min(limits.global_mem_bytes / 8);
    // A power of two, so that every stride divides it.
    let elements = want.min(room / 2) as usize / 4;
    Ok(1 << elements.ilog2())
}
