//! A device at work, in a thread of its own: it takes blocks of C from the board and keeps
//! several on their way, so that one is uploaded, one computed and one downloaded at the same
//! time.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;
use std::{mem, ptr, thread};

use common::device::{Device, Kind};
use common::error::{During, Error, Result};
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Buffer, Launch, Session};
use common::source::Source;
use common::timing::Profile;
use opencl3::context::Context;
use opencl3::event::Event;
use opencl3::types::cl_device_id;
use verify::element::Type;

use crate::board::Board;
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
#[derive(Clone, Copy, PartialEq)]
pub struct Job {
    /// Queues of each device: three, or one for everything, and then C in one block.
    pub queues: usize,
    /// A and B are on the devices before the clock begins, and C stays there.
    pub resident: bool,
}

/// A product in which a device takes part.
pub struct Order {
    /// Its number on the board.
    pub me: usize,
    pub board: Arc<Board>,
    /// Keeps the matrices alive, also where this device is given up.
    pub product: Arc<Product>,
    pub job: Job,
    /// Is told what ran when.
    pub ended: Sender<(usize, Result<Vec<Span>>)>,
}

/// A device, and where it works.
pub struct Worker {
    pub device: Device,
    pub context: Arc<Context>,
    place: Place,
}

/// A simulator cannot be used by another thread.
enum Place {
    Thread(Sender<Order>),
    Here(Box<Engine>),
}

impl Worker {
    /// Devices that stand beside each other and have one driver share a context.
    ///
    /// # Errors
    /// As of [`Program::build`], which `raw_log` is for.
    pub fn start(devices: &[Device], source: &Source, raw_log: bool) -> Result<Vec<Rc<Worker>>> {
        let mut workers = Vec::new();
        for group in devices.chunk_by(|one, other| one.platform.name == other.platform.name) {
            let ids: Vec<cl_device_id> = group.iter().map(|device| device.cl().id()).collect();
            let context = Context::from_devices(&ids, &[], None, ptr::null_mut());
            let context = Arc::new(context.during("creating a context")?);
            for device in group {
                let (own, shared, source) = (device.clone(), context.clone(), source.clone());
                let open = move || Engine::open(&own, &shared, &source, raw_log);
                workers.push(Rc::new(Worker {
                    device: device.clone(),
                    context: context.clone(),
                    place: match device.is_simulator() {
                        true => Place::Here(Box::new(open()?)),
                        false => Place::Thread(thread(open)?),
                    },
                }));
            }
        }
        Ok(workers)
    }

    /// Lets it work on a product.
    pub fn order(&self, order: Order) {
        match &self.place {
            Place::Here(engine) => engine.carry_out(&order),
            Place::Thread(orders) => drop(orders.send(order)),
        }
    }
}

/// A thread that carries out orders. No scoped one: one that hangs in its driver is never joined.
fn thread(open: impl FnOnce() -> Result<Engine> + Send + 'static) -> Result<Sender<Order>> {
    let (orders, all) = channel::<Order>();
    let (tell, told) = channel();
    thread::spawn(move || {
        let engine = match open() {
            Ok(engine) => engine,
            Err(error) => return drop(tell.send(Err(error))),
        };
        let _ = tell.send(Ok(orders));
        all.iter().for_each(|order| engine.carry_out(&order));
        // The driver may be gone before this thread is.
        mem::forget(engine);
    });
    let ended = |_| Err(Error::Died("a device's thread ended".into()));
    told.recv().unwrap_or_else(ended)
}

/// What a device needs to multiply: a queue each for uploads, kernels and downloads.
pub struct Engine {
    pub queues: [Session; 3],
    program: Program,
    /// Floats of a vector, in the program's kernel for a CPU.
    width: usize,
}

