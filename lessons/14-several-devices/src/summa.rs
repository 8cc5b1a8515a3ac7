//! SUMMA (van de Geijn and Watts, 1997, "SUMMA: Scalable Universal Matrix Multiplication
//! Algorithm"): the product on a grid of processes, each of which holds panels of A and of B,
//! and a block of C on the device that is its own.
//!
//! For each panel of K, whoever holds its columns of A sends them along his row of the grid,
//! whoever holds its rows of B along his column, and all add their product to C. The panel
//! after is on its way while the kernel of this one runs.

use std::ops::Range;
use std::process::abort;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{slice, thread};

use common::error::{Error, Result};
use diagnostics::aside;
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::point_to_point::{Destination, Source};
use mpi::request::{WaitGuard, scope};
use mpi::topology::{Color, Communicator, SimpleCommunicator};
use opencl3::command_queue::CommandQueue;
use opencl3::kernel::Kernel;
use verify::numbers::median;
use verify::shape::Shape;
use verify::vectors;

use crate::engine::{Engine, finish, flush};
use crate::host::{Floats, Piece};
use crate::rank::{Flags, stage};
use crate::ranks::{Measured, panels};

/// A panel's columns of A and rows of B: each here, and on the device.
type Panel = [(Floats, Piece); 2];

/// Where a rank stands, and what it holds.
pub struct Grid {
    world: SimpleCommunicator,
    /// Those with the same rows of C, which share A; those with its columns, which share B.
    along: [SimpleCommunicator; 2],
    flags: Flags,
    /// This rank's part of C.
    rows: Range<usize>,
    columns: Range<usize>,
    /// Of A and of B, the panels that this rank holds.
    held: [Vec<Option<Vec<f32>>>; 2],
    engine: Arc<Engine>,
    kernel: Kernel,
    queue: CommandQueue,
    now: Panel,
    next: Panel,
    c: (Floats, Piece),
}

/// Part `i` of `count` of a length.
fn part(length: usize, count: usize, i: usize) -> Range<usize> {
    length * i / count..length * (i + 1) / count
}

/// The number at (r, c) of a matrix that no rank holds as a whole: its place and a seed,
/// mixed (Steele, Lea and Flood, 2014, "Fast splittable pseudorandom number generators").
fn number(seed: u64, r: usize, c: usize) -> f32 {
    let mut z = seed ^ ((r as u64) << 32 | c as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32) - 0.5
}

/// A panel of A, with these rows, or of B, with these columns: made of numbers wherever it is
/// needed. What lies beyond K, in a last panel, is 0.
fn fill(
    Flags { size, seed, .. }: &Flags,
    of_b: bool,
    side: &Range<usize>,
    panel: usize,
) -> Vec<f32> {
    let (_, width) = panels(size.k);
    let depth = panel * width..(panel + 1) * width;
    let [rows, columns] = if of_b { [&depth, side] } else { [side, &depth] };
    let places = rows
        .clone()
        .flat_map(|r| columns.clone().map(move |c| (r, c)));
    let float = |(r, c)| match if of_b { r } else { c } < size.k {
        true => number(seed.wrapping_add(u64::from(of_b)), r, c),
        false => 0.0,
    };
    places.map(float).collect()
}

impl Grid {
    /// Puts the ranks into a grid as near to a square as their number allows.
    pub fn new(world: &SimpleCommunicator, engine: Arc<Engine>, flags: Flags) -> Result<Grid> {
        let Shape { m, n, k } = flags.size;
        let (ranks, me) = (world.size() as usize, world.rank() as usize);
        let is_side = |side: &usize| side * side <= ranks && ranks % side == 0;
        let down = (1..=ranks).filter(is_side).max().unwrap_or(1);
        let (across, at) = (ranks / down, [me / (ranks / down), me % (ranks / down)]);
        if m < down || n < across {
            return Err(Error::Usage(format!(
                "{} is too small for {ranks} ranks: each needs rows and columns",
                flags.size
            )));
        }
        let split = |line: usize| {
            let line = world.split_by_color(Color::with_value(line as i32));
            line.ok_or_else(|| Error::Died("MPI made no communicator".into()))
        };
        let (rows, columns) = (part(m, down, at[0]), part(n, across, at[1]));
        let (count, width) = panels(k);
        let own = |of_b: bool, side: &Range<usize>, holders: usize, me: usize| {
            let fill = |panel: usize| {
                stage(&format!("filling panel {panel}"));
                (panel % holders == me).then(|| fill(&flags, of_b, side, panel))
            };
            (0..count).map(fill).collect()
        };
        let held = [
            own(false, &rows, across, at[1]),
            own(true, &columns, down, at[0]),
        ];
        let room = |[rows, columns]: [usize; 2]| -> Result<(Floats, Piece)> {
            let floats = Floats::of(&vec![0.0; rows * columns], Some(&engine))?;
            let piece = Piece::of(&engine, &floats, [&(0..rows), &(0..columns)], columns)?;
            Ok((floats, piece))
        };
        let (high, wide) = (rows.len(), columns.len());
        let panel = || -> Result<Panel> { Ok([room([high, width])?, room([width, wide])?]) };
        Ok(Grid {
            world: world.duplicate(),
            along: [split(at[0])?, split(at[1])?],
            now: panel()?,
            next: panel()?,
            c: room([high, wide])?,
            kernel: engine.kernel()?,
            queue: engine.queue()?,
            flags,
            rows,
            columns,
            held,
            engine,
        })
    }

