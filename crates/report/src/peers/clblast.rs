//! CLBlast: CLBlastSgemm, as it comes, on the lessons' device and queue.

// Arguments and names are those of the library.
#![allow(clippy::too_many_arguments, non_snake_case)]

use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use common::device;
use common::error::During;
use common::matrix::Matrix;
use common::memory::{Guarded, Poison};
use common::problem::Problem;
use common::session::{Buffer, Session};
use common::shape::Shape;
use common::timing::Profile;
use dlopen2::wrapper::{Container, WrapperApi};
use opencl3::event::Event;

use super::library::{Library, NOT_TRANSPOSED, Opened, Peer, ROW_MAJOR, Sample};

/// What is used of clblast_c.h.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Api {
    CLBlastSgemm: unsafe extern "C" fn(
        layout: i32, a_transposed: i32, b_transposed: i32, m: usize, n: usize, k: usize,
        alpha: f32, a: *mut c_void, a_offset: usize, a_row: usize,
        b: *mut c_void, b_offset: usize, b_row: usize,
        beta: f32, c: *mut c_void, c_offset: usize, c_row: usize,
        queue: *mut *mut c_void, event: *mut *mut c_void,
    ) -> i32,
}

struct ClBlast {
    api: Container<Api>,
    session: Session,
    product: Option<(Shape, [Buffer; 2], Guarded)>,
}

/// Opens the library on the device that has this number in lesson 1's listing.
pub fn open(index: usize) -> Result<Opened> {
    let (api, file) = Peer::Clblast.load()?;
    let device = device::list()?.into_iter().nth(index);
    let session = Session::open(device.context("there is no such device")?, Rc::new(()))?;
    Ok(Opened {
        library: Box::new(ClBlast {
            api,
            session,
            product: None,
        }),
        version: format!("{file}, as it comes"),
        threads: None,
    })
}

impl ClBlast {
    fn product(&self) -> Result<&(Shape, [Buffer; 2], Guarded)> {
        self.product.as_ref().context("no product")
    }

    /// Launches the product; the event is that of its last kernel.
    fn launch(&self) -> Result<Event> {
        let (Shape { m, n, k }, [a, b], c) = self.product()?;
        let (m, n, k, plain) = (*m, *n, *k, NOT_TRANSPOSED);
        let (a, b, c) = (a.get(), b.get(), c.buffer().get());
        let mut queue = self.session.queue.get();
        let mut event = ptr::null_mut();
        let (queue, told) = (&mut queue, &mut event);
        // SAFETY: row-major matrices as the sizes and leading dimensions say, in
        // buffers that live until the event has been waited for.
        #[rustfmt::skip]
        let status = unsafe {
            self.api.CLBlastSgemm(
                ROW_MAJOR, plain, plain, m, n, k, 1.0, a, 0, k, b, 0, n, 0.0, c, 0, n, queue, told,
            )
        };
        if status != 0 {
            bail!("CLBlastSgemm ended with status {status}");
        }
        Ok(Event::new(event))
    }
}

impl Library for ClBlast {
    fn take(&mut self, problem: &Rc<Problem>) -> Result<()> {
        let (session, shape) = (&self.session, problem.shape);
        let c = Guarded::new(session, "C", problem.ty, shape.m * shape.n)?;
        c.poison(session)?;
        let upload = |matrix: &Matrix| session.upload(matrix.data.as_bytes());
        let [a, b] = problem.operands().each_ref().map(upload);
        self.product = Some((shape, [a?, b?], c));
        Ok(())
    }

    /// CLBlast may start several kernels for one product, so a run lasts from the end
    /// of what fills C beforehand to the end of the last one.
    fn run(&mut self) -> Result<Sample> {
        let fill = self.product()?.2.poison_again(&self.session, Poison::Nan)?;
        let begin = Instant::now();
        let event = self.launch()?;
        event.wait().during("running CLBlastSgemm")?;
        let wall = begin.elapsed().as_secs_f64();
        let profile = Profile {
            start: Profile::of(&fill)?.end,
            ..Profile::of(&event)?
        };
        let device = profile.credible(wall).then(|| profile.seconds());
        Ok(Sample { wall, device })
    }

    fn result(&self) -> Result<Vec<u8>> {
        Ok(self.product()?.2.read(&self.session)?)
    }
}
