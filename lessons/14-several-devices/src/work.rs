//! A device at work: it takes blocks of C from the board and keeps several on their way, so
//! that one is uploaded, one computed and one downloaded at the same time. No call here waits.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::Range;
use std::rc::Rc;
use std::time::Instant;

use common::error::{During, Result};
use common::session::{Buffer, Launch, Session};
use common::timing::Profile;
use opencl3::event::{CL_COMPLETE, Event};
use opencl3::types::cl_event;

use crate::board::Board;
use crate::engine::Engine;
use crate::host::OnHost;
use crate::product::{Product, Way};
use crate::timeline::{DOWNLOADS, KERNELS, Span, UPLOADS};

const COMPUTING: &str = "computing a block of C";
/// Blocks that are on their way at a time.
const FLYING: usize = 3;

/// A part of a matrix, on the device and on the host, and the event of its last way from one
/// to the other.
struct Part {
    buffer: Buffer,
    host: *mut c_void,
    /// Rows, their bytes, and how far they lie apart on the host.
    lines: [usize; 3],
    moved: Option<Event>,
}

impl Part {
    fn of(queue: &Session, whole: &OnHost, [rows, columns]: [&Range<usize>; 2]) -> Result<Part> {
        let bytes = size_of::<f32>() * columns.len();
        Ok(Part {
            buffer: queue.buffer(rows.len() * bytes)?,
            host: whole.place(rows, columns),
            lines: [rows.len(), bytes, size_of::<f32>() * whole.columns],
            moved: None,
        })
    }

    /// Enqueues its way up to the device, or down to the host, after these events.
    fn go(&mut self, up: bool, queue: &Session, after: &[cl_event]) -> Result<()> {
        // SAFETY: the matrix lives as long as its `Work`, which keeps the product. A and B stay
        // as they are, and C is read when all is done. Two devices write the same place only
        // where one repeats what the other has had for too long.
        let moved = unsafe { queue.copy_part(&self.buffer, self.host, self.lines, up, after)? };
        self.moved = Some(moved);
        Ok(())
    }
}

/// A product as one device sees it.
pub struct Work {
    /// Its number on the board.
    pub me: usize,
    /// Why it does not go on.
    pub failed: Option<String>,
    engine: Rc<Engine>,
    _product: Rc<Product>,
    queues: usize,
    resident: bool,
    /// A and B by bands, C by blocks; of each block its kernel, and that one's event.
    a: Vec<Part>,
    b: Vec<Part>,
    c: Vec<Part>,
    kernels: Vec<Launch>,
    computed: Vec<Option<Event>>,
    flying: VecDeque<usize>,
    /// When its first command was enqueued.
    entered: Option<Instant>,
}

impl Work {
    /// Ready to begin: with memory on the device, and operands that are to be resident.
    pub fn new(me: usize, way: &Way, board: &Board) -> Result<Work> {
        let (engine, product) = (&way.engines[me], &way.product);
        let (queue, all) = (&engine.queues[UPLOADS], 0..product.sizes[2]);
        let part = |whole: &OnHost, rows: &_, columns: &_| Part::of(queue, whole, [rows, columns]);
        let (mut a, mut b, mut c, mut kernels) = (vec![], vec![], vec![], vec![]);
        for rows in &board.rows {
            a.push(part(&product.a, rows, &all)?);
        }
        for columns in &board.columns {
            b.push(part(&product.b, &all, columns)?);
        }
        for &[row, column] in &board.blocks {
            let (rows, columns) = (&board.rows[row], &board.columns[column]);
            let block = part(&product.c, rows, columns)?;
            let buffers = [&a[row].buffer, &b[column].buffer, &block.buffer];
            let sizes = [rows.len(), columns.len(), all.len()];
            kernels.push(engine.multiply(sizes, buffers, false)?);
            c.push(block);
        }
        let mut work = Work {
            me,
            failed: None,
            kernels,
            a,
            b,
            c,
            computed: board.blocks.iter().map(|_| None).collect(),
            flying: VecDeque::new(),
            entered: None,
            engine: engine.clone(),
            _product: product.clone(),
            queues: way.queues,
            resident: way.resident,
        };
        if work.resident {
            for &bands in &board.blocks[board.shares[me].clone()] {
                work.upload(bands)?;
            }
            queue.finish()?;
        }
        Ok(work)
    }

