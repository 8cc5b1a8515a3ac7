//! A device at work: its queues and its program, and the blocks of C that it takes from the board.
//! Several are on their way at a time, so that one is uploaded, one computed and one downloaded at
//! the same time. No call of [`Work::go_on`] waits.

use std::{cell::Cell, collections::VecDeque, ffi::c_void, ops::Range, rc::Rc};

use common::device::{Device, Kind};
use common::error::{During, Error, Result};
use common::program::{self, Program};
use common::session::{Arg, Buffer, Launch, Session};
use common::{ndrange::NdRange, source::Source, timing::Profile};
use opencl3::command_queue::{
    enqueue_read_buffer_rect, enqueue_write_buffer, enqueue_write_buffer_rect,
};
use opencl3::event::{CL_COMPLETE, Event};
use opencl3::types::{CL_NON_BLOCKING, cl_event};
use verify::element::Type;

use crate::product::{Board, OnHost, Way};

const COMPUTING: &str = "computing a block of C";
/// Blocks that are on their way at a time.
const FLYING: usize = 3;

/// What each queue does.
const UPLOADS: usize = 0;
const KERNELS: usize = 1;
const DOWNLOADS: usize = 2;

/// What a device needs to multiply: its three queues, and its program.
pub struct Engine {
    pub queues: [Session; 3],
    program: Program,
    /// Products in a second, when it was last alone: the others get rows in this proportion.
    pub rate: Cell<f64>,
}

impl Engine {
    /// Of a device, in a context of its own.
    ///
    /// # Errors
    /// As of [`Program::build`], which `raw_log` is for.
    pub fn open(device: &Device, source: &Source, raw_log: bool) -> Result<Rc<Engine>> {
        let first = Session::open(device.clone(), Rc::new(()))?;
        let another = || Session::open_in(first.context.clone(), device.clone(), Rc::new(()));
        let (second, third) = (another()?, another()?);
        let width = ("WIDTH".into(), device.limits.register_floats());
        let options = program::options(Type::Float, &[width]);
        let program = Program::build(&first, source, &options, raw_log)?;
        Ok(Rc::new(Engine { queues: [first, second, third], program, rate: Cell::new(1.0) }))
    }

    pub fn device(&self) -> &Device {
        &self.queues[0].device
    }

    /// C = A * B, or C += A * B, to be launched. C has `rows` x `columns` elements, each a sum of
    /// `depth` products.
    pub fn multiply(
        &self,
        [rows, columns, depth]: [usize; 3],
        buffers: [&Buffer; 3],
        add: bool,
    ) -> Result<Launch> {
        // Columns and rows of an item, and items of a group.
        let Device { kind, limits, .. } = self.device();
        let (name, each, group) = match (kind, limits.register_floats()) {
            (Kind::Cpu, 16) => ("multiply_add_cpu", [32, 8], [1, 8]),
            (Kind::Cpu, width) => ("multiply_add_cpu", [2 * width, 4], [1, 8]),
            _ => ("multiply_add_gpu", [8, 8], [16, 8]),
        };
        let items = [columns.div_ceil(each[0]), rows.div_ceil(each[1])];
        let sizes = [rows, columns, depth].map(|size| Arg::int(size as i32));
        let buffers = buffers.map(|buffer| Arg::Buffer(buffer.clone()));
        let args = [&sizes[..], &buffers, &[Arg::int(add.into())]].concat();
        let range = NdRange::cover(&items, &group);
        self.program.launch(&self.queues[0], name, range, &args)
    }
}

