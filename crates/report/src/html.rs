//! The page: one file with everything in it. Its template is `page.html`, whose engine escapes
//! every value (minijinja).

use anyhow::Result;
use common::numbers::{factor, percent, seconds, significant};
use minijinja::value::Serde;
use minijinja::{Environment, HtmlEscape, UndefinedBehavior, Value, context};

use super::rows::Section;
use super::survey::Survey;

/// The page.
pub fn page(survey: &Survey) -> Result<String> {
    let (survey, sections) = (Serde(survey), Serde(Section::all(survey)));
    let values = context! { survey, sections };
    let page = filled("page.html", include_str!("page.html"), values)?;
    // It escapes slashes, too, which are text.
    Ok(page.replace("&#x2f;", "/"))
}

/// A template with these values in it, which are escaped where it is HTML.
pub fn filled(name: &str, template: &str, values: Value) -> Result<String> {
    let mut engine = Environment::new();
    engine.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    for (name, shown) in [
        ("factor", factor as fn(f64) -> String),
        ("percent", percent),
        ("seconds", seconds),
        ("significant", significant),
        ("css", css_percent),
    ] {
        engine.add_filter(name, move |value: Option<f64>| {
            value.map_or("-".into(), shown)
        });
    }
    engine.add_filter("code", code);
    Ok(engine.render_named_str(name, template, values)?)
}

/// A share as a length.
fn css_percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// A name that may be broken after an underscore, for a phone's sake.
fn code(name: &str) -> Value {
    let name = HtmlEscape(name).to_string().replace('_', "_<wbr>");
    Value::from_safe_string(format!("<code>{name}</code>"))
}
