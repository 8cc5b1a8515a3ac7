//! Who computes which block of C. Each device begins with a share of the rows; one that has
//! ended its own takes from the others, and in the end repeats what another has had for too
//! long. So a device that fails, hangs or is slower than it said costs time, and no result.

use std::ops::Range;
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use common::error::Result;

use crate::flags::Mishap;

/// Rows and columns of a group's tile: blocks are made of whole ones, but for the last.
const TILE: usize = 128;
/// A block may take so many times the longest one before another device repeats it.
const PATIENCE: u32 = 4;

/// C in blocks: where a band of rows of A and a band of columns of B cross.
pub struct Board {
    pub rows: Vec<Range<usize>>,
    pub columns: Vec<Range<usize>>,
    /// Of each block, its bands.
    pub blocks: Vec<[usize; 2]>,
    /// The blocks that each device begins with.
    pub shares: Vec<Range<usize>>,
    rates: Vec<f64>,
    mishap: Mishap,
    all_ready: Barrier,
    progress: Mutex<Progress>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Free,
    Taken { since: Instant },
    Done { by: usize },
}

struct Progress {
    states: Vec<State>,
    begun: Instant,
    /// When the last block was done.
    last: Instant,
    /// The longest that a block has taken.
    longest: Duration,
}

/// A length in pieces of about `side`, in whole tiles.
fn cut(range: Range<usize>, side: usize) -> impl Iterator<Item = Range<usize>> {
    let (length, end) = (range.len(), range.end);
    let each = length.div_ceil((length / side).max(1));
    let each = each.next_multiple_of(TILE).max(TILE);
    range.step_by(each).map(move |at| at..end.min(at + each))
}

impl Board {
    /// `m` x `n` in blocks of about `side` x `side`, rows in proportion to these rates.
    pub fn new([m, n]: [usize; 2], side: usize, rates: &[f64], mishap: &Mishap) -> Board {
        let mut rates = rates.to_vec();
        if let Some(device) = mishap.overrate {
            rates[device] *= 10.0;
        }
        let columns: Vec<Range<usize>> = cut(0..n, side).collect();
        let (mut rows, mut blocks, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        let (sum, mut given, mut begin) = (rates.iter().sum::<f64>(), 0.0, 0);
        for rate in &rates {
            given += rate / sum;
            // The last share ends at m: rounding may leave `given` a little below 1.
            let tiles = (m.div_ceil(TILE) as f64 * given).round() as usize;
            let end = m.min(tiles * TILE);
            let (band, block) = (rows.len(), blocks.len());
            rows.extend(cut(begin..end, side));
            let own = band..rows.len();
            blocks.extend(own.flat_map(|row| (0..columns.len()).map(move |column| [row, column])));
            // Each new band makes a row and a column of blocks ready: 00 01 10 11 02 12 ...
            blocks[block..].sort_by_key(|&[row, column]| ((row - band).max(column), row, column));
            shares.push(block..blocks.len());
            begin = end;
        }
        let (states, now) = (vec![State::Free; blocks.len()], Instant::now());
        Board {
            rows,
            columns,
            blocks,
            shares,
            all_ready: Barrier::new(rates.len()),
            rates,
            mishap: mishap.clone(),
            progress: Mutex::new(Progress {
                states,
                begun: now,
                last: now,
                longest: Duration::ZERO,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until all devices are ready, and starts the clock.
    pub fn ready(&self) -> Instant {
        if self.all_ready.wait().is_leader() {
            let now = Instant::now();
            let mut progress = self.lock();
            (progress.begun, progress.last) = (now, now);
        }
        Instant::now()
    }

    /// A block for this device; none where there is none now. One that `waits` gets none only
    /// when all is done: until then, others may give blocks back, or have them for too long.
    pub fn take(&self, by: usize, waits: bool) -> Option<usize> {
        loop {
            let mut progress = self.lock();
            let free = self.free(&progress, by);
            if let Some(block) = free.or_else(|| progress.overdue().filter(|_| waits)) {
                let since = Instant::now();
                progress.states[block] = State::Taken { since };
                return Some(block);
            }
            if !waits || progress.is_done() {
                return None;
            }
            drop(progress);
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The next free block of its own share, else the last of the share that has most left. A
    /// slow device does not take what its owner will have done earlier, while any come in.
    fn free(&self, progress: &Progress, by: usize) -> Option<usize> {
        let left = |share: &Range<usize>| -> Vec<usize> {
            let is_free = |&block: &usize| progress.states[block] == State::Free;
            share.clone().filter(is_free).collect()
        };
        if let Some(block) = left(&self.shares[by]).first() {
            return Some(*block);
        }
        let lefts = self.shares.iter().map(left).zip(&self.rates);
        let (left, rate) = lefts.max_by_key(|(left, _)| left.len())?;
        let pays = left.len() as f64 * self.rates[by] >= *rate;
        let last = left.last().copied();
        last.filter(|_| pays || progress.last.elapsed() > progress.allowed())
    }

    /// A block of this device is done, and back where it belongs.
    ///
    /// # Errors
    /// What was asked to go wrong with the device.
    pub fn done(&self, block: usize, by: usize) -> Result<()> {
        let mut progress = self.lock();
        if let State::Taken { since } = progress.states[block] {
            progress.last = Instant::now();
            progress.longest = progress.longest.max(since.elapsed());
            progress.states[block] = State::Done { by };
        }
        drop(progress);
        self.mishap.strike(by)
    }

    /// A block that its device could not compute.
    pub fn give_back(&self, block: usize) {
        let mut progress = self.lock();
        if let State::Taken { .. } = progress.states[block] {
            progress.states[block] = State::Free;
        }
    }

    /// The seconds that all took; none while it is not done.
    pub fn seconds(&self) -> Option<f64> {
        let progress = self.lock();
        let seconds = (progress.last - progress.begun).as_secs_f64();
        progress.is_done().then_some(seconds)
    }

    /// The blocks that a device did.
    pub fn done_by(&self, by: usize) -> Vec<usize> {
        let progress = self.lock();
        let is_own = |&block: &usize| progress.states[block] == State::Done { by };
        (0..self.blocks.len()).filter(is_own).collect()
    }
}

impl Progress {
    fn is_done(&self) -> bool {
        let mut states = self.states.iter();
        states.all(|state| matches!(state, State::Done { .. }))
    }

    /// What nobody waits longer for.
    fn allowed(&self) -> Duration {
        (PATIENCE * self.longest).max(Duration::from_millis(200))
    }

    /// A block that its device has had for much longer than any other took.
    fn overdue(&self) -> Option<usize> {
        let is_late = |since: Instant| !self.longest.is_zero() && since.elapsed() > self.allowed();
        let mut states = self.states.iter();
        states.position(|state| matches!(state, State::Taken { since } if is_late(*since)))
    }
}
