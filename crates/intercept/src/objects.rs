//! The objects that a program made: what they are called, and who still holds them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde::Deserialize;

use crate::line::{Call, Line};
use crate::story::Told;

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
    /// The context that it is of, where that is known.
    pub context: u64,
    /// What the source of a program, and nothing else, comes to.
    pub source: u64,
    /// Whether a buffer was given bytes, or may have been.
    pub is_written: bool,
    /// Where a buffer is mapped.
    pub maps: Vec<Mapping>,
    /// Whether it is an event of the program's own that was not set.
    is_unset: bool,
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

/// Whether two ranges of bytes have some in common.
pub fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

/// All objects, by process and address.
#[derive(Default)]
pub struct Objects {
    all: HashMap<(u32, u64), Object>,
    made: HashMap<&'static str, usize>,
    /// Whether the program calls functions that nobody tells, and that may make objects.
    pub is_blind: bool,
}

const READ_ONLY: u64 = 1 << 2;
const OUT_OF_ORDER: u64 = 1 << 0;
const OF_HOST: u64 = 1 << 3 | 1 << 5;

impl Objects {
    /// Learns what a line says of objects.
    pub fn hear(&mut self, line: &Line) {
        match line {
            Line::Device { process, device, name } => {
                let object = Object { noun: "device", name: name.clone(), ..Object::default() };
                self.place((*process, *device), object);
            }
            // By its return an object that it released may be another thread's, at the same address.
            Line::Begin(call) if call.name.starts_with("clRelease") => {
                self.change(call, call.number("object"), |object| object.holds -= 1);
            }
            Line::Call(call) if call.status == 0 => self.learn(call),
            _ => {}
        }
    }

    fn learn(&mut self, call: &Call) {
        let name = &*call.name;
        let parents = ["queue", "program", "kernel", "buffer"].into_iter();
        let mut parents = parents.filter_map(|parent| self.get(call, call.number(parent)));
        let context = match call.number("context") {
            0 => parents.next().map_or(0, |parent| parent.context),
            named => named,
        };
        if let Some(noun) = Told::of(name).and_then(Told::noun) {
            let whole = call.number("buffer");
            let base = self.get(call, whole).map_or(0, |whole| whole.bytes.start);
            let begin = base.saturating_add(call.number("offset"));
            let flags = call.number("flags") | call.number("properties");
            let made = Object {
                noun,
                name: call.text("name").into(),
                bytes: begin..begin.saturating_add(call.number("size")),
                whole: (noun == "part").then_some(whole),
                flags,
                context,
                source: call.number("source"),
                is_unset: name == "clCreateUserEvent",
                // The buffer that an image is made of may be.
                is_written: flags & OF_HOST != 0
                    || name.contains("GL")
                    || name.starts_with("clCreateImage") && (whole != 0 || name.ends_with('s')),
                parameters: Vec::deserialize(&call.args["parameters"]).unwrap_or_default(),
                ..Object::default()
            };
            let results = call.numbers("results").into_iter().chain([call.number("result")]);
            for address in results.filter(|address| *address != 0) {
                self.place((call.process, address), made.clone());
            }
        }
        if call.number("event") != 0 && call.is_command() {
            let event = Object { noun: "event", context, ..Object::default() };
            self.place((call.process, call.number("event")), event);
        }
        let is_maker = |text: &str| text.starts_with("clEnqueue") || text.starts_with("clCreate");
        self.is_blind |= name.starts_with("clGetExtension") && is_maker(call.text("name"));
        self.learn_of_bytes(call);
        match name {
            "clSetUserEventStatus" => {
                self.change(call, call.number("event"), |event| event.is_unset = false);
            }
            "clSetKernelArg" => self.change(call, call.number("kernel"), |kernel| {
                let (index, value) = (call.number("index"), call.number("value"));
                kernel.arguments.insert(index, value);
            }),
            _ if name.starts_with("clRetain") => {
                self.change(call, call.number("object"), |object| object.holds += 1);
            }
            _ => {}
        }
    }

