//! A device at work: it takes blocks of C from the board and keeps several on their way, so
//! that one is uploaded, one computed and one downloaded at the same time. No call here waits.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::mem::forget;
use std::ops::Range;
use std::ptr;

use common::error::{During, Result};
use common::session::{Buffer, Launch, Session};
use common::timing::Profile;
use opencl3::command_queue::{
    enqueue_read_buffer_rect, enqueue_write_buffer, enqueue_write_buffer_rect,
};
use opencl3::event::{CL_COMPLETE, Event};
use opencl3::types::{CL_NON_BLOCKING, cl_event};

use crate::board::Board;
use crate::engine::{DOWNLOADS, KERNELS, UPLOADS};
use crate::product::{OnHost, Way};

const COMPUTING: &str = "computing a block of C";
/// Blocks that are on their way at a time.
const FLYING: usize = 3;

/// A part of a matrix, on the device and on the host, and the events of what was enqueued with
/// it: of a band its upload, of a block its kernel and its download.
struct Part {
    buffer: Buffer,
    host: *mut c_void,
    /// Rows, their bytes, and how far they lie apart on the host.
    lines: [usize; 3],
    events: Vec<Event>,
}

impl Part {
    fn of(queue: &Session, whole: &OnHost, [rows, columns]: [&Range<usize>; 2]) -> Result<Part> {
        let bytes = size_of::<f32>() * columns.len();
        Ok(Part {
            buffer: queue.buffer("a part", rows.len() * bytes)?,
            host: whole.place(rows, columns),
            lines: [rows.len(), bytes, size_of::<f32>() * whole.columns],
            events: Vec::new(),
        })
    }

    /// The event of its upload, which is enqueued once.
    fn uploaded(&mut self, queue: &Session) -> Result<cl_event> {
        if self.events.is_empty() {
            self.copy(true, queue)?;
        }
        Ok(self.events[0].get())
    }

    /// Enqueues its download, to begin when its kernel has ended.
    fn download(&mut self, queue: &Session) -> Result<()> {
        self.copy(false, queue)
    }

    /// Enqueues its way up to the device, or down to the host, and keeps the event.
    fn copy(&mut self, up: bool, queue: &Session) -> Result<()> {
        let (queue, part, host) = (queue.queue.get(), self.buffer.get(), self.host);
        let ([rows, bytes, pitch], no) = (self.lines, CL_NON_BLOCKING);
        let (zero, region) = ([0; 3], [bytes, rows, 1]);
        let (zero, region) = (zero.as_ptr(), region.as_ptr());
        // A block's download waits for its kernel; a band's upload has nothing before it.
        let kernel = self.events.first().map(Event::get);
        let (many, after) = kernel.as_ref().map_or((0, ptr::null()), |one| (1, ptr::from_ref(one)));
        // SAFETY: queue and buffer are alive, and a part that the buffer does not have is refused
        // by the driver (CL_INVALID_VALUE). The matrix lives as long as its `Work`, which keeps the
        // product. A and B stay as they are, and C is read when all is done. Two devices write the
        // same place only where one repeats what the other has had for too long.
        let copied = unsafe {
            match (up, bytes == pitch) {
                // One piece of memory. Oclgrind does not note that a rectangle is written.
                (true, true) => {
                    enqueue_write_buffer(queue, part, no, 0, rows * bytes, host, many, after)
                }
                (true, false) => enqueue_write_buffer_rect(
                    queue, part, no, zero, zero, region, bytes, 0, pitch, 0, host, many, after,
                ),
                (false, _) => enqueue_read_buffer_rect(
                    queue, part, no, zero, zero, region, bytes, 0, pitch, 0, host, many, after,
                ),
            }
        };
        let copied = copied.during("copying a part of a matrix")?;
        self.events.push(Event::new(copied));
        Ok(())
    }
}

/// A product as one device sees it.
pub struct Work {
    /// Its number on the board.
    pub me: usize,
    /// Why it does not go on.
    pub failed: Option<String>,
    /// What it is to do, and with what.
    way: Way,
    /// A and B by bands, C by blocks, and the kernel of each block.
    a: Vec<Part>,
    b: Vec<Part>,
    c: Vec<Part>,
    kernels: Vec<Launch>,
    flying: VecDeque<usize>,
}

