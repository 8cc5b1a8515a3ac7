//! The objects that a program made: what they are called, and who still holds them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde::Deserialize;

use crate::line::{Call, Line};
use crate::story::sentence;

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
    /// The context that it is of, if that is known.
    pub context: u64,
    /// What the source of a program, and nothing else, comes to.
    pub source: u64,
    /// Whether a buffer was given bytes, or may have been.
    pub is_written: bool,
    /// Where a buffer is mapped.
    pub maps: Vec<Mapping>,
    /// Whether an event is the program's own, and was not set.
    pub is_unset: bool,
    /// What waits for it.
    waiter: Option<String>,
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

/// A part of a buffer that the host has.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Where, on the host.
    host: u64,
    /// The bytes, in the whole buffer.
    pub bytes: Range<u64>,
    /// Whether the host may write there.
    pub writes: bool,
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
    /// Whether the program calls functions that nobody tells, and that may make objects.
    pub is_blind: bool,
}

/// What these calls make.
const MAKERS: [(&str, &str); 14] = [
    ("clCreateContext", "context"),
    ("clCreateCommandQueue", "queue"),
    ("clCreateBuffer", "buffer"),
    ("clCreateSubBuffer", "part"),
    ("clCreateImage", "image"),
    ("clCreateFromGLBuffer", "buffer"),
    ("clCreateFromGL", "image"),
    ("clCreatePipe", "pipe"),
    ("clCreateSampler", "sampler"),
    ("clCreateProgram", "program"),
    ("clCreateKernel", "kernel"),
    ("clCreateUserEvent", "event"),
    ("clLinkProgram", "program"),
    ("clCloneKernel", "kernel"),
];

/// What these commands read or write: the argument with the buffer, that with its first byte, and
/// whether they write. Mapping may write too, and then unmapping does.
const MOVES: [(&str, &str, &str, bool); 8] = [
    ("clEnqueueReadBuffer", "buffer", "offset", false),
    ("clEnqueueWriteBuffer", "buffer", "offset", true),
    ("clEnqueueFillBuffer", "buffer", "offset", true),
    ("clEnqueueCopyBuffer", "from", "from_offset", false),
    ("clEnqueueCopyBuffer", "to", "to_offset", true),
    ("clEnqueueCopyImageToBuffer", "to", "to_offset", true),
    ("clEnqueueMapBuffer", "buffer", "offset", false),
    ("clEnqueueUnmapMemObject", "buffer", "", true),
];

const READ_ONLY: u64 = 1 << 2;
const OUT_OF_ORDER: u64 = 1 << 0;
const OF_HOST: u64 = 1 << 3 | 1 << 5;

impl Objects {
    /// Learns what a line says of objects.
    pub fn hear(&mut self, line: &Line) {
        match line {
            Line::Device(device) => {
                let place = self.place("device", device.process, device.device);
                place.name.clone_from(&device.name);
            }
            Line::Begin(begin) => self.learn_before(&begin.clone().into()),
            Line::Call(call) if call.status == 0 => self.learn(call),
            _ => {}
        }
    }

