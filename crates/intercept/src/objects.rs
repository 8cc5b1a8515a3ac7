//! The objects that a program made: what they are called, and who still holds them.

use std::collections::{BTreeMap, HashMap};
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
}

/// All objects, by process and address.
#[derive(Default)]
pub struct Objects {
    all: HashMap<(u32, u64), Object>,
    made: HashMap<&'static str, usize>,
}

/// What these calls make.
const MAKERS: [(&str, &str); 11] = [
    ("clCreateContext", "context"),
    ("clCreateCommandQueue", "queue"),
    ("clCreateBuffer", "buffer"),
    ("clCreateSubBuffer", "part"),
    ("clCreateImage", "image"),
    ("clCreateSampler", "sampler"),
    ("clCreateProgram", "program"),
    ("clCreateKernel", "kernel"),
    ("clCreateUserEvent", "event"),
    ("clLinkProgram", "program"),
    ("clCloneKernel", "kernel"),
];

/// What these commands read or write: the argument with the buffer, that with its first byte, and
/// whether they write. Mapping may write too, and then unmapping does.
const MOVES: [(&str, &str, &str, bool); 7] = [
    ("clEnqueueReadBuffer", "buffer", "offset", false),
    ("clEnqueueWriteBuffer", "buffer", "offset", true),
    ("clEnqueueFillBuffer", "buffer", "offset", true),
    ("clEnqueueCopyBuffer", "from", "from_offset", false),
    ("clEnqueueCopyBuffer", "to", "to_offset", true),
    ("clEnqueueMapBuffer", "buffer", "offset", false),
    ("clEnqueueUnmapMemObject", "buffer", "", true),
];

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
        let made = call
            .numbers("results")
            .into_iter()
            .chain([call.number("result")]);
        for address in made.filter(|address| *address != 0) {
            let Some((_, noun)) = maker else { continue };
            let whole = call.number("buffer");
            let base = self.get(call, whole).map_or(0, |whole| whole.bytes.start);
            let begin = base.saturating_add(call.number("offset"));
            let parameters = call.args.get("parameters").cloned().unwrap_or_default();
            let object = self.place(noun, process, address);
            object.name = call.text("name").into();
            object.bytes = begin..begin.saturating_add(call.number("size"));
            object.whole = (*noun == "part").then_some(whole);
            object.flags = call.number("flags") | call.number("properties");
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
        let name = match &*object.name {
            "" => String::new(),
            name => format!(" ({name})"),
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
        let access = |address: u64, part: Range<u64>, writes| {
            let object = self.get(call, address)?;
            let [start, end] =
                [part.start, part.end].map(|at| object.bytes.start.saturating_add(at));
            Some(Access {
                buffer: object.whole.unwrap_or(address),
                bytes: start..object.bytes.end.min(end),
                writes,
            })
        };
        let all = 0..u64::MAX / 2;
        let kernel = self.get(call, call.number("kernel"));
        let arguments = kernel
            .filter(|_| call.is_command())
            .into_iter()
            .flat_map(|kernel| {
                kernel.arguments.iter().filter_map(|(index, address)| {
                    let flags = self.get(call, *address)?.flags;
                    let parameter = kernel.parameters.get(*index as usize);
                    let is_const = parameter.is_some_and(|parameter| parameter.is_const);
                    let writes = flags & READ_ONLY == 0 && !is_const;
                    access(*address, all.clone(), writes)
                })
            });
        let moves = MOVES
            .iter()
            .filter(|(name, ..)| call.begin.call.starts_with(name));
        let buffers = moves.filter_map(|(_, buffer, offset, writes)| {
            let (begin, size) = (call.number(offset), call.number("size"));
            let part = begin..begin.saturating_add(size);
            let part = if size == 0 { all.clone() } else { part };
            access(call.number(buffer), part, *writes)
        });
        arguments.chain(buffers).collect()
    }

    /// How many of each kind nobody has released, and their names; devices are not the
    /// program's.
    pub fn leaked(&self) -> BTreeMap<&'static str, Vec<&Object>> {
        let mut leaked = BTreeMap::<_, Vec<_>>::new();
        let held = self
            .all
            .values()
            .filter(|one| one.holds > 0 && one.noun != "device");
        held.for_each(|one| leaked.entry(one.noun).or_default().push(one));
        leaked
            .values_mut()
            .for_each(|all| all.sort_by_key(|one| one.number));
        leaked
    }
}
