//! What the learner reads: `words.txt` has the texts.

use std::io::Write;

use anyhow::{Context, Result};
use diagnostics::terminal::Out;
use minijinja::Value;
use report::filled;

const TEXTS: &str = include_str!("words.txt");

/// The text of this name, whose blanks are filled in.
pub fn said(name: &str, blanks: Value) -> Result<String> {
    let mut texts = TEXTS.trim_end().split("\n=== ");
    let text = texts.find_map(|text| text.strip_prefix(name)?.strip_prefix('\n'));
    let text = text.with_context(|| format!("there is no text {name}"))?;
    filled(name, &format!("{text}\n"), blanks)
}

/// Prints it.
pub fn say(name: &str, blanks: Value) -> Result<()> {
    Ok(write!(Out, "{}", said(name, blanks)?)?)
}
