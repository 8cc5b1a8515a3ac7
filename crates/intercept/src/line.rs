//! What the layer writes, a line of JSON each.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The file that the layer writes to; without it, it stays away.
pub const VARIABLE: &str = "OPENCL_COURSE_CALLS";

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Line {
    /// A call that may take time begins.
    Begin(Call),
    /// A call has returned.
    Call(Call),
    /// A command has ended on its device.
    Done {
        /// The process.
        process: u32,
        /// Its number.
        command: u64,
        /// 0, or the code with which it failed.
        status: i32,
        /// QUEUED, SUBMIT, START and END by the device's clock, in nanoseconds; zeros where the
        /// driver does not say.
        times: [u64; 4],
        /// Whether the host's memory that it was to write no longer held the same bytes.
        #[serde(default)]
        changed: bool,
    },
    /// A device that the program uses.
    Device {
        /// The process.
        process: u32,
        /// Its address.
        device: u64,
        /// Its name.
        name: String,
    },
}

/// A call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// Its name in C.
    #[serde(rename = "call")]
    pub name: String,
    /// The process.
    pub process: u32,
    /// The thread: a number of ours, from 1.
    pub thread: u64,
    /// When it was made, in nanoseconds since 1970.
    pub at: u64,
    /// Nanoseconds; 0 until it has returned.
    #[serde(default)]
    pub took: u64,
    /// Its status code; 0 until it has returned.
    #[serde(default)]
    pub status: i32,
    /// An object: its arguments by name. OpenCL's objects are their addresses; `result` is the one that was made,
    /// `command` the number of a command, `waits` the events that it waits for.
    #[serde(default)]
    pub args: Value,
}

impl Call {
    /// An argument that is a whole number, or an object's address; 0 for none.
    pub fn number(&self, name: &str) -> u64 {
        self.args[name].as_u64().unwrap_or_default()
    }

    /// An argument that is a list of these.
    pub fn numbers(&self, name: &str) -> Vec<u64> {
        let list = self.args[name].as_array().into_iter().flatten();
        list.filter_map(Value::as_u64).collect()
    }

    /// An argument that is a text.
    pub fn text(&self, name: &str) -> &str {
        self.args[name].as_str().unwrap_or_default()
    }

    /// Whether it puts a command into a queue.
    pub fn is_command(&self) -> bool {
        !self.args["command"].is_null()
    }

    /// Whether it launches a kernel.
    pub fn is_launch(&self) -> bool {
        ["clEnqueueNDRangeKernel", "clEnqueueTask"].contains(&&*self.name)
    }

    /// Whether it maps memory that the host is to write.
    pub fn maps_to_write(&self) -> bool {
        // CL_MAP_READ is the other one.
        self.name.contains("Map") && self.number("access") & !1 != 0
    }

    /// Whether it asks, and changes nothing.
    pub fn is_query(&self) -> bool {
        self.name.starts_with("clGet")
    }

    /// Whether the host learns from it that a command has ended.
    pub fn tells_an_end(&self) -> bool {
        // There are times, or it says so.
        self.args["state"] == 0 || self.name == "clGetEventProfilingInfo" && self.status == 0
    }

    /// Whether the host waits in it until a command has ended.
    pub fn is_blocking(&self) -> bool {
        self.number("blocking") != 0
    }
}
