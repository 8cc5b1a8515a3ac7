//! Several devices, one product: a thread and three queues for each device, rows of C from a
//! board that all share.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use common::error::{During, Error, Result};
use opencl3::command_queue::CommandQueue;
use opencl3::event::Event;
use opencl3::memory::Buffer;

use crate::board::Board;
use crate::engine::{Block, Engine};
use crate::host::{Host, Pinned};

/// The operands, which all devices read.
pub struct Product {
    /// M x K and K x N.
    pub a: Vec<f32>,
    pub b: Vec<f32>,
    /// M, N, K.
    pub sizes: [usize; 3],
}

/// What goes wrong on purpose.
#[derive(Clone, Copy, Default)]
pub struct Mishap {
    /// This device fails after its first block.
    pub fails: Option<usize>,
    /// This one never comes back from its second.
    pub hangs: Option<usize>,
}

/// How a product came about.
pub struct Outcome {
    /// From the first block's begin to the last one's end, without the allocation of memory.
    pub seconds: f64,
    pub c: Vec<f32>,
    /// Blocks that each device was given, and that it did.
    pub shares: Vec<usize>,
    pub done: Vec<usize>,
    /// What each device that did not come to the end said; its engine is lost.
    pub failed: Vec<(usize, String)>,
}

/// Computes the product on all engines, whose rates decide what each begins with.
///
/// # Errors
/// When rows are left that no device could compute within `most`.
pub fn multiply(
    engines: &mut Vec<Engine>,
    product: &Arc<Product>,
    rates: &[f64],
    mishap: Mishap,
    most: Duration,
) -> Result<Outcome> {
    let [m, n, _] = product.sizes;
    let devices = engines.len();
    let board = Arc::new(Board::new(m, n, 16 * devices, rates));
    let shares = board.shares();
    let (send, answers) = mpsc::channel();
    for (me, engine) in engines.drain(..).enumerate() {
        let (board, product, send) = (board.clone(), product.clone(), send.clone());
        // Not a scoped thread: one that hangs in its driver is never joined.
        thread::spawn(move || {
            let worker = Worker::new(&engine, me, &product, &board);
            let done = worker.and_then(|mut worker| worker.run(mishap));
            // Nobody listens to a device that was given up.
            let _ = send.send((me, engine, done));
        });
    }
    drop(send);
    let is_done = board.wait(most);
    // A device that still works on what another has done gets a moment to come back.
    let deadline = Instant::now() + Duration::from_millis(500);
    let (mut back, mut failed) = (Vec::new(), Vec::new());
    while back.len() + failed.len() < devices {
        let left = deadline.saturating_duration_since(Instant::now());
        match answers.recv_timeout(left) {
            Ok((me, engine, Ok(()))) => back.push((me, engine)),
            Ok((me, _, Err(error))) => failed.push((me, error.to_string())),
            Err(_) => break,
        }
    }
    let is_silent = |me: &usize| {
        back.iter().all(|(other, _)| other != me) && failed.iter().all(|(other, _)| other != me)
    };
    let silent: Vec<usize> = (0..devices).filter(is_silent).collect();
    failed.extend(
        silent
            .into_iter()
            .map(|me| (me, "it did not come back".to_string())),
    );
    if !is_done {
        let why: Vec<String> = failed.into_iter().map(|(_, why)| why).collect();
        let why = why.join("\n  ");
        return Err(Error::Died(format!(
            "rows of C are left that no device computed:\n  {why}"
        )));
    }
    back.sort_by_key(|(me, _)| *me);
    engines.extend(back.into_iter().map(|(_, engine)| engine));
    let (c, done, seconds) = board.end(devices);
    Ok(Outcome {
        seconds,
        c,
        shares,
        done,
        failed,
    })
}

/// A block on its way: which, and the event of its last command.
struct Flying {
    block: usize,
    rows: usize,
    back: Event,
    /// Of the commands before it, which the driver may still need.
    _before: [Event; 2],
}

/// A device at work. Two blocks are on their way at a time, each in memory of its own, so
/// that one is moved while the other is computed.
struct Worker<'a> {
    engine: &'a Engine,
    me: usize,
    product: &'a Product,
    board: &'a Board,
    queues: [CommandQueue; 3],
    b: Buffer<f32>,
    a: [Buffer<f32>; 2],
    c: [Buffer<f32>; 2],
    /// A and B in pinned memory, which is a context's own, and rows of C on their way back.
    host_a: Host,
    host_b: Host,
    host_c: [Host; 2],
    flying: [Option<Flying>; 2],
}

