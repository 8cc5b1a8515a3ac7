//! The objects that a program made: what they are called, and who still holds them.

use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;

use crate::line::{Call, Line};

/// An object.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// "buffer".
    pub noun: &'static str,
    /// Its number among those.
    pub number: usize,
    /// A kernel's or a device's own name.
    pub name: String,
    /// How often it must be released still.
    pub holds: i64,
    /// Bytes of a buffer; of a part, those of the whole one that it is.
    pub bytes: Range<u64>,
    /// Of a part: what it is a part of.
    whole: Option<u64>,
    /// Flags of a buffer or a queue.
    pub flags: u64,
    /// A kernel's parameters, where the driver tells them.
    pub parameters: Vec<Parameter>,
    /// A kernel's arguments that are set: their bytes, as a number.
    pub arguments: HashMap<u64, u64>,
}

/// A kernel's parameter.
#[derive(Clone, Debug, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// "float*".
    #[serde(rename = "type")]
    pub of: String,
    /// Whether the kernel cannot write through it.
    #[serde(rename = "const")]
    pub is_const: bool,
}

/// What a command does to a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The whole buffer's address.
    pub buffer: u64,
    /// The bytes, in the whole buffer.
    pub bytes: Range<u64>,
    /// Whether it may write them.
    pub writes: bool,
    /// Whether it may read them.
    pub reads: bool,
}

/// All objects, by process and address.
#[derive(Default)]
pub struct Objects {
    all: HashMap<(u32, u64), Object>,
    made: HashMap<&'static str, usize>,
}

/// What these calls make.
const MAKERS: [(&str, &str); 9] = [
    ("clCreateContext", "context"),
    ("clCreateCommandQueue", "queue"),
    ("clCreateBuffer", "buffer"),
    ("clCreateSubBuffer", "part"),
    ("clCreateImage", "image"),
    ("clCreateSampler", "sampler"),
    ("clCreateProgram", "program"),
    ("clCreateKernel", "kernel"),
    ("clCreateUserEvent", "event"),
];

const WRITE_ONLY: u64 = 1 << 1;
const READ_ONLY: u64 = 1 << 2;
const OUT_OF_ORDER: u64 = 1 << 0;

impl Objects {
    /// Learns what a line says of objects.
    pub fn hear(&mut self, line: &Line) {
        match line {
            Line::Device(device) => {
                let place = self.place("device", device.process, device.device);
                place.name.clone_from(&device.name);
            }
            Line::Call(call) if call.status == 0 => self.learn(call),
            _ => {}
        }
    }

    fn learn(&mut self, call: &Call) {
        let process = call.begin.process;
        let name = &*call.begin.call;
        let maker = MAKERS.iter().find(|(maker, _)| name.starts_with(maker));
        let noun = match name {
            "clLinkProgram" => Some("program"),
            "clCloneKernel" => Some("kernel"),
            _ => maker.map(|(_, noun)| *noun),
        };
        for address in call
            .numbers("results")
            .into_iter()
            .chain([call.number("result")])
        {
            let (Some(noun), true) = (noun, address != 0) else {
                continue;
            };
            let whole = call.number("buffer");
            let base = self.get(call, whole).map_or(0, |whole| whole.bytes.start);
            let object = self.place(noun, process, address);
            let begin = base.saturating_add(call.number("offset"));
            object.name = call.text("name").into();
            object.bytes = begin..begin.saturating_add(call.number("size"));
            object.whole = (noun == "part").then_some(whole);
            object.flags = call.number("flags") | call.number("properties");
            let parameters = call.args.get("parameters").cloned().unwrap_or_default();
            object.parameters = serde_json::from_value(parameters).unwrap_or_default();
        }
        if call.number("event") != 0 {
            self.place("event", process, call.number("event"));
        }
        let held = call.number("object");
        if let Some(object) = self.all.get_mut(&(process, held)) {
            object.holds += if name.starts_with("clRetain") { 1 } else { -1 };
        }
        if name == "clSetKernelArg"
            && let Some(kernel) = self.all.get_mut(&(process, call.number("kernel")))
        {
            kernel
                .arguments
                .insert(call.number("index"), call.number("value"));
        }
    }