    /// Which buffers are mapped, and written.
    fn learn_of_bytes(&mut self, call: &Call) {
        let name = &*call.name;
        let accesses = self.accesses(call);
        let mut written: Vec<u64> =
            accesses.iter().filter(|one| one.writes).map(|one| one.buffer).collect();
        // What an image does to the buffer that it is made of is not seen, nor what a function does.
        if name.contains("Image") || name.contains("Native") {
            written.extend(call.numbers("buffers").into_iter().chain([call.number("buffer")]));
        }
        for address in written {
            self.change(call, address, |object| object.is_written = true);
        }
        for Access { buffer, bytes, .. } in accesses {
            self.change(call, buffer, |object| match name {
                "clEnqueueMapBuffer" => object.maps.push(Mapping {
                    host: call.number("address"),
                    bytes,
                    writes: call.maps_to_write(),
                }),
                "clEnqueueUnmapMemObject" => {
                    let is_it = |map: &Mapping| map.host == call.number("host");
                    let place = object.maps.iter().position(is_it);
                    place.map(|at| object.maps.remove(at));
                }
                _ => {}
            });
        }
    }

    /// Changes the object at this address of the call's process, if there is one.
    fn change(&mut self, call: &Call, address: u64, change: impl FnOnce(&mut Object)) {
        if let Some(object) = self.all.get_mut(&(call.process, address)) {
            change(object);
        }
    }

    /// A new object at this address, in place of whatever was there.
    fn place(&mut self, at: (u32, u64), object: Object) {
        let number = self.made.entry(object.noun).or_default();
        *number += 1;
        let (number, holds) = (*number, 1);
        self.all.insert(at, Object { number, holds, ..object });
    }

    /// The object at this address of the call's process.
    pub fn get(&self, call: &Call, address: u64) -> Option<&Object> {
        self.all.get(&(call.process, address))
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
        const ONES: [&str; 9] =
            ["queue", "kernel", "buffer", "image", "from", "to", "object", "event", "of"];
        let ones = ONES.iter().map(|name| call.number(name));
        let lists = ["waits", "buffers"].iter().flat_map(|name| call.numbers(name));
        let kernel = self.get(call, call.number("kernel"));
        let set = kernel.filter(|_| call.is_launch()).into_iter();
        let set = set.flat_map(|kernel| kernel.arguments.values().copied());
        let value = call.number("value");
        let all = ones.chain(lists).chain(set).chain([value]);
        all.filter_map(|address| Some((address, self.get(call, address)?))).collect()
    }

    /// What a command reads and writes of buffers.
    pub fn accesses(&self, call: &Call) -> Vec<Access> {
        const ALL: Range<u64> = 0..u64::MAX / 2;
        let access = |address: u64, part: Range<u64>, writes| {
            let object = self.get(call, address)?;
            let at = |byte| object.bytes.start.saturating_add(byte);
            Some(Access {
                buffer: object.whole.unwrap_or(address),
                bytes: at(part.start)..object.bytes.end.min(at(part.end)),
                writes,
            })
        };
        let kernel = self.get(call, call.number("kernel"));
        let kernel = kernel.filter(|_| call.is_launch()).into_iter();
        let arguments = kernel.flat_map(|kernel| {
            kernel.arguments.iter().filter_map(|(index, address)| {
                let flags = self.get(call, *address)?.flags;
                let parameter = kernel.parameters.get(*index as usize);
                let is_const = parameter.is_some_and(|parameter| parameter.is_const);
                access(*address, ALL, flags & READ_ONLY == 0 && !is_const)
            })
        });
        let told = Told::of(&call.name).into_iter().flat_map(|told| &told.args);
        let buffers = told.filter_map(|arg| {
            let buffer = arg.strip_suffix(['<', '>'])?;
            let begin = match buffer {
                "from" | "to" => call.number(&format!("{buffer}_offset")),
                _ => call.number("offset"),
            };
            let size = call.number("size");
            let part = if size == 0 { ALL } else { begin..begin.saturating_add(size) };
            // Mapping may write too, and then unmapping does.
            access(call.number(buffer), part, arg.ends_with('>'))
        });
        arguments.chain(buffers).collect()
    }

    /// The events of the program's own that nobody set.
    pub fn unset(&self) -> impl Iterator<Item = &Object> {
        self.all.values().filter(|one| one.is_unset)
    }

    /// Those that nobody has released, by their kind; devices are not the program's.
    pub fn leaked(&self) -> BTreeMap<&'static str, Vec<&Object>> {
        let is_held = |one: &&Object| one.holds > 0 && one.noun != "device";
        let mut leaked = BTreeMap::<_, Vec<_>>::new();
        for one in self.all.values().filter(is_held) {
            leaked.entry(one.noun).or_default().push(one);
        }
        leaked.values_mut().for_each(|all| all.sort_by_key(|one| one.number));
        leaked
    }
}
