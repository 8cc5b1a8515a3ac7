//! Text for people: lines and letters for a terminal, tables, and what changed between
//! two texts. It knows nothing of OpenCL.
//!
//! # Layout
//!
//! - `plain` makes text of what came from outside.
//! - [`terminal`] says what standard output is connected to, and which letters that shows;
//!   [`wrap`] breaks lines that are too long for it, [`progress`] is a sign of life on it.
//! - [`screen`] is the terminal as a whole: rows, pages and keys.
//! - [`stream`] is what this process prints, sent elsewhere.
//! - [`diff`] is what changed between two texts.

pub mod diff;
mod plain;
pub mod progress;
pub mod screen;
pub mod stream;
pub mod terminal;
pub mod wrap;

pub use plain::{plain, plain_name};
pub use terminal::Out;

use comfy_table::{CellAlignment, Table, presets};

/// A plain table; columns with a heading hold numbers, the others text.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(heading);
    for row in rows {
        table.add_row(row);
    }
    for (column, heading) in table.column_iter_mut().zip(heading).skip(1) {
        if !heading.is_empty() {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// A message on standard error, in lines that fit the terminal.
pub fn show_error(mut message: String) {
    if let Some(columns) = wrap::stderr_columns() {
        message = wrap::wrap_prose(&message, columns);
    }
    aside!("{message}");
}

/// A line on standard error, as `eprintln!` writes it, which panics where it cannot: on a
/// full disk, for example. There is nobody to tell that to.
#[macro_export]
macro_rules! aside {
    ($($line:tt)*) => {{
        use std::io::Write as _;
        let line = $crate::terminal::for_stderr(format!($($line)*));
        let _ = writeln!(std::io::stderr(), "{line}");
    }};
}
