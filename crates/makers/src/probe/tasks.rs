//! Which launches are timed: a function for each kernel of `kernels/machine.cl`.

use anyhow::Result;
use common::device::Kind;
use common::ndrange::NdRange;
use common::numbers::bytes;
use common::session::{Arg, Session};

use super::expected;
use super::measure::Task;
use super::step_time::StepTime;

/// Steps that a kernel writes out in each iteration of its loop.
pub const UNROLL: i32 = 16;
/// Loads of an item in a step of `sweep`.
pub const LOADS: usize = 4;
/// An odd number whose multiples are spread well: 2^32 over the golden ratio.
const SCATTER: i32 = 0x9e37_79b9_u32 as i32;
/// Multiply-adds by these count: a chain's number ends as its steps.
const ONE: [Arg; 2] = [Arg::float(1.0), Arg::float(1.0)];
/// What is read again and again, in KiB.
const SIZES: [usize; 8] = [16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10];
/// Words of a tile's row, and items that stand above each other in it.
const TILES: [[usize; 2]; 7] = [
    [1, 32],
    [2, 32],
    [32, 32],
    [33, 32],
    [16, 16],
    [17, 16],
    [18, 16],
];

/// Everything, each figure told as soon as it is there.
pub fn all(session: &Session) -> Result<Vec<StepTime>> {
    let on = On { session };
    let mut figures = Vec::new();
    let mut keep = |figure: Result<StepTime>| -> Result<()> {
        let figure = figure?;
        figure.tell();
        figures.push(figure);
        Ok(())
    };
    for kib in SIZES {
        keep(on.chase(kib << 10))?;
    }
    for kib in SIZES {
        keep(on.sweep(kib << 10))?;
    }
    keep(on.chase_local())?;
    for chains in [1, 2, 4, 6, 8, 10, 12] {
        keep(on.chain(chains))?;
    }
    for [row, high] in TILES {
        keep(on.local_read("local_read", row, high))?;
    }
    for row in [1, 8, 9] {
        keep(on.local_read("local_read_vector", row, 32))?;
    }
    for mask in [-1, 0, 32, 1] {
        keep(on.branch(mask))?;
    }
    Ok(figures)
}

struct On<'s> {
    session: &'s Session,
}

impl On<'_> {
    fn is_gpu(&self) -> bool {
        self.session.device.kind == Kind::Gpu
    }

    fn units(&self) -> usize {
        self.session.device.limits.compute_units.max(1)
    }

    /// As many items as run in lockstep: a warp, or the one of a CPU's thread.
    fn lockstep(&self) -> NdRange {
        let items = if self.is_gpu() { 32 } else { 1 };
        NdRange::cover(&[items], &[items])
    }

    /// Enough items to fill every unit.
    fn everywhere(&self) -> NdRange {
        let (items, group) = if self.is_gpu() {
            (2048, 256)
        } else {
            (128, 32)
        };
        NdRange::cover(&[items * self.units()], &[group])
    }

    fn chase(&self, size: usize) -> Result<StepTime> {
        // An index in each cache line: 128 bytes on a GPU, 64 on a CPU.
        let line = if self.is_gpu() { 32 } else { 16 };
        let next = expected::cycle(size / 4, line);
        let steps = 1 << 18;
        let words: Vec<u8> = next.iter().flat_map(|word| word.to_le_bytes()).collect();
        Task {
            kernel: "chase",
            variant: bytes(size as u64),
            defines: &[],
            range: NdRange::cover(&[1], &[1]),
            args: vec![Arg::int(steps), Arg::Buffer(self.session.upload(&words)?)],
            types: &["int", "int*", "int*"],
            steps,
            bytes: None,
            result: &|launches| expected::chase(&next, launches * steps as usize),
        }
        .figure(self.session)
    }

    fn sweep(&self, size: usize) -> Result<StepTime> {
        // On a CPU an item is a loop of its own, which should walk through memory in order.
        // On a GPU none shall: the groups of a unit share its cache.
        let alone = NdRange::cover(&[8 * self.units()], &[1]);
        let (range, width, steps, scatter) = if self.is_gpu() {
            (self.everywhere(), 4, 1 << 12, SCATTER)
        } else {
            (
                alone,
                self.session.device.limits.register_floats(),
                1 << 17,
                1,
            )
        };
        let words: Vec<u8> = (0..size as u32 / 4).flat_map(u32::to_le_bytes).collect();
        let group = range.group_size();
        let blocks = size / (LOADS * group * width * 4);
        let buffer = Arg::Buffer(self.session.upload(&words)?);
        Task {
            kernel: "sweep",
            variant: bytes(size as u64),
            defines: &[("WIDTH", width)],
            args: vec![
                Arg::int(steps),
                Arg::int(blocks as i32),
                Arg::int(scatter),
                buffer,
            ],
            types: &["int", "int", "int", "int*", "int*"],
            steps,
            bytes: Some(range.global()[0] * LOADS * width * 4),
            range,
            result: &|_| expected::sweep([blocks, group * width], scatter, steps),
        }
        .figure(self.session)
    }

    fn chase_local(&self) -> Result<StepTime> {
        let steps = 250_000;
        let range = self.lockstep();
        let items = range.global()[0] as i32;
        Task {
            kernel: "chase_local",
            variant: bytes(8 << 10),
            defines: &[],
            range,
            args: vec![Arg::int(steps)],
            types: &["int", "int*"],
            steps,
            bytes: None,
            result: &|_| expected::chase_local(items, steps),
        }
        .figure(self.session)
    }

    fn chain(&self, chains: usize) -> Result<StepTime> {
        let width = if self.is_gpu() {
            1
        } else {
            self.session.device.limits.register_floats()
        };
        let steps = 1 << 19;
        let [factor, term] = ONE;
        Task {
            kernel: "chain",
            variant: chains.to_string(),
            defines: &[("CHAINS", chains), ("WIDTH", width)],
            range: self.lockstep(),
            args: vec![Arg::int(steps), factor, term],
            types: &["int", "float", "float", "float*"],
            steps,
            bytes: None,
            result: &|_| expected::chain(chains, steps),
        }
        .figure(self.session)
    }

    fn local_read(&self, kernel: &str, row: usize, high: usize) -> Result<StepTime> {
        let steps = 1 << 15;
        let range = self.everywhere();
        let words = if kernel == "local_read" { 1 } else { 4 };
        Task {
            kernel,
            variant: format!("{row} {high}"),
            defines: &[("ROW", row), ("HIGH", high)],
            args: vec![Arg::int(steps)],
            types: &["int", "int*"],
            steps,
            bytes: Some(range.global()[0] * 4 * words),
            range,
            result: &|_| expected::local_read(words, [row, high], steps),
        }
        .figure(self.session)
    }

    fn branch(&self, mask: i32) -> Result<StepTime> {
        let steps = 1 << 16;
        let variant = match mask {
            0 => "no item",
            -1 => "all items",
            1 => "every other item",
            _ => "every other warp",
        };
        let [factor, term] = ONE;
        Task {
            kernel: "branch",
            variant: variant.into(),
            defines: &[],
            range: self.everywhere(),
            args: vec![Arg::int(steps), Arg::int(mask), factor, term],
            types: &["int", "int", "float", "float", "float*"],
            steps,
            bytes: None,
            result: &|_| expected::branch(mask, steps),
        }
        .figure(self.session)
    }
}
