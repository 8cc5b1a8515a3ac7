//! The buffers of a lesson, by the names that people give them, and a look into
//! their corners while a key is awaited.

use common::element::{Elements, Type};
use common::memory::is_poison;
use common::numbers::significant;
use opencl3::command_queue::{CommandQueue, retain_command_queue};
use opencl3::memory::{Buffer, ClMem, retain_mem_object};
use opencl3::types::{CL_BLOCKING, cl_mem};

use super::piece::{bold, style};

/// How to look at a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Rows of the matrix in it, as it lies there.
    pub rows: usize,
    /// Columns of a row.
    pub cols: usize,
    /// Type of the elements.
    pub ty: Type,
}

impl Look {
    /// At a vector of floats.
    pub fn vector(floats: usize) -> Look {
        Look {
            rows: 1,
            cols: floats,
            ty: Type::Float,
        }
    }
}

/// What is known of the buffers.
#[derive(Default)]
pub(super) struct Memory {
    /// The name of the buffer that is created next.
    pub next: Option<&'static str>,
    names: Vec<(cl_mem, &'static str)>,
    watched: Vec<Watched>,
}

struct Watched {
    name: &'static str,
    /// The same buffer, and the queue to read it by, kept alive by references of our own.
    buffer: Buffer<u8>,
    queue: CommandQueue,
    look: Look,
}

impl Memory {
    /// Notes a new buffer by the name that was announced for it.
    pub fn name_new(&mut self, mem: cl_mem) -> Option<&'static str> {
        let name = self.next.take();
        // The driver may give the handle of a freed buffer to a new one.
        self.names.retain(|(known, _)| *known != mem);
        self.names.extend(name.map(|name| (mem, name)));
        name
    }

    pub fn name_of(&self, mem: cl_mem) -> Option<&'static str> {
        let known = self.names.iter().find(|(known, _)| *known == mem);
        known.map(|(_, name)| *name)
    }

    /// Keeps a buffer and its queue alive, to be looked into until [`Memory::forget`], or
    /// another buffer of the same name.
    pub fn watch(
        &mut self,
        queue: &CommandQueue,
        name: &'static str,
        buffer: &impl ClMem,
        look: Look,
    ) {
        self.watched.retain(|watched| watched.name != name);
        self.names.retain(|(known, _)| *known != buffer.get());
        self.names.push((buffer.get(), name));
        // SAFETY: both handles are alive, since their owners are borrowed here.
        let retained = unsafe {
            retain_mem_object(buffer.get()).is_ok() && retain_command_queue(queue.get()).is_ok()
        };
        if retained {
            self.watched.push(Watched {
                name,
                buffer: Buffer::new(buffer.get()),
                queue: CommandQueue::new(queue.get(), queue.max_work_item_dimensions()),
                look,
            });
        }
    }

    /// Forgets the buffers of these names, so that their memory can be freed.
    pub fn forget(&mut self, names: &[&str]) {
        self.watched.retain(|one| !names.contains(&one.name));
    }

    /// The corners of all watched buffers, `side` elements high and wide.
    pub fn shown(&self, side: usize) -> Vec<String> {
        if self.watched.is_empty() {
            return vec!["No buffer has been made yet.".into()];
        }
        // The result first: it is what changes.
        let is_result = |one: &&Watched| one.name == "C";
        let (result, inputs): (Vec<_>, Vec<_>) = self.watched.iter().partition(is_result);
        let corners = result.into_iter().chain(inputs);
        let corners = corners.map(|one| [one.corner(side), vec![String::new()]].concat());
        corners.flatten().collect()
    }
}

impl Watched {
    fn corner(&self, side: usize) -> Vec<String> {
        let Look { rows, cols, ty } = self.look;
        let (high, wide) = (rows.min(side), cols.min(side));
        let (name, ty_name) = (self.name, ty.name());
        let title = format!("{name}, {rows} x {cols} {ty_name}, as it lies in the device's memory");
        let mut shown = vec![bold(title)];
        let last_row = high.saturating_sub(1) * cols + wide;
        let Some(data) = self.read(last_row * ty.size()) else {
            shown.push("    it cannot be read just now".into());
            return shown;
        };
        let data = Elements::from_bytes(ty, &data);
        let mut poisoned = false;
        let more = if wide < cols { " ..." } else { "" };
        for row in 0..high {
            let cells = (row * cols..row * cols + wide).map(|i| {
                if !is_poison(&data, i) {
                    return format!("{:>8}", short(data.get(i), ty));
                }
                poisoned = true;
                style(format!("{:>8}", "poison")).magenta().to_string()
            });
            shown.push(format!("  {}{more}", cells.collect::<String>()));
        }
        if high < rows {
            shown.push(format!("  {:>8}", "..."));
        }
        if poisoned {
            shown.push("  poison: nothing has been written there".into());
        }
        shown
    }

    /// The first bytes of the buffer.
    fn read(&self, bytes: usize) -> Option<Vec<u8>> {
        let mut data = vec![0u8; bytes];
        let (queue, buffer) = (&self.queue, &self.buffer);
        // SAFETY: the call blocks, so `data` is neither moved nor freed meanwhile. A range
        // that is too long is refused.
        let read = unsafe { queue.enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut data, &[]) };
        read.ok().map(|_| data)
    }
}

/// A number in six characters, if it has so few digits before its point.
fn short(value: f64, ty: Type) -> String {
    match (ty, value) {
        (Type::Int, v) => format!("{v:.0}"),
        (_, v) if v.fract() == 0.0 && v.abs() < 1e6 => format!("{v:.0}"),
        (_, v) if v < 0.0 => format!("-{}", significant(-v)),
        (_, v) => significant(v),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_their_cells() {
        let values = [0.0, 120.0, 0.53412, -0.53412, -12.341];
        let shown = values.map(|value| short(value, Type::Float));
        assert_eq!(shown, ["0", "120", "0.534", "-0.534", "-12.3"]);
        assert_eq!(short(-100.0, Type::Int), "-100");
    }
}
