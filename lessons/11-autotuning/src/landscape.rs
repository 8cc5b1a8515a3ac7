//! The landscape in the terminal: for each shape of an item's tile, the best rate
//! that any candidate with this shape reached.

use std::collections::{BTreeMap, BTreeSet};

use colored::Colorize;
use common::error::Result;
use common::numbers::significant;
use lesson::Lesson;

use crate::point::Family;
use crate::search::Trials;

/// Best rates by rows and columns of the tile that one item computes.
pub struct Landscape {
    pub rows: BTreeSet<usize>,
    pub columns: BTreeSet<usize>,
    pub best: BTreeMap<(usize, usize), f64>,
}

impl Landscape {
    /// Of one kernel's candidates; those that were not right are no part of it.
    pub fn of(trials: &Trials, family: Family) -> Landscape {
        let mut best: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (point, trial) in trials.0.iter().filter(|(point, _)| point.family == family) {
            if let Some(gflops) = trial.gflops() {
                let cell = best.entry(point.item_tile()).or_default();
                *cell = cell.max(gflops);
            }
        }
        Landscape {
            rows: best.keys().map(|tile| tile.0).collect(),
            columns: best.keys().map(|tile| tile.1).collect(),
            best,
        }
    }
}

/// Columns that fit a terminal of 80.
const SHOWN_COLUMNS: usize = 10;

/// Prints the landscape of each kernel that was tried.
pub fn show(lesson: &Lesson, trials: &Trials) -> Result<()> {
    let top = trials.best().map_or(0.0, |best| best.1);
    for family in Family::ALL {
        let landscape = Landscape::of(trials, family);
        if landscape.best.is_empty() {
            continue;
        }
        let heading = "GFLOP/s by rows (down), columns of an item's tile";
        let heading = format!("  {}: {heading}", family.kernel());
        lesson.say(format!("\n{}", heading.bold()))?;
        for line in text(&landscape, top) {
            lesson.say(line)?;
        }
    }
    Ok(())
}

/// The lines of a heat map: rates, with a shade for their share of `top`.
fn text(landscape: &Landscape, top: f64) -> Vec<String> {
    let left_out = landscape.columns.len().saturating_sub(SHOWN_COLUMNS);
    let columns = || landscape.columns.iter().skip(left_out);
    let head: String = columns().map(|c| format!("{c:>7}")).collect();
    let mut lines = vec![format!("      {head}").dimmed().to_string()];
    for row in &landscape.rows {
        let cells = columns().map(|column| match landscape.best.get(&(*row, *column)) {
            Some(gflops) => format!("{:>6}{}", significant(*gflops), shade(gflops / top)),
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
        s if s >= 0.9 => "█".green(),
        s if s >= 0.7 => "▓".green(),
        s if s >= 0.5 => "▒".yellow(),
        s if s >= 0.25 => "░".yellow(),
        _ => " ".normal(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Trial;

    #[test]
    fn a_cell_shows_the_best_of_its_shape_and_nothing_that_was_wrong() {
        colored::control::set_override(false);
        let mut trials = Trials::default();
        let mut note = |group: usize, rows: usize, trial| {
            let text = format!(
                "matmul_tunable_private LANES=4 VECTORS=1 ROWS={rows} GROUP_X=1 GROUP_Y={group} UNROLL=1"
            );
            trials.note(text.try_into().expect("a point"), trial);
        };
        note(
            1,
            2,
            Trial::Right {
                gflops: 10.0,
                runs: 5,
            },
        );
        note(
            2,
            2,
            Trial::Right {
                gflops: 40.0,
                runs: 5,
            },
        );
        note(1, 8, Trial::Wrong("all".into()));
        let landscape = Landscape::of(&trials, Family::Private);
        assert_eq!(landscape.rows, BTreeSet::from([2]));
        assert_eq!(landscape.best[&(2, 4)], 40.0);
        assert_eq!(text(&landscape, 40.0)[1], "     2  40.0█");
    }
}
