//! What is wrong with the objects that a call is given, whatever it answers: told before it is
//! made, since the program may crash in it.

use std::ops::Range;

use crate::line::Call;
use crate::objects::{Access, Mapping, Objects, overlap};

/// What nobody may use whose last hold on it is gone. A context lives as long as what is made in
/// it, and a program as long as its kernels, but nobody may release them once more.
const ITS_OWN: [&str; 7] = ["kernel", "buffer", "part", "image", "sampler", "event", "queue"];

/// All of it: the kinds of the findings, and what they say.
pub fn of(call: &Call, objects: &Objects, told: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let name = |address| objects.name(call, address).unwrap_or_default();
    let used = objects.used(call);
    for (address, object) in &used {
        let is_it = call.name.starts_with("clRelease") && object.noun != "device";
        let may_not = is_it || ITS_OWN.contains(&object.noun);
        if object.holds <= 0 && may_not && !objects.is_blind {
            let says = format!("{told}: the program has released {} before", name(*address));
            found.push(("released", says));
        }
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
    found
}

/// Whether a command must not touch what is mapped so. A kernel may leave alone what it is given,
/// so it is held against a whole buffer that the host writes, and nothing less.
fn clashes(call: &Call, access: &Access, map: &Mapping) -> bool {
    let (map_bytes, bytes): (&Range<u64>, &Range<u64>) = (&map.bytes, &access.bytes);
    if call.name.contains("Map") || call.name.contains("Unmap") {
        return false;
    }
    if call.is_launch() {
        return map.writes && map_bytes.start <= bytes.start && bytes.end <= map_bytes.end;
    }
    overlap(map_bytes, bytes) && (map.writes || access.writes)
}
