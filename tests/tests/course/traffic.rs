//! Memory traffic as integers: what Oclgrind counts while a kernel runs is, to
//! the element, what the kernel's formulas say. The pages take their counts from
//! the same formulas. simulator.rs makes the runs.

use std::collections::HashMap;

use serde_json::{Value, json};
use tests::{Outcome, kernel_of};

/// Bytes of a float.
const FLOAT: u64 = 4;

/// The elements that Oclgrind saw one launch load and store, in the form of a
/// record's `traffic_elements`.
fn counted(block: &str) -> Value {
    let mut bytes: HashMap<&str, u64> = HashMap::new();
    for line in block.lines() {
        let Some((count, what)) = line.split_once(" - ") else {
            continue;
        };
        let count: u64 = count.trim().parse().expect("a count stands first");
        if let Some((place, moved)) = moved(count, what) {
            *bytes.entry(place).or_default() += moved;
        }
    }
    let elements = |place| bytes.get(place).copied().unwrap_or(0) / FLOAT;
    json!({
        "global_loads": elements("global_loads"),
        "global_stores": elements("global_stores"),
        "local_loads": elements("local_loads"),
        "local_stores": elements("local_stores"),
    })
}

/// Where instructions of this kind moved how many bytes; `None` for private
/// memory and all other instructions. Vector loads of any alignment are calls:
/// `_Z6vload4mPU3AS1Kf` takes a pointer to address space 1, which is global
/// memory; 3 is local memory.
fn moved(count: u64, what: &str) -> Option<(&'static str, u64)> {
    if let Some(call) = what.strip_prefix("call _Z") {
        let name = call.trim_start_matches(|c: char| c.is_ascii_digit());
        let loads = name.strip_prefix("vload");
        let rest = loads.or_else(|| name.strip_prefix("vstore"))?;
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let width: u64 = rest[..end].parse().ok()?;
        let place = match (loads.is_some(), rest.contains("AS1"), rest.contains("AS3")) {
            (true, true, _) => "global_loads",
            (false, true, _) => "global_stores",
            (true, _, true) => "local_loads",
            (false, _, true) => "local_stores",
            _ => return None,
        };
        return Some((place, count * width * FLOAT));
    }
    let (kind, bytes) = what.split_once(" (")?;
    let place = match kind {
        "load global" => "global_loads",
        "store global" => "global_stores",
        "load local" => "local_loads",
        "store local" => "local_stores",
        _ => return None,
    };
    Some((place, bytes.strip_suffix(" bytes)")?.parse().ok()?))
}

/// Holds the counts in a simulated run against its records, `least` of them. What copies
/// and transposes has no formulas.
pub fn is_as_the_formulas_say(run: &Outcome, least: usize) {
    let computes = |kernel: &str| kernel.starts_with("saxpy") || kernel.starts_with("matmul");
    let mut compared = 0;
    let mut launches: HashMap<&str, String> = HashMap::new();
    let mut last = "";
    // The counts of each launch are printed before the record, which tells what the
    // kernels that prepare its operands load and store, too.
    for line in run.stdout.lines() {
        if let Some(begins) = line.strip_prefix("Instructions executed for kernel '") {
            last = begins.trim_end_matches("':");
            launches.insert(last, String::new());
        } else if line.starts_with('{') {
            let record: Value = serde_json::from_str(line).expect("a record");
            if !computes(kernel_of(&record)) || !record["skipped"].is_null() {
                continue;
            }
            let helpers = record["helpers"].as_array().into_iter().flatten();
            for part in helpers.chain([&record]) {
                let mut counts = counted(&launches[kernel_of(part)]);
                // The simulator counts a copy by the whole group as a call, whatever it moves.
                if kernel_of(part) == "matmul_group_copy" {
                    for copied in ["global_loads", "local_stores"] {
                        assert_eq!(counts[copied], 0, "{run}");
                        counts[copied] = part["traffic_elements"][copied].clone();
                    }
                }
                assert_eq!(part["traffic_elements"], counts, "{part}\n{run}");
                compared += 1;
            }
        } else if let Some(launch) = launches.get_mut(last) {
            launch.push_str(line);
            launch.push('\n');
        }
    }
    assert!(compared >= least, "only {compared} kernels were compared\n{run}");
}
