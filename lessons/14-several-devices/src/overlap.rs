//! One device, several queues: the product from host memory to host memory, in the plain
//! order and with uploads, kernels and downloads at the same time.
//!
//! C is cut into blocks, A into bands of rows, B into bands of columns. A block can be
//! computed when its two bands are there, so the first kernel runs after two uploads, and
//! from then on there is always one to run:
//!
//! ```text
//! uploads    A0 B0 B1 A1 B2 A2 ...
//! kernels          00 01 10 11 02 12 ...     (row, column) of the block
//! downloads           00 01 10 11 ...
//! ```

use std::time::Instant;

use common::device::Kind;
use common::error::{During, Result};
use opencl3::event::Event;
use opencl3::memory::Buffer;

use crate::engine::{Block, Engine};
use crate::host::Host;
use crate::timeline::{Lane, Span};

/// Rows and columns of a block that still fills a large GPU: 16 x 32 groups.
const FULL: usize = 2048;

/// Bands of A and of B: more hide more, and each block must keep the device busy.
pub fn parts([m, n, _]: [usize; 3], is_gpu: bool) -> usize {
    let most = if is_gpu { m.min(n) / FULL } else { 4 };
    most.clamp(2, 8)
}

/// The operands of a product on the host.
pub struct Operands {
    pub a: Host,
    pub b: Host,
    pub c: Host,
    /// M, N, K.
    pub sizes: [usize; 3],
}

/// How long it took, from the first call to the last number, and what ran when.
pub struct Run {
    pub seconds: f64,
    pub spans: Vec<Span>,
}

/// The bands that `length` is cut into, each with its begin and length: whole tiles of the
/// kernels, but for the last.
fn bands(length: usize, parts: usize) -> Vec<(usize, usize)> {
    let each = length.div_ceil(parts).next_multiple_of(128);
    let begins = (0..length).step_by(each.max(1));
    begins
        .map(|begin| (begin, each.min(length - begin)))
        .collect()
}

/// One queue, one command after the other.
pub fn plain(engine: &Engine, host: &mut Operands) -> Result<Run> {
    let [m, n, k] = host.sizes;
    let queue = engine.queue()?;
    let [mut a, mut b, c] = [
        engine.buffer(m * k)?,
        engine.buffer(k * n)?,
        engine.buffer(m * n)?,
    ];
    let begun = Instant::now();
    // SAFETY: A and B live, unchanged, and C is ours alone, until the queue has finished,
    // which it does before this function ends.
    let events = unsafe {
        let a_there = Engine::write(&queue, &mut a, host.a.as_ref(), &[])?;
        let b_there = Engine::write(&queue, &mut b, host.b.as_ref(), &[])?;
        let block = Block {
            rows: m,
            columns: n,
            depth: k,
        };
        let done = engine.multiply(&queue, block, [&a, &b, &c], false, &[]);
        let back = done.and_then(|done| {
            let first = host.c.as_mut().as_mut_ptr();
            Ok((
                done,
                Engine::read_columns(&queue, &c, first, [m, n, n], &[])?,
            ))
        });
        queue.finish().during("waiting for the queue")?;
        let (done, back) = back?;
        [
            (Lane::Uploads, "A", a_there),
            (Lane::Uploads, "B", b_there),
            (Lane::Kernels, "A * B", done),
            (Lane::Downloads, "C", back),
        ]
    };
    let seconds = begun.elapsed().as_secs_f64();
    let spans = events
        .iter()
        .map(|(lane, what, event)| Span::of(*lane, *what, event));
    Ok(Run {
        seconds,
        spans: spans.collect::<Result<_>>()?,
    })
}

/// Three queues, which wait for each other's events only.
pub fn overlapped(engine: &Engine, host: &mut Operands) -> Result<Run> {
    let [m, n, k] = host.sizes;
    let queues = [engine.queue()?, engine.queue()?, engine.queue()?];
    let [uploads, kernels, downloads] = &queues;
    let parts = parts(host.sizes, engine.kind == Kind::Gpu);
    let (rows, columns) = (bands(m, parts), bands(n, parts));
    let room = |band: &(usize, usize)| engine.buffer(band.1 * k);
    let mut a: Vec<Buffer<f32>> = rows.iter().map(room).collect::<Result<_>>()?;
    let mut b: Vec<Buffer<f32>> = columns.iter().map(room).collect::<Result<_>>()?;
    let mut c: Vec<Vec<Buffer<f32>>> = Vec::new();
    for row in &rows {
        let room = |column: &(usize, usize)| engine.buffer(row.1 * column.1);
        c.push(columns.iter().map(room).collect::<Result<_>>()?);
    }
    let mut events: Vec<(Lane, String, Event)> = Vec::new();
    let (mut a_there, mut b_there) = (Vec::<Event>::new(), Vec::<Event>::new());

    let begun = Instant::now();
    let mut enqueue = || -> Result<()> {
        for step in 0..rows.len().max(columns.len()) {
            // SAFETY: A and B live, unchanged, until all queues have finished, below.
            unsafe {
                if let Some(&(begin, count)) = rows.get(step) {
                    let band = &host.a.as_ref()[begin * k..(begin + count) * k];
                    a_there.push(Engine::write(uploads, &mut a[step], band, &[])?);
                }
                if let Some(&(begin, count)) = columns.get(step) {
                    let first = host.b.as_ref()[begin..].as_ptr();
                    let cut = [k, count, n];
                    b_there.push(Engine::write_columns(uploads, &mut b[step], first, cut)?);
                }
            }
            // The blocks whose later band is this one: a column of C, and a row.
            let column = (0..=step).map(|row| (row, step));
            let row = (0..step).map(|column| (step, column));
            for (i, j) in column.chain(row) {
                let (Some(&(row, height)), Some(&(column, width))) = (rows.get(i), columns.get(j))
                else {
                    continue;
                };
                let block = Block {
                    rows: height,
                    columns: width,
                    depth: k,
                };
                let after = [a_there[i].get(), b_there[j].get()];
                let buffers = [&a[i], &b[j], &c[i][j]];
                let done = engine.multiply(kernels, block, buffers, false, &after)?;
                // SAFETY: each block of C is read once, and C is ours alone until the end.
                let back = unsafe {
                    let first = host.c.as_mut()[row * n + column..].as_mut_ptr();
                    Engine::read_columns(
                        downloads,
                        &c[i][j],
                        first,
                        [height, width, n],
                        &[done.get()],
                    )?
                };
                events.push((Lane::Kernels, format!("{i}{j}"), done));
                events.push((Lane::Downloads, format!("{i}{j}"), back));
            }
            // Another queue waits for these: without a flush they may never be begun.
            for queue in &queues {
                queue.flush().during("flushing a queue")?;
            }
        }
        Ok(())
    };
    let enqueued = enqueue();
    // Also where something failed: nothing may run any more when the memory goes.
    for queue in &queues {
        queue.finish().during("waiting for the queues")?;
    }
    enqueued?;
    let seconds = begun.elapsed().as_secs_f64();
    let there = |letter: char, all: Vec<Event>| {
        let named = all.into_iter().enumerate();
        named.map(move |(i, event)| (Lane::Uploads, format!("{letter}{i}"), event))
    };
    events.extend(there('A', a_there).chain(there('B', b_there)));
    let spans = events
        .iter()
        .map(|(lane, what, event)| Span::of(*lane, what.as_str(), event));
    Ok(Run {
        seconds,
        spans: spans.collect::<Result<_>>()?,
    })
}
