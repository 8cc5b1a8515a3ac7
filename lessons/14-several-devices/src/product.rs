//! One product on any number of devices, which all take blocks from one board, and the memory of
//! the host that they read and write.

use std::cell::{RefCell, RefMut};
use std::time::{Duration, Instant};
use std::{ops::Range, rc::Rc};

use bytemuck::cast_slice;
use common::error::{Error, Result};
use common::{device::Kind, memory::Pinned};
use verify::{Shape, problem::Problem};

use crate::work::{Engine, Work};

/// Rows and columns of a block that still fills a large GPU: 16 x 32 groups.
const FULL: usize = 2048;
/// After the end a device gets so long to come back from what another has done.
const GRACE: Duration = Duration::from_millis(500);
/// The devices are asked so often whether they are done.
const MOMENT: Duration = Duration::from_micros(20);

/// Rows and columns of a group's tile: blocks are made of whole ones, but for the last.
const TILE: usize = 128;
/// A block may take so many times the longest one before another device repeats it.
const PATIENCE: u32 = 4;

/// A matrix on the host, which devices read and write on their own: in pageable memory, as Rust
/// allocates it, or pinned, where a device's copy engine can reach it by itself.
pub struct OnHost {
    floats: RefCell<Box<dyn AsMut<[f32]>>>,
    pub rows: usize,
    /// Of a row, and how far rows lie apart.
    pub columns: usize,
}

impl OnHost {
    /// A, B and C of the problem, in floats; pinned for an engine's context, if one is given.
    pub fn of(problem: &Problem, pinned: Option<&Engine>) -> Result<Rc<[OnHost; 3]>> {
        let Shape { m, n, k } = problem.shape;
        let copy = |floats: &[f32], rows, columns| -> Result<OnHost> {
            let mut own: Box<dyn AsMut<[f32]>> = match pinned.map(|engine| &engine.queues[0]) {
                None => Box::new(vec![0.0; floats.len()]),
                Some(one) => Box::new(Pinned::zeros(&one.context, &one.device.cl, floats.len())?),
            };
            (*own).as_mut().copy_from_slice(floats);
            Ok(OnHost { floats: RefCell::new(own), rows, columns })
        };
        let [a, b] = problem.operands().each_ref().map(|one| cast_slice(one.data.as_bytes()));
        let c = vec![f32::NAN; m * n];
        Ok(Rc::new([copy(a, m, k)?, copy(b, k, n)?, copy(&c, m, n)?]))
    }

    /// Its floats, between two runs, when no device writes them.
    pub fn floats(&self) -> RefMut<'_, [f32]> {
        RefMut::map(self.floats.borrow_mut(), |floats| (**floats).as_mut())
    }
}

/// A way to compute the product.
#[derive(Clone)]
pub struct Way {
    pub name: String,
    pub says: String,
    /// What each device multiplies with.
    pub engines: Vec<Rc<Engine>>,
    /// A, B and C.
    pub matrices: Rc<[OnHost; 3]>,
    /// Queues of each device: three, or one for everything, and then C in one block.
    pub queues: usize,
}

/// How a product came about.
pub struct Outcome {
    /// From the first block's begin to the last one's end, without the allocation of memory.
    pub seconds: f64,
    /// Which device was given and did what.
    pub board: Board,
    /// Of each device for how many seconds its queues were busy, or why it did not come to the
    /// end.
    pub ends: Vec<Result<[f64; 3], String>>,
}

impl Way {
    /// Computes C; the devices' rates decide what each begins with. What a device does when it is
    /// asked is `turn`: [`Work::go_on`], unless something is to go wrong.
    pub fn multiply(&self, turn: impl Fn(&mut Work, &mut Board) -> Result<()>) -> Result<Outcome> {
        let &OnHost { rows: m, columns: n, .. } = &self.matrices[2];
        // More blocks hide more, and each must keep a device busy.
        let is_gpu = |engine: &Rc<Engine>| engine.device().kind == Kind::Gpu;
        let side = match self.queues {
            1 => usize::MAX,
            _ if self.engines.iter().any(is_gpu) => FULL.min(m.min(n).div_ceil(2)),
            _ => m.min(n).div_ceil(4),
        };
        let rates = self.engines.iter().map(|engine| engine.rate.get()).collect();
        let mut board = Board::new([m, n], side, rates);
        let works = (0..self.engines.len()).map(|me| Work::new(me, self, &board));
        let mut works: Vec<Work> = works.collect::<Result<_>>()?;
        let begun = Instant::now();
        board.last = begun;
        loop {
            for work in works.iter_mut().filter(|work| work.failed.is_none()) {
                if let Err(error) = turn(work, &mut board) {
                    board.give_back(work.me);
                    work.failed = Some(error.to_string());
                }
            }
            let is_done = board.is_done();
            let is_over = |work: &Work| work.failed.is_some() || is_done && work.is_idle();
            if works.iter().all(is_over) || is_done && board.last.elapsed() > GRACE {
                break;
            }
            std::thread::sleep(MOMENT);
        }
        let seconds = (board.last - begun).as_secs_f64();
        let ends: Vec<_> = works.into_iter().map(Work::end).collect();
        if !board.is_done() {
            let why: Vec<String> = ends.into_iter().filter_map(Result::err).collect();
            let what = "rows of C are left that no device computed";
            return Err(Error::Died(format!("{what}:\n  {}", why.join("\n  "))));
        }
        Ok(Outcome { seconds, board, ends })
    }
}

/// C in blocks, where a band of rows of A and a band of columns of B cross, and who computes which.
/// Each device begins with a share of the rows; one that has ended its own takes from the others,
/// and in the end repeats what another has had for too long. So a device that fails, hangs or is
/// slower than it said costs time, and no result.
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
    pub fn new([m, n]: [usize; 2], side: usize, rates: Vec<f64>) -> Board {
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
        let states = vec![State::Free; blocks.len()];
        let (last, longest) = (Instant::now(), Duration::ZERO);
        Board { rows, columns, blocks, shares, rates, states, last, longest }
    }

    /// A block for this device, if there is one now: the next of its own share, else the last of
    /// the share that has most left, else, for one that is `idle`, what another has had for too
    /// long.
    pub fn take(&mut self, by: usize, idle: bool) -> Option<usize> {
        let (now, states) = (Instant::now(), &self.states);
        let allowed = (PATIENCE * self.longest).max(Duration::from_millis(200));
        let is_free = |block: &usize| states[*block] == State::Free;
        let free = |share: usize| self.shares[share].clone().filter(is_free);
        let left = |share: usize| free(share).count();
        let richest = (0..self.shares.len()).max_by_key(|&share| left(share))?;
        // A slow device does not take what its owner will have done earlier, while any come in.
        let pays = left(richest) as f64 * self.rates[by] >= self.rates[richest];
        let other = free(richest).next_back().filter(|_| pays || now - self.last > allowed);
        let is_late = |state: &State| {
            idle && matches!(state, State::Taken { since, .. } if now - *since > allowed)
        };
        let late = || states.iter().position(is_late);
        let block = free(by).next().or(other).or_else(late)?;
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
        self.states.iter().all(|state| matches!(state, State::Done { .. }))
    }

    /// How many blocks a device did.
    pub fn done_by(&self, by: usize) -> usize {
        self.states.iter().filter(|state| **state == State::Done { by }).count()
    }
}
