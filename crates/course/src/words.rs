//! What the learner reads: `words.txt` has the texts, whose blanks a template engine fills in
//! (minijinja).

use std::io::Write;

use anyhow::{Context, Result};
use colored::{ColoredString, Colorize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
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
    let said = filled(&format!("{text}\n"), blanks)?;
    Ok(write!(Out, "{said}")?)
}

/// A text with these blanks; one that nobody fills is an error.
fn filled(text: &str, blanks: Value) -> Result<String> {
    let mut engine = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    engine.set_syntax(syntax);
    engine.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    engine.add_filter("beside", beside);
    engine.add_filter("prose", prose);
    for (name, style) in STYLES {
        engine.add_filter(name, move |text: &str| style(text).to_string());
    }
    Ok(engine.render_str(text, blanks)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_that_nobody_fills_is_an_error() {
        let blanks = || minijinja::context! { file => "a.cl" };
        let said = filled("{% if why %}so{% endif %}{{ file|bold }}", blanks());
        assert!(said.expect("all are filled").contains("a.cl"));
        for text in [
            "{{ why }}",
            "{{ why|bold }}",
            "{% for one in why %}{% endfor %}",
        ] {
            assert!(filled(text, blanks()).is_err(), "{text}");
        }
    }
}
