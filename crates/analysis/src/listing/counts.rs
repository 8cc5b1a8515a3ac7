//! What one round does, in words: a line for each kind.

use std::collections::BTreeMap;
use std::fmt::Write;

use common::numbers::significant;

use crate::code::{Code, Space};
use crate::round::{Moved, Registers, Round};

/// A name and what is counted, for each kind that there is.
pub fn rows(round: &Round, code: &Code) -> Vec<(&'static str, String)> {
    let mut rows = vec![("multiply-adds", multiply_adds(round))];
    if let Some(share) = round.instructions_per_multiply_add() {
        let (count, share) = (round.instructions, significant(share));
        rows.push((
            "instructions",
            format!("{count}, {share} for each multiply-add"),
        ));
    }
    for (name, moved) in [("loads", &round.loads), ("stores", &round.stores)] {
        rows.extend(
            moved
                .iter()
                .map(|(space, moved)| (name, memory(*space, moved))),
        );
    }
    #[rustfmt::skip]
    let counts = [
        ("gathers", round.gathers, "loads from a place of its own for each lane"),
        ("scatters", round.scatters, "stores to a place of its own for each lane"),
        ("broadcasts", round.broadcasts, "one element to all lanes"),
        ("shuffles", round.shuffles, "lanes moved to other places"),
        ("masked", round.masked, "for some lanes only"),
        ("barriers", round.barriers, "of the group"),
        ("calls", round.calls, "of other functions"),
    ];
    let some = counts.into_iter().filter(|(_, count, _)| *count > 0);
    rows.extend(some.map(|(name, count, says)| (name, format!("{count}, {says}"))));
    rows.push(("spills", spills(round, code)));
    rows.push(("registers", registers(round, code)));
    rows
}

/// "16: 2 of 8 lanes", "4: products 2 of 4 lanes, sums 4 of 1 lane"
fn multiply_adds(round: &Round) -> String {
    let Round {
        fused,
        products,
        sums,
        ..
    } = round;
    let kinds = [("", fused), ("products ", products), ("sums ", sums)];
    let some = kinds.iter().filter(|(_, by_lanes)| !by_lanes.is_empty());
    let parts = some.map(|(kind, by_lanes)| format!("{kind}{}", of_lanes(by_lanes)));
    let parts = parts.collect::<Vec<_>>().join(", ");
    match round.multiply_adds {
        0 if parts.is_empty() => "none".into(),
        0 => format!("none: {parts}"),
        count => format!("{count}: {parts}"),
    }
}

fn of_lanes(by_lanes: &BTreeMap<u32, usize>) -> String {
    let each = by_lanes.iter().map(|(lanes, count)| match lanes {
        1 => format!("{count} of 1 lane"),
        lanes => format!("{count} of {lanes} lanes"),
    });
    each.collect::<Vec<_>>().join(", ")
}

fn memory(space: Space, moved: &Moved) -> String {
    let what = match space {
        Space::Global => "global memory",
        Space::Local => "local memory",
        Space::Private => "private memory, past the registers",
        Space::Stack => "the stack, at a fixed place",
        Space::StackArray => "arrays on the stack",
        Space::Constant => "constants",
        Space::Unknown => "memory: the code does not tell which",
    };
    format!("{}, {} bytes, {what}", moved.instructions, moved.bytes)
}

fn spills(round: &Round, code: &Code) -> String {
    let mut out = match round.spills() {
        0 => "none".to_string(),
        count => format!("{count} loads and stores of what has no register"),
    };
    if let Some(bytes) = code.resources.spilled_bytes.filter(|bytes| *bytes > 0) {
        let _ = write!(out, "; {bytes} bytes an item in the whole kernel");
    }
    out
}

fn registers(round: &Round, code: &Code) -> String {
    if let Some(registers) = code.resources.registers {
        return format!("{registers} for each item, says the assembler");
    }
    let Registers {
        general,
        vector,
        mask,
    } = round.registers;
    let kinds = [(vector, "vector"), (general, "general"), (mask, "mask")];
    let some = kinds.into_iter().filter(|(count, _)| *count > 0);
    let some: Vec<String> = some
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    match &some[..] {
        [] => "not told".into(),
        some => some.join(", "),
    }
}
