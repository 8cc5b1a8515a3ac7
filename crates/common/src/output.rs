//! Where a kernel writes: poisoned before it runs, and with a canary behind it.

use opencl3::event::Event;

use crate::element::Type;
use crate::error::Result;
use crate::session::{Buffer, Session};
use crate::verify;

/// Room on the device for a result: `bytes` bytes of elements, and behind them the
/// canary, which nobody may touch. A simulator gets none: where the buffer ends with
/// the result, it sees an access behind it by itself, a read too, and names the line.
#[derive(Clone)]
pub struct Output {
    /// The buffer, to be passed to the kernel.
    pub buffer: Buffer,
    /// Bytes of the result.
    pub bytes: usize,
    canary: usize,
    ty: Type,
}

impl Output {
    /// Room for `count` elements, with undefined contents.
    ///
    /// # Errors
    /// The driver's status, when there is no room.
    pub fn new(session: &Session, ty: Type, count: usize) -> Result<Output> {
        let bytes = count * ty.size();
        let canary = if session.device.is_simulator() {
            0
        } else {
            verify::CANARY_BYTES
        };
        let buffer = session.buffer(bytes + canary)?;
        Ok(Output {
            buffer,
            bytes,
            canary,
            ty,
        })
    }

    /// Writes poison over all of it, the canary too.
    pub fn poison(&self, session: &Session) -> Result<()> {
        let poison = verify::poisoned(self.bytes, self.canary, self.ty);
        session.write(&self.buffer, &poison)
    }

    /// Enqueues to fill the result with poison again, and leaves the canary alone. No data
    /// travel, so this takes no time worth mentioning: before each timed run.
    pub fn poison_again(&self, session: &Session) -> Result<Event> {
        let pattern = &verify::poison(self.ty)[..self.ty.size()];
        session.fill(&self.buffer, pattern, self.bytes)
    }

    /// The result and the canary.
    ///
    /// # Errors
    /// The driver's status; a kernel that crashed is often noticed here.
    pub fn read(&self, session: &Session) -> Result<Vec<u8>> {
        session.read(&self.buffer, self.buffer.bytes)
    }

    /// Whether nothing was written behind the result, given what [`Output::read`] gave.
    pub fn canary_lives(&self, read: &[u8]) -> bool {
        verify::canary_alive(read, self.bytes, self.canary, self.ty)
    }
}
