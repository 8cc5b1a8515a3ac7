//! Who computes which rows of C. Each device begins with a share of the blocks; one that has
//! ended its own takes from the device that has most left, and in the end repeats what
//! another has had for too long. So a device that fails, hangs or is slower than it said
//! costs time, and no result.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A block of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Free,
    Taken { since: Instant },
    Done { by: usize },
}

/// The blocks, and C as far as it is computed.
pub struct Board {
    shared: Mutex<Shared>,
    changed: Condvar,
    /// Rows of each block, in order.
    pub blocks: Vec<Range<usize>>,
    columns: usize,
}

struct Shared {
    states: Vec<State>,
    /// Blocks that each device began with.
    shares: Vec<Range<usize>>,
    c: Vec<f32>,
    /// When the first block was taken, and the last one done.
    begun: Option<Instant>,
    ended: Option<Instant>,
    /// The longest that a block has taken.
    longest: Duration,
    /// Set when somebody waits for the end no more.
    is_over: bool,
}

/// Rows of a group's tile: a block is made of whole ones, but for the last.
const TILE: usize = 64;

/// A block may take so many times the longest one before another device repeats it.
const PATIENCE: u32 = 4;

impl Board {
    /// `rows` x `columns` in about `count` blocks, shared out in proportion to these rates.
    pub fn new(rows: usize, columns: usize, count: usize, rates: &[f64]) -> Board {
        let each = rows.div_ceil(count).next_multiple_of(TILE);
        let blocks: Vec<Range<usize>> = (0..rows)
            .step_by(each)
            .map(|begin| begin..rows.min(begin + each))
            .collect();
        let sum: f64 = rates.iter().sum();
        let (mut shares, mut given) = (Vec::new(), 0.0);
        for rate in rates {
            let at = |part: f64| (part / sum * blocks.len() as f64).round() as usize;
            shares.push(at(given)..at(given + rate));
            given += rate;
        }
        Board {
            shared: Mutex::new(Shared {
                states: vec![State::Free; blocks.len()],
                shares,
                c: vec![f32::NAN; rows * columns],
                begun: None,
                ended: None,
                longest: Duration::ZERO,
                is_over: false,
            }),
            changed: Condvar::new(),
            blocks,
            columns,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // Whoever panicked has written no half block: C is copied in by `done` alone.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block for this device that nobody has begun; none where there is none now.
    pub fn take(&self, by: usize) -> Option<usize> {
        let mut shared = self.lock();
        shared.begun.get_or_insert_with(Instant::now);
        let block = shared.free(by).filter(|_| !shared.is_over)?;
        shared.states[block] = State::Taken {
            since: Instant::now(),
        };
        Some(block)
    }

    /// The same for a device that has nothing on its way: it waits for what others give back,
    /// or have had for too long. None when all is done.
    pub fn take_or_wait(&self, by: usize) -> Option<usize> {
        let mut shared = self.lock();
        loop {
            if shared.is_over {
                return None;
            }
            if let Some(block) = shared.free(by).or_else(|| shared.overdue()) {
                shared.states[block] = State::Taken {
                    since: Instant::now(),
                };
                return Some(block);
            }
            if shared
                .states
                .iter()
                .all(|state| matches!(state, State::Done { .. }))
            {
                return None;
            }
            let waited = self.changed.wait_timeout(shared, Duration::from_millis(5));
            shared = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A block's rows of C, unless another device was first.
    pub fn done(&self, block: usize, by: usize, rows: &[f32]) {
        let mut shared = self.lock();
        if let State::Taken { since } = shared.states[block] {
            let begin = self.blocks[block].start * self.columns;
            shared.c[begin..begin + rows.len()].copy_from_slice(rows);
            shared.longest = shared.longest.max(since.elapsed());
            shared.states[block] = State::Done { by };
            shared.ended = Some(Instant::now());
        }
        self.changed.notify_all();
    }

    /// A block that its device could not compute.
    pub fn give_back(&self, block: usize) {
        let mut shared = self.lock();
        if let State::Taken { .. } = shared.states[block] {
            shared.states[block] = State::Free;
        }
        self.changed.notify_all();
    }

    /// Ends it: nobody is given a block any more. C, the blocks that each device did, and the
    /// seconds from the first block's begin to the last one's end.
    pub fn end(&self, devices: usize) -> (Vec<f32>, Vec<usize>, f64) {
        let mut shared = self.lock();
        shared.is_over = true;
        let count = |me| {
            let own = |state: &&State| **state == State::Done { by: me };
            shared.states.iter().filter(own).count()
        };
        let counts = (0..devices).map(count).collect();
        let seconds = shared
            .begun
            .zip(shared.ended)
            .map_or(0.0, |(begun, ended)| (ended - begun).as_secs_f64());
        (std::mem::take(&mut shared.c), counts, seconds)
    }

    /// Waits until all is done, so long at most.
    pub fn wait(&self, most: Duration) -> bool {
        let is_open = |shared: &mut Shared| {
            shared
                .states
                .iter()
                .any(|s| !matches!(s, State::Done { .. }))
        };
        let waited = self.changed.wait_timeout_while(self.lock(), most, is_open);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Blocks that each device began with.
    pub fn shares(&self) -> Vec<usize> {
        self.lock().shares.iter().map(Range::len).collect()
    }
}

impl Shared {
    /// A free block: of its own share, else from the end of the share that has most left.
    fn free(&self, by: usize) -> Option<usize> {
        let left = |share: &Range<usize>| {
            let all = share.clone();
            all.filter(|&block| self.states[block] == State::Free)
                .collect::<Vec<_>>()
        };
        let own = left(&self.shares[by]).first().copied();
        own.or_else(|| {
            self.shares
                .iter()
                .map(left)
                .max_by_key(Vec::len)?
                .last()
                .copied()
        })
    }

    /// A block that its device has had for much longer than any other took.
    fn overdue(&self) -> Option<usize> {
        let allowed = (PATIENCE * self.longest).max(Duration::from_millis(200));
        self.states.iter().position(|state| match state {
            State::Taken { since } => since.elapsed() > allowed && !self.longest.is_zero(),
            _ => false,
        })
    }
}
