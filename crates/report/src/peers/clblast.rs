//! CLBlast: CLBlastSgemm, as it comes, on the lessons' device and queue.

// The arguments are those of the library.
#![allow(clippy::too_many_arguments)]

use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use common::device;
use common::error::During;
use common::memory::{Output, Poison};
use common::problem::Problem;
use common::session::{Buffer, Session};
use common::shape::Shape;
use common::timing::Profile;
use dlopen2::wrapper::{Container, WrapperApi};
use opencl3::event::Event;

use super::library::{About, Library, Missing, NOT_TRANSPOSED, Opened, Product, ROW_MAJOR, Sample};
use super::peer::Peer;

/// What is used of clblast_c.h.
#[derive(WrapperApi)]
#[rustfmt::skip]
struct Api {
    #[dlopen2_name = "CLBlastSgemm"]
    sgemm: unsafe extern "C" fn(
        layout: i32, a_transposed: i32, b_transposed: i32, m: usize, n: usize, k: usize,
        alpha: f32, a: *mut c_void, a_offset: usize, a_row: usize,
        b: *mut c_void, b_offset: usize, b_row: usize,
        beta: f32, c: *mut c_void, c_offset: usize, c_row: usize,
        queue: *mut *mut c_void, event: *mut *mut c_void,
    ) -> i32,
}

struct ClBlast {
    library: Container<Api>,
    session: Session,
}

/// Opens the library on the device that has this number in lesson 1's listing.
pub fn open(index: usize) -> Result<Result<Opened, Missing>> {
    let (library, file) = match Peer::Clblast.load() {
        Ok(found) => found,
        Err(missing) => return Ok(Err(missing)),
    };
    let device = device::list()?.into_iter().nth(index);
    let session = Session::open(device.context("there is no such device")?, Rc::new(()))?;
    let about = About {
        version: format!("{file}, as it comes"),
        threads: None,
        device: Some(session.device.clone()),
    };
    Ok(Ok((Box::new(ClBlast { library, session }), about)))
}

impl Library for ClBlast {
    fn product<'a>(&'a self, problem: &'a Problem) -> Result<Box<dyn Product + 'a>> {
        let (session, shape) = (&self.session, problem.shape);
        let c = Output::new(session, "C", problem.ty, shape.m * shape.n)?;
        c.poison(session)?;
        Ok(Box::new(Multiplied {
            library: &self.library,
            session,
            shape,
            a: session.upload(problem.a.data.as_bytes())?,
            b: session.upload(problem.b.data.as_bytes())?,
            c,
        }))
    }
}

struct Multiplied<'a> {
    library: &'a Container<Api>,
    session: &'a Session,
    shape: Shape,
    a: Buffer,
    b: Buffer,
    c: Output,
}

impl Multiplied<'_> {
    /// Launches the product; the event is that of its last kernel.
    fn launch(&self) -> Result<Event> {
        let Shape { m, n, k } = self.shape;
        let (a, b, c) = (self.a.get(), self.b.get(), self.c.buffer().get());
        let (plain, library) = (NOT_TRANSPOSED, self.library);
        let mut queue = self.session.queue.get();
        let mut event = ptr::null_mut();
        let (queue, told) = (&mut queue, &mut event);
        // SAFETY: row-major matrices as the sizes and leading dimensions say, in
        // buffers that live until the event has been waited for.
        #[rustfmt::skip]
        let status = unsafe {
            library.sgemm(
                ROW_MAJOR, plain, plain, m, n, k, 1.0, a, 0, k, b, 0, n, 0.0, c, 0, n, queue, told,
            )
        };
        if status != 0 {
            bail!("CLBlastSgemm ended with status {status}");
        }
        Ok(Event::new(event))
    }
}

impl Product for Multiplied<'_> {
    /// CLBlast may start several kernels for one product, so a run lasts from the end
    /// of what fills C beforehand to the end of the last one.
    fn run(&mut self) -> Result<Sample> {
        let fill = self.c.poison_again(self.session, Poison::Nan)?;
        let begin = Instant::now();
        let event = self.launch()?;
        event.wait().during("running CLBlastSgemm")?;
        let wall = begin.elapsed().as_secs_f64();
        let start = Profile::of(&fill)?.end;
        let profile = Profile {
            start,
            ..Profile::of(&event)?
        };
        let device = profile.credible(wall).then(|| profile.seconds());
        Ok(Sample { wall, device })
    }

    fn result(&self) -> Result<Vec<u8>> {
        Ok(self.c.read(self.session)?)
    }
}
