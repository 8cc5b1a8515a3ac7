//! The end of the suite: which ten tests of the course cost most, and how many were left out.
//! It is no test, and has a name behind that of the tests, since cargo runs them by name.

use std::fs;
use std::io::{Write, stdout};

use tests::SECONDS;

fn main() {
    let Ok(told) = fs::read_to_string(tests::scratch_folder("").join(SECONDS)) else {
        return;
    };
    let (mut costs, mut left_out) = (Vec::new(), 0);
    for line in told.lines() {
        let cpu = line.split_whitespace().next();
        match cpu.and_then(|cpu| cpu.parse::<f64>().ok()) {
            Some(cpu) => costs.push((cpu, line)),
            None => left_out += 1,
        }
    }
    costs.sort_by(|one, other| other.0.total_cmp(&one.0));
    let all: f64 = costs.iter().map(|(cpu, _)| cpu).sum();
    let mut told = format!("\nThe costliest, in CPU seconds and in seconds, of {all:.0}:\n");
    costs.truncate(10);
    for (_, line) in costs {
        told += &format!("{line}\n");
    }
    told += &format!(
        "{left_out} cases were left to another day or to CI; `-- --include-ignored` runs all.\n\n"
    );
    // Nobody may be there to read it.
    let _ = stdout().write_all(told.as_bytes());
}
