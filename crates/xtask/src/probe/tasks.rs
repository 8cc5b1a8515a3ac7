//! Which launches are timed, a function for each kernel of `kernels/machine.cl`; each is
//! checked, too.

use anyhow::{Result, ensure};
use common::device::Kind;
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Session};
use common::source::Source;
use common::timing::{self, Runs};
use verify::element::Type;
use verify::numbers::bytes;

use super::expected::LOADS;
use super::{StepTime, expected};

/// An odd number whose multiples are spread well: 2^32 over the golden ratio.
const SCATTER: i32 = 0x9e37_79b9_u32 as i32;
/// Multiply-adds by these count: a chain's number ends as its steps.
const ONE: Arg = Arg::float(1.0);
/// What is read again and again, in KiB.
const SIZES: [usize; 8] = [16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10];
/// Words of a tile's row, and items that stand above each other in it.
const TILES: &str = "1 32, 2 32, 32 32, 33 32, 16 16, 17 16, 18 16";
/// The same with rows of vectors.
const VECTORS: &str = "1 32, 8 32, 9 32";
/// Who takes the first branch: the bits of an item's number that count.
const MASKS: [(&str, i32); 4] = [
    ("all items", -1),
    ("no item", 0),
    ("every other warp", 32),
    ("every other item", 1),
];

/// Everything.
pub fn all(session: &Session) -> Result<Vec<StepTime>> {
    let on = On { session };
    let sizes = || SIZES.into_iter().map(|kib| kib << 10);
    let chases = sizes().map(|size| on.chase(size));
    let sweeps = sizes().map(|size| on.sweep(size));
    let local = std::iter::once_with(|| on.chase_local());
    let chains = [1, 2, 4, 6, 8, 10, 12].into_iter();
    let chains = chains.map(|chains| on.chain(chains));
    let tiles = TILES
        .split(", ")
        .map(|tile| on.local_read("local_read", 1, tile));
    let vectors = VECTORS.split(", ");
    let vectors = vectors.map(|tile| on.local_read("local_read_vector", 4, tile));
    let branches = MASKS.into_iter().map(|(who, mask)| on.branch(who, mask));
    let all = chases.chain(sweeps).chain(local).chain(chains);
    all.chain(tiles).chain(vectors).chain(branches).collect()
}

struct On<'s> {
    session: &'s Session,
}

