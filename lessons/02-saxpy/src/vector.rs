//! At the memory's limit: a second kernel for the same vectors. Its eleven steps are
//! those of `main`, taken by `common`, as in every lesson from here on.

use common::Result;
use common::element::Type;
use common::ndrange::NdRange;
use common::record::{Record, Work};
use common::session::{Arg, Launch};
use common::verify::{self, Right};
use narrate::{Beat, Card, Look};
use opencl3::kernel::Kernel;
use opencl3::memory::Buffer;
use runner::{Lesson, Outcome};

use super::stream;
use super::{GROUP, Saxpy, compare};

/// Its name.
pub const KERNEL: &str = "saxpy_vector";
const SIGNATURE: [&str; 5] = ["int", "float", "float4*", "float4*", "float4*"];
/// Floats of a vector.
const LANES: usize = 4;

/// Verifies, times and prints it, unless `--only` asks for the other.
pub fn measure(lesson: &mut Lesson, saxpy: &Saxpy) -> Result<()> {
    if !lesson.flags.wants(KERNEL) {
        return Ok(());
    }
    let narrator = lesson.narrator.clone();
    // Below the row of saxpy, if that came to its end.
    let above = lesson.report.rows().last();
    if !lesson.flags.wants("saxpy") || above.is_none_or(|row| row.died.is_some()) {
        lesson.table("GB/s")?;
    }
    let says = "four elements for each item, as one float4";
    let record = compare::record(lesson, KERNEL, says, saxpy)?;
    narrator.kernel(|| {
        Ok(Card {
            name: KERNEL.into(),
            kernel: KERNEL.into(),
            says: record.says.clone(),
            source: saxpy.source.clone(),
            defines: Vec::new(),
            facts: vec!["the same bytes, by a quarter of the items".into()],
        })
    })?;
    lesson.once(record.clone(), |lesson| {
        narrator.again(|| {
            let mut record = record.clone();
            run(lesson, saxpy, &mut record)?;
            lesson.row(record)
        })
    })
}

/// Runs it, and notes in the record what came out.
fn run(lesson: &mut Lesson, saxpy: &Saxpy, record: &mut Record) -> Result<()> {
    record.skipped = lesson.left_out(KERNEL)?;
    if record.skipped.is_some() {
        return Ok(());
    }
    let program = lesson.program(&[])?;
    let kernel = program.kernel(KERNEL, &SIGNATURE.map(String::from))?;
    record.build_seconds = program.build_seconds;

    // One item for each whole vector, and one for each float behind them.
    let n = saxpy.a.len();
    let range = NdRange::cover(&[n / LANES + n % LANES], &[GROUP]);
    let range = match lesson.launch_shape(&kernel, range, false, record)? {
        Ok(range) => range,
        Err(reason) => {
            record.skipped = Some(reason);
            return Ok(());
        }
    };

    let [_a, _b, mut c] = arguments(lesson, saxpy, &kernel)?;
    let launch = Launch {
        kernel,
        name: KERNEL.into(),
        range,
    };
    let runs = lesson.runs()?;
    let narrator = lesson.narrator.clone();
    let out = (&mut c, size_of_val(&*saxpy.a), Type::Float);
    let canary = lesson.session()?.canary_bytes();
    let check = |result: &[u8]| {
        narrator.note(|| compare::bound(n));
        right(saxpy, result, canary)
    };
    match lesson.verify_and_time(&[launch], out, runs, check)? {
        Outcome::Wrong(wrong) => record.failed = Some(wrong),
        Outcome::Right(right, timing) => {
            record.right(right);
            let limit = lesson.peak()?.map(|peak| peak.gbytes_per_second);
            if let Some(timing) = timing {
                record.timed(&timing, Work::Bytes(stream::bytes(n)), limit);
            }
        }
    }
    Ok(())
}

/// A, B and room for C on the device, set as the kernel's arguments. A buffer begins at
/// a multiple of 128 bytes or more, as OpenCL demands: a float4 may lie there.
fn arguments(lesson: &mut Lesson, saxpy: &Saxpy, kernel: &Kernel) -> Result<[Buffer<u8>; 3]> {
    let session = lesson.session()?;
    let narrator = &lesson.narrator;
    narrator.beat(Beat::Upload)?;
    let n = saxpy.a.len();
    narrator.name_next("A");
    let a = session.upload(bytemuck::cast_slice(&saxpy.a))?;
    narrator.name_next("B");
    let b = session.upload(bytemuck::cast_slice(&saxpy.b))?;
    narrator.name_next("C");
    let c = session.buffer(size_of_val(&*saxpy.a) + session.canary_bytes())?;
    let look = Look {
        rows: 1,
        cols: n,
        ty: Type::Float,
    };
    for (name, buffer) in [("A", &a), ("B", &b), ("C", &c)] {
        narrator.watch(&session.queue, name, buffer, look);
    }
    narrator.beat(Beat::Arguments)?;
    let sizes = [Arg::Int(n as i32), Arg::Float(saxpy.d)];
    let vectors = [&a, &b, &c].map(Arg::Buffer);
    session.set_args(kernel, KERNEL, &[&sizes[..], &vectors[..]].concat())?;
    Ok([a, b, c])
}

/// Whether this is the vector, and what lies behind it is as it was; if not, what
/// it looks like.
fn right(saxpy: &Saxpy, result: &[u8], canary: usize) -> Result<Right, String> {
    let bytes = size_of_val(&*saxpy.a);
    if !verify::canary_alive(result, bytes, canary, Type::Float) {
        return Err(compare::OVERRUN.into());
    }
    compare::must_be_right(saxpy, &bytemuck::pod_collect_to_vec(&result[..bytes]))?;
    Ok(Right {
        compared: saxpy.a.len(),
        freivalds: false,
    })
}
