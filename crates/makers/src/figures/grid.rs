//! Cells in rows and columns.

use crate::figures::drawing::{Drawing, Point};

/// Where the cells lie.
pub struct Grid {
    /// The left, top corner of the first.
    pub corner: Point,
    /// From the corner of a cell to that of the next one, to the right and down.
    pub step: (f64, f64),
    /// What is left free between two cells.
    pub gap: f64,
}

impl Grid {
    /// Cells of this step with this gap between them.
    pub const fn new(corner: Point, step: (f64, f64), gap: f64) -> Grid {
        Grid { corner, step, gap }
    }

    /// Square cells without gaps.
    pub fn of(corner: Point, cell: f64) -> Grid {
        Grid::new(corner, (cell, cell), 0.0)
    }

    /// The left, top corner of a cell.
    pub fn at(&self, column: usize, row: usize) -> Point {
        let (x, y) = (self.step.0 * column as f64, self.step.1 * row as f64);
        (self.corner.0 + x, self.corner.1 + y)
    }

    /// Width and height of a number of cells in a row.
    fn size(&self, columns: usize) -> (f64, f64) {
        let (width, height) = (self.step.0 * columns as f64, self.step.1);
        (width - self.gap, height - self.gap)
    }

    /// Draws a cell.
    pub fn cell(&self, d: &mut Drawing, class: &str, column: usize, row: usize) {
        self.run(d, class, (column, row), 1);
    }

    /// Draws neighbouring cells of a row as one.
    pub fn run(&self, d: &mut Drawing, class: &str, (column, row): (usize, usize), count: usize) {
        let (width, height) = self.size(count);
        d.rect(class, self.at(column, row), width, height);
    }

    /// Words in the middle of a cell.
    pub fn words(&self, d: &mut Drawing, class: &str, (column, row): (usize, usize), words: &str) {
        let (x, y) = self.at(column, row);
        let (width, height) = self.size(1);
        let middle = (x + width / 2.0, y + height / 2.0 + 4.5);
        d.text(&format!("{class} middle"), middle, words);
    }
}
