//! Texts with blanks, which a template engine fills in (minijinja): the page of a report, and what
//! learners read.

use anyhow::Result;
use colored::{ColoredString, Colorize};
use diagnostics::terminal::prose::{beside, prose};
use diagnostics::terminal::{plain, table};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, HtmlEscape, UndefinedBehavior, Value};
use verify::numbers::{bytes, factor, percent, seconds, significant};

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
const NUMBERS: [(&str, Number); 7] = [
    ("bytes", |count| bytes(count as u64)),
    ("css", |share| format!("{:.2}%", share * 100.0)),
    ("factor", factor),
    ("percent", percent),
    ("seconds", seconds),
    ("short", short),
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

/// With one decimal, and none where it would be 0.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0" } else { text }.into()
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
    fn a_number_has_at_most_one_decimal() {
        let numbers = [3.0, 2.55, -0.01, -1.25, 100.0];
        assert_eq!(numbers.map(short), ["3", "2.5", "0", "-1.2", "100"]);
    }

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