impl<'a> Worker<'a> {
    fn new(
        engine: &'a Engine,
        me: usize,
        product: &'a Product,
        board: &'a Board,
    ) -> Result<Worker<'a>> {
        let [_, n, k] = product.sizes;
        let rows = board.blocks.first().map_or(0, |rows| rows.len());
        let pair =
            |length: usize| Result::<_>::Ok([engine.buffer(length)?, engine.buffer(length)?]);
        let pinned = || Pinned::new(engine, rows * n).map(Host::Pinned);
        Ok(Worker {
            queues: [engine.queue()?, engine.queue()?, engine.queue()?],
            b: engine.buffer(k * n)?,
            a: pair(rows * k)?,
            c: pair(rows * n)?,
            host_a: Host::of(&product.a, Some(engine))?,
            host_b: Host::of(&product.b, Some(engine))?,
            host_c: [pinned()?, pinned()?],
            flying: [None, None],
            engine,
            me,
            product,
            board,
        })
    }

    fn run(&mut self, mishap: Mishap) -> Result<()> {
        let done = self.all_blocks(mishap);
        // Also where something failed: the driver may still use what is freed next.
        let ended = self
            .queues
            .iter()
            .map(|queue| queue.finish().during("waiting for a queue"));
        let ended: Result<Vec<()>> = ended.collect();
        for flying in self.flying.iter_mut().filter_map(Option::take) {
            self.board.give_back(flying.block);
        }
        done.and(ended.map(|_| ()))
    }

    fn all_blocks(&mut self, mishap: Mishap) -> Result<()> {
        // SAFETY: B lives, unchanged, as long as this worker; `run` waits for the queue.
        let b_there =
            unsafe { Engine::write(&self.queues[0], &mut self.b, self.host_b.as_ref(), &[])? };
        self.flush()?;
        for turn in 0usize.. {
            let slot = turn % 2;
            self.land(slot)?;
            if mishap.fails == Some(self.me) && turn > 0 {
                return Err(Error::Died("it failed, as --fail asks".into()));
            }
            if mishap.hangs == Some(self.me) && turn > 0 {
                thread::sleep(Duration::from_secs(3600));
            }
            let mut taken = self.board.take(self.me);
            if taken.is_none() {
                self.land(1 - slot)?;
                taken = self.board.take_or_wait(self.me);
            }
            let Some(block) = taken else {
                return Ok(());
            };
            let begun = self.begin(slot, block, &b_there);
            if begun.is_err() {
                self.board.give_back(block);
            }
            self.flying[slot] = Some(begun?);
        }
        Ok(())
    }

    /// Enqueues a block: its rows of A there, the product, its rows of C back.
    fn begin(&mut self, slot: usize, block: usize, b_there: &Event) -> Result<Flying> {
        let [_, n, k] = self.product.sizes;
        let range = self.board.blocks[block].clone();
        let rows = range.len();
        let [uploads, kernels, downloads] = &self.queues;
        let own = &self.host_a.as_ref()[range.start * k..range.end * k];
        // SAFETY: this slot's memory is used again when its last event has ended.
        let there = unsafe { Engine::write(uploads, &mut self.a[slot], own, &[])? };
        let size = Block {
            rows,
            columns: n,
            depth: k,
        };
        let after = [there.get(), b_there.get()];
        let buffers = [&self.a[slot], &self.b, &self.c[slot]];
        let done = self
            .engine
            .multiply(kernels, size, buffers, false, &after)?;
        let first = self.host_c[slot].as_mut().as_mut_ptr();
        // SAFETY: as above.
        let back = unsafe {
            Engine::read_columns(downloads, &self.c[slot], first, [rows, n, n], &[done.get()])?
        };
        self.flush()?;
        Ok(Flying {
            block,
            rows,
            back,
            _before: [there, done],
        })
    }

    /// Waits for a slot's block, and hands its rows of C over.
    fn land(&mut self, slot: usize) -> Result<()> {
        let Some(flying) = self.flying[slot].take() else {
            return Ok(());
        };
        if let Err(error) = flying
            .back
            .wait()
            .during(format!("waiting for {}", self.engine.label))
        {
            self.board.give_back(flying.block);
            return Err(error);
        }
        let rows = &self.host_c[slot].as_ref()[..flying.rows * self.product.sizes[1]];
        self.board.done(flying.block, self.me, rows);
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        let mut queues = self.queues.iter();
        queues.try_for_each(|queue| queue.flush().during("flushing a queue"))
    }
}
