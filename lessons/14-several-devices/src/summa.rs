//! SUMMA (van de Geijn and Watts, 1997, "SUMMA: Scalable Universal Matrix Multiplication
//! Algorithm"): the product on a grid of processes, each of which holds a block of A, of B
//! and of C on the device that is its own.
//!
//! For each panel of K, whoever holds its columns of A sends them along his row of the grid,
//! whoever holds its rows of B along his column, and all add their product to C. The panel
//! after is on its way while the kernel of this one runs.

use std::ops::Range;
use std::time::Instant;

use common::error::{During, Error, Result};
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::point_to_point::{Destination, Source};
use mpi::request::{WaitGuard, scope};
use mpi::topology::{Color, Communicator, SimpleCommunicator};
use opencl3::memory::Buffer;

use crate::engine::{Block, Engine};
use crate::watchdog::Watchdog;
use common::verify::vectors::{VECTORS, bound, signs, times};

/// Columns of A and rows of B that are sent at a time.
pub const PANEL: usize = 256;

/// Where a rank stands, and what it holds.
pub struct Grid {
    world: SimpleCommunicator,
    /// Those with the same rows of C, and those with the same columns.
    row: SimpleCommunicator,
    column: SimpleCommunicator,
    /// Ranks down and across, and which of them this one is.
    shape: [usize; 2],
    at: [usize; 2],
    /// M, N, K.
    sizes: [usize; 3],
    seed: u64,
}

/// What was measured; the same on every rank.
pub struct Measured {
    /// The slowest rank's time for the whole, and for its kernels alone, without a panel sent.
    pub seconds: f64,
    pub kernels_alone: f64,
    /// Of a message from the first rank to the last and back, halved; and its bytes a second
    /// where it is long. Zero where there is one rank.
    pub latency: f64,
    pub bandwidth: f64,
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

impl Grid {
    /// Puts the ranks into a grid as near to a square as their number allows.
    pub fn new(world: SimpleCommunicator, sizes: [usize; 3], seed: u64) -> Result<Grid> {
        let (ranks, me) = (world.size() as usize, world.rank() as usize);
        let down = (1..=ranks)
            .filter(|d| d * d <= ranks && ranks % d == 0)
            .max()
            .unwrap_or(1);
        let shape = [down, ranks / down];
        let at = [me / shape[1], me % shape[1]];
        if sizes[0] < shape[0] || sizes[1] < shape[1] || sizes[2] < ranks {
            let [m, n, k] = sizes;
            return Err(Error::Usage(format!(
                "{m}x{n}x{k} is too small for {ranks} ranks: each needs a row and a column"
            )));
        }
        let split = |color: usize| world.split_by_color(Color::with_value(color as i32));
        let none = || Error::Died("MPI made no communicator".into());
        let row = split(at[0]).ok_or_else(none)?;
        let column = split(at[1]).ok_or_else(none)?;
        Ok(Grid {
            world,
            row,
            column,
            shape,
            at,
            sizes,
            seed,
        })
    }

    /// This rank's rows and columns of C.
    fn own(&self) -> [Range<usize>; 2] {
        let [m, n, _] = self.sizes;
        [
            part(m, self.shape[0], self.at[0]),
            part(n, self.shape[1], self.at[1]),
        ]
    }

    /// What this rank holds of A: its rows of C, and a part of K for each column of the grid.
    fn a(&self) -> Vec<f32> {
        let [rows, _] = self.own();
        let depth = part(self.sizes[2], self.shape[1], self.at[1]);
        let row = |r| depth.clone().map(move |k| number(self.seed, r, k));
        rows.flat_map(row).collect()
    }

    /// What it holds of B: a part of K for each row of the grid, and its columns of C.
    fn b(&self) -> Vec<f32> {
        let [_, columns] = self.own();
        let depth = part(self.sizes[2], self.shape[0], self.at[0]);
        let row = |k| columns.clone().map(move |c| number(self.seed + 1, k, c));
        depth.flat_map(row).collect()
    }

    /// The panels of K: each lies within one rank's part of A and one's of B.
    fn panels(&self) -> Vec<Range<usize>> {
        let k = self.sizes[2];
        let mut cuts: Vec<usize> = (0..k).step_by(PANEL).chain([k]).collect();
        for count in self.shape {
            cuts.extend((0..count).map(|i| part(k, count, i).start));
        }
        cuts.sort_unstable();
        cuts.dedup();
        cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }

    /// Which part of K, of so many, this panel lies in.
    fn holder(&self, panel: &Range<usize>, count: usize) -> usize {
        let holds = |i: &usize| part(self.sizes[2], count, *i).contains(&panel.start);
        (0..count).find(holds).unwrap_or(0)
    }

