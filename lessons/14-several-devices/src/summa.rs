//! SUMMA (van de Geijn and Watts, 1997, "SUMMA: Scalable Universal Matrix Multiplication
//! Algorithm"): the product on a grid of processes, each of which holds panels of A and of B,
//! and a block of C on the device that is its own.
//!
//! For each panel of K, whoever holds its columns of A sends them along his row of the grid,
//! whoever holds its rows of B along his column, and all add their product to C. The panel
//! after is on its way while the kernel of this one runs.

use std::io::{self, Write, stderr, stdout};
use std::{ops::Range, time::Instant};

use bytemuck::{cast_slice, cast_slice_mut};
use clap::Parser;
use common::error::{During, Error, Result};
use common::session::{Buffer, Launch, Session};
use common::{memory::Pinned, source::Source};
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::point_to_point::send_receive_into;
use mpi::request::{WaitGuard, scope};
use mpi::topology::{Color, Communicator, SimpleCommunicator};
use verify::{Elements, Shape, element::Type, numbers::median};

use crate::ranks::{Measured, panels, places};
use crate::{flags::Own, work::Engine};

/// A rank of lesson 14, which mpirun starts: --size, --seed, --fail and --json count
#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    own: Own,
    #[arg(long, default_value = "1024")]
    size: Shape,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long)]
    json: bool,
}

/// One of many processes that mpirun has started: its exit status is mpirun's.
pub fn rank() -> Result<()> {
    let flags = Flags::parse();
    let universe = mpi::initialize();
    let universe = universe.ok_or_else(|| Error::Died("MPI could not be initialised".into()))?;
    let world = universe.world();
    let measured = summa(&world, &flags);
    if let Err(error) = &measured {
        // Those that wait for this rank would wait for ever: MPI ends them.
        let host = mpi::environment::processor_name().unwrap_or_default();
        let who = format!("rank {} on {host}", world.rank());
        diagnostics::terminal::show_error("", &format!("{who}: {}", error.told()));
        stderr().flush()?;
        world.abort(i32::from(error.status()))
    }
    if world.rank() == 0 {
        let measured = measured?;
        let json = serde_json::to_string(&measured).map_err(io::Error::from)?;
        writeln!(stdout(), "{}", if flags.json { json } else { measured.row() })?;
    }
    Ok(())
}

/// Of A or of B: the ranks that share it, this rank's rows of A or columns of B, which panels
/// of these it holds, and the panel that is multiplied, here and on the device.
struct Side {
    along: SimpleCommunicator,
    own: Range<usize>,
    held: Vec<Option<Vec<f32>>>,
    panel: Pinned,
    buffer: Buffer,
}

/// Panel `i` of A, with these rows, or of B, with these columns: made of random numbers
/// wherever it is needed, since no rank holds a whole matrix.
fn panel(flags: &Flags, of_b: bool, own: &Range<usize>, i: usize) -> Vec<f32> {
    let which = (own.start as u64) << 32 | (i as u64) << 1 | u64::from(of_b);
    let count = own.len() * panels(flags.size.k)[i];
    cast_slice(Elements::random(Type::Float, count, flags.seed.wrapping_add(which)).as_bytes())
        .to_vec()
}

impl Side {
    /// The one of the `lines` of ranks that this rank is in, for its share of a matrix's `length`.
    fn new(
        world: &SimpleCommunicator,
        queue: &Session,
        flags: &Flags,
        of_b: bool,
        [line, lines, length]: [usize; 3],
    ) -> Result<Side> {
        let along = world.split_by_color(Color::with_value(line as i32));
        let along = along.ok_or_else(|| Error::Died("MPI made no communicator".into()))?;
        let own = length * line / lines..length * (line + 1) / lines;
        let depths = panels(flags.size.k);
        let (holders, at) = (along.size() as usize, along.rank() as usize);
        let held = |i: usize| (i % holders == at).then(|| panel(flags, of_b, &own, i));
        Ok(Side {
            held: (0..depths.len()).map(held).collect(),
            panel: Pinned::zeros(&queue.context, &queue.device.cl, own.len() * depths[0])?,
            buffer: queue.buffer("a panel", size_of::<f32>() * own.len() * depths[0])?,
            along,
            own,
        })
    }
}

