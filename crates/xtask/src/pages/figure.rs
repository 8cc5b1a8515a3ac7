//! Figures in pages: the image with its text alternative, and the files in
//! `docs/figures/`.

use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, Result};
use common::clone::workspace;

use super::picked;
use crate::figures::{self, FOLDER, STYLE};
use crate::kept;

/// The things to play with in the book.
const PLAY: &str = "docs/play";

/// The image of a figure as Markdown, for a page from which `root` leads to the root,
/// with the first sentence of what it shows.
pub fn image(name: &str, root: &str) -> Result<String> {
    let description = figures::description(name)?;
    let sentence = description.split_inclusive(". ").next().unwrap_or_default();
    let sentence = sentence.trim_end();
    Ok(format!("![{sentence}]({root}{FOLDER}/{name}.svg)"))
}

/// "../../" for a page of a lesson: the way from a page to the root of the workspace.
pub fn to_root(page: &Path) -> String {
    let page = std::path::absolute(page).unwrap_or_else(|_| page.to_path_buf());
    let inside = page.strip_prefix(workspace()).unwrap_or(&page);
    "../".repeat(inside.components().count().saturating_sub(1))
}

/// Draws every figure into its file, and gives the book's things to play with the same colours;
/// with `check` only says which files differ.
pub fn update(check: bool) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for name in figures::names()? {
        let file = format!("{FOLDER}/{name}.svg");
        stale.extend(updated(file, &figures::svg(&name)?, check)?);
    }
    let scripts = kept::entries(PLAY)?.into_iter();
    for script in scripts.filter(|file| file.extension().is_some_and(|end| end == "js")) {
        let current = figures::remarks::must_be_current(&kept::read(&script)?);
        current.with_context(|| format!("{} is stale", script.display()))?;
    }
    stale.extend(updated(format!("{PLAY}/colours.css"), &colours()?, check)?);
    Ok(stale)
}

/// The style of the figures, for drawings in a page: there the theme of the book says
/// whether it is dark, and not the reader's system.
fn colours() -> Result<String> {
    let dark = "@media (prefers-color-scheme: dark) {\n";
    let (light, dark) = STYLE
        .split_once(dark)
        .context("the style has no dark part")?;
    Ok(format!(
        "/* Made from the style of the figures by `cargo xtask pages`. */\n\
         :where(.play svg) {{\n{light}}}\n:where(:is(.ayu, .coal, .navy) .play svg) {{\n{dark}"
    ))
}

/// The file, below the root of the workspace, if it was not as it should be.
fn updated(file: String, new: &str, check: bool) -> Result<Option<String>> {
    if kept::read(&file).is_ok_and(|old| old == new) {
        return Ok(None);
    }
    if !check {
        kept::write(&file, new)?;
    }
    Ok(Some(file))
}

/// What is wrong between the figures, their files and all pages of the course.
pub fn misplaced(pages: &[PathBuf]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let figure = |words: &[&str]| match *words {
        ["figure", name] => Some(name.to_string()),
        _ => None,
    };
    let lessons = workspace().join("lessons");
    for page in pages {
        let is_lesson = page.parent().and_then(Path::parent) == Some(&lessons);
        if is_lesson && picked(slice::from_ref(page), figure)?.is_empty() {
            wrong.push(format!("{} has no figure", page.display()));
        }
    }
    let shown = picked(pages, figure)?;
    let names = figures::names()?;
    let unused = names.difference(&shown);
    wrong.extend(unused.map(|name| format!("no page has the figure {name}")));
    Ok(wrong)
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

    #[test]
    fn the_way_to_the_root_goes_up_from_the_page() {
        let from = |page: &str| to_root(&workspace().join(page));
        assert_eq!(from("README.md"), "");
        assert_eq!(from("docs/ndrange.md"), "../");
        assert_eq!(from("lessons/02-saxpy/README.md"), "../../");
    }

    #[test]
    fn a_page_without_its_figure_and_a_figure_without_a_page_are_named() {
        let lesson = workspace().join("lessons/02-saxpy/README.md");
        let wrong = misplaced(&[lesson]).unwrap();
        let unused = format!("no page has the figure {}", "legend");
        assert!(wrong.contains(&unused), "{wrong:?}");
    }
}
