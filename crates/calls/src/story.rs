//! A call in a sentence, whose words are in `calls.txt`.

use common::codes;
use serde_json::Value;
use verify::numbers::{bytes, seconds};

use crate::line::Call;
use crate::objects::Objects;
use crate::told::Told;

/// What the call does.
pub fn sentence(call: &Call, objects: &Objects) -> String {
    let name = &*call.begin.call;
    let Some(told) = Told::of(name) else {
        return name.into();
    };
    let mut said = String::new();
    for (number, piece) in told.words.split(['[', ']']).enumerate() {
        let (words, is_there) = filled(piece, call, objects);
        if is_there || number % 2 == 0 {
            said += &words;
        }
    }
    said
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

/// The words with their arguments, and whether these are there.
fn filled(words: &str, call: &Call, objects: &Objects) -> (String, bool) {
    let (mut said, mut is_there) = (String::new(), true);
    for (number, piece) in words.split(['{', '}']).enumerate() {
        if number % 2 == 0 {
            said += piece;
            continue;
        }
        let (name, how) = piece.split_once(':').unwrap_or((piece, ""));
        let value = call.args.get(name).unwrap_or(&Value::Null);
        let shown = match name {
            "result" if call.status != 0 => "nothing".into(),
            _ => shown(value, how, call, objects),
        };
        is_there &= !shown.is_empty() && shown != "0" && shown != "\"\"";
        said += &shown;
    }
    (said, is_there)
}

fn shown(value: &Value, how: &str, call: &Call, objects: &Objects) -> String {
    let number = value.as_u64().unwrap_or_default();
    match how {
        "bytes" => bytes(number),
        "question" => name_of_question(number),
        "waits" if number != 0 => ", and waits".into(),
        "waits" => String::new(),
        "sides" => {
            let sides = value.as_array().into_iter().flatten();
            sides.map(Value::to_string).collect::<Vec<_>>().join(" x ")
        }
        "argument" => argument(value, call, objects),
        begin if begin.starts_with("CL_") => names_of_flags(begin, number),
        _ => plain(value, call, objects),
    }
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
