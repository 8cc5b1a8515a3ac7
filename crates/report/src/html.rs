//! The page: one file with everything in it. Its template is `page.html`, whose engine escapes
//! every value (minijinja).

use anyhow::Result;
use common::numbers::{factor, percent, seconds, significant};
use minijinja::value::Serde;
use minijinja::{Environment, HtmlEscape, Value, context};

use super::rows::Section;
use super::survey::Survey;

/// The page.
pub fn page(survey: &Survey) -> Result<String> {
    let mut engine = Environment::new();
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
    engine.add_template("page.html", include_str!("page.html"))?;
    let page = engine.get_template("page.html")?;
    let (survey, sections) = (Serde(survey), Serde(Section::all(survey)));
    let page = page.render(context! { survey, sections })?;
    // It escapes slashes, too, which are text.
    Ok(page.replace("&#x2f;", "/"))
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
