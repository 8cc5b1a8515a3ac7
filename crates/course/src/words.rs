//! What the learner reads: `words.txt` has the texts, whose blanks a template engine fills in
//! (minijinja).

use std::io::Write;

use anyhow::{Context, Result};
use colored::{ColoredString, Colorize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};
use text::Out;
use text::prose::{beside, prose};

const TEXTS: &str = include_str!("words.txt");

type Style = fn(&str) -> ColoredString;

/// Colours, by the names that the texts have for them.
const STYLES: [(&str, Style); 6] = [
    ("bold", |text| text.bold()),
    ("cyan", |text| text.cyan()),
    ("dimmed", |text| text.dimmed()),
    ("green", |text| text.green()),
    ("red", |text| text.red()),
    ("yellow", |text| text.yellow()),
];

/// Prints the text of this name.
pub fn say(name: &str, blanks: Value) -> Result<()> {
    let mut texts = TEXTS.trim_end().split("\n=== ");
    let text = texts.find_map(|text| text.strip_prefix(name)?.strip_prefix('\n'));
    let text = text.with_context(|| format!("there is no text {name}"))?;
    let mut engine = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    engine.set_syntax(syntax);
    engine.add_filter("beside", beside);
    engine.add_filter("prose", prose);
    for (name, style) in STYLES {
        engine.add_filter(name, move |text: &str| style(text).to_string());
    }
    let said = engine.render_str(&format!("{text}\n"), blanks)?;
    Ok(write!(Out, "{said}")?)
}
