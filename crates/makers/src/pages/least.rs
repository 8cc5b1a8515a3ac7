//! The least that a product can cost on the recorded devices: its arithmetic at the rate
//! of the multiply-adds, its bytes at the rate of a copy; and what the naive kernel took.

use anyhow::{Context, Result};
use common::numbers::{factor, seconds, significant};
use common::probe::Peak;
use common::shape::Shape;
use process::data::recording::{Recording, device_name};

use super::markdown::Table;
use super::table::captions;

/// The kernel that the least is compared with.
const NAIVE: &str = "matmul_naive";

/// A row for each recording of a lesson that holds the naive kernel.
pub fn table(lesson: &str, runs: &[&str]) -> Result<String> {
    let runs = Recording::read_all(runs, lesson)?;
    let mut table = Table::new("device")
        .words("size")
        .figures("operations take")
        .figures("bytes take")
        .words("what decides")
        .figures(format!("`{NAIVE}` took"))
        .figures("over the least");
    for run in &runs {
        table.row(row(run).with_context(|| format!("data/{}/{lesson}", run.name))?);
    }
    Ok(format!("{table}{}", captions(&runs)))
}

fn row(run: &Recording) -> Result<Vec<String>> {
    let mut records = run.records.iter();
    let timed = records.find(|record| record.kernel == NAIVE && record.seconds_median.is_some());
    let record = timed.with_context(|| format!("no timed {NAIVE}"))?;
    let least = Least::of(record.shape(), record.limits.context("no limits")?);
    let Least { arithmetic, memory } = least;
    let decides = if arithmetic > memory {
        "operations"
    } else {
        "bytes"
    };
    let took = record.seconds_median.unwrap_or_default();
    let longer = least.seconds();
    let by = significant(longer / arithmetic.min(memory));
    Ok(vec![
        device_name(record),
        record.shape().to_string(),
        seconds(arithmetic),
        seconds(memory),
        format!("{decides}, by {by}x"),
        seconds(took),
        factor(took / longer),
    ])
}

/// Seconds that a product takes at least.
struct Least {
    /// 2 M N K operations.
    arithmetic: f64,
    /// A and B read once, C written once: 4 (M K + K N + M N) bytes.
    memory: f64,
}

impl Least {
    fn of(shape: Shape, limits: Peak) -> Least {
        let [m, n, k] = [shape.m, shape.n, shape.k].map(|side| side as f64);
        let bytes = size_of::<f32>() as f64 * (m * k + k * n + m * n);
        Least {
            arithmetic: shape.flop() / limits.gflops / 1e9,
            memory: bytes / limits.gbytes_per_second / 1e9,
        }
    }

    /// Both go on at the same time, so the longer one decides.
    fn seconds(&self) -> f64 {
        self.arithmetic.max(self.memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_the_larger_of_arithmetic_and_bytes() {
        let limits = Peak {
            spreads: None,
            gflops: 1000.0,
            gbytes_per_second: 100.0,
        };
        let least = Least::of(Shape::cube(1000), limits);
        assert!((least.arithmetic - 2e-3).abs() < 1e-9);
        assert!((least.memory - 0.12e-3).abs() < 1e-9);
        assert_eq!(least.seconds(), least.arithmetic);
        // One row of C: each element of B is used once.
        let row = Shape {
            m: 1,
            n: 1000,
            k: 1000,
        };
        let least = Least::of(row, limits);
        assert_eq!(least.seconds(), least.memory);
    }

    #[test]
    fn a_recording_has_a_row() {
        let table = table("lesson03", &["h200-4096"]).unwrap();
        assert!(
            table.contains("| NVIDIA H200 | 4096x4096x4096 | 2.1"),
            "{table}"
        );
        assert!(super::table("lesson02", &["h200-4096"]).is_err());
    }
}
