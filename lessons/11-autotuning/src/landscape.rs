//! The landscape: for each shape of an item's tile, the best rate that any candidate with this
//! shape reached.

use std::collections::{BTreeMap, BTreeSet};

use colored::Colorize;
use common::error::Result;
use lesson::Lesson;
use verify::numbers::significant;

use crate::log::Known;
use crate::space::families;

/// Columns that fit a terminal of 80.
const SHOWN_COLUMNS: usize = 10;

/// Prints the landscape of each kernel that was tried.
pub fn show(lesson: &Lesson, known: &Known) -> Result<()> {
    for kernel in families().iter().map(|family| &family.launch.function) {
        let lines = lines(known, kernel);
        if lines.len() > 1 {
            let heading = "GFLOP/s by rows (down), columns of an item's tile";
            let heading = format!("  {kernel}: {heading}");
            lesson.say(format!("\n{}\n{}", heading.bold(), lines.join("\n")))?;
        }
    }
    Ok(())
}

/// A heat map of a kernel: rates, with a shade for their share of the best of all. What was
/// not right is no part of it.
fn lines(known: &Known, kernel: &str) -> Vec<String> {
    let (ranking, mut map) = (known.ranking(), BTreeMap::new());
    for (trial, gflops) in &ranking {
        if trial.point.kernel == kernel {
            map.entry(trial.point.item_tile()).or_insert(*gflops);
        }
    }
    let rows: BTreeSet<usize> = map.keys().map(|tile| tile[0]).collect();
    let columns: BTreeSet<usize> = map.keys().map(|tile| tile[1]).collect();
    let left_out = columns.len().saturating_sub(SHOWN_COLUMNS);
    let columns = || columns.iter().skip(left_out);
    let head: String = columns().map(|c| format!("{c:>7}")).collect();
    let mut lines = vec![format!("      {head}").dimmed().to_string()];
    for row in rows {
        let cells = columns().map(|column| match map.get(&[row, *column]) {
            Some(gflops) => format!(
                "{:>6}{}",
                significant(*gflops),
                shade(gflops / ranking[0].1)
            ),
            None => format!("{:>6} ", "·").dimmed().to_string(),
        });
        let cells: String = cells.collect();
        lines.push(format!("  {:>4}{cells}", format!("{row}").dimmed()));
    }
    lines
}

/// A quarter of the best is the first shade that can be seen.
fn shade(share: f64) -> colored::ColoredString {
    match share {
        0.9.. => "█".green(),
        0.7.. => "▓".green(),
        0.5.. => "▒".yellow(),
        0.25.. => "░".yellow(),
        _ => " ".normal(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Outcome;
    use crate::log::tests::{right, trial};
    use crate::space::tests::point_of;

    #[test]
    fn a_cell_shows_the_best_of_its_shape_and_nothing_that_was_wrong() {
        colored::control::set_override(false);
        let mut known = Known::default();
        let mut note = |group: usize, rows: usize, outcome| {
            let text = format!(
                "matmul_tunable_private LANES=4 VECTORS=1 ROWS={rows} GROUP_X=1 GROUP_Y={group} UNROLL=1"
            );
            known.note(trial(point_of(&text), outcome));
        };
        note(1, 2, right(10.0));
        note(2, 2, right(40.0));
        note(1, 8, Outcome::Wrong("all".into()));
        assert_eq!(
            lines(&known, "matmul_tunable_private")[1..],
            ["     2  40.0█"]
        );
    }
}
