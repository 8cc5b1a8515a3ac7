//! SUMMA (van de Geijn and Watts, 1997, "SUMMA: Scalable Universal Matrix Multiplication
//! Algorithm"): the product on a grid of processes, each of which holds panels of A and of B,
//! and a block of C on the device that is its own.
//!
//! For each panel of K, whoever holds its columns of A sends them along his row of the grid,
//! whoever holds its rows of B along his column, and all add their product to C. The panel
//! after is on its way while the kernel of this one runs.

use std::mem::swap;
use std::ops::Range;
use std::rc::Rc;
use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use common::error::{During, Error, Result};
use common::pinned::Pinned;
use common::session::Buffer;
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::point_to_point::{Destination, Source};
use mpi::request::{WaitGuard, scope};
use mpi::topology::{Color, Communicator, SimpleCommunicator};
use verify::matrix::{Fill, Matrix};
use verify::numbers::median;
use verify::shape::Shape;
use verify::vectors;

use crate::engine::Engine;
use crate::rank::Flags;
use crate::ranks::{Measured, panels};

/// Of A or of B: the ranks that share it, this rank's rows of A or columns of B, which panels
/// of these it holds, and two panels of memory.
struct Side {
    along: SimpleCommunicator,
    own: Range<usize>,
    held: Vec<Option<Vec<f32>>>,
    /// The panel that is multiplied, here and on the device, and the one that comes after it.
    now: Pinned,
    buffer: Buffer,
    next: Pinned,
}

impl Side {
    /// Sends panel `i` to all who need it, into `next`, while `meanwhile` goes on.
    fn send(sides: &mut [Side; 2], i: usize, meanwhile: impl FnOnce() -> Result<()>) -> Result<()> {
        scope(|scope| {
            let sent = sides.each_mut().map(|side| {
                let into = side.next.as_mut();
                if let Some(floats) = &side.held[i] {
                    into[..floats.len()].copy_from_slice(floats);
                }
                let holder = i % side.along.size() as usize;
                let root = side.along.process_at_rank(holder as i32);
                WaitGuard::from(root.immediate_broadcast_into(scope, into))
            });
            let done = meanwhile();
            drop(sent); // waits
            done
        })
    }
}

/// Where a rank stands, and what it holds.
pub struct Grid<'a> {
    world: &'a SimpleCommunicator,
    flags: &'a Flags,
    engine: Rc<Engine>,
    sides: [Side; 2],
    c: Buffer,
}

/// Panel `i` of A, with these rows, or of B, with these columns: made of random numbers
/// wherever it is needed, since no rank holds a whole matrix.
fn panel(flags: &Flags, of_b: bool, own: &Range<usize>, i: usize) -> Vec<f32> {
    let which = (own.start as u64) << 32 | (i as u64) << 1 | u64::from(of_b);
    let count = own.len() * depth(flags.size, i);
    Matrix::floats(count, Fill::Random, flags.seed.wrapping_add(which))
}

/// Columns of A and rows of B in panel `i`; the last one may have fewer.
fn depth(size: Shape, i: usize) -> usize {
    let (_, width) = panels(size.k);
    width.min(size.k - i * width)
}

