//! The vectors: how long they are, whether the device has room for them, and what is
//! in them.

use common::device::{Candidate, Kind};
use common::element::Type;
use common::error::During;
use common::host;
use common::matrix::{Fill, Matrix};
use common::memory::GUARD;
use common::record::Work;
use common::shape::Shape;
use common::source::Source;
use common::{Error, Result, Traffic};
use lesson::Lesson;
use opencl3::device::Device;

use super::stream;

/// Items of a work-group: a multiple of what every GPU runs in lockstep, and no
/// more than what every device allows.
pub const GROUP: usize = 256;
/// Floats behind C that the kernel must leave alone.
pub const CANARY: usize = 64;
/// Floats of a vector, unless the learner says otherwise: beyond most caches, and a
/// fifth of a gigabyte for three of them.
const SHORTEST: usize = 1 << 24;
/// The same at most, where there is plenty of memory.
const LONGEST: usize = 1 << 26;

/// The vectors, and what the learner asked for.
pub struct Saxpy {
    pub source: Source,
    pub d: f32,
    pub a: Vec<f32>,
    pub b: Vec<f32>,
    /// Timed launches after the first one.
    pub runs: usize,
}

/// Elements that either kernel loads and stores.
pub const TRAFFIC: Traffic = Traffic::global("2*N", "N");

impl Saxpy {
    /// The sizes, as records tell them.
    pub fn shape(&self) -> Shape {
        let n = self.a.len();
        Shape { m: 1, n, k: 1 }
    }

    /// What each kernel moves, and each loop of the host.
    pub fn work(&self) -> Work {
        Work::Bytes(stream::bytes(self.a.len()))
    }
}

/// Two vectors and a factor, from the flags.
pub fn problem(lesson: &Lesson, candidate: &Candidate, device: &Device) -> Result<Saxpy> {
    let flags = lesson.flags();
    if flags.ty != Type::Float {
        return Err(Error::Usage(
            "this lesson computes with floats; --type belongs to the matrix lessons".into(),
        ));
    }
    let simulator = candidate.platform.contains("Oclgrind");
    let global = device.global_mem_size().during("asking for limits")?;
    let own = match (simulator, candidate.kind) {
        // It walks through every item.
        (true, _) => 1000,
        (false, Kind::Gpu) => length_for(global),
        (false, _) => SHORTEST,
    };
    let n = length(lesson.size)?.unwrap_or(own);
    must_fit(n, candidate, device)?;
    let vector = |seed| Matrix::floats(n, flags.fill, seed);
    let runs = match (flags.runs, simulator) {
        (Some(runs), _) => runs,
        (None, true) => 0,
        (None, false) => 10,
    };
    Ok(Saxpy {
        source: lesson.source()?,
        d: if flags.fill == Fill::Count { 2.0 } else { 1.7 },
        a: vector(flags.seed),
        b: vector(flags.seed.wrapping_add(1)),
        runs,
    })
}

/// The one number of a lesson on vectors.
fn length(size: Option<Shape>) -> Result<Option<usize>> {
    match size {
        Some(s) if s != Shape::cube(s.m) => Err(Error::Usage(format!(
            "this lesson works on vectors: --size takes one number, not {s}"
        ))),
        size => Ok(size.map(|s| s.m)),
    }
}

/// The vectors of a GPU with so many bytes of memory: each a 64th of it, in powers of
/// two. On a fast GPU the shortest ones would stay in its cache in part, and starting
/// the kernel would count; the longest travel in less than a second, still.
fn length_for(global: u64) -> usize {
    let floats = (global / 64) as usize / size_of::<f32>();
    (1 << floats.max(1).ilog2()).clamp(SHORTEST, LONGEST)
}

/// Refuses vectors that the device has no room for, before they are made.
fn must_fit(n: usize, candidate: &Candidate, device: &Device) -> Result<()> {
    let largest = device.max_mem_alloc_size().during("asking for limits")?;
    let global = device.global_mem_size().during("asking for limits")?;
    // A CPU's global memory is the host's, where the vectors lie as well: at most six, while
    // they are checked.
    let (on_device, on_host) = match candidate.kind {
        Kind::Cpu => (6, 9),
        _ => (3, 6),
    };
    let of_host = host::room().map(|room| (room.bytes / on_host, room.of));
    let limits = [
        (largest, "of a buffer"),
        (global / on_device, "the device's memory"),
    ];
    let limits = limits.into_iter().chain(of_host);
    let (room, of) = limits.min_by_key(|limit| limit.0).unwrap_or_default();
    let room = (room as usize).saturating_sub(2 * GUARD);
    // An int must hold the surplus items' numbers, too.
    let room = (room / size_of::<f32>()).min(i32::MAX as usize - GROUP);
    if n <= room {
        Ok(())
    } else {
        Err(Error::Usage(format!(
            "too large for {}: three vectors of {n} floats take {:.2} GiB (the limit: {of}); \
             try --size {room} or less",
            candidate.name,
            3.0 * 4.0 * n as f64 / f64::from(1 << 30)
        )))
    }
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