    /// A new object at this address, in place of whatever was there.
    fn place(&mut self, noun: &'static str, process: u32, address: u64) -> &mut Object {
        let number = self.made.entry(noun).or_default();
        *number += 1;
        let object = Object {
            noun,
            number: *number,
            holds: 1,
            ..Object::default()
        };
        let place = self.all.entry((process, address)).or_default();
        *place = object;
        place
    }

    /// The object at this address of the call's process.
    pub fn get(&self, call: &Call, address: u64) -> Option<&Object> {
        self.all.get(&(call.begin.process, address))
    }

    /// "buffer 2", or "kernel 1 saxpy".
    pub fn name(&self, call: &Call, address: u64) -> Option<String> {
        let object = self.get(call, address)?;
        let name = match (object.noun, &*object.name) {
            (_, "") => String::new(),
            (_, name) => format!(" ({name})"),
        };
        Some(format!("{} {}{name}", object.noun, object.number))
    }

    /// Whether the queue begins each command only when the one before it has ended.
    pub fn is_in_order(&self, call: &Call) -> bool {
        let queue = self.get(call, call.number("queue"));
        queue.is_none_or(|queue| queue.flags & OUT_OF_ORDER == 0)
    }

    /// What a command reads and writes of buffers.
    pub fn accesses(&self, call: &Call) -> Vec<Access> {
        let access = |buffer: u64, part: Option<Range<u64>>, reads, writes| {
            let object = self.get(call, buffer)?;
            let part = part.unwrap_or(0..u64::MAX / 2);
            let begin = object.bytes.start;
            let [start, end] = [part.start, part.end].map(|at| begin.saturating_add(at));
            let bytes = start..object.bytes.end.min(end);
            let buffer = object.whole.unwrap_or(buffer);
            Some(Access {
                buffer,
                bytes,
                writes,
                reads,
            })
        };
        let part = |offset: &str| {
            let (begin, size) = (call.number(offset), call.number("size"));
            (size != 0).then_some(begin..begin.saturating_add(size))
        };
        let buffer = call.number("buffer");
        let all: Vec<Option<Access>> = match &*call.begin.call {
            "clEnqueueReadBuffer" | "clEnqueueReadBufferRect" => {
                vec![access(buffer, part("offset"), true, false)]
            }
            "clEnqueueWriteBuffer" | "clEnqueueWriteBufferRect" | "clEnqueueFillBuffer" => {
                vec![access(buffer, part("offset"), false, true)]
            }
            "clEnqueueCopyBuffer" => vec![
                access(call.number("from"), part("from_offset"), true, false),
                access(call.number("to"), part("to_offset"), false, true),
            ],
            "clEnqueueMapBuffer" => vec![access(buffer, part("offset"), true, false)],
            "clEnqueueUnmapMemObject" => vec![access(buffer, None, false, true)],
            "clEnqueueNDRangeKernel" | "clEnqueueTask" => {
                let Some(kernel) = self.get(call, call.number("kernel")) else {
                    return Vec::new();
                };
                let arguments = kernel.arguments.iter();
                let of_argument = |(index, address): (&u64, &u64)| {
                    let flags = self.get(call, *address)?.flags;
                    let parameter = kernel.parameters.get(*index as usize);
                    let is_const = parameter.is_some_and(|parameter| parameter.is_const);
                    let (reads, writes) = (flags & WRITE_ONLY == 0, flags & READ_ONLY == 0);
                    access(*address, None, reads, writes && !is_const)
                };
                arguments.map(of_argument).collect()
            }
            _ => Vec::new(),
        };
        all.into_iter().flatten().collect()
    }

    /// How many of each kind nobody has released, and their names; devices are not the
    /// program's.
    pub fn leaked(&self) -> Vec<(&'static str, Vec<&Object>)> {
        let mut by_noun = HashMap::<_, Vec<_>>::new();
        let held = self
            .all
            .values()
            .filter(|one| one.holds > 0 && one.noun != "device");
        held.for_each(|one| by_noun.entry(one.noun).or_default().push(one));
        let mut leaked: Vec<_> = by_noun.into_iter().collect();
        leaked.sort_by_key(|(noun, _)| *noun);
        leaked
            .iter_mut()
            .for_each(|(_, all)| all.sort_by_key(|one| one.number));
        leaked
    }
}