    /// Multiplies, checks, and measures.
    pub fn run(&mut self) -> Result<Measured> {
        // Once to be checked and to warm up, then timed.
        self.product(true)?;
        // SAFETY: the queue is finished before C is looked at.
        unsafe { self.c.1.go(false, &self.queue, &[])? };
        finish(slice::from_ref(&self.queue))?;
        self.check()?;
        let mut seconds = [Vec::new(), Vec::new()];
        for run in 0..6 {
            stage("waiting for the other ranks");
            self.world.barrier();
            let begun = Instant::now();
            self.product(run % 2 == 0)?;
            let (own, mut most) = (begun.elapsed().as_secs_f64(), 0.0);
            self.world
                .all_reduce_into(&own, &mut most, SystemOperation::max());
            seconds[run % 2].push(most);
        }
        stage("waiting for messages that measure the network");
        let [latency, bytes_per_second] = self.network();
        Ok(Measured {
            lesson: 14,
            ranks: self.world.size() as usize,
            shape: self.flags.size,
            device: self.engine.target.label.clone(),
            seconds_median: median(&seconds[0]),
            seconds_kernels: median(&seconds[1]),
            latency,
            bytes_per_second,
            verified: true,
        })
    }

    /// C = A * B over all panels. Without `sends` each rank multiplies what it happens to
    /// have: as much work, and no messages.
    fn product(&mut self, sends: bool) -> Result<()> {
        let (count, width) = panels(self.flags.size.k);
        let queues = slice::from_ref(&self.queue);
        if sends {
            stage("waiting for panel 0");
            send(&self.along, &self.held, 0, &mut self.now, || Ok(()))?;
        }
        for panel in 0..count {
            let [(_, a), (_, b)] = &mut self.now;
            // SAFETY: the floats of `now` stay as they are until the queue has finished, below.
            unsafe {
                a.go(true, &self.queue, &[])?;
                b.go(true, &self.queue, &[])?;
            }
            let buffers = [&a.buffer, &b.buffer, &self.c.1.buffer];
            let sizes = [self.rows.len(), self.columns.len(), width];
            let (kernel, queue) = (&self.kernel, &self.queue);
            self.engine
                .multiply(kernel, queue, sizes, buffers, panel > 0, &[])?;
            flush(queues)?;
            let compute = || {
                stage(&format!("computing panel {panel} of {count}"));
                let done = finish(queues);
                stage("waiting for the next panel");
                done
            };
            match sends && panel + 1 < count {
                true => send(&self.along, &self.held, panel + 1, &mut self.next, compute)?,
                false => compute()?,
            }
            self.mishap();
            std::mem::swap(&mut self.now, &mut self.next);
        }
        Ok(())
    }

    /// Holds this rank's block of C against A and B, whose panels are made anew: what was sent
    /// is not believed.
    fn check(&self) -> Result<()> {
        let (count, _) = panels(self.flags.size.k);
        let panels = (0..count).map(|panel| {
            stage(&format!("checking panel {panel} of {count}"));
            let fill = |of_b, side| fill(&self.flags, of_b, side, panel);
            [fill(false, &self.rows), fill(true, &self.columns)]
        });
        let c = self.c.0.to_vec();
        match vectors::wrong_row(panels, &c, self.rows.len(), self.flags.seed) {
            None => Ok(()),
            Some(row) => {
                let row = self.rows.start + row;
                Err(Error::Wrong(format!("row {row} of C is wrong")))
            }
        }
    }

    /// What was asked to go wrong.
    fn mishap(&self) {
        let (own, me) = (&self.flags.own.mishap, Some(self.world.rank() as usize));
        if own.fail == me {
            aside!("rank {}: it dies, as --fail asks", self.world.rank());
            abort();
        }
        if own.hang == me {
            stage("doing nothing, as --hang asks");
            thread::sleep(Duration::from_secs(3600));
        }
    }

    /// Latency and bandwidth between the first rank and the last; as good as can be where
    /// there is one.
    fn network(&self) -> [f64; 2] {
        const LONG: usize = 1 << 20;
        let (me, last) = (self.world.rank(), self.world.size() - 1);
        let there_and_back = |floats: usize, times: usize| {
            let mut message = vec![0f32; floats];
            self.world.barrier();
            let begun = Instant::now();
            for _ in 0..times {
                if me == 0 {
                    self.world.process_at_rank(last).send(&message[..]);
                    self.world
                        .process_at_rank(last)
                        .receive_into(&mut message[..]);
                } else if me == last {
                    self.world.process_at_rank(0).receive_into(&mut message[..]);
                    self.world.process_at_rank(0).send(&message[..]);
                }
            }
            begun.elapsed().as_secs_f64() / (2 * times) as f64
        };
        if last == 0 {
            return [0.0, f64::MAX];
        }
        // Of the ranks in between, who only wait, nothing counts.
        let mut both = [there_and_back(1, 200), there_and_back(LONG, 10)];
        self.world.process_at_rank(0).broadcast_into(&mut both[..]);
        [both[0], (LONG * 4) as f64 / (both[1] - both[0]).max(1e-9)]
    }
}

/// Sends a panel to all who need it, while `meanwhile` goes on.
fn send(
    along: &[SimpleCommunicator; 2],
    held: &[Vec<Option<Vec<f32>>>; 2],
    panel: usize,
    [(a, _), (b, _)]: &mut Panel,
    meanwhile: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let into = [a.as_mut(), b.as_mut()];
    let mut into = into.into_iter().zip(held).zip(along);
    scope(|scope| {
        let mut send = || {
            let ((into, held), along) = into.next()?;
            if let Some(floats) = &held[panel] {
                into.copy_from_slice(floats);
            }
            let holder = along.process_at_rank((panel % along.size() as usize) as i32);
            Some(WaitGuard::from(
                holder.immediate_broadcast_into(scope, into),
            ))
        };
        let both = [send(), send()];
        let done = meanwhile();
        drop(both);
        done
    })
}
