//! The memory that kernels are given. Each buffer lies between two guards which nobody
//! may touch, and whose bits are its own, so that who reads them is known by what comes out;
//! what is to be read must keep its bytes; what is to be written is poisoned before it is.
//!
//! A simulator gets no guards: where the buffer ends with the data, it sees an access
//! behind it by itself, a read too, and names the line. [`Pinned`] is memory of the host that a
//! device can reach.
//!
//! What fails, fails as the [`session`](crate::session)'s calls do.

#![allow(clippy::missing_errors_doc)]

use std::{ffi::c_void, ptr, slice};

use opencl3::memory::{
    Buffer as Memory, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem,
};
use opencl3::{command_queue::CommandQueue, context::Context, device::Device, types::CL_BLOCKING};
use verify::element::{Elements, Type};
use verify::poison::Poison;

use crate::error::{During, Result};
use crate::session::{Buffer, Bytes, Image, Session};

/// Bytes of a guard: as many as the farthest write that is seen, before the first byte
/// and behind the last one. Where the device cannot make a buffer so much larger there
/// are none, and nothing beside a buffer is watched.
pub const GUARD: usize = 128 << 10;

/// A buffer in the middle of a larger one, whose two ends are its guards; or an image, which has
/// none.
#[derive(Clone)]
pub struct Guarded {
    ty: Type,
    /// What a kernel is given.
    pub buffer: Buffer,
    /// The larger one, where there are guards.
    whole: Option<Buffer>,
}

impl Guarded {
    /// Room for `count` elements, with undefined contents. `name` is what messages call it.
    pub fn new(session: &Session, name: &str, ty: Type, count: usize) -> Result<Guarded> {
        let bytes = count * ty.size();
        let room = bytes + 2 * GUARD;
        let fits = room as u64 <= session.device.limits.max_alloc_bytes;
        let guards = fits && !session.device.is_simulator();
        let whole = guards.then(|| session.buffer("room with guards", room)).transpose()?;
        let buffer = match &whole {
            Some(whole) => session.part(whole, name, GUARD, bytes)?,
            None => session.buffer(name, bytes)?,
        };
        let guarded = Guarded { ty, buffer, whole };
        guarded.restore(session)?;
        Ok(guarded)
    }

    /// An image with undefined contents, which has no guards.
    pub fn image(session: &Session, name: &str, image: &Image) -> Result<Guarded> {
        Ok(Guarded { ty: image.format.ty(), buffer: session.image(name, image)?, whole: None })
    }

    /// Makes its guards whole.
    pub fn restore(&self, session: &Session) -> Result<()> {
        let Some(whole) = &self.whole else { return Ok(()) };
        let poison = Poison::beside(&self.buffer.name).many(self.ty, GUARD);
        session.transfer(whole, 0, Bytes::To(&poison))?;
        session.transfer(whole, GUARD + self.buffer.bytes, Bytes::To(&poison))
    }

    /// What was written nearest to the buffer, before it or behind it.
    pub fn damage(&self, session: &Session) -> Result<Option<String>> {
        let Some(whole) = &self.whole else { return Ok(None) };
        let (name, size) = (&self.buffer.name, self.ty.size());
        let poison = Poison::beside(name);
        let behind = session.get(whole, GUARD + self.buffer.bytes, GUARD)?;
        if let Some((first, _)) = poison.lost(self.ty, &behind) {
            let bytes = first * size;
            return Ok(Some(format!(
                "overrun: something was written behind the end of {name}, {bytes} bytes from it"
            )));
        }
        let before = session.get(whole, 0, GUARD)?;
        Ok(poison.lost(self.ty, &before).map(|(_, last)| {
            let bytes = GUARD - last * size;
            format!("overrun: something was written {bytes} bytes before the beginning of {name}")
        }))
    }

    /// Fills all of it with poison.
    pub fn poison(&self, session: &Session, poison: Poison) -> Result<()> {
        // To Oclgrind memory is unwritten that the host leaves alone: it sees where that is
        // read. What was filled it takes for unwritten even after a kernel has written it.
        if session.device.is_simulator() {
            return Ok(());
        }
        session.fill(&self.buffer, &poison.bytes(self.ty)[..self.ty.size()])
    }

    /// The bytes of all elements, as a kernel left them.
    pub fn read(&self, session: &Session) -> Result<Vec<u8>> {
        session.read(&self.buffer)
    }

    /// Whether the device holds these very bytes.
    pub fn holds(&self, session: &Session, bytes: &[u8]) -> Result<bool> {
        let buffer = &self.buffer;
        let length = [PIECE, buffer.bytes][usize::from(buffer.row.is_some())];
        for (i, piece) in bytes.chunks(length).enumerate() {
            if session.get(buffer, i * length, piece.len())? != piece {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What a kernel reads, and must not change.
pub struct Input {
    /// Where it lies.
    pub memory: Guarded,
    /// What it holds.
    pub holds: Elements,
}

impl Input {
    /// Fills this memory with these elements.
    pub fn new(session: &Session, memory: Guarded, holds: Elements) -> Result<Input> {
        session.write(&memory.buffer, holds.as_bytes())?;
        Ok(Input { memory, holds })
    }

    /// What was changed of it, or beside it.
    pub fn damage(&self, session: &Session) -> Result<Option<String>> {
        if self.memory.holds(session, self.holds.as_bytes())? {
            return self.memory.damage(session);
        }
        let now = session.get(&self.memory.buffer, 0, self.memory.buffer.bytes)?;
        let now = Elements::from_bytes(self.holds.ty(), &now);
        Ok(written(&self.memory.buffer.name, &now, &self.holds))
    }

    /// Makes it what it was.
    pub fn restore(&self, session: &Session) -> Result<()> {
        session.transfer(&self.memory.buffer, 0, Bytes::To(self.holds.as_bytes()))?;
        self.memory.restore(session)
    }
}

/// So much is read at a time to be compared: for as much memory as a large buffer takes,
/// the system takes longer than the transfer.
const PIECE: usize = 4 << 20;

/// What was changed of an input called `name`, which `held` these elements and is `now`
/// that; `None` where it kept its bytes.
pub fn written(name: &str, now: &Elements, held: &Elements) -> Option<String> {
    let is_changed = |i: &usize| now.bits(*i) != held.bits(*i);
    let mut changed = (0..now.len()).filter(is_changed);
    let first = changed.next()?;
    Some(format!(
        "{name} was written to, which is only to be read: {} of its elements, \
         the first is {name}[{first}], now {} instead of {}",
        1 + changed.count(),
        now.get(first),
        held.get(first)
    ))
}

/// Floats in pinned memory: of the host, but the driver allocates it, so that a device's copy engine
/// can reach it by itself.
pub struct Pinned {
    buffer: Memory<f32>,
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
        let buffer = unsafe { Memory::create(context, flags, length, ptr::null_mut()) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_was_written_to_is_named_with_the_first_element() {
        let held = Elements::Float(vec![0.0, 1.0, 2.0, 3.0]);
        assert_eq!(written("A", &held, &held), None);
        let now = Elements::Float(vec![0.0, 7.5, 2.0, 9.0]);
        let said = written("A", &now, &held).expect("it differs");
        assert!(said.contains("A was written to"), "{said}");
        assert!(said.ends_with("2 of its elements, the first is A[1], now 7.5 instead of 1"));
        // Bit by bit: a zero that became negative was written.
        let negative = Elements::Float(vec![-0.0, 1.0, 2.0, 3.0]);
        assert!(written("A", &negative, &held).is_some());
    }
}
