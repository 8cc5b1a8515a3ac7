//! Memory of the host that holds a matrix: pageable, as Rust allocates it, or pinned, which
//! the driver allocates so that the device's copy engine can reach it by itself.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ops::Range;

use common::error::Result;
use common::pinned::Pinned;
use common::session::Session;

/// A matrix on the host, which devices read and write on their own.
pub struct OnHost {
    floats: RefCell<Box<dyn AsMut<[f32]>>>,
    /// How far its rows lie apart.
    pub columns: usize,
}

impl OnHost {
    /// A copy of these floats, in rows of `columns`; pinned for a session's device, if one is
    /// given.
    pub fn of(floats: &[f32], columns: usize, pinned: Option<&Session>) -> Result<OnHost> {
        let length = floats.len();
        let mut own: Box<dyn AsMut<[f32]>> = match pinned {
            None => Box::new(vec![0.0; length]),
            Some(one) => Box::new(Pinned::zeros(&one.context, &one.device.cl(), length)?),
        };
        (*own).as_mut().copy_from_slice(floats);
        let floats = RefCell::new(own);
        Ok(OnHost { floats, columns })
    }

    /// Does something with the floats, between two runs, when no device writes them.
    pub fn with<T>(&self, work: impl FnOnce(&mut [f32]) -> T) -> T {
        work((**self.floats.borrow_mut()).as_mut())
    }

    /// Where its part with these rows and columns begins.
    pub fn place(&self, rows: &Range<usize>, columns: &Range<usize>) -> *mut c_void {
        let first = rows.start * self.columns + columns.start;
        let end = rows.end.saturating_sub(1) * self.columns + columns.end;
        self.with(|floats| floats[first..end].as_mut_ptr().cast())
    }
}
