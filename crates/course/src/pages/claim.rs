//! What a sentence says of recorded figures, held against them. A sentence may
//! say "about 400 times"; the claim behind it gives the range that this covers,
//! and fails once a new recording leaves it.

use std::fs;

use anyhow::{Context, Result, bail};
use common::report::{Record, significant};

use super::data;

/// Checks `350..500 = RUN LESSON KERNEL / RUN LESSON KERNEL`: the rate of the
/// first over the rate of the second; without a second, the rate itself, in
/// GFLOP/s or GB/s; with `limit` for the second, its share of the device's own
/// limit.
pub fn check(words: &str) -> Result<()> {
    let (range, figure) = words.split_once(" = ").context("write RANGE = FIGURE")?;
    let (low, high) = range.split_once("..").context("a range is written 3..4")?;
    let (low, high): (f64, f64) = (low.parse()?, high.parse()?);
    let value = match figure.split_once(" / ") {
        None => rate(figure)?,
        Some((of, "limit")) => record(of)?
            .share_of_limit
            .with_context(|| format!("{of} has no share of a limit"))?,
        Some((of, over)) => rate(of)? / rate(over)?,
    };
    if !(low..=high).contains(&value) {
        bail!(
            "the recorded figure is {}: mend the sentence and its range",
            significant(value)
        );
    }
    Ok(())
}

fn rate(of: &str) -> Result<f64> {
    record(of)?
        .rate()
        .with_context(|| format!("{of} was not timed"))
}

/// The record of `RUN LESSON KERNEL`, where a kernel's name may hold spaces.
fn record(of: &str) -> Result<Record> {
    let mut words = of.splitn(3, ' ');
    let (Some(run), Some(lesson), Some(kernel)) = (words.next(), words.next(), words.next()) else {
        bail!("\"{of}\": a figure is named by run, lesson and kernel");
    };
    let path = data(run, lesson, "jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let mut records = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Record>(line).ok());
    records
        .find(|record| record.kernel == kernel && record.rate().is_some())
        .with_context(|| format!("{} has no timed {kernel}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEST: &str = "pocl-1024 lesson08 matmul_register_tile_private 8x48";
    const NAIVE: &str = "pocl-1024 lesson03 matmul_naive";

    #[test]
    fn a_claim_holds_within_its_range_alone() {
        check(&format!("100..2000 = {BEST} / {NAIVE}")).unwrap();
        check(&format!("50..2000 = {BEST}")).unwrap();
        check(&format!("0.5..1.1 = {BEST} / limit")).unwrap();
        let error = check(&format!("1..2 = {BEST} / {NAIVE}")).unwrap_err();
        assert!(error.to_string().contains("mend the sentence"), "{error}");
    }

    #[test]
    fn a_claim_that_cannot_be_read_or_found_fails() {
        for words in [
            "",
            "1..2",
            "1..2 = pocl-1024 lesson08",
            "1..2 = pocl-1024 lesson08 no_such_kernel",
            "1..2 = no-such-run lesson08 matmul_naive",
            "one = pocl-1024 lesson03 matmul_naive",
        ] {
            assert!(check(words).is_err(), "{words}");
        }
    }
}