/// Puts the ranks into a grid as near to a square as their number allows; multiplies, checks, and
/// measures.
fn summa(world: &SimpleCommunicator, flags: &Flags) -> Result<Measured> {
    let (places, source) = (places()?, Source::of_course("14-several-devices.cl")?);
    let here = world.split_shared(world.rank()).rank() as usize;
    let engine = Engine::open(&places[here % places.len()], &source, false)?;
    let (queue, Shape { m, n, k }) = (&engine.queues[0], flags.size);
    let (ranks, me) = (world.size() as usize, world.rank() as usize);
    let is_side = |side: &usize| side * side <= ranks && ranks % side == 0;
    let down = (1..=ranks).filter(is_side).max().unwrap_or(1);
    let across = ranks / down;
    if m < down || n < across {
        let why = "are too few rows and columns: each rank needs some";
        return Err(Error::Usage(format!("{m} and {n} {why}")));
    }
    // Those with the same rows of C share A, those with the same columns share B.
    let a = Side::new(world, queue, flags, false, [me / across, down, m])?;
    let b = Side::new(world, queue, flags, true, [me % across, across, n])?;
    let (rows, columns) = (a.own.clone(), b.own.clone());
    let c = queue.buffer("C", size_of::<f32>() * rows.len() * columns.len())?;
    let kernel = |(i, depth)| {
        let sizes = [rows.len(), columns.len(), depth];
        engine.multiply(sizes, [&a.buffer, &b.buffer, &c], i > 0)
    };
    let kernels = panels(k).into_iter().enumerate().map(kernel).collect::<Result<Vec<_>>>()?;
    let mut sides = [a, b];
    product(&mut sides, queue, &kernels, true)?;
    // This rank's block of C against A and B, whose panels are made anew: what was sent is not
    // believed.
    let mut block = vec![0f32; rows.len() * columns.len()];
    queue.read_into(&c, cast_slice_mut(&mut block))?;
    let again = |i| [(false, &rows), (true, &columns)].map(|(b, own)| panel(flags, b, own, i));
    let all = (0..kernels.len()).map(again);
    if let Some(row) = verify::vectors::wrong_row(all, &block, rows.len(), flags.seed) {
        return Err(Error::Wrong(format!("row {} of C is wrong", rows.start + row).into()));
    }
    if flags.own.fail == Some(me) {
        return Err(Error::Died("it failed, as --fail asks".into()));
    }
    let mut seconds = [Vec::new(), Vec::new()];
    for run in 0..6 {
        world.barrier();
        let (begun, mut slowest) = (Instant::now(), 0.0);
        product(&mut sides, queue, &kernels, run % 2 == 0)?;
        let own = begun.elapsed().as_secs_f64();
        world.all_reduce_into(&own, &mut slowest, SystemOperation::max());
        seconds[run % 2].push(slowest);
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
        // When this returns, the device has the panel, and the next may take its place here.
        for side in sides.iter_mut() {
            queue.write(&side.buffer, cast_slice(side.panel.as_mut()))?;
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

/// Sends panel `i` to all who need it, while `meanwhile` goes on.
fn send(sides: &mut [Side; 2], i: usize, meanwhile: impl FnOnce() -> Result<()>) -> Result<()> {
    scope(|scope| {
        let sent = sides.each_mut().map(|side| {
            let into = side.panel.as_mut();
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

/// Latency and bandwidth between two ranks: each exchanges messages with the one opposite, all at
/// the same time.
fn network(world: &SimpleCommunicator) -> [f64; 2] {
    const LONG: usize = 1 << 20;
    let opposite = world.process_at_rank(world.size() - 1 - world.rank());
    let exchange = |floats: usize, times: usize| {
        let (sent, mut came) = (vec![0f32; floats], vec![0f32; floats]);
        world.barrier();
        let begun = Instant::now();
        for _ in 0..times {
            send_receive_into(&sent[..], &opposite, &mut came[..], &opposite);
        }
        begun.elapsed().as_secs_f64() / times as f64
    };
    let [short, long] = [exchange(1, 200), exchange(LONG, 10)];
    [short, (4 * LONG) as f64 / (long - short).max(1e-9)]
}
