//! Memory of the host that holds a matrix: pageable, as Rust allocates it, or pinned, which
//! the driver allocates so that the device's copy engine can reach it by itself.

use std::ffi::c_void;
use std::ptr;

use common::error::{During, Result};
use opencl3::command_queue::CommandQueue;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem,
};
use opencl3::types::CL_BLOCKING;

use crate::engine::Engine;

/// Floats on the host.
pub enum Host {
    Pageable(Vec<f32>),
    Pinned(Pinned),
}

/// A buffer of host memory, mapped until it is dropped.
pub struct Pinned {
    buffer: Buffer<f32>,
    queue: CommandQueue,
    address: *mut f32,
    length: usize,
}

// SAFETY: the address is an ordinary one of this process; only the owner uses it.
unsafe impl Send for Pinned {}

impl Pinned {
    /// Room for so many floats, all 0.
    pub fn new(engine: &Engine, length: usize) -> Result<Pinned> {
        let queue = engine.queue()?;
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        // SAFETY: the memory is the driver's; no pointer of ours has to outlive the buffer.
        let buffer = unsafe { Buffer::create(&engine.context, flags, length, ptr::null_mut()) }
            .during("allocating pinned memory")?;
        let mut address: *mut c_void = ptr::null_mut();
        // SAFETY: the call blocks, so the address is valid when it returns.
        let mapped = unsafe {
            let access = CL_MAP_READ | CL_MAP_WRITE;
            let bytes = length * size_of::<f32>();
            queue.enqueue_map_buffer(&buffer, CL_BLOCKING, access, 0, bytes, &mut address, &[])
        };
        mapped.during("mapping pinned memory")?;
        if address.is_null() {
            // CL_MAP_FAILURE: a driver was seen that says success and gives none.
            return Err(-12).during("mapping pinned memory");
        }
        // SAFETY: `length` floats are mapped there; 0 makes each a float.
        unsafe { ptr::write_bytes(address.cast::<f32>(), 0, length) };
        Ok(Pinned {
            buffer,
            queue,
            address: address.cast(),
            length,
        })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: this is the address that was mapped, and nobody can use it any more. An
        // error leaves it mapped until the context goes.
        let unmapped = unsafe {
            let address = self.address.cast();
            self.queue
                .enqueue_unmap_mem_object(self.buffer.get(), address, &[])
        };
        let _ = unmapped.map(|_| self.queue.finish());
    }
}

impl Host {
    /// A copy of these floats.
    pub fn of(floats: &[f32], pinned: Option<&Engine>) -> Result<Host> {
        Ok(match pinned {
            None => Host::Pageable(floats.to_vec()),
            Some(engine) => {
                let mut host = Host::Pinned(Pinned::new(engine, floats.len())?);
                host.as_mut().copy_from_slice(floats);
                host
            }
        })
    }
}

impl AsRef<[f32]> for Host {
    fn as_ref(&self) -> &[f32] {
        match self {
            Host::Pageable(floats) => floats,
            Host::Pinned(Pinned {
                address, length, ..
            }) => {
                // SAFETY: so many floats are mapped there and were given values.
                unsafe { std::slice::from_raw_parts(*address, *length) }
            }
        }
    }
}

impl AsMut<[f32]> for Host {
    fn as_mut(&mut self) -> &mut [f32] {
        match self {
            Host::Pageable(floats) => floats,
            Host::Pinned(Pinned {
                address, length, ..
            }) => {
                // SAFETY: as above, and `self` is borrowed alone.
                unsafe { std::slice::from_raw_parts_mut(*address, *length) }
            }
        }
    }
}
