//! One product on any number of devices, which all take from one board.

use std::mem::forget;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use common::device::Kind;
use common::error::{Error, Result};

use crate::board::Board;
use crate::engine::Engine;
use crate::host::OnHost;
use crate::work::Work;

/// Rows and columns of a block that still fills a large GPU: 16 x 32 groups.
const FULL: usize = 2048;
/// After the end a device gets so long to come back from what another has done.
const GRACE: Duration = Duration::from_millis(500);
/// The devices are asked so often whether they are done.
const MOMENT: Duration = Duration::from_micros(20);

/// The matrices on the host, which all devices read and write.
pub struct Product {
    pub a: OnHost,
    pub b: OnHost,
    pub c: OnHost,
    /// M, N, K.
    pub sizes: [usize; 3],
}

/// A way to compute the product.
#[derive(Clone)]
pub struct Way {
    pub name: String,
    pub says: String,
    /// Which of the lesson's devices, and what each multiplies with.
    pub devices: Vec<usize>,
    pub engines: Vec<Rc<Engine>>,
    pub product: Rc<Product>,
    /// Queues of each device: three, or one for everything, and then C in one block.
    pub queues: usize,
    /// A and B are on the devices before the clock begins, and C stays there.
    pub resident: bool,
}

/// What a device does when it is asked: [`Work::go_on`], unless something is to go wrong.
pub type Turn<'a> = &'a dyn Fn(&mut Work, &mut Board) -> Result<bool>;

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
    /// Computes C, where no block takes longer than `most`; the devices' rates decide what each
    /// begins with.
    pub fn multiply(&self, rates: &[f64], turn: Turn, most: Duration) -> Result<Outcome> {
        let [m, n, _] = self.product.sizes;
        let is_gpu = self
            .engines
            .iter()
            .any(|one| one.device().kind == Kind::Gpu);
        // More blocks hide more, and each must keep a device busy.
        let side = match (self.queues, is_gpu) {
            (1, _) => usize::MAX,
            (_, true) => FULL.min(m.min(n).div_ceil(2)),
            (_, false) => m.min(n).div_ceil(4),
        };
        let mut board = Board::new([m, n], side, rates);
        let works = (0..self.engines.len()).map(|me| Work::new(me, self, &board));
        let mut works: Vec<Work> = works.collect::<Result<_>>()?;
        let begun = board.begin();
        loop {
            let mut is_idle = true;
            for work in works.iter_mut().filter(|work| work.failed.is_none()) {
                match turn(work, &mut board) {
                    Ok(went) => is_idle &= !went,
                    Err(error) => {
                        board.give_back(work.me);
                        work.failed = Some(error.to_string());
                    }
                }
            }
            let limit = if board.is_done() { GRACE } else { most };
            let is_over = |work: &Work| work.failed.is_some() || board.is_done() && work.is_idle();
            if works.iter().all(is_over) || board.last.elapsed() > limit {
                break;
            }
            if is_idle {
                thread::sleep(MOMENT);
            }
        }
        let mut ends = Vec::new();
        for mut work in works {
            if work.failed.is_none() && work.is_idle() {
                ends.push(Ok(work.end(&board)?));
            } else {
                let why = work.failed.take();
                ends.push(Err(why.unwrap_or("it did not come back".into())));
                forget(work); // its driver may still use what it holds
            }
        }
        if !board.is_done() {
            let why: Vec<String> = ends.into_iter().filter_map(Result::err).collect();
            let what = "rows of C are left that no device computed";
            return Err(Error::Died(format!("{what}:\n  {}", why.join("\n  "))));
        }
        Ok(Outcome {
            seconds: (board.last - begun).as_secs_f64(),
            board,
            ends,
        })
    }
}
