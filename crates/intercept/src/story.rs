//! A call in a sentence.

use common::codes;
use serde_json::Value;
use verify::numbers::{bytes, seconds};

use crate::line::Call;
use crate::objects::Objects;
use crate::told::Told;

/// What the call does.
pub fn sentence(call: &Call, objects: &Objects) -> String {
    let name = &*call.begin.call;
    if Told::of(name).is_none() {
        return name.into();
    }
    let value = |name| call.begin.args.get(name).unwrap_or(&Value::Null);
    let of = |name| plain(value(name), call, objects);
    let size = |name| bytes(call.number(name));
    let sides = |name| {
        let sides = value(name).as_array().into_iter().flatten();
        sides.map(Value::to_string).collect::<Vec<_>>().join(" x ")
    };
    let flags = |name, begin| names_of_flags(begin, call.number(name));
    // Left out where there is none.
    let with = |before: &str, shown: String| match &*shown {
        "" | "0" | "\"\"" => String::new(),
        shown => format!("{before}{shown}"),
    };
    let from = || with(" from byte ", of("offset"));
    let waits = || match call.is_blocking() {
        true => ", and waits",
        false => "",
    };
    let asks = || name_of_question(call.number("asks"));
    let made = match call.status {
        0 => of("result"),
        _ => "nothing".into(),
    };
    let memory = || with(", ", flags("flags", "CL_MEM_"));
    let queue = of("queue");
    match name {
        "clGetPlatformIDs" => "asks for the platforms".into(),
        "clGetPlatformInfo" => format!("asks a platform for {}", asks()),
        "clGetDeviceIDs" => {
            let kind = flags("kind", "CL_DEVICE_TYPE_");
            format!("asks for the devices of a platform: {kind}")
        }
        "clGetDeviceInfo" => format!("asks{} for {}", with(" ", of("device")), asks()),
        "clGetSupportedImageFormats" => format!("asks {} for the formats of images", of("of")),
        "clGetKernelArgInfo" => {
            let (kernel, index) = (of("of"), of("index"));
            format!("asks {kernel} for {} of parameter {index}", asks())
        }
        _ if call.is_query() && value("of") != &Value::Null => {
            format!("asks {} for {}", of("of"), asks())
        }
        "clCreateContext" => format!("makes {made} for {}", of("devices")),
        "clCreateContextFromType" => {
            format!("makes {made} for {}", flags("kind", "CL_DEVICE_TYPE_"))
        }
        "clCreateCommandQueue" | "clCreateCommandQueueWithProperties" => {
            let with = with(" with ", flags("properties", "CL_QUEUE_"));
            format!("makes {made} to {}{with}", of("device"))
        }
        "clCreateBuffer" | "clCreateBufferWithProperties" => {
            format!("makes {made} of {}{}", size("size"), memory())
        }
        "clCreateSubBuffer" => {
            let (buffer, offset) = (of("buffer"), of("offset"));
            let size = size("size");
            format!("makes {made} of {buffer}: {size} from byte {offset}")
        }
        _ if name.starts_with("clCreateImage") => format!("makes {made}{}", memory()),
        _ if name.starts_with("clGetExtension") => format!("asks for the function {}", of("name")),
        "clCreateProgramWithSource" => format!("makes {made} of {} of source", size("letters")),
        "clCreateProgramWithBinary" => {
            format!("makes {made} of a binary of {} bytes", of("lengths"))
        }
        "clCreateProgramWithIL" => {
            format!(
                "makes {made} of {} of intermediate language",
                size("length")
            )
        }
        "clLinkProgram" => format!("links {} to {made}", of("programs")),
        "clCreateKernel" => format!("takes {made} from {}", of("program")),
        "clSVMAlloc" => format!("makes {} of memory", size("size")),
        "clCloneKernel" => format!("makes {made} like {}", of("kernel")),
        "clCreateUserEvent" => format!("makes {made}, which the program will end"),
        _ if name.starts_with("clCreate") => format!("makes {made}"),
        _ if name.starts_with("clRetain") => format!("holds {} once more", of("object")),
        _ if name.starts_with("clRelease") => format!("releases {}", of("object")),
        "clBuildProgram" => format!("builds {}{}", of("program"), with(", ", of("options"))),
        "clCompileProgram" => format!("compiles {}{}", of("program"), with(", ", of("options"))),
        "clCreateKernelsInProgram" => {
            let kernels = with(": ", of("results"));
            format!("takes all kernels from {}{kernels}", of("program"))
        }
        "clSetKernelArg" => {
            let value = argument(value("value"), call, objects);
            format!(
                "sets argument {} of {} to {value}",
                of("index"),
                of("kernel")
            )
        }
        "clSetUserEventStatus" => format!("sets {} to {}", of("event"), of("status")),
        "clSetEventCallback" => format!("is to be told of {}", of("event")),
        "clWaitForEvents" => format!("waits for {}", of("waits")),
        "clFlush" => format!("sends off what is in {queue}"),
        "clFinish" => format!("waits for all of {queue}"),
        _ => {
            let (buffer, image) = (of("buffer"), of("image"));
            let does = match name {
                "clEnqueueReadBuffer" => {
                    format!("reads {} of {buffer}{}{}", size("size"), from(), waits())
                }
                "clEnqueueWriteBuffer" => {
                    format!("writes {} to {buffer}{}{}", size("size"), from(), waits())
                }
                "clEnqueueReadBufferRect" => {
                    let sides = sides("region");
                    format!(
                        "reads a box of {sides} bytes, rows and slices of {buffer}{}",
                        waits()
                    )
                }
                "clEnqueueWriteBufferRect" => {
                    let sides = sides("region");
                    format!(
                        "writes a box of {sides} bytes, rows and slices to {buffer}{}",
                        waits()
                    )
                }
                "clEnqueueCopyBuffer" => {
                    let (from, to) = (of("from"), of("to"));
                    format!("copies {} from {from} to {to}", size("size"))
                }
                "clEnqueueFillBuffer" => format!("fills {} of {buffer}{}", size("size"), from()),
                "clEnqueueReadImage" => format!("reads {} of {image}{}", sides("region"), waits()),
                "clEnqueueWriteImage" => {
                    format!("writes {} of {image}{}", sides("region"), waits())
                }
                "clEnqueueMapBuffer" => {
                    let (size, access) = (size("size"), flags("access", "CL_MAP_"));
                    format!("maps {size} of {buffer}, {access}{}", waits())
                }
                "clEnqueueUnmapMemObject" => format!("unmaps {buffer}"),
                "clEnqueueNDRangeKernel" => format!(
                    "launches {} on {} items{}{}",
                    of("kernel"),
                    sides("items"),
                    with(" in groups of ", sides("group")),
                    with(" from ", sides("offset"))
                ),
                "clEnqueueTask" => format!("launches {} on one item", of("kernel")),
                "clEnqueueMarkerWithWaitList" => "a marker".into(),
                "clEnqueueBarrierWithWaitList" => "a barrier".into(),
                "clEnqueueMigrateMemObjects" => format!("moves {}", of("buffers")),
                _ => name.into(),
            };
            format!("{queue}: {does}")
        }
    }
}

