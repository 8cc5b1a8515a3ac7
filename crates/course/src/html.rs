//! Pages from a template.

use minijinja::{Environment, HtmlEscape, UndefinedBehavior, Value, syntax::SyntaxConfig};
use verify::numbers::{factor, percent, seconds, significant};

/// A template with these values in it, which are escaped; a blank that nobody fills is an error.
pub fn filled(name: &str, template: &str, values: impl serde::Serialize) -> anyhow::Result<String> {
    type Number = fn(f64) -> String;
    let mut engine = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    engine.set_syntax(syntax);
    engine.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    // A name that may be broken after an underscore, for a phone's sake.
    engine.add_filter("code", |name: &str| {
        let name = HtmlEscape(name).to_string().replace('_', "_<wbr>");
        Value::from_safe_string(format!("<code>{name}</code>"))
    });
    // Numbers as people read them; none is a dash.
    let numbers: [(&str, Number); 5] = [
        ("css", |share| format!("{:.2}%", share * 100.0)),
        ("factor", factor),
        ("percent", percent),
        ("seconds", seconds),
        ("significant", significant),
    ];
    for (name, shown) in numbers {
        engine.add_filter(name, move |value: Option<f64>| value.map_or("-".into(), shown));
    }
    let page = engine.render_named_str(name, template, minijinja::value::Serde(values))?;
    // The engine escapes slashes, too, which are text.
    Ok(page.replace("&#x2f;", "/"))
}
