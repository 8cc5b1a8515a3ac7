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

use bytemuck::{cast_slice, cast_slice_mut};
use common::error::{During, Error, Result};
use common::pinned::Pinned;
use common::session::{Buffer, Launch, Session};
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::point_to_point::{Destination, Source};
use mpi::request::{WaitGuard, scope};
use mpi::topology::{Color, Communicator, SimpleCommunicator};
use verify::element::Type;
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

/// Panel `i` of A, with these rows, or of B, with these columns: made of random numbers
/// wherever it is needed, since no rank holds a whole matrix.
fn panel(flags: &Flags, of_b: bool, own: &Range<usize>, i: usize) -> Vec<f32> {
    let which = (own.start as u64) << 32 | (i as u64) << 1 | u64::from(of_b);
    let count = own.len() * depth(flags.size.k, i);
    Matrix::floats(count, Fill::Random, flags.seed.wrapping_add(which))
}

/// Columns of A and rows of B in panel `i` of these; the last one may have fewer.
fn depth(k: usize, i: usize) -> usize {
    let (_, width) = panels(k);
    width.min(k - i * width)
}

impl Side {
    /// The one of the `lines` of ranks that this rank is in, for its share of a matrix's `length`.
    fn new(
        world: &SimpleCommunicator,
        engine: &Engine,
        flags: &Flags,
        of_b: bool,
        [line, lines, length]: [usize; 3],
    ) -> Result<Side> {
        let along = world.split_by_color(Color::with_value(line as i32));
        let along = along.ok_or_else(|| Error::Died("MPI made no communicator".into()))?;
        let own = length * line / lines..length * (line + 1) / lines;
        let (count, width) = panels(flags.size.k);
        let (holders, at) = (along.size() as usize, along.rank() as usize);
        let held = |i: usize| (i % holders == at).then(|| panel(flags, of_b, &own, i));
        let queue = &engine.queues[0];
        let room = || Pinned::zeros(&queue.context, &queue.device.cl(), own.len() * width);
        Ok(Side {
            held: (0..count).map(held).collect(),
            now: room()?,
            buffer: queue.buffer("a side", size_of::<f32>() * own.len() * width)?,
            next: room()?,
            along,
            own,
        })
    }
}

/// Puts the ranks into a grid as near to a square as their number allows; multiplies, checks, and
/// measures.
pub fn summa(world: &SimpleCommunicator, engine: &Engine, flags: &Flags) -> Result<Measured> {
    let Shape { m, n, k } = flags.size;
    let (ranks, me) = (world.size() as usize, world.rank() as usize);
    let is_side = |side: &usize| side * side <= ranks && ranks % side == 0;
    let down = (1..=ranks).filter(is_side).max().unwrap_or(1);
    let across = ranks / down;
    if m < down || n < across {
        let why = "are too few rows and columns: each rank needs some";
        return Err(Error::Usage(format!("{m} and {n} {why}")));
    }
    // Its block of C, and the panels that it holds.
    let queue = &engine.queues[0];
    {
        let (m, n, k) = (m.div_ceil(down), n.div_ceil(across), k.div_ceil(down));
        queue.must_fit(Shape { m, n, k }, Type::Float)?;
    }
    // Those with the same rows of C share A, those with the same columns share B.
    let side = |of_b, lines| Side::new(world, engine, flags, of_b, lines);
    let a = side(false, [me / across, down, m])?;
    let b = side(true, [me % across, across, n])?;
    let (rows, columns) = (a.own.clone(), b.own.clone());
    let c = queue.buffer("C", size_of::<f32>() * rows.len() * columns.len())?;

    let kernel = |i: usize| {
        let sizes = [rows.len(), columns.len(), depth(k, i)];
        engine.multiply(sizes, [&a.buffer, &b.buffer, &c], i > 0)
    };
    let kernels = (0..panels(k).0).map(kernel).collect::<Result<Vec<_>>>()?;
    let mut sides = [a, b];
    product(&mut sides, queue, &kernels, true)?;
    // This rank's block of C against A and B, whose panels are made anew: what was sent is not
    // believed.
    let mut block = vec![0f32; rows.len() * columns.len()];
    queue.read_into(&c, cast_slice_mut(&mut block))?;
    let again = |i| [(false, &rows), (true, &columns)].map(|(b, own)| panel(flags, b, own, i));
    let all = (0..panels(k).0).map(again);
    if let Some(row) = vectors::wrong_row(all, &block, rows.len(), flags.seed) {
        let row = rows.start + row;
        return Err(Error::Wrong(format!("row {row} of C is wrong").into()));
    }
    if flags.own.fail == Some(me) {
        return Err(Error::Died("it failed, as --fail asks".into()));
    }

    let mut seconds = [Vec::new(), Vec::new()];
    for run in 0..6 {
        world.barrier();
        let begun = Instant::now();
        product(&mut sides, queue, &kernels, run % 2 == 0)?;
        let (own, mut most) = (begun.elapsed().as_secs_f64(), 0.0);
        world.all_reduce_into(&own, &mut most, SystemOperation::max());
        seconds[run % 2].push(most);
    }
    let [latency, bytes_per_second] = network(world);
    Ok(Measured {
        lesson: 14,
        ranks,
        shape: flags.size,
        device: engine.device().label(),
        seconds_median: median(&seconds[0]),
        seconds_kernels: median(&seconds[1]),
        latency,
        bytes_per_second,
        verified: true,
    })
}

/// C = A * B over all panels. Without `sends` each rank multiplies what it happens to have: as
/// much work, and no messages.
fn product(sides: &mut [Side; 2], queue: &Session, kernels: &[Launch], sends: bool) -> Result<()> {
    if sends {
        send(sides, 0, || Ok(()))?;
    }
    for (i, kernel) in kernels.iter().enumerate() {
        for side in sides.iter_mut() {
            swap(&mut side.now, &mut side.next);
            queue.write(&side.buffer, cast_slice(side.now.as_mut()))?;
        }
        queue.launch(kernel, &[])?;
        queue.queue.flush().during("flushing a queue")?;
        match sends && i + 1 < kernels.len() {
            true => send(sides, i + 1, || queue.finish())?,
            false => queue.finish()?,
        }
    }
    Ok(())
}

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

/// Latency and bandwidth between the first rank and the last; as good as can be where there is
/// one. Of the ranks in between nothing counts.
fn network(world: &SimpleCommunicator) -> [f64; 2] {
    const LONG: usize = 1 << 20;
    let (me, last) = (world.rank(), world.size() - 1);
    if last == 0 {
        return [0.0, f64::MAX];
    }
    let other = world.process_at_rank(if me == 0 { last } else { 0 });
    let there_and_back = |floats: usize, times: usize| {
        let mut message = vec![0f32; floats];
        world.barrier();
        let begun = Instant::now();
        for _ in 0..times {
            if me == 0 {
                other.send(&message[..]);
                other.receive_into(&mut message[..]);
            } else if me == last {
                other.receive_into(&mut message[..]);
                other.send(&message[..]);
            }
        }
        begun.elapsed().as_secs_f64() / (2 * times) as f64
    };
    let mut both = [there_and_back(1, 200), there_and_back(LONG, 10)];
    world.process_at_rank(0).broadcast_into(&mut both[..]);
    [both[0], (LONG * 4) as f64 / (both[1] - both[0]).max(1e-9)]
}