impl Work {
    /// Ready to begin: with memory on the device, and operands that are to be resident.
    pub fn new(me: usize, way: &Way, board: &Board) -> Result<Work> {
        let (engine, product) = (&way.engines[me], &way.product);
        let (queue, all) = (&engine.queues[UPLOADS], 0..product.shape.k);
        let part = |whole: &OnHost, rows: &_, columns: &_| Part::of(queue, whole, [rows, columns]);
        let a = board.rows.iter().map(|rows| part(&product.a, rows, &all));
        let b = board.columns.iter();
        let b = b.map(|columns| part(&product.b, &all, columns));
        let mut work = Work {
            me,
            failed: None,
            way: way.clone(),
            a: a.collect::<Result<_>>()?,
            b: b.collect::<Result<_>>()?,
            c: Vec::new(),
            kernels: Vec::new(),
            flying: VecDeque::new(),
        };
        for &[row, column] in &board.blocks {
            let (rows, columns) = (&board.rows[row], &board.columns[column]);
            let c = part(&product.c, rows, columns)?;
            let buffers = [&work.a[row].buffer, &work.b[column].buffer, &c.buffer];
            let sizes = [rows.len(), columns.len(), all.len()];
            work.kernels.push(engine.multiply(sizes, buffers, false)?);
            work.c.push(c);
        }
        if way.resident {
            for &[row, column] in &board.blocks[board.shares[me].clone()] {
                work.a[row].uploaded(queue)?;
                work.b[column].uploaded(queue)?;
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
        if let Some(&oldest) = self.flying.front()
            && let Some(last) = self.c[oldest].events.last()
        {
            match last.command_execution_status().during(COMPUTING)?.0 {
                CL_COMPLETE => {
                    self.flying.pop_front();
                    board.done(oldest, self.me);
                    return Ok(true);
                }
                failed @ ..0 => return Err(failed).during(COMPUTING),
                _ => (),
            }
        }
        Ok(has_begun)
    }

    /// Enqueues a block: its bands up where they are not there yet, the product when both have
    /// arrived, and C down after it.
    fn begin(&mut self, block: usize, [row, column]: [usize; 2]) -> Result<()> {
        let engine = &self.way.engines[self.me];
        let queue = |which: usize| &engine.queues[which % self.way.queues];
        let (a, b, c) = (&mut self.a[row], &mut self.b[column], &mut self.c[block]);
        let arrived = [a.uploaded(queue(UPLOADS))?, b.uploaded(queue(UPLOADS))?];
        let computed = queue(KERNELS).launch(&self.kernels[block], &arrived)?;
        c.events.push(computed);
        if !self.way.resident {
            c.download(queue(DOWNLOADS))?;
        }
        // A queue may keep its commands until somebody waits for it, and where another queue
        // waits for their events nobody does.
        let mut queues = engine.queues.iter();
        queues.try_for_each(|queue| queue.queue.flush().during("flushing a queue"))
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.flying.is_empty()
    }

    /// When all is done: for how many seconds each queue was busy, or why that is not known. What
    /// its driver may still use then stays.
    pub fn end(mut self, board: &Board) -> Result<[f64; 3], String> {
        let why = match self.failed.take() {
            None if self.is_idle() => return self.busy(board).map_err(|error| error.to_string()),
            why => why.unwrap_or("it did not come back".into()),
        };
        forget(self);
        Err(why)
    }

    /// Brings back the blocks that were left on the device, and adds up what each queue did.
    fn busy(&mut self, board: &Board) -> Result<[f64; 3]> {
        if self.way.resident {
            let queue = &self.way.engines[self.me].queues[DOWNLOADS];
            for block in board.done_by(self.me) {
                self.c[block].download(queue)?;
            }
            queue.finish()?;
        }
        let bands = self.a.iter().chain(&self.b).flat_map(|band| &band.events);
        let of_blocks = |which: usize| self.c.iter().filter_map(move |c| c.events.get(which));
        Ok([sum(bands)?, sum(of_blocks(0))?, sum(of_blocks(1))?])
    }
}

/// Seconds that these commands took together.
fn sum<'a>(events: impl Iterator<Item = &'a Event>) -> Result<f64> {
    events.map(|event| Ok(Profile::of(event)?.seconds())).sum()
}
