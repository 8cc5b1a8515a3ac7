//! One product on any number of devices, which all take from one board, and the memory of the
//! host that they read and write.

use std::cell::{RefCell, RefMut};
use std::ffi::c_void;
use std::ops::Range;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use bytemuck::cast_slice;
use common::device::Kind;
use common::error::{Error, Result};
use common::pinned::Pinned;
use verify::problem::Problem;
use verify::shape::Shape;

use crate::board::Board;
use crate::engine::Engine;
use crate::work::Work;

/// Rows and columns of a block that still fills a large GPU: 16 x 32 groups.
const FULL: usize = 2048;
/// After the end a device gets so long to come back from what another has done.
const GRACE: Duration = Duration::from_millis(500);
/// The devices are asked so often whether they are done.
const MOMENT: Duration = Duration::from_micros(20);

/// A matrix on the host, which devices read and write on their own: in pageable memory, as Rust
/// allocates it, or pinned, where a device's copy engine can reach it by itself.
pub struct OnHost {
    floats: RefCell<Box<dyn AsMut<[f32]>>>,
    /// How far its rows lie apart.
    pub columns: usize,
}

impl OnHost {
    /// A copy of these floats; pinned for an engine's context, if one is given.
    fn of(floats: &[f32], columns: usize, pinned: Option<&Engine>) -> Result<OnHost> {
        let mut own: Box<dyn AsMut<[f32]>> = match pinned.map(|engine| &engine.queues[0]) {
            None => Box::new(vec![0.0; floats.len()]),
            Some(one) => Box::new(Pinned::zeros(&one.context, &one.device.cl(), floats.len())?),
        };
        (*own).as_mut().copy_from_slice(floats);
        let floats = RefCell::new(own);
        Ok(OnHost { floats, columns })
    }

    /// Its floats, between two runs, when no device writes them.
    pub fn floats(&self) -> RefMut<'_, [f32]> {
        RefMut::map(self.floats.borrow_mut(), |floats| (**floats).as_mut())
    }

    /// Where its part with these rows and columns begins.
    pub fn place(&self, rows: &Range<usize>, columns: &Range<usize>) -> *mut c_void {
        let first = rows.start * self.columns + columns.start;
        let end = rows.end.saturating_sub(1) * self.columns + columns.end;
        self.floats()[first..end].as_mut_ptr().cast()
    }
}

/// The matrices on the host, which all devices read and write.
pub struct Product {
    pub a: OnHost,
    pub b: OnHost,
    pub c: OnHost,
    pub shape: Shape,
}

impl Product {
    /// The problem's matrices, in floats; pinned for an engine's context, if one is given.
    pub fn of(problem: &Problem, pinned: Option<&Engine>) -> Result<Rc<Product>> {
        let Shape { m, n, k } = problem.shape;
        let [a, b] = problem.operands().each_ref();
        Ok(Rc::new(Product {
            a: OnHost::of(cast_slice(a.data.as_bytes()), k, pinned)?,
            b: OnHost::of(cast_slice(b.data.as_bytes()), n, pinned)?,
            c: OnHost::of(&vec![f32::NAN; m * n], n, pinned)?,
            shape: problem.shape,
        }))
    }
}

/// A way to compute the product.
#[derive(Clone)]
pub struct Way {
    pub name: String,
    pub says: String,
    /// What each device multiplies with.
    pub engines: Vec<Rc<Engine>>,
    pub product: Rc<Product>,
    /// Queues of each device: three, or one for everything, and then C in one block.
    pub queues: usize,
    /// A and B are on the devices before the clock begins, and C stays there.
    pub resident: bool,
}

/// What a device does when it is asked: [`Work::go_on`], unless something is to go wrong.
pub type Turn<'a> = &'a dyn Fn(&mut Work, &mut Board) -> Result<bool>;

/// How a product came about.
pub struct Outcome {
    /// From the first block's begin to the last one's end, without the allocation of memory.
    pub seconds: f64,
    /// Which device was given and did what.
    pub board: Board,
    /// Of each device for how many seconds its queues were busy, or why it did not come to the
    /// end.
    pub ends: Vec<Result<[f64; 3], String>>,
}

impl Way {
    /// With operands that come from the host, and a result that goes there.
    pub fn new(
        name: &str,
        says: &str,
        engines: &[Rc<Engine>],
        product: &Rc<Product>,
        queues: usize,
    ) -> Way {
        Way {
            name: name.into(),
            says: says.into(),
            engines: engines.to_vec(),
            product: product.clone(),
            queues,
            resident: false,
        }
    }

    /// Whether several devices share the work.
    pub fn is_together(&self) -> bool {
        self.engines.len() > 1
    }

    /// Computes C; the devices' rates decide what each begins with.
    pub fn multiply(&self, rates: &[f64], turn: Turn) -> Result<Outcome> {
        let Shape { m, n, .. } = self.product.shape;
        let mut engines = self.engines.iter();
        // More blocks hide more, and each must keep a device busy.
        let side = match self.queues {
            1 => usize::MAX,
            _ if engines.any(|one| one.device().kind == Kind::Gpu) => {
                FULL.min(m.min(n).div_ceil(2))
            }
            _ => m.min(n).div_ceil(4),
        };
        let mut board = Board::new([m, n], side, rates);
        let works = (0..self.engines.len()).map(|me| Work::new(me, self, &board));
        let mut works: Vec<Work> = works.collect::<Result<_>>()?;
        let begun = Instant::now();
        board.last = begun;
        loop {
            let mut is_idle = true;
            for work in works.iter_mut().filter(|work| work.failed.is_none()) {
                match turn(work, &mut board) {
                    Ok(went) => is_idle &= !went,
                    Err(error) => {
                        board.give_back(work.me);
                        work.failed = Some(error.to_string());
                    }
                }
            }
            let is_done = board.is_done();
            let is_over = |work: &Work| work.failed.is_some() || is_done && work.is_idle();
            if works.iter().all(is_over) || is_done && board.last.elapsed() > GRACE {
                break;
            }
            if is_idle {
                thread::sleep(MOMENT);
            }
        }
        let seconds = (board.last - begun).as_secs_f64();
        let ends: Vec<_> = works.into_iter().map(|work| work.end(&board)).collect();
        if !board.is_done() {
            let why: Vec<String> = ends.into_iter().filter_map(Result::err).collect();
            let what = "rows of C are left that no device computed";
            return Err(Error::Died(format!("{what}:\n  {}", why.join("\n  "))));
        }
        Ok(Outcome { seconds, board, ends })
    }
}
