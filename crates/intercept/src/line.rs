//! What the layer writes, a line of JSON each.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The file that the layer writes to; without it, it stays away.
pub const VARIABLE: &str = "OPENCL_COURSE_CALLS";

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Line {
    /// A call that may take time begins.
    Begin(Begin),
    /// A call has returned.
    Call(Call),
    /// A command has ended on its device.
    Done(Done),
    /// A device that the program uses.
    Device(Device),
}

/// A call that has not returned yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begin {
    /// Its name in C.
    pub call: String,
    /// The process.
    pub process: u32,
    /// The thread: a number of ours, from 1.
    pub thread: u64,
    /// When it was made, in nanoseconds since 1970.
    pub at: u64,
}

/// A call that has returned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// How it began.
    #[serde(flatten)]
    pub begin: Begin,
    /// Nanoseconds.
    pub took: u64,
    /// Its status code.
    pub status: i32,
    /// Its arguments by name. Objects are their addresses; `result` is the one that was made,
    /// `command` the number of a command, `waits` the events that it waits for.
    pub args: Map<String, Value>,
}

/// A command's end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// The process.
    pub process: u32,
    /// Its number.
    pub command: u64,
    /// 0, or the code with which it failed.
    pub status: i32,
    /// QUEUED, SUBMIT, START and END by the device's clock, in nanoseconds; zeros where the
    /// driver does not say.
    pub times: [u64; 4],
}

/// A device's name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Device {
    /// The process.
    pub process: u32,
    /// Its address.
    pub device: u64,
    /// Its name.
    pub name: String,
}

impl Call {
    /// An argument that is a whole number, or an object's address; 0 for none.
    pub fn number(&self, name: &str) -> u64 {
        let value = self.args.get(name);
        value.and_then(Value::as_u64).unwrap_or_default()
    }

    /// An argument that is a list of these.
    pub fn numbers(&self, name: &str) -> Vec<u64> {
        let list = self.args.get(name).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_u64)
            .collect()
    }

    /// An argument that is a text.
    pub fn text(&self, name: &str) -> &str {
        let value = self.args.get(name);
        value.and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether it puts a command into a queue.
    pub fn is_command(&self) -> bool {
        self.args.contains_key("command")
    }

    /// Whether it asks, and changes nothing.
    pub fn is_query(&self) -> bool {
        self.begin.call.starts_with("clGet")
    }

    /// Whether the host waits in it until a command has ended.
    pub fn is_blocking(&self) -> bool {
        self.number("blocking") != 0
    }
}
