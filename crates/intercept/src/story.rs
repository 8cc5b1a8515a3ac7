//! The calls that are told, from `calls.in`: their arguments, and what they do, in a sentence.

use std::sync::LazyLock;

use serde_json::Value;
use verify::numbers::{bytes, seconds};

use crate::{line::Call, objects::Objects};

/// A call of OpenCL.
pub struct Told {
    /// Its name in C.
    pub name: &'static str,
    /// Its arguments, each with the sign of how it is told.
    pub args: Vec<&'static str>,
    /// What it does: a sentence, with the places of what differs in braces.
    pub template: &'static str,
}

/// Behind an argument's name, how it is told.
pub const SIGNS: [char; 6] = ['\'', '*', '?', '-', '<', '>'];

macro_rules! calls {
    ($($name:ident $args:literal $template:literal)*) => {
        vec![$(Told {
            name: stringify!($name),
            args: $args.split(' ').flat_map(args).collect(),
            template: $template,
        }),*]
    };
}

fn args(arg: &'static str) -> Vec<&'static str> {
    match arg {
        "..." => vec!["_number", "waits*_number", "_event"],
        arg => vec![arg],
    }
}

static ALL: LazyLock<Vec<Told>> = LazyLock::new(|| include!("calls.in"));

impl Told {
    /// The one of this name.
    pub fn of(name: &str) -> Option<&'static Told> {
        ALL.iter().find(|told| told.name == name)
    }

    /// Where this argument stands.
    pub fn place(&self, arg: &str) -> Option<usize> {
        self.args.iter().position(|one| *one == arg)
    }

    /// What kind of object it makes, if it makes one.
    pub fn noun(&self) -> Option<&'static str> {
        let (_, made) = self.template.split_once("{result")?;
        made.split([' ', '}']).nth(1)
    }
}

/// What the call does.
pub fn sentence(call: &Call, objects: &Objects) -> String {
    let Some(told) = Told::of(&call.name) else { return call.name.clone() };
    let mut says = String::new();
    if told.name.starts_with("clEnqueue") {
        says = value("queue", call, objects) + ": ";
    }
    for (at, part) in told.template.split(['[', ']']).enumerate() {
        let (mut text, mut is_there) = (String::new(), at % 2 == 0);
        for (at, piece) in part.split(['{', '}']).enumerate() {
            if at % 2 == 0 {
                text += piece;
                continue;
            }
            let value = value(piece, call, objects);
            is_there |= !["", "0", "\"\""].contains(&&*value);
            text += &value;
        }
        says += if is_there { &text } else { "" };
    }
    if call.is_blocking() {
        says += ", and waits";
    }
    says
}

/// What a sentence shows of an argument: its name, and how.
fn value(piece: &str, call: &Call, objects: &Objects) -> String {
    let (name, how) = piece.split_once(' ').unwrap_or((piece, ""));
    let (value, number) = (&call.args[name], call.number(name));
    match how {
        _ if name == "result" && call.status != 0 => "nothing".into(),
        _ if how.is_empty() || name.starts_with("result") => plain(value, call, objects),
        "bytes" => bytes(number),
        "sides" => {
            let sides = value.as_array().into_iter().flatten();
            sides.map(Value::to_string).collect::<Vec<_>>().join(" x ")
        }
        // What a `clGet...Info` asks for.
        "?" => {
            let known = constants().find(|(one, _)| *one == number);
            known.map_or_else(|| format!("{number:#x}"), |(_, name)| name.into())
        }
        "argument" => argument(value, call, objects),
        begin if number == 0xFFFF_FFFF => format!("{begin}ALL"),
        // The flags whose names begin like this.
        begin => {
            // What begins with CL_QUEUE_ or CL_MEM_ and is larger is a question.
            let is_one = |(flag, name): &(u64, &str)| *flag < 0x900 && name.starts_with(begin);
            let set = constants().filter(is_one).filter(|(flag, _)| number & flag != 0);
            Vec::from_iter(set.map(|(_, name)| name)).join(" | ")
        }
    }
}

/// What a command waits for, and what is known of its end.
pub fn order(call: &Call, objects: &Objects) -> String {
    let mut said = String::new();
    if !call.is_command() {
        return said;
    }
    let name = |event| objects.name(call, event);
    let events: Vec<String> = call.numbers("waits").into_iter().filter_map(name).collect();
    if !events.is_empty() {
        said += &format!(", after {}", events.join(" and "));
    }
    if let Some(event) = name(call.number("event")) {
        said += &format!("; its end is {event}");
    }
    said
}

/// What came of it, where it failed.
pub fn error(call: &Call) -> Option<String> {
    let status = Some(call.status).filter(|status| *status != 0)?;
    Some(match common::failure::explain(status) {
        Some(known) => format!("{} ({status}): {}", known.name, known.meaning),
        None => format!("unknown ({status})"),
    })
}

/// How long it took.
pub fn time(nanoseconds: u64) -> String {
    seconds(nanoseconds as f64 * 1e-9)
}

fn plain(value: &Value, call: &Call, objects: &Objects) -> String {
    match value {
        Value::Number(number) => {
            let name = number.as_u64().and_then(|one| objects.name(call, one));
            name.unwrap_or_else(|| number.to_string())
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

/// The constants of cl.h, a line each.
fn constants() -> impl Iterator<Item = (u64, &'static str)> {
    include_str!("names.txt").lines().filter_map(|line| {
        let (number, name) = line.strip_prefix("0x")?.split_once(' ')?;
        Some((u64::from_str_radix(number, 16).ok()?, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_of_what_is_told_of_its_call() {
        let added = "result results letters offset size value buffer properties";
        for call in &*ALL {
            let mut known: Vec<&str> = added.split(' ').collect();
            let plain = |arg: &&'static str| arg.split(SIGNS).next();
            known.extend(call.args.iter().filter_map(plain));
            for value in call.template.split('{').skip(1) {
                let name = value.split([' ', '}']).next().expect("a name");
                assert!(known.contains(&name), "{}: {name}", call.name);
            }
        }
    }
}
