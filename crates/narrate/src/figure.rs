//! Figures in letters: how a group's items lie on C, and what the pictures of the lesson's
//! page show.

use std::path::Path;

use common::file;

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
/// Bytes of a page at most.
const LONGEST: u64 = 1 << 20;

impl Geometry {
    /// The group, an item a cell, and which of them run together.
    pub fn drawn(&self) -> Vec<String> {
        let [first, second] = self.group.map(|items| items.max(1));
        let (columns, rows) = if self.along_rows {
            (first, second)
        } else {
            (second, first)
        };
        let together = WARP.min(first * second);
        let along = if self.along_rows { "rows" } else { "columns" };
        let mut lines = vec![
            bold("A group on C, an item a cell"),
            format!(
                "{first} x {second} items; each computes {}. {} are the first {together}: they \
                 follow C's {along}.",
                self.each,
                style("■").cyan()
            ),
            String::new(),
        ];
        let cut = |all: usize, most: usize| if all > most { " ..." } else { "" };
        for row in 0..rows.min(ROWS) {
            let cells = (0..columns.min(COLUMNS)).map(|column| {
                let [x, y] = if self.along_rows {
                    [column, row]
                } else {
                    [row, column]
                };
                if x + first * y < together {
                    format!(" {}", style("■").cyan())
                } else {
                    " ·".into()
                }
            });
            let cells: String = cells.collect();
            lines.push(format!("  {cells}{}", cut(columns, COLUMNS)));
        }
        if rows > ROWS {
            lines.push("   ...".into());
        }
        lines
    }
}

/// What the pictures of a lesson's page show, in words; none where it cannot be read.
pub(super) fn pictures(course: &Path, lesson: u32) -> Vec<String> {
    let begin = format!("{lesson:02}-");
    let entries = std::fs::read_dir(course.join("lessons"));
    let mut folders = entries.into_iter().flatten().flatten();
    let folder = folders.find(|entry| entry.file_name().to_string_lossy().starts_with(&begin));
    let page = folder.and_then(|folder| file::read(&folder.path().join("README.md"), LONGEST).ok());
    in_words(&String::from_utf8_lossy(&page.unwrap_or_default()))
}

/// The descriptions of a page's pictures, each below its file.
fn in_words(page: &str) -> Vec<String> {
    let pictures = page.lines().filter_map(|line| {
        let (words, file) = line.strip_prefix("![")?.rsplit_once("](")?;
        let file = file.trim_end_matches(')').trim_start_matches("../");
        Some([bold(file), words.to_string(), String::new()])
    });
    pictures.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(group: [usize; 2], along_rows: bool) -> Vec<String> {
        let each = "1 element".into();
        let drawn = Geometry {
            group,
            along_rows,
            each,
        }
        .drawn();
        drawn[3..].to_vec()
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

    #[test]
    fn a_picture_is_told_in_its_own_words() {
        let page = "text\n![Bars: two.](../../docs/figures/spill.svg)\n![no end";
        assert_eq!(in_words(page), ["docs/figures/spill.svg", "Bars: two.", ""]);
        damage::must_be_survived(page.as_bytes(), |bytes| {
            in_words(&String::from_utf8_lossy(bytes));
        });
    }
}
