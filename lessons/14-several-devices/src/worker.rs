//! A device at work: it takes blocks of C from the board and keeps several on their way, so
//! that one is uploaded, one computed and one downloaded at the same time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use common::error::{During, Error, Result};
use opencl3::command_queue::CommandQueue;
use opencl3::event::Event;
use opencl3::kernel::Kernel;

use crate::board::Board;
use crate::engine::{Engine, finish, flush};
use crate::host::{Floats, Piece};
use crate::timeline::{DOWNLOADS, KERNELS, Span, UPLOADS};

/// Blocks that are on their way at a time.
const FLYING: usize = 3;

/// The matrices on the host, which all devices read and write.
pub struct Product {
    pub a: Floats,
    pub b: Floats,
    pub c: Floats,
    /// M, N, K.
    pub sizes: [usize; 3],
}

/// How a product is to be computed.
#[derive(Clone, Default, PartialEq)]
pub struct Job {
    /// Queues of each device: three, or one for everything, and then C in one block.
    pub queues: usize,
    /// A and B are on the devices before the clock begins, and C stays there.
    pub resident: bool,
    pub mishap: Mishap,
}

/// What is to go wrong, and with which device or rank, from 0.
#[derive(Args, Clone, Default, PartialEq)]
pub struct Mishap {
    /// Let this device, or this rank, from 0, fail after its first block
    #[arg(long, value_name = "N")]
    pub fail: Option<usize>,
    /// Let this one stop answering after its first block
    #[arg(long, value_name = "N")]
    pub hang: Option<usize>,
    /// Believe that this one is ten times as fast as it is
    #[arg(long, value_name = "N")]
    pub overrate: Option<usize>,
}

impl Mishap {
    /// Each flag that was given, and its number.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let all = [
            ("fail", self.fail),
            ("hang", self.hang),
            ("overrate", self.overrate),
        ];
        all.into_iter()
            .filter_map(|(name, number)| Some((name, number?)))
    }
}

/// See the module.
pub struct Worker {
    engine: Arc<Engine>,
    me: usize,
    board: Arc<Board>,
    /// Keeps the matrices alive, also where this device is given up.
    product: Arc<Product>,
    job: Job,
    kernel: Kernel,
    queues: Vec<CommandQueue>,
    /// A and B by bands, C by blocks, and the event of each block's kernel.
    a: Vec<Piece>,
    b: Vec<Piece>,
    c: Vec<Piece>,
    computed: Vec<Option<Event>>,
    flying: VecDeque<usize>,
}

impl Worker {
    /// Ready to begin: with memory on the device, and operands that are to be resident.
    pub fn new(
        me: usize,
        engine: Arc<Engine>,
        product: Arc<Product>,
        board: Arc<Board>,
        job: Job,
    ) -> Result<Worker> {
        let [_, n, k] = product.sizes;
        let (rows, columns) = (&board.rows, &board.columns);
        let a = rows
            .iter()
            .map(|rows| Piece::of(&engine, &product.a, [rows, &(0..k)], k));
        let b = columns
            .iter()
            .map(|columns| Piece::of(&engine, &product.b, [&(0..k), columns], n));
        let c = board.blocks.iter().map(|&[i, j]| {
            let block = [&rows[i], &columns[j]];
            Piece::of(&engine, &product.c, block, n)
        });
        let queues = (0..job.queues).map(|_| engine.queue());
        let mut worker = Worker {
            kernel: engine.kernel()?,
            queues: queues.collect::<Result<_>>()?,
            a: a.collect::<Result<_>>()?,
            b: b.collect::<Result<_>>()?,
            c: c.collect::<Result<_>>()?,
            computed: board.blocks.iter().map(|_| None).collect(),
            flying: VecDeque::new(),
            engine: engine.clone(),
            product: product.clone(),
            board: board.clone(),
            me,
            job,
        };
        if worker.job.resident {
            for block in board.shares[me].clone() {
                worker.upload(block)?;
            }
            finish(&worker.queues)?;
        }
        Ok(worker)
    }

    /// Works until all of C is done. What ran when, in seconds after `begun`.
    pub fn run(&mut self, begun: Instant) -> Result<Vec<Span>> {
        let entered = begun.elapsed().as_secs_f64();
        let done = self.all_blocks();
        // Also where something failed: the driver may still use what is freed next.
        let ended = finish(&self.queues);
        for block in self.flying.drain(..) {
            self.board.give_back(block);
        }
        done.and(ended)?;
        if self.job.resident {
            for block in self.board.done_by(self.me) {
                self.download(block)?;
            }
            finish(&self.queues)?;
        }
        self.spans(entered)
    }

