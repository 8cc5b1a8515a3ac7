//! How fast bytes cross between host and device: from pageable memory, which the
//! system may move, and from pinned memory, which the device can fetch by itself.

use std::ffi::c_void;
use std::ptr;
use std::slice;
use std::time::Instant;

use common::error::During;
use common::session::Session;
use common::timing::median;
use common::{Error, Result};
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem,
};
use opencl3::types::{CL_BLOCKING, cl_float};

/// Transfers that are timed, each way, after one that is not.
const ROUNDS: usize = 5;

/// Median seconds for one vector.
pub struct Seconds {
    /// From the host to the device.
    pub there: f64,
    /// From the device to the host.
    pub back: f64,
}

/// From and to memory of Rust's own, which is pageable.
///
/// # Errors
/// The driver's status; or that other bytes came back than went there.
pub fn pageable(session: &Session, vector: &[f32]) -> Result<Seconds> {
    let mut host = vector.to_vec();
    timed(session, &mut host, vector)
}

/// From and to pinned memory: a buffer for which the driver allocates memory of the
/// host, mapped, so that the host has its address. That address is then an ordinary one,
/// from which another buffer is written.
///
/// # Errors
/// As [`pageable`].
pub fn pinned(session: &Session, vector: &[f32]) -> Result<Seconds> {
    let (n, queue) = (vector.len(), &session.queue);
    let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
    // SAFETY: the memory is the driver's; no pointer of ours has to outlive the buffer.
    let staging =
        unsafe { Buffer::<cl_float>::create(&session.context, flags, n, ptr::null_mut()) }
            .during("allocating pinned memory")?;
    let mut address: *mut c_void = ptr::null_mut();
    let access = CL_MAP_READ | CL_MAP_WRITE;
    // SAFETY: the call blocks, so the address is valid when it returns.
    unsafe {
        queue.enqueue_map_buffer(
            &staging,
            CL_BLOCKING,
            access,
            0,
            size_of_val(vector),
            &mut address,
            &[],
        )
    }
    .during("mapping pinned memory")?;
    // SAFETY: n floats are mapped there until the call below; the copy gives them values
    // before a slice refers to them.
    let host = unsafe {
        ptr::copy_nonoverlapping(vector.as_ptr(), address.cast(), n);
        slice::from_raw_parts_mut(address.cast(), n)
    };
    let seconds = timed(session, host, vector);
    // SAFETY: this is the address that was mapped, and `host` is used no more.
    unsafe { queue.enqueue_unmap_mem_object(staging.get(), address, &[]) }
        .during("unmapping pinned memory")?;
    queue.finish().during("unmapping pinned memory")?;
    seconds
}

/// Moves `host` to a buffer of the device and back, several times. It holds the bytes of
/// `vector`, and must hold them in the end.
fn timed(session: &Session, host: &mut [f32], vector: &[f32]) -> Result<Seconds> {
    let queue = &session.queue;
    // SAFETY: no pointer is given that would have to outlive the buffer.
    let mut buffer = unsafe {
        let n = vector.len();
        Buffer::<cl_float>::create(&session.context, CL_MEM_READ_WRITE, n, ptr::null_mut())
    }
    .during("allocating a buffer")?;
    let (mut there, mut back) = (Vec::new(), Vec::new());
    for _ in 0..=ROUNDS {
        let start = Instant::now();
        // SAFETY: the call blocks until `host` has been copied.
        unsafe { queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, host, &[]) }
            .during("writing a buffer")?;
        // A driver may return as soon as it has the bytes, and they are not there yet.
        queue.finish().during("writing a buffer")?;
        there.push(start.elapsed().as_secs_f64());

        host.fill(f32::NAN);
        let start = Instant::now();
        // SAFETY: the call blocks until `host` has been filled.
        unsafe { queue.enqueue_read_buffer(&buffer, CL_BLOCKING, 0, host, &[]) }
            .during("reading a buffer")?;
        back.push(start.elapsed().as_secs_f64());
        if host != vector {
            let wrong = "the device gave other bytes back than were written to it";
            return Err(Error::Wrong(wrong.into()));
        }
    }
    Ok(Seconds {
        there: median(&there[1..]),
        back: median(&back[1..]),
    })
}
