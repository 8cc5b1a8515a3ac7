//! Whether a result is right.

use common::element::Elements;
use common::error::During;
use common::{Error, Result, memory};
use opencl3::command_queue::CommandQueue;
use opencl3::memory::Buffer;
use opencl3::types::{CL_BLOCKING, cl_float};

use super::problem::Saxpy;

/// That what lies behind C has changed.
const OVERRUN: &str = "overrun: the kernel wrote past the end of C";

/// What [`must_be_right`] asks for, in a line.
pub fn bound(n: usize) -> String {
    format!("{n} elements: |c - (d a + b)| <= eps (|d a| + |b|); NaN fails")
}

/// Compares every element with the sum in f64; if one is wrong, says how. Product and
/// sum are rounded once each, or together once: two roundings bound the error. NaN is
/// not right, except behind the vector, where it must have survived.
pub fn must_be_right(saxpy: &Saxpy, result: &[f32]) -> Result<(), String> {
    let d = f64::from(saxpy.d);
    let (result, behind) = result.split_at(saxpy.a.len());
    if behind.iter().any(|x| !x.is_nan()) {
        return Err(OVERRUN.into());
    }
    for (i, &got) in result.iter().enumerate() {
        let (a, b) = (f64::from(saxpy.a[i]), f64::from(saxpy.b[i]));
        let want = d * a + b;
        let bound = f64::from(f32::EPSILON) * ((d * a).abs() + b.abs());
        let right = (f64::from(got) - want).abs() <= bound;
        if !right {
            return Err(format!(
                "C[{i}] must be {want}, the kernel wrote {got} (NaN: it wrote nothing)"
            ));
        }
    }
    Ok(())
}

/// Reads an input back: whatever the result is, a kernel may not write to what it is to
/// read.
pub fn must_be_kept(
    queue: &CommandQueue,
    name: &str,
    buffer: &Buffer<cl_float>,
    held: &[f32],
) -> Result<()> {
    let mut now = vec![0.0f32; held.len()];
    // SAFETY: the call blocks until `now` has been filled.
    unsafe { queue.enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut now, &[]) }
        .during("reading an input")?;
    let [now, held] = [now, held.to_vec()].map(Elements::Float);
    memory::written(name, &now, &held).map_or(Ok(()), |damage| Err(Error::Wrong(damage)))
}