    /// The panel's columns of A, where this rank holds them.
    fn cut_a(&self, a: &[f32], panel: &Range<usize>, into: &mut [f32]) {
        let [rows, _] = self.own();
        let held = part(self.sizes[2], self.shape[1], self.at[1]);
        let width = panel.len();
        for r in 0..rows.len() {
            let from = r * held.len() + panel.start - held.start;
            into[r * width..(r + 1) * width].copy_from_slice(&a[from..from + width]);
        }
    }

    /// The panel's rows of B, which lie together.
    fn cut_b(&self, b: &[f32], panel: &Range<usize>, into: &mut [f32]) {
        let [_, columns] = self.own();
        let held = part(self.sizes[2], self.shape[0], self.at[0]);
        let from = (panel.start - held.start) * columns.len();
        into.copy_from_slice(&b[from..from + into.len()]);
    }

    /// Multiplies, checks, and measures.
    ///
    /// # Errors
    /// When the device fails, or C is wrong.
    pub fn run(&self, engine: &Engine, watchdog: &Watchdog) -> Result<Measured> {
        watchdog.stage("filling its blocks of A and B");
        let (a, b) = (self.a(), self.b());
        let mut device = OnDevice::new(self, engine)?;
        // Once to be checked and to warm up, then timed.
        device.product(self, [&a, &b], true, watchdog)?;
        let c = device.c(self)?;
        watchdog.stage("waiting for the others' part of the check");
        self.check([&a, &b, &c])?;
        let mut timed = |sends| -> Result<f64> {
            watchdog.stage("waiting for the other ranks");
            self.world.barrier();
            let begun = Instant::now();
            device.product(self, [&a, &b], sends, watchdog)?;
            Ok(self.slowest(begun.elapsed().as_secs_f64()))
        };
        let mut all = [Vec::new(), Vec::new()];
        for _ in 0..3 {
            all[0].push(timed(true)?);
            all[1].push(timed(false)?);
        }
        watchdog.stage("waiting for messages that measure the network");
        let [latency, bandwidth] = self.network();
        Ok(Measured {
            seconds: common::numbers::median(&all[0]),
            kernels_alone: common::numbers::median(&all[1]),
            latency,
            bandwidth,
        })
    }

    fn slowest(&self, seconds: f64) -> f64 {
        let mut most = 0.0;
        self.world
            .all_reduce_into(&seconds, &mut most, SystemOperation::max());
        most
    }

    /// The sum over all ranks, element by element.
    fn sum(&self, own: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; own.len()];
        self.world
            .all_reduce_into(own, &mut all[..], SystemOperation::sum());
        all
    }

    /// Holds C x against A (B x), for vectors that all ranks draw alike. Each adds what its
    /// blocks contribute.
    fn check(&self, [a, b, c]: [&[f32]; 3]) -> Result<()> {
        let [m, n, k] = self.sizes;
        let [rows, columns] = self.own();
        let a_depth = part(k, self.shape[1], self.at[1]);
        let b_depth = part(k, self.shape[0], self.at[0]);
        let contribute = |length, at: &Range<usize>, matrix: &[f32], x: &[f64]| {
            let mut own = vec![0.0; length];
            own[at.clone()].copy_from_slice(&times(matrix, x));
            self.sum(&own)
        };
        let mut squares = vec![0.0; m + 1];
        for (r, row) in rows.clone().zip(a.chunks_exact(a_depth.len())) {
            squares[r] = row.iter().map(|&a| f64::from(a).powi(2)).sum();
        }
        squares[m] = b.iter().map(|&b| f64::from(b).powi(2)).sum();
        let squares = self.sum(&squares);
        for i in 0..VECTORS as u64 {
            let x = signs(n, self.seed + i);
            let bx = contribute(k, &b_depth, b, &x[columns.clone()]);
            let want = contribute(m, &rows, a, &bx[a_depth.clone()]);
            let got = contribute(m, &rows, c, &x[columns.clone()]);
            // Written so that NaN is wrong.
            let is_near = |&row: &usize| {
                (got[row] - want[row]).abs() <= bound(squares[row].sqrt(), squares[m].sqrt())
            };
            if let Some(row) = (0..m).find(|row| !is_near(row)) {
                return Err(Error::Wrong(format!("row {row} of C is wrong")));
            }
        }
        Ok(())
    }

