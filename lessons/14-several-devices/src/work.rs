//! A device at work: it takes blocks of C from the board and keeps several on their way, so
//! that one is uploaded, one computed and one downloaded at the same time. No call here waits.

use std::collections::VecDeque;
use std::ffi::c_void;
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
use crate::host::OnHost;
use crate::product::Way;

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
        let (queue, part, host) = (queue.queue.get(), self.buffer.get(), self.host);
        let ([rows, bytes, pitch], zero) = (self.lines, [0; 3]);
        let (region, many) = ([bytes, rows, 1], after.len() as u32);
        let (zero, region) = (zero.as_ptr(), region.as_ptr());
        let after = match many {
            0 => ptr::null(),
            _ => after.as_ptr(),
        };
        let no = CL_NON_BLOCKING;
        // SAFETY: queue and buffer are alive, and a part that the buffer does not have is refused
        // by the driver (CL_INVALID_VALUE). The matrix lives as long as its `Work`, which keeps the
        // product. A and B stay as they are, and C is read when all is done. Two devices write the
        // same place only where one repeats what the other has had for too long.
        let moved = unsafe {
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
        self.moved = Some(Event::new(moved.during("copying a part of a matrix")?));
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
    /// A and B by bands, C by blocks; of each block its kernel, and that one's event.
    a: Vec<Part>,
    b: Vec<Part>,
    c: Vec<Part>,
    kernels: Vec<Launch>,
    computed: Vec<Option<Event>>,
    flying: VecDeque<usize>,
}

impl Work {
    /// Ready to begin: with memory on the device, and operands that are to be resident.
    pub fn new(me: usize, way: &Way, board: &Board) -> Result<Work> {
        let (engine, product) = (&way.engines[me], &way.product);
        let (queue, all) = (&engine.queues[UPLOADS], 0..product.sizes[2]);
        let part = |whole: &OnHost, rows: &_, columns: &_| Part::of(queue, whole, [rows, columns]);
        let bands = board.rows.iter().map(|rows| part(&product.a, rows, &all));
        let a = bands.collect::<Result<Vec<_>>>()?;
        let bands = board.columns.iter();
        let b = bands.map(|columns| part(&product.b, &all, columns));
        let b = b.collect::<Result<Vec<_>>>()?;
        let (mut c, mut kernels) = (Vec::new(), Vec::new());
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
            way: way.clone(),
            a,
            b,
            c,
            kernels,
            computed: board.blocks.iter().map(|_| None).collect(),
            flying: VecDeque::new(),
        };
        if way.resident {
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
        let last = self.c[oldest].moved.as_ref();
        let Some(last) = last.or(self.computed[oldest].as_ref()) else {
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
        self.upload([row, column])?;
        let engine = &self.way.engines[self.me];
        let queue = |which: usize| &engine.queues[which % self.way.queues];
        let arrived = [&self.a[row].moved, &self.b[column].moved];
        let arrived: Vec<cl_event> = arrived.into_iter().flatten().map(Event::get).collect();
        let computed = queue(KERNELS).launch_after(&self.kernels[block], &arrived)?;
        if !self.way.resident {
            self.c[block].go(false, queue(DOWNLOADS), &[computed.get()])?;
        }
        self.computed[block] = Some(computed);
        // A queue may keep its commands until somebody waits for it, and where another queue
        // waits for their events nobody does.
        let mut queues = engine.queues.iter();
        queues.try_for_each(|queue| queue.queue.flush().during("flushing a queue"))
    }

    /// Enqueues the bands of a block, each once.
    fn upload(&mut self, [row, column]: [usize; 2]) -> Result<()> {
        let queue = &self.way.engines[self.me].queues[UPLOADS];
        let bands = [&mut self.a[row], &mut self.b[column]].into_iter();
        let mut bands = bands.filter(|band| band.moved.is_none());
        bands.try_for_each(|band| band.go(true, queue, &[]))
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.flying.is_empty()
    }

    /// When all is done: brings back the blocks that were left on the device, and tells for how
    /// many seconds each queue was busy.
    pub fn end(&mut self, board: &Board) -> Result<[f64; 3]> {
        if self.way.resident {
            let queue = &self.way.engines[self.me].queues[DOWNLOADS];
            for block in board.done_by(self.me) {
                self.c[block].go(false, queue, &[])?;
            }
            queue.finish()?;
        }
        let busy = |events: &mut dyn Iterator<Item = &Option<Event>>| -> Result<f64> {
            let times = events.flatten();
            times.map(|one| Ok(Profile::of(one)?.seconds())).sum()
        };
        Ok([
            busy(&mut self.a.iter().chain(&self.b).map(|band| &band.moved))?,
            busy(&mut self.computed.iter())?,
            busy(&mut self.c.iter().map(|block| &block.moved))?,
        ])
    }
}
