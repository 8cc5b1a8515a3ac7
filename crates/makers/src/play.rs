//! What the four things to play with in the book (`docs/play/`) take from here: the
//! figures' colours, and what kernels and recordings say.

mod facts;

use anyhow::{Context, Result};

use crate::figures::drawing::STYLE;

/// Makes a file anew.
pub type Make = fn() -> Result<String>;

/// The files that are made from here, below the root of the workspace.
pub const FILES: &[(&str, Make)] = &[
    ("docs/play/colours.css", colours),
    ("docs/play/facts.js", facts::script),
];

/// What they count, by hand, of the kernels that its remarks name.
pub const COUNTING: &str = "docs/play/counting.js";

/// The style of the figures, for drawings in a page: there the theme of the book says
/// whether it is dark, and not the reader's system.
fn colours() -> Result<String> {
    let dark = "@media (prefers-color-scheme: dark) {\n";
    let (light, dark) = STYLE
        .split_once(dark)
        .context("the style has no dark part")?;
    Ok(format!(
        "/* Made from the style of the figures by `cargo makers pages`. */\n\
         :where(.play svg) {{\n{light}}}\n:where(:is(.ayu, .coal, .navy) .play svg) {{\n{dark}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_are_those_of_the_figures_in_both_themes() {
        let css = colours().unwrap();
        assert_eq!(css.matches("\n.item { fill:").count(), 2, "{css}");
        assert_eq!(css.matches('{').count(), css.matches('}').count());
        assert!(!css.contains("@media"), "{css}");
    }
}