    /// Latency and bandwidth between the first rank and the last.
    fn network(&self) -> [f64; 2] {
        const LONG: usize = 1 << 20;
        let (me, last) = (self.world.rank(), self.world.size() - 1);
        if last == 0 {
            return [0.0; 2];
        }
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
        let own = [there_and_back(1, 200), there_and_back(LONG, 10)];
        // Of the ranks in between, who only wait, nothing counts.
        let mut both = own;
        self.world.process_at_rank(0).broadcast_into(&mut both[..]);
        [both[0], (LONG * 4) as f64 / (both[1] - both[0]).max(1e-9)]
    }
}

/// A rank's memory on its device, and the panels on their way there.
struct OnDevice<'a> {
    engine: &'a Engine,
    queue: opencl3::command_queue::CommandQueue,
    panels: [Buffer<f32>; 2],
    c: Buffer<f32>,
}

impl<'a> OnDevice<'a> {
    fn new(grid: &Grid, engine: &'a Engine) -> Result<OnDevice<'a>> {
        let [rows, columns] = grid.own().map(|range| range.len());
        Ok(OnDevice {
            queue: engine.queue()?,
            panels: [
                engine.buffer(rows * PANEL)?,
                engine.buffer(PANEL * columns)?,
            ],
            c: engine.buffer(rows * columns)?,
            engine,
        })
    }

    /// C = A * B over all panels. Without `sends` each rank multiplies what it happens to
    /// have: as much work, and no messages.
    fn product(
        &mut self,
        grid: &Grid,
        [a, b]: [&[f32]; 2],
        sends: bool,
        watchdog: &Watchdog,
    ) -> Result<()> {
        let [rows, columns] = grid.own().map(|range| range.len());
        let panels = grid.panels();
        let room = || [vec![0f32; rows * PANEL], vec![0f32; PANEL * columns]];
        let (mut now, mut next) = (room(), room());
        if sends {
            watchdog.stage("waiting for panel 0");
            grid.send(&panels[0], [a, b], &mut now, || Ok(()))?;
        }
        for (i, panel) in panels.iter().enumerate() {
            let block = Block {
                rows,
                columns,
                depth: panel.len(),
            };
            let there = [
                &now[0][..rows * panel.len()],
                &now[1][..panel.len() * columns],
            ];
            let [on_a, on_b] = &mut self.panels;
            // SAFETY: `now` stays as it is until the queue has finished, below.
            unsafe {
                Engine::write(&self.queue, on_a, there[0], &[])?;
                Engine::write(&self.queue, on_b, there[1], &[])?;
            }
            self.engine
                .multiply(&self.queue, block, [on_a, on_b, &self.c], i > 0, &[])?;
            self.queue.flush().during("flushing the queue")?;
            let compute = || {
                watchdog.stage(&format!("computing panel {i} of {}", panels.len()));
                let done = self.queue.finish().during("waiting for a kernel");
                watchdog.stage("waiting for the next panel");
                done
            };
            match panels.get(i + 1).filter(|_| sends) {
                Some(after) => grid.send(after, [a, b], &mut next, compute)?,
                None => compute()?,
            }
            watchdog.mishap(i);
            std::mem::swap(&mut now, &mut next);
        }
        Ok(())
    }

    fn c(&self, grid: &Grid) -> Result<Vec<f32>> {
        let [rows, columns] = grid.own().map(|range| range.len());
        let mut c = vec![f32::NAN; rows * columns];
        // SAFETY: the queue is finished before C is looked at.
        unsafe {
            let cut = [rows, columns, columns];
            Engine::read_columns(&self.queue, &self.c, c.as_mut_ptr(), cut, &[])?;
        }
        self.queue.finish().during("reading C")?;
        Ok(c)
    }
}

impl Grid {
    /// Sends a panel to all who need it, while `meanwhile` goes on.
    fn send(
        &self,
        panel: &Range<usize>,
        [a, b]: [&[f32]; 2],
        [into_a, into_b]: &mut [Vec<f32>; 2],
        meanwhile: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let [rows, columns] = self.own().map(|range| range.len());
        let [a_from, b_from] = [
            self.holder(panel, self.shape[1]),
            self.holder(panel, self.shape[0]),
        ];
        let into_a = &mut into_a[..rows * panel.len()];
        let into_b = &mut into_b[..panel.len() * columns];
        if a_from == self.at[1] {
            self.cut_a(a, panel, into_a);
        }
        if b_from == self.at[0] {
            self.cut_b(b, panel, into_b);
        }
        scope(|scope| {
            let along_row = self.row.process_at_rank(a_from as i32);
            let along_column = self.column.process_at_rank(b_from as i32);
            let first = WaitGuard::from(along_row.immediate_broadcast_into(scope, into_a));
            let second = WaitGuard::from(along_column.immediate_broadcast_into(scope, into_b));
            let done = meanwhile();
            drop((first, second));
            done
        })
    }
}
