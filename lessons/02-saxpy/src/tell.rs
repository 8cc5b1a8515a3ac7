//! What `--step` tells of the eleven steps. Nothing here is part of them.

use common::Result;
use common::ndrange::NdRange;
use common::numbers::seconds;
use common::source::Source;
use common::tell::{Call, Listener};
use common::timing::Profile;
use narrate::{Beat, Card, Look, Narrator};
use opencl3::command_queue::CommandQueue;
use opencl3::memory::Buffer;
use opencl3::types::{cl_float, cl_mem};
use runner::Lesson;

use super::compare::bound;
use super::{CANARY, Saxpy};

/// What there is to say before the kernel's steps begin.
pub fn card(saxpy: &Saxpy) -> Result<Card> {
    Ok(Card {
        name: "saxpy".into(),
        kernel: "saxpy".into(),
        says: "C = d * A + B, one item per element".into(),
        source: saxpy.source.clone(),
        defines: Vec::new(),
        facts: vec!["two reads and one write for each element".into()],
    })
}

/// Tells what was done, if it is to be told.
pub struct Tell {
    narrator: Narrator,
}

impl Tell {
    /// Says nothing of a device that is only compared.
    pub fn new(lesson: &Lesson, aloud: bool) -> Tell {
        Tell {
            narrator: if aloud {
                lesson.console.narrator.clone()
            } else {
                Narrator::default()
            },
        }
    }

    /// A step begins, after a key.
    pub fn begins(&self, beat: Beat) -> Result<()> {
        self.narrator.beat(beat)
    }

    fn call(&self, call: impl Fn() -> Call) {
        self.narrator.call(None, &call);
    }

    /// Step 2.
    pub fn context(&self) {
        self.call(Call::create_context);
    }

    /// Step 3.
    pub fn program(&self, source: &Source, build: f64) {
        self.call(|| Call::create_program(source));
        self.call(|| Call::build_program("-cl-kernel-arg-info", build));
        self.call(|| Call::create_kernel("saxpy"));
    }

    /// Step 4.
    pub fn buffers(&self, n: usize) {
        for (name, count, access) in [
            ("A", n, "CL_MEM_READ_ONLY"),
            ("B", n, "CL_MEM_READ_ONLY"),
            ("C", n + CANARY, "CL_MEM_WRITE_ONLY"),
        ] {
            self.call(|| Call::create_buffer(access, bytes(count), name));
        }
    }

    /// Step 5. From now on the buffers can be looked into.
    pub fn queue(&self, queue: &CommandQueue, [a, b, c]: [&Buffer<cl_float>; 3], n: usize) {
        self.call(Call::create_queue);
        for (name, buffer) in [("A", a), ("B", b), ("C", c)] {
            self.narrator.watch(queue, name, buffer, Look::vector(n));
        }
    }

    /// Step 6.
    pub fn writes(&self, n: usize) {
        for (name, count) in [("A", n), ("B", n), ("C", n + CANARY)] {
            self.call(|| Call::transfer("clEnqueueWriteBuffer", name, bytes(count)));
        }
    }

    /// Step 7.
    pub fn arguments(&self, n: usize, d: f32) {
        let numbers = [("int n", 4, n.to_string()), ("float d", 4, d.to_string())];
        let buffers = ["A", "B", "C"].map(|name| ("float*", size_of::<cl_mem>(), name.into()));
        for (index, (label, bytes, value)) in numbers.into_iter().chain(buffers).enumerate() {
            self.call(|| Call::set_arg(index, bytes, label, String::clone(&value)));
        }
    }

    /// Step 8: the first launch; the timed ones are alike.
    pub fn launch(&self, range: &NdRange, first: Profile) {
        self.call(|| Call::launch("saxpy", range));
        self.call(Call::wait);
        self.call(|| Call::times(Some(&first)));
        self.narrator
            .note(|| "the timed launches are alike, and not told one by one".into());
    }

    /// Step 9.
    pub fn read(&self, n: usize, took: f64) {
        self.call(|| {
            let call = Call::transfer("clEnqueueReadBuffer", "C", bytes(n + CANARY));
            call.gave(format!("ok, in {}", seconds(took)))
        });
    }

    /// Step 10.
    pub fn right(&self, n: usize) {
        self.narrator.note(|| format!("{}; right", bound(n)));
    }
}

/// Of so many floats.
fn bytes(count: usize) -> usize {
    count * size_of::<cl_float>()
}
