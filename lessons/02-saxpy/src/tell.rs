//! What `--step` tells of the eleven steps. Nothing here is part of them.

use common::Result;
use common::element::Type;
use common::numbers::seconds;
use common::source::Source;
use common::tell::{Call, Listener};
use common::timing::Profile;
use narrate::{Beat, Card, Look, Narrator};
use opencl3::command_queue::CommandQueue;
use opencl3::memory::Buffer;
use opencl3::types::cl_float;
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
                lesson.narrator.clone()
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
        self.call(|| {
            Call::new("clCreateContext")
                .arg("", "1 device")
                .gave("context")
        });
    }

    /// Step 3.
    pub fn program(&self, source: &Source, build: f64) {
        let text = format!("{} bytes of {}", source.text.len(), source.path.display());
        self.call(|| {
            let call = Call::new("clCreateProgramWithSource").also("context");
            call.arg("", &text).gave("program")
        });
        self.call(|| {
            let call = Call::new("clBuildProgram").also("program").also("1 device");
            let call = call.arg("", "-cl-kernel-arg-info");
            call.gave(format!("ok, in {}", seconds(build)))
        });
        self.call(|| {
            Call::new("clCreateKernel")
                .also("program")
                .arg("", "saxpy")
                .gave("kernel")
        });
    }

    /// Step 4.
    pub fn buffers(&self, n: usize) {
        for (name, count, access) in [
            ("A", n, "CL_MEM_READ_ONLY"),
            ("B", n, "CL_MEM_READ_ONLY"),
            ("C", n + CANARY, "CL_MEM_WRITE_ONLY"),
        ] {
            self.call(|| {
                let call = Call::new("clCreateBuffer").also("context").also(access);
                call.arg("", bytes_of(count)).gave(name)
            });
        }
    }

    /// Step 5. From now on the buffers can be looked into.
    pub fn queue(&self, queue: &CommandQueue, [a, b, c]: [&Buffer<cl_float>; 3], n: usize) {
        self.call(|| {
            let call = Call::new("clCreateCommandQueue")
                .also("context")
                .also("device");
            call.arg("", "CL_QUEUE_PROFILING_ENABLE").gave("queue")
        });
        let look = Look {
            rows: 1,
            cols: n,
            ty: Type::Float,
        };
        for (name, buffer) in [("A", a), ("B", b), ("C", c)] {
            self.narrator.watch(queue, name, buffer, look);
        }
    }

    /// Step 6.
    pub fn writes(&self, n: usize) {
        for (name, count) in [("A", n), ("B", n), ("C", n + CANARY)] {
            self.call(|| transfer("clEnqueueWriteBuffer", name, count));
        }
    }

    /// Step 7.
    pub fn arguments(&self, n: usize, d: f32) {
        let numbers = [("int n", n.to_string()), ("float d", d.to_string())];
        let buffers = ["A", "B", "C"].map(|name| ("float*", name.to_string()));
        for (index, (label, value)) in numbers.into_iter().chain(buffers).enumerate() {
            self.call(|| {
                let call = Call::new("clSetKernelArg").also("kernel").arg("", index);
                call.arg(label, &value)
            });
        }
    }

    /// Step 8: the first launch; the timed ones are alike.
    pub fn launch(&self, global: usize, local: usize, first: Profile) {
        self.call(|| {
            let call = Call::new("clEnqueueNDRangeKernel")
                .also("queue")
                .arg("", "saxpy");
            let call = call.also("1D").arg("global", global).arg("local", local);
            call.gave("event")
        });
        self.call(|| Call::new("clWaitForEvents").arg("", "1 event"));
        let since = |time: u64| seconds(time.saturating_sub(first.queued) as f64 * 1e-9);
        self.call(|| {
            let call = Call::new("clGetEventProfilingInfo").also("event");
            call.arg("", "the four times").gave(format!(
                "QUEUED 0, SUBMIT +{}, START +{}, END +{}",
                since(first.submit),
                since(first.start),
                since(first.end)
            ))
        });
        self.narrator
            .note(|| "the timed launches are alike, and not told one by one".into());
    }

    /// Step 9.
    pub fn read(&self, n: usize, took: f64) {
        self.call(|| {
            let call = transfer("clEnqueueReadBuffer", "C", n + CANARY);
            call.gave(format!("ok, in {}", seconds(took)))
        });
    }

    /// Step 10.
    pub fn right(&self, n: usize) {
        self.narrator.note(|| format!("{}; right", bound(n)));
    }
}

fn bytes_of(count: usize) -> String {
    format!("{} bytes", count * size_of::<cl_float>())
}

fn transfer(name: &'static str, buffer: &str, count: usize) -> Call {
    let call = Call::new(name).also("queue").arg("", buffer);
    call.also("CL_TRUE")
        .also("offset 0")
        .arg("", bytes_of(count))
}
