//! What a file says of what it was made from, in remarks.

use anyhow::{Context, Result, ensure};
use common::source::Source;
use diagnostics::directives::macros;

use crate::pages::claims;

/// Holds a file's remarks about what it was made from against kernels and recordings:
///
/// ```text
/// drawn for 08-tiling.cl matmul_register_tile: TM=64 TN=128     constants
/// drawn for 04-coalescing.cl matmul_id0_rows: A[row * K + k]    what stands in the kernel
/// drawn from 131.5..132.5 = h200-4096 lesson01 "compute units"  a claim, as of a sentence
/// ```
pub fn must_be_current(text: &str) -> Result<()> {
    for line in text.lines() {
        let remark = line.trim_start_matches(['<', '!', '-', '/', ' ']);
        let remark = remark.trim_end_matches(" -->");
        if let Some(remark) = remark.strip_prefix("drawn for ") {
            is_in_kernel(remark).context(remark.to_string())?;
        } else if let Some(remark) = remark.strip_prefix("drawn from ") {
            claims::check(remark).context(remark.to_string())?;
        }
    }
    Ok(())
}

/// `FILE KERNEL: NAME=VALUE NAME=VALUE`, of the last macros of these names in the file, or
/// `FILE KERNEL: TEXT`, wherever its lines end.
fn is_in_kernel(remark: &str) -> Result<()> {
    let (kernel, shown) = remark.split_once(": ").context("nothing of a kernel")?;
    let (file, name) = kernel.split_once(' ').context("no kernel")?;
    let source = Source::of_course(file)?;
    let kernel = source.kernel(name).context("there is no such kernel")?;
    let constants: Option<Vec<_>> = shown.split(' ').map(|one| one.split_once('=')).collect();
    let Some(constants) = constants else {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_there = one_line(&kernel.code).contains(&one_line(shown));
        ensure!(is_there, "{name} does not say that now");
        return Ok(());
    };
    for (name, value) in constants {
        let now = macros(&source.text).filter(|(known, _)| *known == name);
        let now = now.last().map_or("nothing", |(_, value)| value);
        let now = now.split_whitespace().next().unwrap_or_default();
        ensure!(now == value, "{name} is {now} now, not {value}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_by_hand_is_of_the_kernels_and_the_recordings() {
        let is_current = |remark: &str| must_be_current(&format!("<svg>\n<!-- {remark} -->\n"));
        let tile = |value: u32| {
            is_current(&format!("drawn for 08-tiling.cl matmul_register_tile: TM=64 TN={value}"))
        };
        tile(128).unwrap();
        let error = tile(7).unwrap_err();
        assert!(format!("{error:#}").ends_with("TN is 128 now, not 7"));
        let rows = |of: &str| {
            must_be_current(&format!("// drawn for 04-coalescing.cl matmul_id0_rows: {of}"))
        };
        rows("row = get_global_id(0)").unwrap();
        rows("A[row * K + k]").unwrap();
        assert!(rows("A[row * K]").is_err());
        is_current("drawn from 1..9000 = h200-4096 lesson03 matmul_naive").unwrap();
        assert!(is_current("drawn from 1..2 = h200-4096 lesson03 matmul_naive").is_err());
        assert!(is_current("drawn for 08-tiling.cl: TM").is_err());
        assert!(is_current("drawn for 08-tiling.cl nothing: TM=64").is_err());
        assert!(is_current("drawn for 08-tiling.cl matmul_register_tile: REAL=1").is_err());
    }
}
