//! What is wrong with the objects that a call is given, whatever it answers: told before it is
//! made, since the program may crash in it.

use std::ops::Range;

use crate::line::Call;
use crate::objects::{Access, Mapping, Object, Objects, overlap};

/// What nobody may use whose last hold on it is gone. A context lives as long as what is made in
/// it, and a program as long as its kernels, but nobody may release them once more.
const ITS_OWN: [&str; 7] = ["kernel", "buffer", "part", "image", "sampler", "event", "queue"];

/// All of it: the kinds of the findings, and what they say.
pub fn of(call: &Call, objects: &Objects, told: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let name = |address| objects.name(call, address).unwrap_or_default();
    let used = objects.used(call);
    for (address, object) in &used {
        let is_it = call.begin.call.starts_with("clRelease") && object.noun != "device";
        let may_not = is_it || ITS_OWN.contains(&object.noun);
        if object.holds <= 0 && may_not && !objects.is_blind {
            let says = format!("{told}: the program has released {} before", name(*address));
            found.push(("released", says));
        }
    }
    let mut of_contexts = used.iter().filter(|(_, object)| object.context != 0);
    if let Some((first, of)) = of_contexts.next()
        && let Some((other, another)) = of_contexts.find(|(_, one)| one.context != of.context)
    {
        let says = format!(
            "{told}: {} is of {}, and {} of {}",
            name(*other),
            name(another.context),
            name(*first),
            name(of.context)
        );
        found.push(("context", says));
    }
    let accesses = objects.accesses(call);
    for access in &accesses {
        let Some(object) = objects.get(call, access.buffer) else {
            continue;
        };
        if object.maps.iter().any(|map| clashes(call, access, map)) {
            let says = format!("{told}, while {} is mapped", name(access.buffer));
            found.push(("mapped", says));
        }
        let is_written = |one: &Access| one.buffer == access.buffer && one.writes;
        let may_write = accesses.iter().any(is_written) || call.maps_to_write();
        if ["buffer", "image"].contains(&object.noun) && !object.is_written && !may_write {
            let says = format!("{told}: nobody has written {}", name(access.buffer));
            found.push(("unwritten", says));
        }
    }
    if let Some(says) = longer_than_meant(call, objects) {
        found.push(("argument", format!("{told}: {says}")));
    }
    found
}

/// Whether a command must not touch what is mapped so. A kernel may leave alone what it is given,
/// so it is held against a whole buffer that the host writes, and nothing less.
fn clashes(call: &Call, access: &Access, map: &Mapping) -> bool {
    let (map_bytes, bytes): (&Range<u64>, &Range<u64>) = (&map.bytes, &access.bytes);
    if call.begin.call.contains("Map") || call.begin.call.contains("Unmap") {
        return false;
    }
    if call.is_launch() {
        return map.writes && map_bytes.start <= bytes.start && bytes.end <= map_bytes.end;
    }
    overlap(map_bytes, bytes) && (map.writes || access.writes)
}

/// An argument of eight bytes of which the lower four are a number, and the upper four are what
/// lay beside it.
fn longer_than_meant(call: &Call, objects: &Objects) -> Option<String> {
    let kernel: &Object = objects.get(call, call.number("kernel"))?;
    let parameter = kernel.parameters.get(call.number("index") as usize)?;
    let value = call.number("value");
    let (low, high) = (value as u32, (value >> 32) as u32);
    let is_small = |half: u32| (1..1 << 24).contains(&half);
    let is_usual = |of: f64| (1e-6..1e9).contains(&of.abs());
    let shown = match &*parameter.of {
        "long" | "ulong" | "size_t" if is_small(low) && is_small(high) => low.to_string(),
        "double" if !(1e-100..1e100).contains(&f64::from_bits(value).abs()) => {
            let low = f32::from_bits(low);
            is_usual(low.into()).then(|| low.to_string())?
        }
        _ => return None,
    };
    Some(format!("its lower half is {shown}: is that a variable of 4 bytes, passed as 8?"))
}