impl Engine {
    pub fn open(
        device: &Device,
        context: &Arc<Context>,
        source: &Source,
        raw_log: bool,
    ) -> Result<Engine> {
        let queue = || Session::open_in(context.clone(), device.clone(), Rc::new(()));
        let queues = [queue()?, queue()?, queue()?];
        let width = device.limits.register_floats();
        let options = program::options(Type::Float, &[("WIDTH".into(), width)]);
        Ok(Engine {
            program: Program::build(&queues[KERNELS], source, &options, raw_log)?,
            queues,
            width,
        })
    }

    /// Takes part in a product.
    fn carry_out(&self, order: &Order) {
        let work = Work::new(self, order);
        // The others wait for this device also where it cannot begin.
        let begun = order.board.ready();
        let ended = work.and_then(|mut work| work.run(begun));
        // Nobody listens to a device that was given up.
        let _ = order.ended.send((order.me, ended));
    }

    /// C = A * B, or C += A * B, to be launched. C has `rows` x `columns` elements, each a sum of
    /// `depth` products.
    pub fn multiply(
        &self,
        [rows, columns, depth]: [usize; 3],
        buffers: [&Buffer; 3],
        add: bool,
    ) -> Result<Launch> {
        let queue = &self.queues[KERNELS];
        // Columns and rows of an item, and items of a group.
        let (name, each, group) = match (queue.device.kind, self.width) {
            (Kind::Cpu, 16) => ("multiply_add_cpu", [32, 8], [1, 8]),
            (Kind::Cpu, width) => ("multiply_add_cpu", [2 * width, 4], [1, 8]),
            _ => ("multiply_add_gpu", [8, 8], [16, 8]),
        };
        let items = [columns.div_ceil(each[0]), rows.div_ceil(each[1])];
        let sizes = [rows, columns, depth].map(|size| Arg::int(size as i32));
        let buffers = buffers.map(|buffer| Arg::Buffer(buffer.clone()));
        let args = [&sizes[..], &buffers, &[Arg::int(add.into())]].concat();
        let range = NdRange::cover(&items, &group);
        self.program.launch(queue, name, range, &args)
    }
}

/// A product as one device sees it.
struct Work<'a> {
    engine: &'a Engine,
    order: &'a Order,
    /// A and B by bands, C by blocks; of each block its kernel, and that one's event.
    a: Vec<Piece>,
    b: Vec<Piece>,
    c: Vec<Piece>,
    kernels: Vec<Launch>,
    computed: Vec<Option<Event>>,
    flying: VecDeque<usize>,
}

