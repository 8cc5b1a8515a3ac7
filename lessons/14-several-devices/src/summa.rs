//! SUMMA (van de Geijn and Watts, 1997, "SUMMA: Scalable Universal Matrix Multiplication
//! Algorithm"): the product on a grid of processes, each of which holds panels of A and of B,
//! and a block of C on the device that is its own.
//!
//! For each panel of K, whoever holds its columns of A sends them along his row of the grid,
//! whoever holds its rows of B along his column, and all add their product to C. The panel
//! after is on its way while the kernel of this one runs.

use std::mem::swap;
use std::ops::Range;
use std::time::Instant;

use common::error::{During, Error, Result};
use common::session::Session;
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::point_to_point::{Destination, Source};
use mpi::request::{WaitGuard, scope};
use mpi::topology::{Color, Communicator, SimpleCommunicator};
use verify::numbers::median;
use verify::shape::Shape;
use verify::vectors;

use crate::host::{Floats, Piece};
use crate::rank::{Flags, stage};
use crate::ranks::{Measured, panels};
use crate::worker::Engine;

/// Columns of A, rows of B or a block of C: here, and on the device.
type Part = (Floats, Piece);

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
    engine: Engine,
    /// Of A and of B, the panel that is multiplied, and the one that comes after it.
    now: [Part; 2],
    next: [Part; 2],
    c: Part,
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
fn fill(flags: &Flags, of_b: bool, side: &Range<usize>, panel: usize) -> Vec<f32> {
    let (k, seed) = (flags.size.k, flags.seed.wrapping_add(u64::from(of_b)));
    let (_, width) = panels(k);
    let depth = panel * width..(panel + 1) * width;
    let [rows, columns] = if of_b { [&depth, side] } else { [side, &depth] };
    let mut floats = Vec::with_capacity(rows.len() * columns.len());
    for r in rows.clone() {
        for c in columns.clone() {
            let is_inside = if of_b { r } else { c } < k;
            floats.push(if is_inside { number(seed, r, c) } else { 0.0 });
        }
    }
    floats
}

impl Grid {
    /// Puts the ranks into a grid as near to a square as their number allows.
    pub fn new(world: &SimpleCommunicator, engine: Engine, flags: Flags) -> Result<Grid> {
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
        let part =
            |length: usize, count: usize, i: usize| length * i / count..length * (i + 1) / count;
        let (rows, columns) = (part(m, down, at[0]), part(n, across, at[1]));
        let (count, width) = panels(k);
        let held = [(false, &rows, across, at[1]), (true, &columns, down, at[0])];
        let held = held.map(|(of_b, side, holders, me)| {
            let own = |panel: usize| {
                stage(&format!("filling panel {panel}"));
                (panel % holders == me).then(|| fill(&flags, of_b, side, panel))
            };
            (0..count).map(own).collect()
        });
        let line = |line: usize| {
            let line = world.split_by_color(Color::with_value(line as i32));
            line.ok_or_else(|| Error::Died("MPI made no communicator".into()))
        };
        let queue = &engine.queues[0];
        let pinned = Some((&*queue.context, &queue.device));
        let room = |rows: usize, columns: usize| -> Result<Part> {
            let floats = Floats::of(&vec![0.0; rows * columns], pinned)?;
            let piece = Piece::of(queue, &floats, [&(0..rows), &(0..columns)], columns)?;
            Ok((floats, piece))
        };
        let (high, wide) = (rows.len(), columns.len());
        Ok(Grid {
            world: world.duplicate(),
            along: [line(at[0])?, line(at[1])?],
            now: [room(high, width)?, room(width, wide)?],
            next: [room(high, width)?, room(width, wide)?],
            c: room(high, wide)?,
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
        self.check()?;
        let mut seconds = [Vec::new(), Vec::new()];
        for run in 0..6 {
            stage("waiting for the other ranks");
            self.world.barrier();
            let begun = Instant::now();
            self.product(run % 2 == 0)?;
            let (own, mut most) = (begun.elapsed().as_secs_f64(), 0.0);
            let max = SystemOperation::max();
            self.world.all_reduce_into(&own, &mut most, max);
            seconds[run % 2].push(most);
        }
        stage("waiting for messages that measure the network");
        let [latency, bytes_per_second] = self.network();
        Ok(Measured {
            lesson: 14,
            ranks: self.world.size() as usize,
            shape: self.flags.size,
            device: self.engine.queues[0].device.label(),
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
        let sizes = [self.rows.len(), self.columns.len(), width];
        let queue = &self.engine.queues[0];
        if sends {
            stage("waiting for panel 0");
            send(&self.along, &self.held, 0, &mut self.now, || Ok(()))?;
        }
        for panel in 0..count {
            let [(_, a), (_, b)] = &mut self.now;
            // SAFETY: the floats of `now` stay as they are until the queue has finished, below.
            unsafe {
                a.go(true, queue, &[])?;
                b.go(true, queue, &[])?;
            }
            let buffers = [&a.buffer, &b.buffer, &self.c.1.buffer];
            let kernel = self.engine.multiply(sizes, buffers, panel > 0)?;
            queue.launch(&kernel)?;
            queue.queue.flush().during("flushing a queue")?;
            let compute = || {
                stage(&format!("computing panel {panel} of {count}"));
                queue.finish()?;
                stage("waiting for the next panel");
                Ok(())
            };
            match sends && panel + 1 < count {
                true => send(&self.along, &self.held, panel + 1, &mut self.next, compute)?,
                false => compute()?,
            }
            self.flags.mishap(self.world.rank() as usize);
            swap(&mut self.now, &mut self.next);
        }
        Ok(())
    }

    /// Holds this rank's block of C against A and B, whose panels are made anew: what was sent
    /// is not believed.
    fn check(&mut self) -> Result<()> {
        let queue: &Session = &self.engine.queues[0];
        // SAFETY: the queue is finished before C is looked at.
        unsafe { self.c.1.go(false, queue, &[])? };
        queue.finish()?;
        let (count, _) = panels(self.flags.size.k);
        let panels = (0..count).map(|panel| {
            stage(&format!("checking panel {panel} of {count}"));
            let fill = |of_b, side| fill(&self.flags, of_b, side, panel);
            [fill(false, &self.rows), fill(true, &self.columns)]
        });
        let c = self.c.0.to_vec();
        let row = vectors::wrong_row(panels, &c, self.rows.len(), self.flags.seed);
        row.map_or(Ok(()), |row| {
            let row = self.rows.start + row;
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

/// Sends a panel to all who need it, while `meanwhile` goes on.
fn send(
    along: &[SimpleCommunicator; 2],
    held: &[Vec<Option<Vec<f32>>>; 2],
    panel: usize,
    [(a, _), (b, _)]: &mut [Part; 2],
    meanwhile: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let mut into = [a.as_mut(), b.as_mut()].into_iter().zip(held).zip(along);
    scope(|scope| {
        let mut send = || {
            let ((into, held), along) = into.next()?;
            if let Some(floats) = &held[panel] {
                into.copy_from_slice(floats);
            }
            let holder = along.process_at_rank((panel % along.size() as usize) as i32);
            let sent = holder.immediate_broadcast_into(scope, into);
            Some(WaitGuard::from(sent))
        };
        let both = [send(), send()];
        let done = meanwhile();
        drop(both);
        done
    })
}
