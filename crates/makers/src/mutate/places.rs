//! Where a mutant is run: the shapes for each kernel, from data/mutation/places.toml, and how
//! each is run.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::kept;

/// How a mutant is run.
#[derive(Clone, Copy, PartialEq)]
pub enum Stage {
    /// By the simulator, as quickly as it goes. It interprets a kernel, and so is
    /// done with a small shape before a driver has compiled it: most mutants end here.
    Quick,
    /// By the simulator, with all that it can see.
    Thorough,
    /// By a driver.
    Device,
    /// By a GPU's driver, where there is one: the slowest to build, and so the last.
    Gpu,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    place: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default)]
    lessons: Vec<u32>,
    #[serde(default)]
    kernel: String,
    quick: Vec<String>,
    thorough: Vec<String>,
    device: Vec<String>,
}

/// The runs that a mutant must survive, the cheap ones first: a shape, and how it is run.
pub fn places(lesson: u32, kernel: &str) -> Result<Vec<(String, Stage)>> {
    let path = "data/mutation/places.toml";
    let file: File = toml::from_str(&kept::read(path)?).context(path)?;
    let fits = |row: &Row| {
        (row.lessons.is_empty() || row.lessons.contains(&lesson)) && kernel.starts_with(&row.kernel)
    };
    let row = file.place.into_iter().find(fits);
    let row = row.with_context(|| format!("{path} has no shapes for {kernel}"))?;
    let stages = [
        (row.quick, Stage::Quick),
        (row.thorough, Stage::Thorough),
        (row.device.clone(), Stage::Device),
        (row.device, Stage::Gpu),
    ];
    let places = stages.map(|(sizes, stage)| sizes.into_iter().map(move |size| (size, stage)));
    Ok(places.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_that_fits_says_the_shapes() {
        let first = |lesson, kernel| places(lesson, kernel).unwrap().remove(0).0;
        assert_eq!(first(2, "saxpy"), "303");
        assert_eq!(first(4, "copy_stride"), "9");
        assert_eq!(first(6, "transpose_tile"), "37x41x9");
        assert_eq!(first(6, "matmul_tiled"), "13x11x10");
        assert_eq!(first(3, "matmul_naive"), "37x21x35");
    }
}