impl Grid<'_> {
    /// Puts the ranks into a grid as near to a square as their number allows.
    pub fn new<'a>(
        world: &'a SimpleCommunicator,
        engine: Rc<Engine>,
        flags: &'a Flags,
    ) -> Result<Grid<'a>> {
        let Shape { m, n, k } = flags.size;
        let (ranks, me) = (world.size() as usize, world.rank() as usize);
        let is_side = |side: &usize| side * side <= ranks && ranks % side == 0;
        let down = (1..=ranks).filter(is_side).max().unwrap_or(1);
        let across = ranks / down;
        if m < down || n < across {
            return Err(Error::Usage(format!(
                "{} is too small for {ranks} ranks: each needs rows and columns",
                flags.size
            )));
        }
        let queue = &engine.queues[0];
        let (count, width) = panels(k);
        // Those with the same rows of C share A, those with the same columns share B.
        let (row, column) = (me / across, me % across);
        let side = |of_b: bool, line: usize, length: usize, lines: usize| -> Result<Side> {
            let color = Color::with_value(line as i32);
            let along = world.split_by_color(color);
            let along = along.ok_or_else(|| Error::Died("MPI made no communicator".into()))?;
            let own = length * line / lines..length * (line + 1) / lines;
            let (holders, at) = (along.size() as usize, along.rank() as usize);
            let held = |i: usize| (i % holders == at).then(|| panel(flags, of_b, &own, i));
            let room = || Pinned::zeros(&queue.context, &queue.device.cl(), own.len() * width);
            Ok(Side {
                held: (0..count).map(held).collect(),
                now: room()?,
                buffer: queue.buffer(size_of::<f32>() * own.len() * width)?,
                next: room()?,
                along,
                own,
            })
        };
        let sides = [side(false, row, m, down)?, side(true, column, n, across)?];
        let c = queue.buffer(size_of::<f32>() * sides[0].own.len() * sides[1].own.len())?;
        Ok(Grid {
            world,
            flags,
            engine,
            sides,
            c,
        })
    }

    /// C = A * B over all panels. Without `sends` each rank multiplies what it happens to
    /// have: as much work, and no messages.
    fn product(&mut self, sends: bool) -> Result<()> {
        let (size, queue) = (self.flags.size, &self.engine.queues[0]);
        let (count, _) = panels(size.k);
        let [rows, columns] = self.sides.each_ref().map(|side| side.own.len());
        if sends {
            Side::send(&mut self.sides, 0, || Ok(()))?;
        }
        for i in 0..count {
            for side in &mut self.sides {
                swap(&mut side.now, &mut side.next);
                queue.write(&side.buffer, cast_slice(side.now.as_mut()))?;
            }
            let [a, b] = self.sides.each_ref().map(|side| &side.buffer);
            let sizes = [rows, columns, depth(size, i)];
            let kernel = self.engine.multiply(sizes, [a, b, &self.c], i > 0)?;
            queue.launch(&kernel)?;
            queue.queue.flush().during("flushing a queue")?;
            match sends && i + 1 < count {
                true => Side::send(&mut self.sides, i + 1, || queue.finish())?,
                false => queue.finish()?,
            }
        }
        Ok(())
    }

    /// Multiplies, checks, and measures.
    pub fn run(&mut self) -> Result<Measured> {
        self.product(true)?;
        self.check()?;
        if self.flags.own.fail == Some(self.world.rank() as usize) {
            return Err(Error::Died("it failed, as --fail asks".into()));
        }
        let mut seconds = [Vec::new(), Vec::new()];
        for run in 0..6 {
            self.world.barrier();
            let begun = Instant::now();
            self.product(run % 2 == 0)?;
            let (own, mut most) = (begun.elapsed().as_secs_f64(), 0.0);
            let max = SystemOperation::max();
            self.world.all_reduce_into(&own, &mut most, max);
            seconds[run % 2].push(most);
        }
        let [latency, bytes_per_second] = self.network();
        Ok(Measured {
            lesson: 14,
            ranks: self.world.size() as usize,
            shape: self.flags.size,
            device: self.engine.device().label(),
            seconds_median: median(&seconds[0]),
            seconds_kernels: median(&seconds[1]),
            latency,
            bytes_per_second,
            verified: true,
        })
    }

    /// Holds this rank's block of C against A and B, whose panels are made anew: what was sent
    /// is not believed.
    fn check(&self) -> Result<()> {
        let [rows, columns] = self.sides.each_ref().map(|side| &side.own);
        let mut c = vec![0f32; rows.len() * columns.len()];
        self.engine.queues[0].read_into(&self.c, cast_slice_mut(&mut c))?;
        let (count, _) = panels(self.flags.size.k);
        let both = [(false, rows), (true, columns)];
        let panels = (0..count).map(|i| both.map(|(of_b, own)| panel(self.flags, of_b, own, i)));
        let row = vectors::wrong_row(panels, &c, rows.len(), self.flags.seed);
        row.map_or(Ok(()), |row| {
            let row = rows.start + row;
            Err(Error::Wrong(format!("row {row} of C is wrong")))
        })
    }

    /// Latency and bandwidth between the first rank and the last; as good as can be where
    /// there is one.
    fn network(&self) -> [f64; 2] {
        const LONG: usize = 1 << 20;
        let (me, last) = (self.world.rank(), self.world.size() - 1);
        if last == 0 {
            return [0.0, f64::MAX];
        }
        let other = self.world.process_at_rank(if me == 0 { last } else { 0 });
        let there_and_back = |floats: usize, times: usize| {
            let mut message = vec![0f32; floats];
            self.world.barrier();
            let begun = Instant::now();
            for _ in 0..times {
                if me == 0 {
                    other.send(&message[..]);
                }
                if me == 0 || me == last {
                    other.receive_into(&mut message[..]);
                }
                if me == last {
                    other.send(&message[..]);
                }
            }
            begun.elapsed().as_secs_f64() / (2 * times) as f64
        };
        // Of the ranks in between, who only wait, nothing counts.
        let mut both = [there_and_back(1, 200), there_and_back(LONG, 10)];
        self.world.process_at_rank(0).broadcast_into(&mut both[..]);
        [both[0], (LONG * 4) as f64 / (both[1] - both[0]).max(1e-9)]
    }
}