    /// What is so before the call returns: by then an object that it released may be another
    /// thread's, at the same address.
    fn learn_before(&mut self, call: &Call) {
        let process = call.begin.process;
        if call.begin.call.starts_with("clRelease")
            && let Some(object) = self.all.get_mut(&(process, call.number("object")))
        {
            object.holds -= 1;
        }
        for event in call.numbers("waits") {
            if self.get(call, event).is_some_and(|event| event.is_unset) {
                let told = sentence(call, self);
                let event = self.all.get_mut(&(process, event));
                let waiter = event.map(|event| event.waiter.get_or_insert(told));
                debug_assert!(waiter.is_some());
            }
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
            let context = self.context(call);
            let parameters = call
                .begin
                .args
                .get("parameters")
                .cloned()
                .unwrap_or_default();
            let object = self.place(noun, process, address);
            object.name = call.text("name").into();
            object.bytes = begin..begin.saturating_add(call.number("size"));
            object.whole = (*noun == "part").then_some(whole);
            object.flags = call.number("flags") | call.number("properties");
            object.context = context;
            object.source = call.number("source");
            object.is_unset = name == "clCreateUserEvent";
            object.is_written = object.flags & OF_HOST != 0 || name.contains("GL");
            object.parameters = serde_json::from_value(parameters).unwrap_or_default();
        }
        if call.number("event") != 0 {
            let context = self.context(call);
            self.place("event", process, call.number("event")).context = context;
        }
        self.is_blind |= name.starts_with("clGetExtension")
            && ["clEnqueue", "clCreate"]
                .iter()
                .any(|begin| call.text("name").starts_with(begin));
        let held = call.number("object");
        if let Some(object) = self.all.get_mut(&(process, held))
            && name.starts_with("clRetain")
        {
            object.holds += 1;
        }
        if name == "clSetUserEventStatus"
            && let Some(event) = self.all.get_mut(&(process, call.number("event")))
        {
            event.is_unset = false;
        }
        self.learn_of_bytes(call);
        if name == "clSetKernelArg"
            && let Some(kernel) = self.all.get_mut(&(process, call.number("kernel")))
        {
            kernel
                .arguments
                .insert(call.number("index"), call.number("value"));
        }
    }

    /// Which buffers are mapped, and written.
    fn learn_of_bytes(&mut self, call: &Call) {
        let process = call.begin.process;
        let accesses = self.accesses(call);
        // What an image does to the buffer that it is made of is not seen, nor what a function does.
        let unseen = call
            .numbers("buffers")
            .into_iter()
            .chain([call.number("buffer")]);
        let is_unseen = call.begin.call.contains("Image") || call.begin.call.contains("Native");
        let unseen = unseen.filter(|_| is_unseen);
        let written = accesses.iter().filter(|access| access.writes);
        for address in written.map(|access| access.buffer).chain(unseen) {
            if let Some(object) = self.all.get_mut(&(process, address)) {
                object.is_written = true;
            }
        }
        let host = call.number("host");
        for Access { buffer, bytes, .. } in accesses {
            let Some(object) = self.all.get_mut(&(process, buffer)) else {
                continue;
            };
            match &*call.begin.call {
                "clEnqueueMapBuffer" => object.maps.push(Mapping {
                    host: call.number("address"),
                    bytes,
                    writes: call.maps_to_write(),
                }),
                "clEnqueueUnmapMemObject" => {
                    let place = object.maps.iter().position(|map| map.host == host);
                    place.map(|at| object.maps.remove(at));
                }
                _ => {}
            }
        }
    }

    /// The context that a call names, or that of an object which it names.
    fn context(&self, call: &Call) -> u64 {
        let parents = ["queue", "program", "kernel", "buffer"].into_iter();
        let mut parents = parents.filter_map(|parent| self.get(call, call.number(parent)));
        match call.number("context") {
            0 => parents.next().map_or(0, |parent| parent.context),
            context => context,
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

    /// The objects that a call is given, with their addresses.
    pub fn used(&self, call: &Call) -> Vec<(u64, &Object)> {
        const ONES: [&str; 9] = [
            "queue", "kernel", "buffer", "image", "from", "to", "object", "event", "of",
        ];
        let ones = ONES.iter().map(|name| call.number(name));
        let lists = ["waits", "buffers"]
            .iter()
            .flat_map(|name| call.numbers(name));
        let kernel = self.get(call, call.number("kernel"));
        let set = kernel.filter(|_| call.is_launch()).into_iter();
        let set = set.flat_map(|kernel| kernel.arguments.values().copied());
        let value = call.number("value");
        let all = ones.chain(lists).chain(set).chain([value]);
        all.filter_map(|address| Some((address, self.get(call, address)?)))
            .collect()
    }

    /// The events of the program's own that something waits for and nobody set, and what waits.
    pub fn unset(&self) -> Vec<String> {
        let unset = self.all.values().filter(|one| one.is_unset);
        let waited = unset.filter_map(|one| Some((one.number, one.waiter.as_ref()?)));
        waited
            .map(|(number, waiter)| format!("event {number}: {waiter}"))
            .collect()
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
            .filter(|_| call.is_launch())
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