impl On<'_> {
    /// Builds a kernel, warms up, times it, and checks what it left. Its first argument is the
    /// number of steps, and its last one `out`, which must begin with `result` of so many
    /// launches. `reads`: bytes that an item reads in a step, where that is what counts.
    fn time(
        &self,
        (kernel, variant): (&str, &str),
        (range, steps, reads): (NdRange, i32, Option<usize>),
        defines: &[(&str, usize)],
        args: &[Arg],
        result: impl Fn(usize) -> Vec<u8>,
    ) -> Result<StepTime> {
        let defines = defines.iter().map(|&(name, value)| (name.into(), value));
        let options = program::options(Type::Float, &Vec::from_iter(defines));
        let source = Source::of_course("machine.cl")?;
        let built = Program::build(self.session, &source, &options, false)?;
        let items = range.global()[0];
        // Room for vectors of 16 words.
        let out = self.session.upload(&vec![0; items * 64])?;
        let args = [&[Arg::int(steps)], args, &[Arg::Buffer(out.clone())]].concat();
        let launch = [built.launch(self.session, kernel, range, &args)?];
        self.session.run(&launch)?;
        let run = || self.session.run(&launch);
        let timing = timing::measure(Runs::Enough, None, |_| Ok(()), run)?;
        let expected = result(timing.seconds.len() + 1);
        let found = self.session.read(&out, expected.len())?;
        let is_right = found == expected;
        ensure!(
            is_right,
            "{kernel} {variant} left {found:?} instead of {expected:?}"
        );
        let nanoseconds = timing.median() * 1e9 / f64::from(steps);
        ensure!(
            nanoseconds > 1e-3,
            "{kernel} {variant}: a step in {nanoseconds} ns is no work; did the compiler drop it?"
        );
        let figure = StepTime {
            probe: kernel.into(),
            variant: variant.into(),
            nanoseconds,
            bytes: reads.map(|bytes| items * bytes),
            spread: timing.spread(),
            runs: timing.seconds.len(),
        };
        figure.tell();
        Ok(figure)
    }

    fn is_gpu(&self) -> bool {
        self.session.device.kind == Kind::Gpu
    }

    fn units(&self) -> usize {
        self.session.device.limits.compute_units.max(1)
    }

    fn floats(&self) -> usize {
        self.session.device.limits.register_floats()
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
        let next = expected::cycle(size / 4, if self.is_gpu() { 32 } else { 16 });
        let words: Vec<u8> = next.iter().flat_map(|word| word.to_le_bytes()).collect();
        let args = [Arg::Buffer(self.session.upload(&words)?)];
        let name = ("chase", &*bytes(size as u64));
        let steps = 1 << 18;
        let result = |launches| expected::chase(&next, launches * steps as usize);
        let alone = NdRange::cover(&[1], &[1]);
        self.time(name, (alone, steps, None), &[], &args, result)
    }

    fn sweep(&self, size: usize) -> Result<StepTime> {
        // On a CPU an item is a loop of its own, which should walk through memory in order.
        // On a GPU none shall: the groups of a unit share its cache.
        let (range, width, steps, scatter) = if self.is_gpu() {
            (self.everywhere(), 4, 1 << 12, SCATTER)
        } else {
            let alone = NdRange::cover(&[8 * self.units()], &[1]);
            (alone, self.floats(), 1 << 17, 1)
        };
        let words: Vec<u8> = (0..size as u32 / 4).flat_map(u32::to_le_bytes).collect();
        let vectors = range.group_size() * width;
        let blocks = size / (LOADS * vectors * 4);
        let buffer = Arg::Buffer(self.session.upload(&words)?);
        let args = [Arg::int(blocks as i32), Arg::int(scatter), buffer];
        let name = ("sweep", &*bytes(size as u64));
        let range = (range, steps, Some(LOADS * width * 4));
        let result = |_| expected::sweep([blocks, vectors], scatter, steps);
        self.time(name, range, &[("WIDTH", width)], &args, result)
    }

    fn chase_local(&self) -> Result<StepTime> {
        let (range, steps) = (self.lockstep(), 250_000);
        let items = range.global()[0] as i32;
        let result = |_| expected::chase_local(items, steps);
        let name = ("chase_local", "8 KiB");
        self.time(name, (range, steps, None), &[], &[], result)
    }

    fn chain(&self, chains: usize) -> Result<StepTime> {
        let width = if self.is_gpu() { 1 } else { self.floats() };
        let defines = [("CHAINS", chains), ("WIDTH", width)];
        let steps = 1 << 19;
        let range = (self.lockstep(), steps, None);
        let result = |_| expected::chain(chains, steps);
        let name = ("chain", &*chains.to_string());
        self.time(name, range, &defines, &[ONE, ONE], result)
    }

    fn local_read(&self, kernel: &str, words: usize, tile: &str) -> Result<StepTime> {
        let (row, high) = tile.split_once(' ').unwrap_or_default();
        let (row, high) = (row.parse()?, high.parse()?);
        let steps = 1 << 15;
        let range = (self.everywhere(), steps, Some(4 * words));
        let result = |_| expected::local_read(words, [row, high], steps);
        let defines = [("ROW", row), ("HIGH", high)];
        self.time((kernel, tile), range, &defines, &[], result)
    }

    fn branch(&self, who: &str, mask: i32) -> Result<StepTime> {
        let steps = 1 << 16;
        let range = (self.everywhere(), steps, None);
        let result = |_| expected::branch(mask, steps);
        let args = [Arg::int(mask), ONE, ONE];
        self.time(("branch", who), range, &[], &args, result)
    }
}
