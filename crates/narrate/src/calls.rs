//! The calls of OpenCL, as a narrator hears of them.

use common::device;
use common::tell::{Call, Listener};
use opencl3::types::cl_mem;

use super::Narrator;
use super::piece::Piece;

impl Narrator {
    /// Tells which platforms and devices there are.
    pub fn platforms(&self) {
        if !self.listens() {
            return;
        }
        let platforms = device::platforms();
        let call = Call::new("clGetPlatformIDs");
        self.hear(&call.gave(format!("{} platform(s)", platforms.len())));
        for (platform, count) in platforms {
            let found = match count {
                0 => "CL_DEVICE_NOT_FOUND: none".to_string(),
                n => format!("{n} device(s)"),
            };
            let call = Call::new("clGetDeviceIDs").arg("", platform.name);
            self.hear(&call.also("CL_DEVICE_TYPE_ALL").gave(found));
        }
    }
}

impl Listener for Narrator {
    fn listens(&self) -> bool {
        self.is(|state| state.hushed == 0)
    }

    fn hear(&self, call: &Call) {
        self.with(|state| state.tell(Piece::Call(call.clone())));
    }

    fn name_new(&self, buffer: cl_mem) -> &'static str {
        self.with(|state| state.memory.name_new(buffer))
            .flatten()
            .unwrap_or("a buffer")
    }

    fn name_of(&self, buffer: cl_mem) -> &'static str {
        let state = self.0.as_ref().map(|state| state.borrow());
        let name = state.and_then(|state| state.memory.name_of(buffer));
        name.unwrap_or("a buffer")
    }
}