/// What a command waits for, and what is known of its end.
pub fn order(call: &Call, objects: &Objects) -> String {
    let mut said = String::new();
    let events = call.numbers("waits").into_iter();
    let events: Vec<String> = events
        .filter_map(|event| objects.name(call, event))
        .collect();
    if !events.is_empty() && call.is_command() {
        said += &format!(", after {}", events.join(" and "));
    }
    if let Some(event) = objects
        .name(call, call.number("event"))
        .filter(|_| call.is_command())
    {
        said += &format!("; its end is {event}");
    }
    said
}

/// What came of it, where it failed.
pub fn error(call: &Call) -> Option<String> {
    let known = codes::explain(call.status).filter(|_| call.status != 0);
    let name = known.map_or("unknown", |known| known.name);
    let meaning = known.map_or(String::new(), |known| format!(": {}", known.meaning));
    (call.status != 0).then(|| format!("{name} ({}){meaning}", call.status))
}

/// How long it took.
pub fn time(nanoseconds: u64) -> String {
    seconds(nanoseconds as f64 * 1e-9)
}

fn plain(value: &Value, call: &Call, objects: &Objects) -> String {
    match value {
        Value::Number(number) => {
            let known = number
                .as_u64()
                .and_then(|address| objects.name(call, address));
            known.unwrap_or_else(|| number.to_string())
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(all) => {
            let all = all.iter().map(|one| plain(one, call, objects));
            all.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// A kernel's argument, by its parameter's type where the driver tells it.
fn argument(value: &Value, call: &Call, objects: &Objects) -> String {
    let (size, number) = (call.number("size"), call.number("value"));
    let kernel = objects.get(call, call.number("kernel"));
    let parameter = kernel.and_then(|one| one.parameters.get(call.number("index") as usize));
    let name = parameter.map_or(String::new(), |one| format!("{} = ", one.name));
    let of = parameter.map_or("", |one| &*one.of);
    let shown = match (objects.name(call, number), of, size) {
        (Some(object), _, 8) if of.is_empty() || of.ends_with('*') => object,
        (_, "float", 4) => f32::from_bits(number as u32).to_string(),
        (_, "double", 8) => f64::from_bits(number).to_string(),
        (_, "int", 4) => (number as i32).to_string(),
        (_, "long", 8) => (number as i64).to_string(),
        _ if value.is_null() => bytes(size),
        _ => format!("{number} in {}", bytes(size)),
    };
    format!("{name}{shown}")
}

/// What a `clGet...Info` asks for.
fn name_of_question(value: u64) -> String {
    let known = constants().find(|(number, _)| *number == value && value >= FIRST_QUESTION);
    known.map_or_else(|| format!("{value:#x}"), |(_, name)| name.into())
}

/// The flags whose names begin like this.
fn names_of_flags(begin: &str, value: u64) -> String {
    if value == 0xFFFF_FFFF {
        return format!("{begin}ALL");
    }
    let is_one = |(number, name): &(u64, &'static str)| {
        *number < FIRST_QUESTION && name.starts_with(begin) && value & number != 0
    };
    let names: Vec<&str> = constants().filter(is_one).map(|(_, name)| name).collect();
    names.join(" | ")
}

/// Smaller numbers are flags.
const FIRST_QUESTION: u64 = 0x900;

/// The constants of cl.h, a line each.
fn constants() -> impl Iterator<Item = (u64, &'static str)> {
    let lines = include_str!("names.txt").lines();
    lines.filter_map(|line| {
        let (number, name) = line.split_once(' ')?;
        Some((
            u64::from_str_radix(number.strip_prefix("0x")?, 16).ok()?,
            name,
        ))
    })
}
