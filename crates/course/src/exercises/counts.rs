//! What a kernel does as whole numbers, which no hardware blurs: Oclgrind counts the
//! instructions of a launch, and its reports tell the sectors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Bytes of a float and of an int.
const ELEMENT: u64 = 4;

/// What can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    GlobalLoads,
    GlobalStores,
    LocalLoads,
    LocalStores,
    /// Instructions that load from global memory, whatever their width.
    LoadInstructions,
    StoreInstructions,
    /// Barriers that an item passes.
    Barriers,
    /// Sectors of 32 bytes that groups of 32 neighbouring items touch.
    Sectors,
}

impl Count {
    /// Whether `course trace` shows it line by line.
    pub fn is_of_memory(self) -> bool {
        self != Count::Barriers
    }

    /// As the screen calls it; and of what, where that does not say it.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Count::GlobalLoads => ("global loads", " elements"),
            Count::GlobalStores => ("global stores", " elements"),
            Count::LocalLoads => ("local loads", " elements"),
            Count::LocalStores => ("local stores", " elements"),
            Count::LoadInstructions => ("load instructions", ""),
            Count::StoreInstructions => ("store instructions", ""),
            Count::Barriers => ("barriers", " for each item"),
            Count::Sectors => ("sectors", " of 32 bytes"),
        }
    }
}

/// The counts of the last launch in what Oclgrind printed; `items` ran.
pub fn counts(printed: &str, items: usize) -> BTreeMap<Count, f64> {
    let mut counts: BTreeMap<Count, f64> = BTreeMap::new();
    for line in printed.lines() {
        if line.starts_with("Instructions executed for kernel") {
            counts.clear();
        }
        let Some((count, what)) = line.split_once(" - ") else {
            continue;
        };
        let Ok(count) = count.trim().parse() else {
            continue;
        };
        for (kind, amount) in amounts(count, what) {
            *counts.entry(kind).or_default() += amount as f64;
        }
    }
    if let Some(barriers) = counts.get_mut(&Count::Barriers) {
        *barriers /= items as f64;
    }
    counts
}

/// What `count` instructions of a kind add to which counts.
fn amounts(count: u64, what: &str) -> Vec<(Count, u64)> {
    if let Some(call) = what.strip_prefix("call _Z") {
        let name = call.trim_start_matches(|c: char| c.is_ascii_digit());
        if name.starts_with("barrier") || name.starts_with("work_group_barrier") {
            return vec![(Count::Barriers, count)];
        }
        if name.starts_with("atom") {
            // It loads an element and stores one.
            let space = address_space(name).unwrap_or("");
            let both = [true, false].map(|is_load| memory(is_load, space, count, count));
            return both.concat();
        }
        let call = vector_call(name).map(|(is_load, space, width)| {
            memory(is_load, space, count, count.saturating_mul(width))
        });
        return call.unwrap_or_default();
    }
    access(count, what).unwrap_or_default()
}

/// "load global (128 bytes)".
fn access(count: u64, what: &str) -> Option<Vec<(Count, u64)>> {
    let (kind, bytes) = what.strip_suffix(" bytes)")?.split_once(" (")?;
    let elements = bytes.parse::<u64>().ok()? / ELEMENT;
    let (access, space) = kind.split_once(' ')?;
    let is_access = ["load", "store"].contains(&access);
    is_access.then(|| memory(access == "load", space, count, elements))
}

/// `_Z6vload4mPU3AS1Kf`, without the beginning, loads 4 elements from address space 1,
/// which is global memory; 3 is local memory.
fn vector_call(name: &str) -> Option<(bool, &'static str, u64)> {
    let loads = name.strip_prefix("vload");
    let rest = loads.or_else(|| name.strip_prefix("vstore"))?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let width = rest[..end].parse().ok()?;
    Some((loads.is_some(), address_space(rest)?, width))
}

fn address_space(call: &str) -> Option<&'static str> {
    match (call.contains("AS1"), call.contains("AS3")) {
        (true, _) => Some("global"),
        (_, true) => Some("local"),
        _ => None,
    }
}

fn memory(is_load: bool, space: &str, count: u64, elements: u64) -> Vec<(Count, u64)> {
    use Count::*;
    match (space, is_load) {
        ("global", true) => vec![(GlobalLoads, elements), (LoadInstructions, count)],
        ("global", false) => vec![(GlobalStores, elements), (StoreInstructions, count)],
        ("local", true) => vec![(LocalLoads, elements)],
        ("local", false) => vec![(LocalStores, elements)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_calls_and_barriers_of_the_last_launch_are_counted() {
        let printed = "Instructions executed for kernel 'f':\n   9 - load global (36 bytes)\n\
            Instructions executed for kernel 'f':\n   8 - load global (128 bytes)\n   \
            2 - call _Z6vload4mPU3AS1Kf()\n   3 - call _Z7vstore2Dv2_fmPU3AS3f()\n   \
            64 - call _Z7barrierj()\n   3 - call _Z11atomic_xchgPU3AS1Viii()\n   5 - load private (20 bytes)\n   7 - add\n{}\n";
        let counts = counts(printed, 32);
        let expected = [
            (Count::GlobalLoads, 43.0),
            (Count::GlobalStores, 3.0),
            (Count::LocalStores, 6.0),
            (Count::LoadInstructions, 13.0),
            (Count::StoreInstructions, 3.0),
            (Count::Barriers, 2.0),
        ];
        assert_eq!(counts, BTreeMap::from(expected));
    }

    #[test]
    fn damaged_counts_are_numbers_all_the_same() {
        let printed = "Instructions executed for kernel 'f':\n   9 - load global (36 bytes)\n   \
            2 - call _Z6vload4mPU3AS1Kf()\n   3 - call _Z7vstore2Dv2_fmPU3AS3f()\n   \
            64 - call _Z7barrierj()\n   3 - call _Z11atomic_xchgPU3AS1Viii()\n{}\n";
        damage::must_be_survived(printed.as_bytes(), |bytes| {
            let counts = counts(&String::from_utf8_lossy(bytes), 32);
            assert!(counts.values().all(|count| *count >= 0.0));
        });
    }
}
