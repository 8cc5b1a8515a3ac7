//! What a driver prints on standard error while it builds, and a kernel on standard output
//! while it runs: taken, and passed on without what a terminal would obey.

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::Path;

use diagnostics::aside;
use diagnostics::terminal::stream::{Stream, Taken};
use diagnostics::terminal::{Out, plain};

use crate::device::{Device, pocl};
use verify::numbers::bytes;

/// Names the file that takes a driver's words. Who sets it watches this process, and passes on
/// what lies there when this process dies.
pub const VARIABLE: &str = "OPENCL_COURSE_DRIVERS_WORDS";

/// How the name of the file ends, beside that one, that takes what kernels print.
pub const OF_KERNELS: &str = "printed-by-kernels";

/// Builds something, and then passes on what the driver said. Clang counts its errors there
/// ("1 error generated."), in the middle of a progress line, and the log says it better.
pub fn sifted<T>(build: impl FnOnce() -> T) -> T {
    let Some(taken) = sent(Stream::Error, "") else {
        return build();
    };
    let built = build();
    let said = taken.given_back();
    for line in said.lines().filter(|line| !line.ends_with(" generated.")) {
        aside!("{}", plain(line));
    }
    built
}

/// What the kernels of a session print.
#[derive(Default)]
pub struct Printed {
    /// Whether they print at all: to listen takes time.
    pub is_heard: Cell<bool>,
    taken: RefCell<Option<Taken>>,
}

impl Printed {
    /// Takes from now on what is printed.
    pub fn take(&self) {
        let mut taken = self.taken.borrow_mut();
        if taken.is_none() {
            *taken = sent(Stream::Output, OF_KERNELS);
        }
    }

    /// Passes it on. PoCL keeps as much as its buffer holds, and cuts the rest.
    pub fn pass_on(&self, device: &Device) {
        let Some(taken) = self.taken.take() else {
            return;
        };
        let said = taken.given_back();
        let end = if said.is_empty() || said.ends_with('\n') { "" } else { "\n" };
        // Nobody may be there to read it.
        let _ = write!(Out, "{}{end}", plain(&said));
        let room = device.cl().printf_buffer_size().unwrap_or(usize::MAX);
        if device.platform.name.contains(pocl::PLATFORM) && said.len() >= room {
            let room = bytes(room as u64);
            aside!("what the kernel printed was cut by PoCL, which keeps {room} of a launch");
        }
    }
}

/// The stream, sent to the file that takes a driver's words, or to one beside it.
fn sent(stream: Stream, end: &str) -> Option<Taken> {
    let path = std::env::var_os(VARIABLE)?;
    Taken::to(stream, &Path::new(&path).with_extension(end))
}
