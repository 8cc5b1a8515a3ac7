//! CLBlast: CLBlastSgemm on the lessons' device and queue.

// The arguments are those of the library.
#![allow(clippy::too_many_arguments)]

use std::ffi::c_void;
use std::ptr;
use std::time::Instant;

use anyhow::{Result, bail};
use common::error::During;
use common::memory::{Output, Poison};
use common::problem::Problem;
use common::session::{Buffer, Session};
use common::shape::Shape;
use common::timing::Profile;
use dlopen2::wrapper::{Container, WrapperApi};
use opencl3::event::Event;

use super::{NOT_TRANSPOSED, Product, ROW_MAJOR};

/// What is used of clblast_c.h.
#[derive(WrapperApi)]
pub struct Api {
    #[dlopen2_name = "CLBlastSgemm"]
    sgemm: unsafe extern "C" fn(
        layout: i32,
        a_transposed: i32,
        b_transposed: i32,
        m: usize,
        n: usize,
        k: usize,
        alpha: f32,
        a: *mut c_void,
        a_offset: usize,
        a_row: usize,
        b: *mut c_void,
        b_offset: usize,
        b_row: usize,
        beta: f32,
        c: *mut c_void,
        c_offset: usize,
        c_row: usize,
        queue: *mut *mut c_void,
        event: *mut *mut c_void,
    ) -> i32,
}

pub struct ClBlast<'a> {
    session: &'a Session,
    library: Container<Api>,
    shape: Shape,
    a: Buffer,
    b: Buffer,
    c: Output,
}

impl<'a> ClBlast<'a> {
    pub fn new(
        library: Container<Api>,
        session: &'a Session,
        problem: &Problem,
    ) -> Result<ClBlast<'a>> {
        let shape = problem.shape;
        let c = Output::new(session, "C", problem.ty, shape.m * shape.n)?;
        c.poison(session)?;
        Ok(ClBlast {
            session,
            library,
            shape,
            a: session.upload(problem.a.data.as_bytes())?,
            b: session.upload(problem.b.data.as_bytes())?,
            c,
        })
    }

    /// Launches the product; the event is that of its last kernel.
    fn launch(&self) -> Result<Event> {
        let Shape { m, n, k } = self.shape;
        let mut queue = self.session.queue.get();
        let mut event = ptr::null_mut();
        // SAFETY: row-major matrices as the sizes and leading dimensions say, in
        // buffers that live until the event has been waited for.
        let status = unsafe {
            self.library.sgemm(
                ROW_MAJOR,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
                m,
                n,
                k,
                1.0,
                self.a.get(),
                0,
                k,
                self.b.get(),
                0,
                n,
                0.0,
                self.c.buffer().get(),
                0,
                n,
                &mut queue,
                &mut event,
            )
        };
        if status != 0 {
            bail!("CLBlastSgemm ended with status {status}");
        }
        Ok(Event::new(event))
    }
}

impl Product for ClBlast<'_> {
    /// CLBlast may start several kernels for one product, so a run lasts from the end
    /// of what fills C beforehand to the end of the last one.
    fn run(&mut self) -> Result<(f64, Option<Profile>)> {
        let fill = self.c.poison_again(self.session, Poison::Nan)?;
        let begin = Instant::now();
        let event = self.launch()?;
        event.wait().during("running CLBlastSgemm")?;
        let seconds = begin.elapsed().as_secs_f64();
        let start = Profile::of(&fill)?.end;
        let last = Profile::of(&event)?;
        Ok((seconds, Some(Profile { start, ..last })))
    }

    fn result(&self) -> Result<Vec<u8>> {
        Ok(self.c.read(self.session)?)
    }
}
