//! Memory of the host that commands read while the program goes on: it is not to change, or to
//! be freed, before they have ended.

use std::sync::atomic::{AtomicBool, Ordering};

use opencl_sys::CL_FALSE;

use super::memory::hash_if_there;

/// Whether the program has memory that kernels can write without a command that names it.
static IS_SHARED: AtomicBool = AtomicBool::new(false);

/// Memory of the host that a command uses.
pub struct Watched {
    address: u64,
    size: u64,
    /// What it held, where the command reads it.
    hash: Option<u64>,
}

/// Any memory, which may be written.
const ANY: Watched = Watched { address: 0, size: u64::MAX, hash: None };

impl Watched {
    /// The memory that a call uses until later; what it writes is told roughly, so that a program
    /// which may be right is not blamed. `hash` is of what a command writes to a buffer.
    pub fn of(call: &str, given: &[u64], hash: Option<u64>) -> Option<Watched> {
        // Who is called back knows of an end that we do not hear of.
        const WRITERS: [&str; 6] = ["Read", "Map", "Unmap", "SVM", "Native", "Callback"];
        if call == "clSVMAlloc" {
            IS_SHARED.store(true, Ordering::Relaxed);
        }
        match call {
            "clEnqueueWriteBuffer" => {
                let is_left = given[2] == u64::from(CL_FALSE) && hash.is_some();
                let is_left = is_left && !IS_SHARED.load(Ordering::Relaxed);
                let (address, size) = (given[5], given[4]);
                is_left.then_some(Watched { address, size, hash })
            }
            "clEnqueueReadBuffer" => {
                Some(Watched { address: given[5], size: given[4], hash: None })
            }
            _ if WRITERS.iter().any(|part| call.contains(part)) => Some(ANY),
            _ => None,
        }
    }

    /// Whether this may be written, and what the other one reads with it.
    pub fn may_write(&self, other: &Watched) -> bool {
        let ends_behind = |one: &Watched, at| at < one.address.saturating_add(one.size);
        let overlap = ends_behind(self, other.address) && ends_behind(other, self.address);
        overlap && self.hash.is_none() && other.hash.is_some()
    }

    /// Whether what a command reads is no longer what it was.
    pub fn has_changed(&self) -> bool {
        let is = || hash_if_there(self.address, self.size);
        self.hash.is_some() && is().is_ok_and(|is| is != self.hash)
    }
}
