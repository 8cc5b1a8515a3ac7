//! Who is told of the calls that this library makes, and how a call is told.

use std::fmt::Display;

use crate::codes;
use crate::error::Error;
use crate::ndrange::{NdRange, sides};
use crate::source::Source;
use crate::timing::Profile;
use verify::numbers::seconds;

/// Hears of every OpenCL call. `()` hears nothing, and costs a comparison.
pub trait Listener {
    /// Whether it listens now; if not, no call is put into words.
    fn listens(&self) -> bool {
        false
    }
    /// A call was made.
    fn hear(&self, _call: &Call) {}
    /// Tells of a call and of the error that came of it, if one did.
    fn call(&self, error: Option<&Error>, call: &dyn Fn() -> Call) {
        if self.listens() {
            self.hear(&call().ended(error));
        }
    }
}

impl Listener for () {}

/// A call with its arguments, and what it returned.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name in C.
    pub name: &'static str,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
    /// What it returned; "ok" unless [`Call::gave`] says more.
    pub returned: String,
    /// Whether it failed.
    pub failed: bool,
}

/// One argument of a call.
#[derive(Clone, Debug)]
pub struct Argument {
    /// What it is, where its value does not say.
    pub label: String,
    /// Its value.
    pub value: String,
    /// Whether it is shown where room is short, too.
    pub essential: bool,
}

impl Call {
    /// A call without arguments, which succeeded.
    pub fn new(name: &'static str) -> Call {
        Call {
            name,
            arguments: Vec::new(),
            returned: "ok".into(),
            failed: false,
        }
    }

    /// An argument that matters to the story.
    pub fn arg(self, label: impl Into<String>, value: impl Display) -> Call {
        self.with(label, value, true)
    }

    /// An argument that is left out where there is little room.
    pub fn also(self, value: impl Display) -> Call {
        self.with("", value, false)
    }

    fn with(mut self, label: impl Into<String>, value: impl Display, essential: bool) -> Call {
        self.arguments.push(Argument {
            label: label.into(),
            value: value.to_string(),
            essential,
        });
        self
    }

    /// What it returned, where that is more than success.
    pub fn gave(self, returned: impl Display) -> Call {
        Call {
            returned: returned.to_string(),
            ..self
        }
    }

    // The calls of the eleven steps (docs/anatomy.md), as they are told.

    /// Step 2.
    pub fn create_context() -> Call {
        let call = Call::new("clCreateContext");
        call.arg("", "1 device").gave("context")
    }

    /// Step 3: the program's text, so many bytes of this file.
    pub fn create_program(source: &Source) -> Call {
        let text = format!("{} bytes of {}", source.text.len(), source.path.display());
        let call = Call::new("clCreateProgramWithSource").also("context");
        call.arg("", text).gave("program")
    }

    /// Step 3: its compilation, which took so long.
    pub fn build_program(options: &str, took: f64) -> Call {
        let call = Call::new("clBuildProgram").also("program").also("1 device");
        let returned = format!("ok, in {}", seconds(took));
        call.arg("", options).gave(returned)
    }

    /// Step 3: one kernel of it.
    pub fn create_kernel(name: &str) -> Call {
        let call = Call::new("clCreateKernel").also("program");
        call.arg("", name).gave("kernel")
    }

    /// Step 4: a buffer that kernels may use in this way.
    pub fn create_buffer(access: &str, bytes: usize, name: &str) -> Call {
        let call = Call::new("clCreateBuffer").also("context").also(access);
        call.arg("", format!("{bytes} bytes")).gave(name)
    }

    /// Step 4: a part of a buffer, between what is left of it on either side.
    pub fn create_part(offset: usize, bytes: usize, name: &str) -> Call {
        let call = Call::new("clCreateSubBuffer").also("room with guards");
        call.also(format!("offset {offset}"))
            .arg("", format!("{bytes} bytes"))
            .gave(name)
    }

    /// Step 4: an image.
    pub fn create_image(format: &str, [width, height]: [usize; 2], name: &str) -> Call {
        let call = Call::new("clCreateImage").also("context").also(format);
        call.arg("", format!("{width} x {height}")).gave(name)
    }

    /// Step 5.
    pub fn create_queue() -> Call {
        let call = Call::new("clCreateCommandQueue")
            .also("context")
            .also("device");
        call.arg("", "CL_QUEUE_PROFILING_ENABLE").gave("queue")
    }

    /// Steps 6 and 9: a transfer into this buffer or out of it, which blocks.
    pub fn transfer(name: &'static str, buffer: &str, bytes: usize) -> Call {
        let call = Call::new(name)
            .also("queue")
            .arg("", buffer)
            .also("CL_TRUE");
        call.also("offset 0").arg("", format!("{bytes} bytes"))
    }

    /// The same bytes over and over, which do not travel.
    pub fn fill(buffer: &str, pattern: &[u8], bytes: usize) -> Call {
        let call = Call::new("clEnqueueFillBuffer")
            .also("queue")
            .arg("", buffer)
            .also(format!("{} bytes of poison", pattern.len()));
        call.also("offset 0").arg("", format!("{bytes} bytes"))
    }

    /// Step 7: one argument, by its position.
    pub fn set_arg(index: usize, bytes: usize, label: impl Into<String>, value: String) -> Call {
        let call = Call::new("clSetKernelArg").also("kernel").arg("", index);
        call.also(format!("{bytes} bytes")).arg(label, value)
    }

    /// Step 8: into the queue.
    pub fn launch(kernel: &str, range: &NdRange) -> Call {
        Call::new("clEnqueueNDRangeKernel")
            .also("queue")
            .arg("", kernel)
            .also(format!("{}D", range.global().len()))
            .arg("global", sides(range.global()))
            .arg("local", sides(range.local()))
            .gave("event")
    }

    /// Step 8: until it has ended.
    pub fn wait() -> Call {
        Call::new("clWaitForEvents").arg("", "1 event")
    }

    /// Step 8: when it was enqueued, handed on, begun and ended, if the driver tells.
    pub fn times(times: Option<&Profile>) -> Call {
        let call = Call::new("clGetEventProfilingInfo")
            .also("event")
            .arg("", "the four times");
        let Some(t) = times else { return call };
        let since = |to: u64| seconds(to.saturating_sub(t.queued) as f64 * 1e-9);
        call.gave(format!(
            "QUEUED 0, SUBMIT +{}, START +{}, END +{}",
            since(t.submit),
            since(t.start),
            since(t.end)
        ))
    }

    /// The same call, with the status in place of what it would have returned if
    /// it failed.
    fn ended(self, error: Option<&Error>) -> Call {
        let returned = match error {
            None => return self,
            Some(Error::OpenCl { code, .. }) => match codes::explain(*code) {
                Some(known) => format!("{} ({code})", known.name),
                None => format!("status {code}"),
            },
            Some(_) => "failed".into(),
        };
        Call {
            returned,
            failed: true,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_failed_tells_the_name_of_its_status() {
        let failed = Error::OpenCl {
            code: -54,
            during: "launching".into(),
            here: None,
        };
        let call = Call::new("clEnqueueNDRangeKernel").ended(Some(&failed));
        assert_eq!(call.returned, "CL_INVALID_WORK_GROUP_SIZE (-54)");
        assert!(call.failed);
        assert_eq!(Call::new("clFinish").ended(None).returned, "ok");
    }
}
