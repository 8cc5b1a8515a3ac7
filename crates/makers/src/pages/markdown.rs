//! A table in Markdown.

use std::fmt::{self, Display, Formatter};

/// A head, the rule below it that aligns each column, and rows with as many cells.
pub struct Table {
    head: String,
    rule: String,
    rows: String,
}

impl Table {
    /// A table whose first column is words.
    pub fn new(first: &str) -> Table {
        Table {
            head: cell(first),
            rule: "---|".into(),
            rows: String::new(),
        }
    }

    /// With one more column, of words.
    pub fn words(mut self, name: impl Display) -> Table {
        self.head += &cell(&name.to_string());
        self.rule += "---|";
        self
    }

    /// With more columns, of figures: they end below each other.
    pub fn figures(mut self, names: impl IntoIterator<Item = impl Display>) -> Table {
        for name in names {
            self.head += &cell(&name.to_string());
            self.rule += "---:|";
        }
        self
    }

    /// One more row: its name, and its other cells.
    pub fn row(&mut self, first: impl Display, cells: impl IntoIterator<Item = String>) {
        self.rows += &format!("\n|{}", cell(&first.to_string()));
        self.rows
            .extend(cells.into_iter().map(|words| cell(&words)));
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "|{}\n|{}{}", self.head, self.rule, self.rows)
    }
}

fn cell(words: &str) -> String {
    let space = if words.is_empty() { "" } else { " " };
    format!("{space}{words} |")
}

/// A figure as it is shown, or a dash where there is none.
pub fn or_dash(figure: Option<f64>, show: impl Fn(f64) -> String) -> String {
    figure.map_or("-".into(), show)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_cell_for_each_column() {
        let mut table = Table::new("a").figures(["b"]).words("");
        table.row("x", [or_dash(None, |_| String::new()), "y".into()]);
        let shown = "| a | b | |\n|---|---:|---|\n| x | - | y |";
        assert_eq!(table.to_string(), shown);
    }
}