impl Work<'_> {
    /// Ready to begin: with memory on the device, and operands that are to be resident.
    fn new<'a>(engine: &'a Engine, order: &'a Order) -> Result<Work<'a>> {
        let (queue, product, board) = (&engine.queues[0], &*order.product, &*order.board);
        let [_, n, k] = product.sizes;
        let a = board.rows.iter();
        let a = a.map(|rows| Piece::of(queue, &product.a, [rows, &(0..k)], k));
        let b = board.columns.iter();
        let b = b.map(|columns| Piece::of(queue, &product.b, [&(0..k), columns], n));
        let c = board.blocks.iter().map(|&[row, column]| {
            let block = [&board.rows[row], &board.columns[column]];
            Piece::of(queue, &product.c, block, n)
        });
        let (a, b) = (
            a.collect::<Result<Vec<_>>>()?,
            b.collect::<Result<Vec<_>>>()?,
        );
        let c = c.collect::<Result<Vec<_>>>()?;
        let kernel = |(&[row, column], c): (&[usize; 2], &Piece)| {
            let buffers = [&a[row].buffer, &b[column].buffer, &c.buffer];
            engine.multiply([c.shape[0], c.shape[1], k], buffers, false)
        };
        let kernels = board
            .blocks
            .iter()
            .zip(&c)
            .map(kernel)
            .collect::<Result<_>>()?;
        let mut work = Work {
            engine,
            order,
            computed: board.blocks.iter().map(|_| None).collect(),
            flying: VecDeque::new(),
            kernels,
            a,
            b,
            c,
        };
        if order.job.resident {
            for block in board.shares[order.me].clone() {
                work.upload(block)?;
            }
            work.finish()?;
        }
        Ok(work)
    }

    /// Works until all of C is done. What ran when, in seconds after `begun`.
    fn run(&mut self, begun: Instant) -> Result<Vec<Span>> {
        let entered = begun.elapsed().as_secs_f64();
        let (board, me) = (&self.order.board, self.order.me);
        let done = self.all_blocks();
        // Also where something failed: the driver may still use what is freed next.
        let ended = self.finish();
        for block in self.flying.drain(..) {
            board.give_back(block);
        }
        done.and(ended)?;
        if self.order.job.resident {
            for block in board.done_by(me) {
                self.download(block)?;
            }
            self.finish()?;
        }
        self.spans(entered)
    }

    fn all_blocks(&mut self) -> Result<()> {
        let (board, me) = (&self.order.board, self.order.me);
        loop {
            while self.flying.len() < FLYING {
                let Some(block) = board.take(me, self.flying.is_empty()) else {
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
                last.wait().during("waiting for a block of C")?;
            }
            self.flying.pop_front();
            board.done(block, me)?;
        }
    }

    /// Enqueues a block: its bands up where they are not there yet, the product, C back.
    fn begin(&mut self, block: usize) -> Result<()> {
        self.upload(block)?;
        let [row, column] = self.order.board.blocks[block];
        let after = [&self.a[row].moved, &self.b[column].moved];
        let after: Vec<_> = after.into_iter().flatten().map(Event::get).collect();
        let (queue, kernel) = (self.queue(KERNELS), &self.kernels[block]);
        self.computed[block] = Some(queue.launch_after(kernel, &after)?);
        if !self.order.job.resident {
            self.download(block)?;
        }
        self.flush()
    }

    fn queue(&self, lane: usize) -> &Session {
        &self.engine.queues[lane % self.order.job.queues]
    }

    /// Sends off what is in the queues. Without it one may keep its commands until somebody waits
    /// for it, and where another queue waits for their events nobody does.
    fn flush(&self) -> Result<()> {
        let mut queues = self.engine.queues.iter();
        queues.try_for_each(|queue| queue.queue.flush().during("flushing a queue"))
    }

    fn finish(&self) -> Result<()> {
        let queues = self.engine.queues.iter();
        queues.map(Session::finish).fold(Ok(()), Result::and)
    }

    /// Enqueues the bands of a block, each once.
    fn upload(&mut self, block: usize) -> Result<()> {
        let [row, column] = self.order.board.blocks[block];
        for band in [&mut self.a[row], &mut self.b[column]] {
            if band.moved.is_none() {
                // SAFETY: A and B live, unchanged, as long as the order, and this waits.
                unsafe { band.go(true, &self.engine.queues[UPLOADS], &[])? };
            }
        }
        Ok(())
    }

    /// Enqueues the way of a block to its place on the host, after its kernel.
    fn download(&mut self, block: usize) -> Result<()> {
        let after: Vec<_> = self.computed[block].iter().map(Event::get).collect();
        let queue = &self.engine.queues[DOWNLOADS % self.order.job.queues];
        // SAFETY: C lives as long as the order, and is read when all is done. Two devices
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
        let times = all.filter_map(|(lane, event)| Some((lane, Profile::of(event.as_ref()?))));
        let times = times.map(|(lane, times)| Ok((lane, times?)));
        let times: Vec<(usize, Profile)> = times.collect::<Result<_>>()?;
        let zero = times.iter().map(|(_, times)| times.queued).min();
        let at = |time: u64| entered + time.saturating_sub(zero.unwrap_or(0)) as f64 * 1e-9;
        let span = |(lane, times): (usize, Profile)| Span {
            row: 3 * self.order.me + lane,
            start: at(times.start),
            end: at(times.end),
        };
        Ok(times.into_iter().map(span).collect())
    }
}
