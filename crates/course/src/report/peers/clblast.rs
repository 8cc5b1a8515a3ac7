//! CLBlast: CLBlastSgemm on the lessons' device and queue.

use std::ffi::c_void;
use std::ptr;
use std::time::Instant;

use anyhow::{Result, bail};
use common::element::{Elements, Type};
use common::error::During;
use common::matrix::Matrix;
use common::output::Output;
use common::session::Session;
use common::timing::{self, Profile, Runs};
use common::verify::{Problem, Right};
use dlopen2::raw::Library;
use opencl3::event::Event;

use super::{Measured, NOT_TRANSPOSED, ROW_MAJOR, WARM_UP, function};

/// The C interface: layout, transpositions, M, N, K, alpha, A with offset and
/// leading dimension, B, beta, C, queue, event.
type Sgemm = unsafe extern "C" fn(
    i32,
    i32,
    i32,
    usize,
    usize,
    usize,
    f32,
    *mut c_void,
    usize,
    usize,
    *mut c_void,
    usize,
    usize,
    f32,
    *mut c_void,
    usize,
    usize,
    *mut *mut c_void,
    *mut *mut c_void,
) -> i32;

/// Checks and times the product. CLBlast may start several kernels for it, so a
/// run lasts from the end of what fills C beforehand to the end of the last one.
pub fn measure(
    library: &Library,
    file: &str,
    session: &Session,
    problem: &Problem,
    runs: Runs,
    check: impl Fn(&Matrix, bool) -> Result<Right, String>,
) -> Result<Result<(Measured, Right), String>> {
    // SAFETY: the type is that of CLBlastSgemm in clblast_c.h, and the library
    // is open for as long as this function runs.
    let sgemm: Sgemm = unsafe { function(library, "CLBlastSgemm") }?;
    let s = problem.shape;
    let a = session.upload(problem.a.data.as_bytes())?;
    let b = session.upload(problem.b.data.as_bytes())?;
    let c = Output::new(session, Type::Float, s.m * s.n)?;
    c.poison(session)?;
    let call = || -> Result<Event> {
        let mut queue = session.queue.get();
        let mut event = ptr::null_mut();
        // SAFETY: row-major matrices as the sizes and leading dimensions say, in
        // buffers that live until the event has been waited for.
        let status = unsafe {
            sgemm(
                ROW_MAJOR,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
                s.m,
                s.n,
                s.k,
                1.0,
                a.get(),
                0,
                s.k,
                b.get(),
                0,
                s.n,
                0.0,
                c.buffer.get(),
                0,
                s.n,
                &mut queue,
                &mut event,
            )
        };
        if status != 0 {
            bail!("CLBlastSgemm ended with status {status}");
        }
        Ok(Event::new(event))
    };
    let wait = |event: &Event| event.wait().during("running CLBlastSgemm");

    let begin = Instant::now();
    wait(&call()?)?;
    let first_seconds = begin.elapsed().as_secs_f64();
    let everything = c.read(session)?;
    let result = Matrix {
        rows: s.m,
        cols: s.n,
        data: Elements::from_bytes(Type::Float, &everything[..c.bytes]),
    };
    let right = match check(&result, c.canary_lives(&everything)) {
        Ok(right) => right,
        Err(wrong) => return Ok(Err(wrong)),
    };
    let begin = Instant::now();
    while begin.elapsed() < WARM_UP {
        wait(&call()?)?;
    }
    let (mut walls, mut profiles) = (Vec::new(), Vec::new());
    while !runs.done(&walls) {
        let fill = c.poison_again(session)?;
        let begin = Instant::now();
        let event = call()?;
        wait(&event)?;
        walls.push(begin.elapsed().as_secs_f64());
        let ended = Profile::of(&event)?;
        let start = Profile::of(&fill)?.end;
        profiles.push(vec![Profile { start, ..ended }]);
    }
    let timing = timing::settle(&walls, &profiles);
    let measured = Measured {
        says: format!("{file}, on the lessons' device and queue"),
        timing,
        first_seconds,
    };
    Ok(Ok((measured, right)))
}
