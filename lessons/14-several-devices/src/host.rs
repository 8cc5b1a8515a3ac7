//! Memory of the host that holds a matrix: pageable, as Rust allocates it, or pinned, which
//! the driver allocates so that the device's copy engine can reach it by itself.

use std::ops::Range;
use std::{ptr, slice};

use common::device::Device;
use common::error::Result;
use common::pinned::Pinned;
use common::session::{Buffer, Session};
use opencl3::context::Context;
use opencl3::event::Event;
use opencl3::types::cl_event;

/// Floats on the host, which devices read and write on their own.
pub struct Floats {
    address: *mut f32,
    length: usize,
    /// Whose memory they lie in.
    _owner: Box<dyn AsMut<[f32]>>,
}

// SAFETY: the address is an ordinary one of this process. Threads hand it to their devices;
// references to what lies there are made by the owner alone, who waits for the devices first.
unsafe impl Send for Floats {}
// SAFETY: as above.
unsafe impl Sync for Floats {}

impl Floats {
    /// A copy of these floats; pinned for this device of a context, if one is given.
    pub fn of(floats: &[f32], pinned: Option<(&Context, &Device)>) -> Result<Floats> {
        let length = floats.len();
        let mut owner: Box<dyn AsMut<[f32]>> = match pinned {
            None => Box::new(vec![0.0; length]),
            Some((context, device)) => Box::new(Pinned::zeros(context, &device.cl(), length)?),
        };
        let own = (*owner).as_mut();
        own.copy_from_slice(floats);
        Ok(Floats {
            address: own.as_mut_ptr(),
            length,
            _owner: owner,
        })
    }

    /// The floats, when no device writes them any more.
    #[cfg(feature = "mpi")]
    pub fn as_mut(&mut self) -> &mut [f32] {
        // SAFETY: so many floats lie there and have values; `self` is borrowed alone.
        unsafe { slice::from_raw_parts_mut(self.address, self.length) }
    }

    /// Makes all NaN, so that what nobody computes is wrong; between two runs.
    pub fn poison(&self) {
        // SAFETY: so many floats lie there, and between two runs no device uses them.
        unsafe { slice::from_raw_parts_mut(self.address, self.length).fill(f32::NAN) }
    }

    /// A copy. A device that was given up may still write here, but not there.
    pub fn to_vec(&self) -> Vec<f32> {
        let mut floats = vec![0.0; self.length];
        // SAFETY: so many floats lie there, and as many in the copy.
        unsafe { ptr::copy_nonoverlapping(self.address, floats.as_mut_ptr(), self.length) };
        floats
    }
}

/// A part of a matrix: its memory on a device, its place on the host, and the event of its
/// last way from one to the other.
pub struct Piece {
    pub buffer: Buffer,
    /// Rows and columns.
    pub shape: [usize; 2],
    pub moved: Option<Event>,
    host: *mut f32,
    /// How far rows lie apart on the host.
    pitch: usize,
}

impl Piece {
    /// These rows and columns of a matrix whose rows are `pitch` long.
    pub fn of(
        session: &Session,
        matrix: &Floats,
        [rows, columns]: [&Range<usize>; 2],
        pitch: usize,
    ) -> Result<Piece> {
        let last = rows.end.saturating_sub(1) * pitch + columns.end;
        assert!(last <= matrix.length);
        Ok(Piece {
            buffer: session.buffer(size_of::<f32>() * rows.len() * columns.len())?,
            shape: [rows.len(), columns.len()],
            moved: None,
            // SAFETY: it lies within the matrix, as its last element does.
            host: unsafe { matrix.address.add(rows.start * pitch + columns.start) },
            pitch,
        })
    }

    /// Enqueues its way up to the device, or down to the host, after these events.
    ///
    /// # Safety
    /// Until that has ended, the matrix must live: unchanged while this goes up, and used by
    /// nobody else where it comes down.
    pub unsafe fn go(&mut self, up: bool, queue: &Session, after: &[cl_event]) -> Result<()> {
        let ([rows, columns], host) = (self.shape, self.host.cast());
        let lines = [rows, 4 * columns, 4 * self.pitch];
        // SAFETY: so many rows lie there; the rest is the caller's word.
        self.moved = Some(unsafe { queue.copy_part(&self.buffer, host, lines, up, after)? });
        Ok(())
    }
}
