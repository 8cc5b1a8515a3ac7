//! What changed between two texts, on a terminal.

use std::io::Write;

use anyhow::Result;
use colored::{Color, Colorize};
use text::diff::{Change, Line};
use text::wrap;

/// Lines with their numbers: `+` in the new text, `-` in the old one.
pub fn print_hunks(out: &mut impl Write, hunks: &[Vec<Line>]) -> Result<()> {
    for (i, hunk) in hunks.iter().enumerate() {
        if i > 0 {
            writeln!(out, "{}", "     ...".dimmed())?;
        }
        for line in hunk {
            writeln!(out, "{}", fitted(shown(line)))?;
        }
    }
    Ok(())
}

/// The same in lines that fit a terminal.
pub fn fitted(text: String) -> String {
    match wrap::stdout_columns() {
        Some(columns) => wrap::wrap(&text, columns),
        None => text,
    }
}

fn shown(line: &Line) -> String {
    let (sign, color) = match line.change {
        Change::Same => return format!("{:>5}   {}", line.number, line.text()),
        Change::Gone => ("-", Color::Red),
        Change::New => ("+", Color::Green),
    };
    let all_changed = line.pieces.iter().all(|(changed, _)| *changed);
    let pieces = line.pieces.iter().map(|(changed, piece)| {
        let piece = piece.color(color);
        if *changed && !all_changed {
            piece.bold().underline().to_string()
        } else {
            piece.to_string()
        }
    });
    let begin = format!("{:>5} {sign} ", line.number).color(color);
    format!("{begin}{}", pieces.collect::<String>())
}
