//! Who computes which block of C. Each device begins with a share of the rows; one that has
//! ended its own takes from the others, and in the end repeats what another has had for too
//! long. So a device that fails, hangs or is slower than it said costs time, and no result.

use std::ops::Range;
use std::time::{Duration, Instant};

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
    states: Vec<State>,
    /// When the last block was done; before that, when the clock began.
    pub last: Instant,
    /// The longest that a block has taken.
    longest: Duration,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Free,
    Taken { by: usize, since: Instant },
    Done { by: usize },
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
    pub fn new([m, n]: [usize; 2], side: usize, rates: &[f64]) -> Board {
        let columns: Vec<Range<usize>> = cut(0..n, side).collect();
        let (mut rows, mut blocks, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        let (sum, mut given, mut begin) = (rates.iter().sum::<f64>(), 0.0, 0);
        for rate in rates {
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
        Board {
            rows,
            columns,
            states: vec![State::Free; blocks.len()],
            blocks,
            shares,
            rates: rates.to_vec(),
            last: Instant::now(),
            longest: Duration::ZERO,
        }
    }

    /// A block for this device, if there is one now: the next of its own share, else the last of
    /// the share that has most left, else, for one that is `idle`, what another has had for too
    /// long.
    pub fn take(&mut self, by: usize, idle: bool) -> Option<usize> {
        let (now, states) = (Instant::now(), &self.states);
        let allowed = (PATIENCE * self.longest).max(Duration::from_millis(200));
        let is_late = |state: &State| match state {
            State::Taken { since, .. } => now - *since > allowed,
            _ => false,
        };
        let free = self.shares.iter().map(|share| {
            let is_free = |&block: &usize| states[block] == State::Free;
            Vec::from_iter(share.clone().filter(is_free))
        });
        let own = free.clone().nth(by)?;
        let (richest, left) = free.enumerate().max_by_key(|one| one.1.len())?;
        // A slow device does not take what its owner will have done earlier, while any come in.
        let pays = left.len() as f64 * self.rates[by] >= self.rates[richest];
        let other = left.last().filter(|_| pays || now - self.last > allowed);
        let late = || states.iter().position(|state| idle && is_late(state));
        let block = own.first().or(other).copied().or_else(late)?;
        self.states[block] = State::Taken { by, since: now };
        Some(block)
    }

    /// A block of this device is done, and back where it belongs.
    pub fn done(&mut self, block: usize, by: usize) {
        if let State::Taken { since, .. } = self.states[block] {
            self.last = Instant::now();
            self.longest = self.longest.max(since.elapsed());
            self.states[block] = State::Done { by };
        }
    }

    /// What a device had taken when it failed is free again.
    pub fn give_back(&mut self, device: usize) {
        for state in &mut self.states {
            if matches!(state, State::Taken { by, .. } if *by == device) {
                *state = State::Free;
            }
        }
    }

    pub fn is_done(&self) -> bool {
        let mut states = self.states.iter();
        states.all(|state| matches!(state, State::Done { .. }))
    }

    /// The blocks that a device did.
    pub fn done_by(&self, by: usize) -> Vec<usize> {
        let is_own = |&block: &usize| self.states[block] == State::Done { by };
        (0..self.blocks.len()).filter(is_own).collect()
    }
}
