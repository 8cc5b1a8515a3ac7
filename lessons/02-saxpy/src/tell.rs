//! What `--step` tells of the eleven steps. Nothing here is part of them.

use common::Result;
use common::ndrange::NdRange;
use common::numbers::seconds;
use common::source::Source;
use common::tell::{Call, Listener};
use common::timing::Profile;
use lesson::Lesson;
use narrate::{Card, Look, Narrator};
use opencl3::command_queue::CommandQueue;
use opencl3::memory::Buffer;
use opencl3::types::{cl_float, cl_mem};

use super::check::bound;
use super::problem::{CANARY, Saxpy};

/// What there is to say before the kernel's steps begin.
pub fn card(saxpy: &Saxpy) -> Result<Card> {
    Ok(Card {
        name: "saxpy".into(),
        kernel: "saxpy".into(),
        says: "C = d * A + B, one item per element".into(),
        source: saxpy.source.clone(),
        defines: Vec::new(),
        facts: vec!["two reads and one write for each element".into()],
        geometry: None,
    })
}

/// Who is told; nobody of a device that is only compared.
pub fn narrator(lesson: &Lesson, aloud: bool) -> Narrator {
    if aloud {
        lesson.console.narrator.clone()
    } else {
        Narrator::default()
    }
}

/// Step 2.
pub fn context(narrator: &Narrator) {
    narrator.call(None, &Call::create_context);
}

/// Step 3.
pub fn program(narrator: &Narrator, source: &Source, build: f64) {
    narrator.call(None, &|| Call::create_program(source));
    narrator.call(None, &|| Call::build_program("-cl-kernel-arg-info", build));
    narrator.call(None, &|| Call::create_kernel("saxpy"));
}

/// Step 4.
pub fn buffers(narrator: &Narrator, n: usize) {
    for (name, count, access) in [
        ("A", n, "CL_MEM_READ_ONLY"),
        ("B", n, "CL_MEM_READ_ONLY"),
        ("C", n + CANARY, "CL_MEM_WRITE_ONLY"),
    ] {
        narrator.call(None, &|| Call::create_buffer(access, bytes(count), name));
    }
}

/// Step 5. From now on the buffers can be looked into.
pub fn queue(
    narrator: &Narrator,
    queue: &CommandQueue,
    [a, b, c]: [&Buffer<cl_float>; 3],
    n: usize,
) {
    narrator.call(None, &Call::create_queue);
    for (name, buffer) in [("A", a), ("B", b), ("C", c)] {
        narrator.watch(queue, name, buffer, Look::vector(n));
    }
}

/// Step 6.
pub fn writes(narrator: &Narrator, n: usize) {
    for (name, count) in [("A", n), ("B", n), ("C", n + CANARY)] {
        narrator.call(None, &|| {
            Call::transfer("clEnqueueWriteBuffer", name, bytes(count))
        });
    }
}

/// Step 7.
pub fn arguments(narrator: &Narrator, n: usize, d: f32) {
    let numbers = [("int n", 4, n.to_string()), ("float d", 4, d.to_string())];
    let buffers = ["A", "B", "C"].map(|name| ("float*", size_of::<cl_mem>(), name.into()));
    for (index, (label, bytes, value)) in numbers.into_iter().chain(buffers).enumerate() {
        narrator.call(None, &|| {
            Call::set_arg(index, bytes, label, String::clone(&value))
        });
    }
}

/// Step 8: the first launch; the timed ones are alike.
pub fn launch(narrator: &Narrator, range: &NdRange, first: Profile) {
    narrator.call(None, &|| Call::launch("saxpy", range));
    narrator.call(None, &Call::wait);
    narrator.call(None, &|| Call::times(Some(&first)));
    narrator.note(|| "the timed launches are alike, and not told one by one".into());
}

/// Step 9.
pub fn read(narrator: &Narrator, n: usize, took: f64) {
    narrator.call(None, &|| {
        let call = Call::transfer("clEnqueueReadBuffer", "C", bytes(n + CANARY));
        call.gave(format!("ok, in {}", seconds(took)))
    });
}

/// Step 10.
pub fn right(narrator: &Narrator, n: usize) {
    narrator.note(|| format!("{}; right", bound(n)));
}

/// Of so many floats.
fn bytes(count: usize) -> usize {
    count * size_of::<cl_float>()
}
