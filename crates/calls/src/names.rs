//! The constants' names, from `names.txt`: those of cl.h, a line each.

/// What a `clGet...Info` asks for.
pub fn of_question(value: u64) -> String {
    let known = constants().find(|(number, _)| *number == value && value >= FIRST_QUESTION);
    known.map_or_else(|| format!("{value:#x}"), |(_, name)| name.into())
}

/// The flags whose names begin like this.
pub fn of_flags(begin: &str, value: u64) -> String {
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
