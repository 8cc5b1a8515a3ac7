//! A figure in letters: how a group's items lie on C.

use super::piece::{bold, style};

/// How the items of a group lie on C.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// Items of a group, per dimension.
    pub group: [usize; 2],
    /// Whether dimension 0 runs along a row of C, and not down a column.
    pub along_rows: bool,
    /// What an item computes, such as "1 x 8 elements".
    pub each: String,
}

/// Rows and columns of items that are drawn.
const ROWS: usize = 16;
const COLUMNS: usize = 24;
/// As many items as a GPU of NVIDIA runs together.
const WARP: usize = 32;

impl Geometry {
    /// The group, an item a cell, and which of them run together.
    pub fn drawn(&self) -> Vec<String> {
        let [first, second] = self.group.map(|items| items.max(1));
        let (columns, rows, along) = match self.along_rows {
            true => (first, second, "rows"),
            false => (second, first, "columns"),
        };
        let together = WARP.min(first * second);
        let mark = style("■").cyan();
        let each = &self.each;
        let mut lines = vec![
            bold("A group on C, an item a cell"),
            format!(
                "{first} x {second} items; each computes {each}. {mark} are the first {together}: \
                 they follow C's {along}."
            ),
            String::new(),
        ];
        let more = if columns > COLUMNS { " ..." } else { "" };
        for row in 0..rows.min(ROWS) {
            let cells = (0..columns.min(COLUMNS)).map(|column| {
                let (x, y) = if self.along_rows {
                    (column, row)
                } else {
                    (row, column)
                };
                let is_first = x + first * y < together;
                if is_first {
                    format!(" {mark}")
                } else {
                    " ·".into()
                }
            });
            lines.push(format!("  {}{more}", cells.collect::<String>()));
        }
        if rows > ROWS {
            lines.push("   ...".into());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(group: [usize; 2], along_rows: bool) -> Vec<String> {
        let geometry = Geometry {
            group,
            along_rows,
            each: "1 element".into(),
        };
        geometry.drawn().split_off(3)
    }

    #[test]
    fn the_first_items_follow_rows_or_columns() {
        let by_rows = cells([16, 16], true);
        assert_eq!(by_rows[1], format!("  {}", " ■".repeat(16)));
        assert_eq!(by_rows[2], format!("  {}", " ·".repeat(16)));
        let by_columns = cells([16, 16], false);
        assert_eq!(by_columns.len(), 16);
        assert_eq!(by_columns[15], format!("   ■ ■{}", " ·".repeat(14)));
    }

    #[test]
    fn what_is_too_large_is_cut_and_nothing_is_a_group_of_one() {
        let wide = cells([256, 1], true);
        assert_eq!(wide, [format!("  {} ...", " ■".repeat(24))]);
        assert_eq!(cells([64, 1], false).last().unwrap(), "   ...");
        assert_eq!(cells([0, 0], true), ["   ■"]);
    }
}