/// A part of a matrix, on the device and on the host, and the events of what was enqueued with
/// it: of a band its upload, of a block its kernel and its download. Its transfers are sound: the
/// matrix lives as long as its `Work`, which keeps it; what the buffer does not have is refused by
/// the driver; A and B stay as they are, and C is read when all is done. Two devices write the same
/// place only where one repeats what the other has had for too long.
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
        let first = rows.start * whole.columns + columns.start;
        let end = rows.end.saturating_sub(1) * whole.columns + columns.end;
        Ok(Part {
            buffer: queue.buffer("a part", rows.len() * bytes)?,
            host: whole.floats()[first..end].as_mut_ptr().cast(),
            lines: [rows.len(), bytes, size_of::<f32>() * whole.columns],
            events: Vec::new(),
        })
    }

    /// The event of its upload, which is enqueued once.
    fn uploaded(&mut self, queue: &Session) -> Result<cl_event> {
        if self.events.is_empty() {
            self.events.push(self.transfer(queue, None)?);
        }
        Ok(self.events[0].get())
    }

    /// The event of its download, which begins when this kernel has ended.
    fn downloaded(&self, queue: &Session, kernel: &Event) -> Result<Event> {
        self.transfer(queue, Some(kernel.get()))
    }

    /// Enqueues its upload; or its download, to begin when its `kernel` has ended.
    fn transfer(&self, queue: &Session, kernel: Option<cl_event>) -> Result<Event> {
        let ([rows, bytes, pitch], no, host) = (self.lines, CL_NON_BLOCKING, self.host);
        let (queue, own, none) = (queue.queue.get(), self.buffer.get(), std::ptr::null());
        let (zero, region) = ([0; 3], [bytes, rows, 1]);
        let (zero, region) = (zero.as_ptr(), region.as_ptr());
        // SAFETY: as `Part` says; queue, buffer and event are alive.
        let event = unsafe {
            match &kernel {
                Some(after) => enqueue_read_buffer_rect(
                    queue, own, no, zero, zero, region, bytes, 0, pitch, 0, host, 1, after,
                ),
                // One piece of memory. Oclgrind does not note that a rectangle is written.
                None if bytes == pitch => {
                    enqueue_write_buffer(queue, own, no, 0, rows * bytes, host, 0, none)
                }
                None => enqueue_write_buffer_rect(
                    queue, own, no, zero, zero, region, bytes, 0, pitch, 0, host, 0, none,
                ),
            }
        };
        let doing = kernel.map_or("uploading a band", |_| "downloading a block");
        Ok(Event::new(event.during(doing)?))
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
    /// Ready to begin, with memory on the device.
    pub fn new(me: usize, way: &Way, board: &Board) -> Result<Work> {
        let (engine, [of_a, of_b, of_c]) = (&way.engines[me], &*way.matrices);
        let (queue, depth) = (&engine.queues[UPLOADS], 0..of_a.columns);
        let a = board.rows.iter().map(|rows| Part::of(queue, of_a, [rows, &depth]));
        let b = board.columns.iter().map(|columns| Part::of(queue, of_b, [&depth, columns]));
        let (a, b) = (a.collect::<Result<Vec<_>>>()?, b.collect::<Result<Vec<_>>>()?);
        let (mut c, mut kernels) = (Vec::new(), Vec::new());
        for &[row, column] in &board.blocks {
            let (rows, columns) = (&board.rows[row], &board.columns[column]);
            let block = Part::of(queue, of_c, [rows, columns])?;
            let buffers = [&a[row].buffer, &b[column].buffer, &block.buffer];
            let sizes = [rows.len(), columns.len(), depth.len()];
            kernels.push(engine.multiply(sizes, buffers, false)?);
            c.push(block);
        }
        Ok(Work { me, failed: None, way: way.clone(), a, b, c, kernels, flying: VecDeque::new() })
    }

    /// Begins a block where too few are on their way, and asks whether the oldest has come back.
    /// It begins one at a time, since a driver may let an upload's call return late, and the other
    /// devices wait for their turns.
    pub fn go_on(&mut self, board: &mut Board) -> Result<()> {
        if self.flying.len() < FLYING
            && let Some(block) = board.take(self.me, self.is_idle())
        {
            self.flying.push_back(block);
            self.begin(block, board.blocks[block])?;
        }
        if let Some(&oldest) = self.flying.front()
            && let Some(last) = self.c[oldest].events.last()
        {
            match last.command_execution_status().during(COMPUTING)?.0 {
                CL_COMPLETE => {
                    self.flying.pop_front();
                    board.done(oldest, self.me);
                }
                failed @ ..0 => return Err(failed).during(COMPUTING),
                _ => (),
            }
        }
        Ok(())
    }

    /// Enqueues a block: its bands up where they are not there yet, the product when both have
    /// arrived, and C down after it.
    fn begin(&mut self, block: usize, [row, column]: [usize; 2]) -> Result<()> {
        let engine = &self.way.engines[self.me];
        let queue = |which: usize| &engine.queues[which % self.way.queues];
        let (a, b, c) = (&mut self.a[row], &mut self.b[column], &mut self.c[block]);
        let arrived = [a.uploaded(queue(UPLOADS))?, b.uploaded(queue(UPLOADS))?];
        let computed = queue(KERNELS).launch(&self.kernels[block], &arrived)?;
        let downloaded = c.downloaded(queue(DOWNLOADS), &computed)?;
        c.events.extend([computed, downloaded]);
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
    pub fn end(self) -> Result<[f64; 3], String> {
        if self.failed.is_some() || !self.is_idle() {
            let why = self.failed.clone().unwrap_or("it did not come back".into());
            std::mem::forget(self);
            return Err(why);
        }
        let bands = self.a.iter().chain(&self.b).flat_map(|band| &band.events);
        let of_blocks = |which: usize| self.c.iter().filter_map(move |c| c.events.get(which));
        let busy = || Ok([sum(bands)?, sum(of_blocks(0))?, sum(of_blocks(1))?]);
        busy().map_err(|error: Error| error.to_string())
    }
}

/// Seconds that these commands took together.
fn sum<'a>(events: impl Iterator<Item = &'a Event>) -> Result<f64> {
    events.map(|event| Ok(Profile::of(event)?.seconds())).sum()
}