    /// Begins a block where too few are on their way, and asks whether the oldest has come back;
    /// whether there was anything to do. It begins one at a time, since a driver may let an
    /// upload's call return late, and the other devices wait for their turns.
    pub fn go_on(&mut self, board: &mut Board) -> Result<bool> {
        let mut has_begun = false;
        if self.flying.len() < FLYING
            && let Some(block) = board.take(self.me, self.is_idle())
        {
            self.flying.push_back(block);
            self.begin(block, board.blocks[block])?;
            has_begun = true;
        }
        let Some(&oldest) = self.flying.front() else {
            return Ok(false);
        };
        let events = (&self.c[oldest].moved, &self.computed[oldest]);
        let ((Some(last), _) | (None, Some(last))) = events else {
            return Ok(false);
        };
        match last.command_execution_status().during(COMPUTING)?.0 {
            CL_COMPLETE => {
                self.flying.pop_front();
                board.done(oldest, self.me);
                Ok(true)
            }
            failed @ ..0 => Err(failed).during(COMPUTING),
            _ => Ok(has_begun),
        }
    }

    /// Enqueues a block: its bands up where they are not there yet, the product when both have
    /// arrived, and C down after it.
    fn begin(&mut self, block: usize, [row, column]: [usize; 2]) -> Result<()> {
        self.entered.get_or_insert_with(Instant::now);
        self.upload([row, column])?;
        let queue = |lane: usize| &self.engine.queues[lane % self.queues];
        let (a, b, c) = (&self.a[row], &self.b[column], &mut self.c[block]);
        let arrived = [&a.moved, &b.moved].into_iter().flatten();
        let arrived: Vec<cl_event> = arrived.map(Event::get).collect();
        let computed = queue(KERNELS).launch_after(&self.kernels[block], &arrived)?;
        if !self.resident {
            c.go(false, queue(DOWNLOADS), &[computed.get()])?;
        }
        self.computed[block] = Some(computed);
        // A queue may keep its commands until somebody waits for it, and where another queue
        // waits for their events nobody does.
        let mut queues = self.engine.queues.iter();
        queues.try_for_each(|queue| queue.queue.flush().during("flushing a queue"))
    }

    /// Enqueues the bands of a block, each once.
    fn upload(&mut self, [row, column]: [usize; 2]) -> Result<()> {
        for band in [&mut self.a[row], &mut self.b[column]] {
            if band.moved.is_none() {
                band.go(true, &self.engine.queues[UPLOADS], &[])?;
            }
        }
        Ok(())
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.flying.is_empty()
    }

    /// When all is done: brings back the blocks that were left on the device, and tells what ran
    /// when, in seconds after `begun`. The device's clock is not the host's: its first command
    /// was queued when this one entered.
    pub fn end(&mut self, board: &Board, begun: Instant) -> Result<Vec<Span>> {
        if self.resident {
            let queue = &self.engine.queues[DOWNLOADS];
            for block in board.done_by(self.me) {
                self.c[block].go(false, queue, &[])?;
            }
            queue.finish()?;
        }
        let bands = self.a.iter().chain(&self.b);
        let uploads = bands.map(|band| (UPLOADS, &band.moved));
        let kernels = self.computed.iter().map(|event| (KERNELS, event));
        let downloads = self.c.iter().map(|block| (DOWNLOADS, &block.moved));
        let mut times = Vec::new();
        for (lane, event) in uploads.chain(kernels).chain(downloads) {
            if let Some(event) = event {
                times.push((lane, Profile::of(event)?));
            }
        }
        let zero = times.iter().map(|(_, times)| times.queued).min();
        let entered = self.entered.map_or(0.0, |at| (at - begun).as_secs_f64());
        let at = |time: u64| entered + time.saturating_sub(zero.unwrap_or(0)) as f64 * 1e-9;
        let span = |(lane, times): (usize, Profile)| Span {
            row: 3 * self.me + lane,
            start: at(times.start),
            end: at(times.end),
        };
        Ok(times.into_iter().map(span).collect())
    }
}
