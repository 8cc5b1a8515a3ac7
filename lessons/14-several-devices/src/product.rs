//! One product on any number of devices: a thread for each, and a board that all share.

use std::ops::Range;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use common::device::Kind;
use common::error::{Error, Result};

use crate::board::Board;
use crate::engine::Engine;
use crate::timeline::Span;
use crate::worker::{Job, Product, Worker};

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
    engines: &[Arc<Engine>],
    product: &Arc<Product>,
    rates: &[f64],
    job: &Job,
    most: Duration,
) -> Result<Outcome> {
    let [m, n, _] = product.sizes;
    let is_gpu = engines.iter().any(|engine| engine.target.kind != Kind::Cpu);
    // More blocks hide more, and each must keep a device busy.
    let side = match (job.queues, is_gpu) {
        (1, _) => usize::MAX,
        (_, true) => FULL.min(m.min(n).div_ceil(2)),
        (_, false) => m.min(n).div_ceil(4),
    };
    let mut rates = rates.to_vec();
    if let Some(device) = job.mishap.overrate {
        rates[device] *= 10.0;
    }
    let board = Arc::new(Board::new([m, n], side, &rates));
    let (send, ends) = mpsc::channel();
    for (me, engine) in engines.iter().cloned().enumerate() {
        let (product, board, job) = (product.clone(), board.clone(), job.clone());
        let send = send.clone();
        let work = move || {
            let worker = Worker::new(me, engine, product, board.clone(), job);
            // The others wait for this device also where it cannot begin.
            let begun = board.ready();
            let ended = worker.and_then(|mut worker| worker.run(begun));
            // Nobody listens to a device that was given up.
            let _ = send.send((me, ended));
        };
        match engines.len() {
            // A simulator cannot be used by another thread.
            1 => work(),
            // No scoped thread: one that hangs in its driver is never joined.
            _ => drop(thread::spawn(work)),
        }
    }
    let mut failed = vec![Some("it did not come back".to_string()); engines.len()];
    let (mut spans, mut awaited) = (Vec::new(), engines.len());
    let mut deadline = Instant::now() + most;
    while awaited > 0 && Instant::now() < deadline {
        if board.seconds().is_some() {
            deadline = deadline.min(Instant::now() + GRACE);
        }
        let Ok((me, ended)) = ends.recv_timeout(Duration::from_millis(1)) else {
            continue;
        };
        awaited -= 1;
        failed[me] = ended
            .map(|own| spans.extend(own))
            .err()
            .map(|error| error.to_string());
    }
    let Some(seconds) = board.seconds() else {
        let why = failed
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("\n  ");
        let what = "rows of C are left that no device computed";
        return Err(Error::Died(format!("{what}:\n  {why}")));
    };
    Ok(Outcome {
        seconds,
        given: board.shares.iter().map(Range::len).collect(),
        did: (0..engines.len())
            .map(|me| board.done_by(me).len())
            .collect(),
        failed,
        spans,
    })
}
