//! Figures that were drawn by hand, each in its own file.

use anyhow::{Context, Result, ensure};

use super::drawing::STYLE;
use super::{FOLDER, Kernel, element};
use crate::kept;

/// A figure that was drawn by hand, with the style that all have. A remark in it such as
/// `<!-- drawn for 08-tiling.cl matmul_register_tile: TM=64 TN=128 -->` says which constants
/// of a kernel it shows, or which index.
pub fn svg(name: &str) -> Result<String> {
    let file = format!("{FOLDER}/{name}.svg");
    let text = kept::read(&file)?;
    let words = ["title", "desc"].map(|of| element(&text, of));
    ensure!(
        words.iter().all(Option::is_some),
        "{file} says nothing in words"
    );
    for line in text.lines() {
        if let Some(remark) = line.strip_prefix("<!-- drawn for ") {
            is_current(remark).with_context(|| format!("{file} must be drawn anew"))?;
        }
    }
    let parts = text.split_once("<style>\n");
    let parts = parts.and_then(|(head, rest)| Some((head, rest.split_once("</style>")?.1)));
    let (head, body) = parts.with_context(|| format!("{file} has no style"))?;
    Ok(format!("{head}<style>\n{STYLE}</style>{body}"))
}

/// `FILE KERNEL: NAME=VALUE NAME=VALUE -->`, or `FILE KERNEL: ARRAY[INDEX] -->`.
fn is_current(remark: &str) -> Result<()> {
    let remark = remark.trim_end_matches(" -->");
    let (kernel, constants) = remark.split_once(": ").context("no constants")?;
    let (file, name) = kernel.split_once(' ').context("no kernel")?;
    let kernel = Kernel::read(file, name)?;
    if let Some((array, index)) = constants.trim_end_matches(']').split_once('[') {
        let now = kernel.index(array)?;
        ensure!(now == index, "{array} is read at {now} now, not at {index}");
        return Ok(());
    }
    for constant in constants.split(' ') {
        let (name, value) = constant.split_once('=').context("write NAME=VALUE")?;
        let now = kernel.constant(name)?;
        ensure!(now.to_string() == value, "{name} is {now} now, not {value}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_by_hand_is_of_the_kernels_constants() {
        let tile = |value: u32| format!("08-tiling.cl matmul_register_tile: TM=64 TN={value} -->");
        is_current(&tile(128)).unwrap();
        let index = |of: &str| format!("04-coalescing.cl matmul_id0_rows: A[{of}] -->");
        is_current(&index("row * K + k")).unwrap();
        assert!(is_current(&index("row * K")).is_err());
        let error = is_current(&tile(7)).unwrap_err().to_string();
        assert_eq!(error, "TN is 128 now, not 7");
        assert!(is_current("08-tiling.cl: TM").is_err());
        assert!(svg("no-such-figure").is_err());
    }
}
