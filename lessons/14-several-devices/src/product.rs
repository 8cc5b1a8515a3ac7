//! One product on any number of devices, which all take from one board.

use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use common::device::Kind;
use common::error::{Error, Result};

use crate::board::Board;
use crate::flags::Mishap;
use crate::timeline::Span;
use crate::worker::{Job, Order, Product, Worker};

/// Rows and columns of a block that still fills a large GPU: 16 x 32 groups.
const FULL: usize = 2048;
/// After the end a device gets so long to come back from what another has done.
const GRACE: Duration = Duration::from_millis(500);

/// How a product came about.
pub struct Outcome {
    /// From the first block's begin to the last one's end, without the allocation of memory.
    pub seconds: f64,
    /// Blocks that each device was given, and that it did.
    pub given: Vec<usize>,
    pub did: Vec<usize>,
    /// Of each device that did not come to the end, why.
    pub failed: Vec<Option<String>>,
    /// What ran when, on all devices.
    pub spans: Vec<Span>,
}

/// Computes C on these devices within `most`; their rates decide what each begins with.
pub fn multiply(
    workers: &[Rc<Worker>],
    product: &Arc<Product>,
    (rates, mishap): (&[f64], &Mishap),
    job: Job,
    most: Duration,
) -> Result<Outcome> {
    let [m, n, _] = product.sizes;
    let is_gpu = workers.iter().any(|one| one.device.kind != Kind::Cpu);
    // More blocks hide more, and each must keep a device busy.
    let side = match (job.queues, is_gpu) {
        (1, _) => usize::MAX,
        (_, true) => FULL.min(m.min(n).div_ceil(2)),
        (_, false) => m.min(n).div_ceil(4),
    };
    let board = Arc::new(Board::new([m, n], side, rates, mishap));
    let (ended, ends) = mpsc::channel();
    for (me, worker) in workers.iter().enumerate() {
        worker.order(Order {
            me,
            board: board.clone(),
            product: product.clone(),
            job,
            ended: ended.clone(),
        });
    }
    let mut failed = vec![Some("it did not come back".to_string()); workers.len()];
    let (mut spans, mut awaited) = (Vec::new(), workers.len());
    let mut deadline = Instant::now() + most;
    while awaited > 0 && Instant::now() < deadline {
        if board.seconds().is_some() {
            deadline = deadline.min(Instant::now() + GRACE);
        }
        let Ok((me, ended)) = ends.recv_timeout(Duration::from_millis(1)) else {
            continue;
        };
        awaited -= 1;
        failed[me] = match ended {
            Ok(own) => {
                spans.extend(own);
                None
            }
            Err(error) => Some(error.to_string()),
        };
    }
    let Some(seconds) = board.seconds() else {
        let why: Vec<String> = failed.into_iter().flatten().collect();
        let what = "rows of C are left that no device computed";
        return Err(Error::Died(format!("{what}:\n  {}", why.join("\n  "))));
    };
    let done_by = |me: usize| board.done_by(me).len();
    Ok(Outcome {
        seconds,
        given: board.shares.iter().map(Range::len).collect(),
        did: (0..workers.len()).map(done_by).collect(),
        failed,
        spans,
    })
}
