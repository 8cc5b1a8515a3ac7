//! What the learner reads: `words.txt` has the texts, and an engine fills in their blanks, and those
//! of a report's page.

use std::io::Write;

use anyhow::{Context, Result};
use colored::{ColoredString, Colorize};
use diagnostics::terminal::prose::{beside, prose};
use diagnostics::terminal::{Out, plain, table};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, HtmlEscape, UndefinedBehavior, Value};
use verify::numbers::{bytes, factor, percent, seconds, significant};

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

type Style = fn(&str) -> ColoredString;
type Number = fn(f64) -> String;

/// Colours, by the names that the texts have for them.
#[rustfmt::skip]
const STYLES: [(&str, Style); 6] = [
    ("bold", |text| text.bold()), ("dimmed", |text| text.dimmed()),
    ("cyan", |text| text.cyan()), ("green", |text| text.green()),
    ("red", |text| text.red()), ("yellow", |text| text.yellow()),
];

/// Numbers as people read them; none is a dash.
const NUMBERS: [(&str, Number); 6] = [
    ("bytes", |count| bytes(count as u64)),
    ("css", |share| format!("{:.2}%", share * 100.0)),
    ("factor", factor),
    ("percent", percent),
    ("seconds", seconds),
    ("significant", significant),
];

/// A template with these values in it, which are escaped where its name ends with .html. A blank
/// that nobody fills is an error.
pub fn filled(name: &str, template: &str, values: Value) -> Result<String> {
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
    engine.add_filter("plain", plain);
    engine.add_filter("code", code);
    engine.add_filter("table", |heading: Vec<String>, rows: Vec<Vec<Value>>| {
        let heading: Vec<&str> = heading.iter().map(|name| &**name).collect();
        let row = |row: Vec<Value>| row.iter().map(Value::to_string).collect();
        table(&heading, &rows.into_iter().map(row).collect::<Vec<_>>())
    });
    for (name, style) in STYLES {
        engine.add_filter(name, move |text: &str| style(text).to_string());
    }
    for (name, shown) in NUMBERS {
        engine.add_filter(name, move |value: Option<f64>| {
            value.map_or("-".into(), shown)
        });
    }
    Ok(engine.render_named_str(name, template, values)?)
}

/// A name that may be broken after an underscore, for a phone's sake.
fn code(name: &str) -> Value {
    let name = HtmlEscape(name).to_string().replace('_', "_<wbr>");
    Value::from_safe_string(format!("<code>{name}</code>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_that_nobody_fills_is_an_error() {
        let blanks = || minijinja::context! { file => "a.cl" };
        let said = filled("", "{% if why %}so{% endif %}{{ file|bold }}", blanks());
        assert!(said.expect("all are filled").contains("a.cl"));
        for text in [
            "{{ why }}",
            "{{ why|bold }}",
            "{% for one in why %}{% endfor %}",
        ] {
            assert!(filled("", text, blanks()).is_err(), "{text}");
        }
    }
}
