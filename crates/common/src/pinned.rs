//! Pinned memory: of the host, but the driver allocates it, so that a device's copy engine can
//! reach it by itself.

use std::ffi::c_void;
use std::{ptr, slice};

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem,
};
use opencl3::types::CL_BLOCKING;

use crate::error::{During, Result};

/// Floats in such memory.
pub struct Pinned {
    buffer: Buffer<f32>,
    queue: CommandQueue,
    address: *mut c_void,
    length: usize,
}

impl Pinned {
    /// So many zeros: a buffer that is mapped, so that the host has its address.
    ///
    /// # Errors
    /// When the driver has no such memory.
    pub fn zeros(context: &Context, device: &Device, length: usize) -> Result<Pinned> {
        #[allow(deprecated)] // the call that drivers of every version have
        // SAFETY: the id is a device's, and OpenCL refuses one that the context does not have.
        let queue = unsafe { CommandQueue::create(context, device.id(), 0) };
        let queue = queue.during("creating a queue")?;
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        // SAFETY: the memory is the driver's; no pointer of ours has to outlive the buffer.
        let buffer = unsafe { Buffer::create(context, flags, length, ptr::null_mut()) };
        let buffer = buffer.during("allocating pinned memory")?;
        let mut address = ptr::null_mut();
        let (access, bytes) = (CL_MAP_READ | CL_MAP_WRITE, length * size_of::<f32>());
        // SAFETY: the call blocks, so the address is valid when it returns.
        let mapped = unsafe {
            queue.enqueue_map_buffer(&buffer, CL_BLOCKING, access, 0, bytes, &mut address, &[])
        };
        mapped.during("mapping pinned memory")?;
        if address.is_null() {
            // CL_MAP_FAILURE: a driver was seen that says success and gives none.
            return Err(-12).during("mapping pinned memory");
        }
        // SAFETY: so many bytes are mapped there, and nobody else knows of them yet.
        unsafe { ptr::write_bytes(address.cast::<u8>(), 0, bytes) };
        Ok(Pinned { buffer, queue, address, length })
    }
}

/// What lies there, when no device uses it.
impl AsMut<[f32]> for Pinned {
    fn as_mut(&mut self) -> &mut [f32] {
        // SAFETY: so many floats are mapped there until this is dropped, and have values.
        unsafe { slice::from_raw_parts_mut(self.address.cast(), self.length) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: this is the address that was mapped, and nobody can use it any more.
        let unmapped =
            unsafe { self.queue.enqueue_unmap_mem_object(self.buffer.get(), self.address, &[]) };
        // An error leaves it mapped until the context goes.
        let _ = unmapped.map(|_| self.queue.finish());
    }
}
