//! The memory that kernels are given. Each buffer lies between two guards which nobody
//! may touch, and whose bits are its own, so that who reads them is known by what comes out;
//! what is to be read must keep its bytes; what is to be written is poisoned before it is.
//!
//! A simulator gets no guards: where the buffer ends with the data, it sees an access
//! behind it by itself, a read too, and names the line.
//!
//! What fails, fails as the [`session`](crate::session)'s calls do.

#![allow(clippy::missing_errors_doc)]

use crate::error::Result;
use crate::session::{Buffer, Image, Session};
use verify::element::{Elements, Type};

use verify::poison::Poison;

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
        let whole = if fits && !session.device.is_simulator() {
            Some(session.buffer("room with guards", room)?)
        } else {
            None
        };
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
        let Some(whole) = &self.whole else {
            return Ok(());
        };
        let poison = Poison::beside(&self.buffer.name).many(self.ty, GUARD);
        session.put(whole, 0, &poison)?;
        session.put(whole, GUARD + self.buffer.bytes, &poison)?;
        Ok(())
    }

    /// What was written nearest to the buffer, before it or behind it.
    pub fn damage(&self, session: &Session) -> Result<Option<String>> {
        let Some(whole) = &self.whole else {
            return Ok(None);
        };
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
        session.put(&self.memory.buffer, 0, self.holds.as_bytes())?;
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
