//! The landscape: for each shape of an item's tile, the best rate that any candidate with this
//! shape reached.

use std::collections::{BTreeMap, BTreeSet};

use colored::Colorize;
use common::error::Result;
use common::numbers::significant;
use lesson::Lesson;

use crate::search::Trials;
use crate::space::FAMILIES;

/// The best rates of a kernel that was tried, by rows and columns of the tile that one item
/// computes; what was not right is no part of them.
type Map = BTreeMap<(usize, usize), f64>;

fn map(trials: &Trials, family: usize) -> Map {
    let mut best = Map::new();
    for (point, gflops) in trials.ranking() {
        if point.family == family {
            best.entry(point.item_tile()).or_insert(gflops);
        }
    }
    best
}

/// Columns that fit a terminal of 80.
const SHOWN_COLUMNS: usize = 10;

/// Prints the landscape of each kernel that was tried.
pub fn show(lesson: &Lesson, trials: &Trials) -> Result<()> {
    let top = trials.best().map_or(0.0, |best| best.1);
    for (number, family) in FAMILIES.iter().enumerate() {
        let map = map(trials, number);
        if map.is_empty() {
            continue;
        }
        let heading = "GFLOP/s by rows (down), columns of an item's tile";
        let heading = format!("  {}: {heading}", family.name);
        lesson.say(format!("\n{}", heading.bold()))?;
        text(&map, top)
            .iter()
            .try_for_each(|line| lesson.say(line))?;
    }
    Ok(())
}

/// The lines of a heat map: rates, with a shade for their share of `top`.
fn text(map: &Map, top: f64) -> Vec<String> {
    let rows: BTreeSet<usize> = map.keys().map(|tile| tile.0).collect();
    let columns: BTreeSet<usize> = map.keys().map(|tile| tile.1).collect();
    let left_out = columns.len().saturating_sub(SHOWN_COLUMNS);
    let columns = || columns.iter().skip(left_out);
    let head: String = columns().map(|c| format!("{c:>7}")).collect();
    let mut lines = vec![format!("      {head}").dimmed().to_string()];
    for row in rows {
        let cells = columns().map(|column| match map.get(&(row, *column)) {
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
        let right = |gflops| Trial::Right { gflops, runs: 5 };
        note(1, 2, right(10.0));
        note(2, 2, right(40.0));
        note(1, 8, Trial::Wrong("all".into()));
        let map = map(&trials, 1);
        assert_eq!(map, Map::from([((2, 4), 40.0)]));
        assert_eq!(text(&map, 40.0)[1], "     2  40.0█");
    }
}
