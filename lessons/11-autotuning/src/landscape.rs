//! The landscape: for each shape of an item's tile, the best rate that any candidate with this
//! shape reached.

use std::collections::{BTreeMap, BTreeSet};

use common::error::Result;
use diagnostics::terminal::table;
use lesson::Lesson;
use verify::numbers::significant;

use crate::log::{Trial, ranking};
use crate::space::families;

/// Prints the landscape of each kernel that was right in more than one shape.
pub fn show(lesson: &Lesson, trials: &[Trial]) -> Result<()> {
    for kernel in families().iter().map(|family| &family.launch.function) {
        if let Some(map) = map(trials, kernel) {
            let heading = "GFLOP/s by rows (down), columns of an item's tile";
            lesson.say(format!("\n  {kernel}: {heading}\n{map}"))?;
        }
    }
    Ok(())
}

/// A heat map of a kernel: rates, with a shade for their share of the best of all.
fn map(trials: &[Trial], kernel: &str) -> Option<String> {
    let (ranking, mut rates) = (ranking(trials), BTreeMap::new());
    for (trial, gflops) in ranking.iter().filter(|one| one.0.point.kernel == kernel) {
        rates.entry(trial.point.item_tile()).or_insert(*gflops);
    }
    let sides = |side: usize| BTreeSet::from_iter(rates.keys().map(|tile: &[usize; 2]| tile[side]));
    let (down, across) = (sides(0), sides(1));
    let cell = |row: &usize, column: &usize| match rates.get(&[*row, *column]) {
        Some(gflops) => significant(*gflops) + shade(gflops / ranking[0].1),
        None => "· ".into(),
    };
    let row = |row: &usize| {
        let cells = across.iter().map(|column| cell(row, column));
        [format!(" {row}")].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = down.iter().map(row).collect();
    let columns = across.iter().map(|column| format!("{column} "));
    let heading = Vec::from_iter([String::new()].into_iter().chain(columns));
    let heading = Vec::from_iter(heading.iter().map(String::as_str));
    (rates.len() > 1).then(|| table(&heading, &rows))
}

/// A quarter of the best is the first shade that can be seen.
fn shade(share: f64) -> &'static str {
    match share {
        0.9.. => "█",
        0.7.. => "▓",
        0.5.. => "▒",
        0.25.. => "░",
        _ => " ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::tests::{trial, wrong};
    use crate::space::tests::point_of;

    #[test]
    fn a_cell_shows_the_best_of_its_shape_and_nothing_that_was_wrong() {
        let mut trials = Vec::new();
        for (group, rows, gflops) in [(1, 2, 10.0), (2, 2, 40.0), (1, 4, 12.0), (1, 8, 99.0)] {
            let text = format!(
                "matmul_tunable_private LANES=4 VECTORS=1 ROWS={rows} GROUP_X=1 GROUP_Y={group} UNROLL=1"
            );
            trials.push(trial(point_of(&text), gflops));
        }
        trials[3].outcome = wrong();
        let map = map(&trials, "matmul_tunable_private").expect("two shapes");
        assert_eq!(map, "        4\n  2  40.0█\n  4  12.0░");
    }
}
