//! Lesson 7: vector types. One value with several lanes, for devices that have
//! wide registers, and for wide loads.

use std::process::ExitCode;

use common::{Result, Traffic};
use lesson::{Axes, Lesson, Step, lesson};

fn main() -> ExitCode {
    lesson(7, "vectorization", Some("07-vectorization.cl"), |lesson| {
        let problem = lesson.problem()?;
        widths(lesson)?;
        lesson.measure_all(&lanes_are_columns(), &problem)?;
        lesson.compare_with_host(&problem)?;
        let dots = lanes_are_terms();
        if !dots.iter().any(|step| lesson.flags().wants_step(step)) {
            return Ok(());
        }
        lesson.say("\n  The other way to use lanes: terms of one sum, added up by dot()")?;
        lesson.measure_all(&dots, &problem)
    })
}

/// Each lane computes an element of C: first from global memory, then from a tile.
fn lanes_are_columns() -> Vec<Step> {
    let vload = |width: usize| {
        Step::new("matmul_vload", "neighbouring columns in the lanes")
            .variant(format!("{width}"))
            .per_item([width, 1])
            .define("WIDTH", width)
            // Whole vectors share an element of A; the last columns do not.
            .traffic(Traffic::global(
                "M*K*(N + floor(N/WIDTH) + N - WIDTH*floor(N/WIDTH))",
                "M*N",
            ))
    };
    let tiled = |side: usize| {
        Step::new(
            "matmul_tiled_vector",
            "lesson 6's tile, four elements a load",
        )
        .variant(format!("{side}x{side}"))
        .exact_group([side / 4, side])
        .per_item([4, 1])
        .pad(side, side, side)
        .define("TS", side)
        .traffic(Traffic::global("2*M*N*K/TS", "M*N").local("M*N*K + M*N*K/4", "2*M*N*K/TS"))
    };
    let [small, middle, large] = [8, 16, 32].map(tiled);
    let mut steps = [4, 8, 16].map(vload).to_vec();
    steps.extend([small.made_from("matmul_vload 4"), middle, large]);
    steps
}

const NO_DOT: &str = "OpenCL's dot() exists for floating types only";

/// Elements of a row of A, and of a column of B, that are kept at a time, as in
/// the kernel file.
const PIECE: usize = 1024;

/// A row of C per item, in vectors of `W`; zeros fill the last vector of a row.
fn row_step(kernel: &str, width: usize, says: &str) -> Step {
    Step::new(kernel, says)
        .axes(Axes::Rows)
        .group([64, 1])
        .constant("PIECE", PIECE)
        .constant("W", width)
        .traffic(
            Traffic::global(
                "M*K + ceil(M/G)*K*N + M*N*(ceil(K/PIECE) - 1)",
                "M*N*ceil(K/PIECE)",
            )
            .local("M*N*W*ceil(K/W)", "ceil(M/G)*N*W*ceil(K/W)"),
        )
}

fn lanes_are_terms() -> [Step; 3] {
    [
        row_step(
            "matmul_dot4_from_scalars",
            4,
            "dot() of float4 put together from scalars",
        )
        .no_integers(NO_DOT),
        row_step("matmul_dot4", 4, "the private row is an array of float4").no_integers(NO_DOT),
        row_step("matmul_dot8", 8, "float8, with a dot product of our own"),
    ]
}

/// What the driver says about vectors, to hold against the table.
fn widths(lesson: &mut Lesson) -> Result<()> {
    let limits = &lesson.session()?.device.limits;
    lesson.say(format!(
        "  vectors  preferred width {} floats, native width {} (1 means: write scalars)",
        limits.preferred_float_width, limits.native_float_width
    ))
}