    fn all_blocks(&mut self) -> Result<()> {
        loop {
            while self.flying.len() < FLYING {
                let Some(block) = self.board.take(self.me, self.flying.is_empty()) else {
                    break;
                };
                self.flying.push_back(block);
                self.begin(block)?;
            }
            let Some(&block) = self.flying.front() else {
                return Ok(());
            };
            let computed = self.computed[block].as_ref();
            if let Some(last) = self.c[block].moved.as_ref().or(computed) {
                let label = &self.engine.target.label;
                last.wait().during(format!("waiting for {label}"))?;
            }
            self.flying.pop_front();
            self.board.done(block, self.me);
            if self.job.mishap.hang == Some(self.me) {
                thread::sleep(Duration::from_secs(3600));
            }
            if self.job.mishap.fail == Some(self.me) {
                return Err(Error::Died("it failed, as --fail asks".into()));
            }
        }
    }

    /// Enqueues a block: its bands up where they are not there yet, the product, C back.
    fn begin(&mut self, block: usize) -> Result<()> {
        self.upload(block)?;
        let [row, column] = self.board.blocks[block];
        let (a, b, c) = (&self.a[row], &self.b[column], &self.c[block]);
        let after = [a, b].into_iter().filter_map(|band| band.moved.as_ref());
        self.computed[block] = Some(self.engine.multiply(
            &self.kernel,
            self.queue(KERNELS),
            [c.shape[0], c.shape[1], self.product.sizes[2]],
            [&a.buffer, &b.buffer, &c.buffer],
            false,
            &after.map(Event::get).collect::<Vec<_>>(),
        )?);
        if !self.job.resident {
            self.download(block)?;
        }
        flush(&self.queues)
    }

    fn queue(&self, lane: usize) -> &CommandQueue {
        &self.queues[lane % self.queues.len()]
    }

    /// Enqueues the bands of a block, each once.
    fn upload(&mut self, block: usize) -> Result<()> {
        let [row, column] = self.board.blocks[block];
        for band in [&mut self.a[row], &mut self.b[column]] {
            if band.moved.is_none() {
                // SAFETY: A and B live, unchanged, as long as this worker, which waits.
                unsafe { band.go(true, &self.queues[UPLOADS], &[])? };
            }
        }
        Ok(())
    }

    /// Enqueues the way of a block to its place on the host, after its kernel.
    fn download(&mut self, block: usize) -> Result<()> {
        let after = self.computed[block].iter().map(Event::get);
        let after: Vec<_> = after.collect();
        let queue = &self.queues[DOWNLOADS % self.queues.len()];
        // SAFETY: C lives as long as this worker, and is read when all is done. Two devices
        // write the same place only where one repeats what the other has had for too long.
        unsafe { self.c[block].go(false, queue, &after) }
    }

    /// All commands as they ran. The device's clock is not the host's: its first command was
    /// queued when the host had `entered`.
    fn spans(&self, entered: f64) -> Result<Vec<Span>> {
        let bands = self.a.iter().chain(&self.b);
        let uploads = bands.map(|band| (UPLOADS, &band.moved));
        let kernels = self.computed.iter().map(|event| (KERNELS, event));
        let downloads = self.c.iter().map(|block| (DOWNLOADS, &block.moved));
        let all = uploads.chain(kernels).chain(downloads);
        let events = all.filter_map(|(lane, event)| Some((lane, event.as_ref()?)));
        let events: Vec<(usize, &Event)> = events.collect();
        let queued = events.iter();
        let queued = queued.filter_map(|(_, event)| event.profiling_command_queued().ok());
        let zero = queued.min().unwrap_or(0);
        let at = |time: opencl3::Result<u64>| -> Result<f64> {
            let time = time.during("asking for an event's times")?;
            Ok(entered + time.saturating_sub(zero) as f64 * 1e-9)
        };
        let span = |(lane, event): (usize, &Event)| {
            Ok(Span {
                row: 3 * self.me + lane,
                start: at(event.profiling_command_start())?,
                end: at(event.profiling_command_end())?,
            })
        };
        events.into_iter().map(span).collect()
    }
}
