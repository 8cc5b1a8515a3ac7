//! How long the vectors are, and whether the device has room for them.

use common::device::{Device, Kind};
use common::element::Type;
use common::memory::GUARD;
use common::shape::Shape;
use common::{Error, Result, host};
use lesson::Lesson;

/// Floats of a vector, unless the learner says otherwise: beyond most caches, and a
/// fifth of a gigabyte for three of them.
const SHORTEST: usize = 1 << 24;
/// The same at most, where there is plenty of memory.
const LONGEST: usize = 1 << 26;

/// As the learner says, or as suits the device.
pub fn length(lesson: &mut Lesson) -> Result<usize> {
    let session = lesson.session()?;
    let device = &session.device;
    let refused = |why: String| Err(Error::Usage(why));
    if lesson.flags().ty != Type::Float {
        let why = "this lesson computes with floats; --type belongs to the matrix lessons";
        return refused(why.into());
    }
    let n = match lesson.size {
        Some(s) if s != Shape::cube(s.m) => {
            let why = format!("this lesson works on vectors: --size takes one number, not {s}");
            return refused(why);
        }
        Some(s) => s.m,
        // It walks through every item.
        None if device.is_simulator() => 1000,
        None if device.kind == Kind::Gpu => length_for(device.limits.global_mem_bytes),
        None => SHORTEST,
    };
    let (most, of) = longest(device);
    if n <= most {
        return Ok(n);
    }
    refused(format!(
        "too large for {}: three vectors of {n} floats take {:.2} GiB (the limit: {of}); \
         try --size {most} or less",
        device.name,
        12.0 * n as f64 / f64::from(1 << 30)
    ))
}

/// The vectors of a GPU with so many bytes of memory: each a 64th of it, in powers of
/// two. On a fast GPU the shortest ones would stay in its cache in part, and starting
/// the kernel would count; the longest travel in less than a second, still.
fn length_for(global: u64) -> usize {
    let floats = (global / 64) as usize / size_of::<f32>();
    (1 << floats.max(1).ilog2()).clamp(SHORTEST, LONGEST)
}

/// For how many floats there is room, and what says so.
fn longest(device: &Device) -> (usize, &'static str) {
    // A CPU's global memory is the host's, where the vectors lie as well: at most six, while
    // they are checked.
    let (on_device, on_host) = match device.kind {
        Kind::Cpu => (6, 9),
        _ => (3, 6),
    };
    let limits = &device.limits;
    let mut rooms = vec![
        (limits.max_alloc_bytes, "of a buffer"),
        (limits.global_mem_bytes / on_device, "the device's memory"),
    ];
    rooms.extend(host::room().map(|room| (room.bytes / on_host, room.of)));
    let (room, of) = rooms.into_iter().min().unwrap_or_default();
    let floats = (room as usize).saturating_sub(2 * GUARD) / size_of::<f32>();
    // An int must hold the numbers of a group's surplus items, too.
    (floats.min(i32::MAX as usize - 256), of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_grow_with_the_memory_within_bounds() {
        let floats = |gib: u64| length_for(gib << 30);
        assert_eq!([1, 4, 7].map(floats), [1 << 24; 3]);
        assert_eq!([8, 12].map(floats), [1 << 25; 2]);
        assert_eq!([16, 24, 140].map(floats), [1 << 26; 3]);
        assert_eq!(length_for(0), SHORTEST);
    }
}
