//! The pictures in the pages as SVG, in `docs/figures/`. They are made by hand, and remarks in
//! them hold them against the kernels and the recordings that they show; only the curves, dots and
//! bars of a chart are drawn from recorded runs. So no picture can say what the code or a run does not.
//! SVG, since GitHub shows that, and no other drawing that follows the reader's light or dark.
//!
//! `style.css` has the one meaning of each colour, which `docs/figures.md` explains; `chart` draws
//! curves, dots and bars as `docs/data/charts/NAME.toml` says.

mod chart;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use common::file::workspace;

use crate::{kept, pages};

/// What colour a shape of each class has, light and dark.
const STYLE: &str = include_str!("figures/style.css");

/// A place: units from the left and from the top.
type Point = (f64, f64);

/// Where the files lie, below the root of the workspace.
const FOLDER: &str = "docs/figures";

/// All figures by name.
fn names() -> Result<std::collections::BTreeSet<String>> {
    let files = kept::entries(FOLDER)?;
    let stems = files.iter().filter_map(|path| path.file_stem());
    Ok(stems.map(|name| name.to_string_lossy().into()).collect())
}

/// The file of the figure of this name, as it must be: made by hand, with the style that all
/// have, and in a chart what is drawn of recordings.
fn svg(name: &str) -> Result<String> {
    let file = format!("{FOLDER}/{name}.svg");
    let text = kept::read(&file)?;
    must_be_current(&text).with_context(|| format!("{file} must be drawn anew"))?;
    let styled = filled(&text, ["<style>\n", "</style>\n"], STYLE);
    let styled = styled.with_context(|| format!("{file} has no style"))?;
    let chart = format!("docs/data/charts/{name}.toml");
    if !workspace().join(&chart).exists() {
        return Ok(styled);
    }
    let drawn = chart::draw(&kept::read(chart)?)
        .with_context(|| format!("the chart {name} cannot be drawn"))?;
    let whole = filled(&styled, ["<!-- drawn -->\n", "<!-- end -->\n"], &drawn);
    whole.with_context(|| format!("{file} has no place for a chart"))
}

/// The text with this between two marks, if it has them.
fn filled(text: &str, [begin, end]: [&str; 2], inside: &str) -> Option<String> {
    let (above, rest) = text.split_once(begin)?;
    let (_, below) = rest.split_once(end)?;
    Some([above, begin, inside, end, below].concat())
}

/// What one should see in a figure.
fn description(name: &str) -> Result<String> {
    let svg = svg(name)?;
    let found = element(&svg, "desc").map(String::from);
    found.with_context(|| format!("the figure {name} says nothing in words"))
}

/// What stands in the first element of this name.
fn element<'t>(svg: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = svg.split_once(&format!("<{name} "))?;
    let (_, inside) = rest.split_once('>')?;
    Some(inside.split_once("</")?.0)
}

/// The things to play with in the book.
const PLAY: &str = "docs/play";

/// The image of a figure as Markdown, for a page from which `root` leads to the root,
/// with the first sentence of what it shows.
pub fn image(name: &str, root: &str) -> Result<String> {
    let description = description(name)?;
    let sentence = description.split_inclusive(". ").next().unwrap_or_default().trim_end();
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
    for name in names()? {
        let file = format!("{FOLDER}/{name}.svg");
        stale.extend(kept::updated(file, &svg(&name)?, check)?);
    }
    let scripts = kept::entries(PLAY)?.into_iter();
    for script in scripts.filter(|file| file.extension().is_some_and(|end| end == "js")) {
        let current = must_be_current(&kept::read(&script)?);
        current.with_context(|| format!("{} is stale", script.display()))?;
    }
    stale.extend(kept::updated(format!("{PLAY}/colours.css"), &colours()?, check)?);
    Ok(stale)
}

/// The style of the figures, for drawings in a page: there the theme of the book says
/// whether it is dark, and not the reader's system.
fn colours() -> Result<String> {
    let dark = "@media (prefers-color-scheme: dark) {\n";
    let (light, dark) = STYLE.split_once(dark).context("the style has no dark part")?;
    Ok(format!(
        "/* Made from the style of the figures by `cargo xtask pages`. */\n\
         :where(.play svg) {{\n{light}}}\n:where(:is(.ayu, .coal, .navy) .play svg) {{\n{dark}"
    ))
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
        if is_lesson && pages::picked(std::slice::from_ref(page), figure)?.is_empty() {
            wrong.push(format!("{} has no figure", page.display()));
        }
    }
    let shown = pages::picked(pages, figure)?;
    let names = names()?;
    let unused = names.difference(&shown);
    wrong.extend(unused.map(|name| format!("no page has the figure {name}")));
    Ok(wrong)
}

/// Holds a file's remarks about what it was made from against kernels and recordings:
///
/// ```text
/// drawn for 08-tiling.cl matmul_register_tile: TM=64 TN=128     constants
/// drawn for 04-coalescing.cl matmul_id0_rows: A[row * K + k]    what stands in the kernel
/// drawn from 131.5..132.5 = h200-4096 lesson01 "compute units"  a claim, as of a sentence
/// ```
fn must_be_current(text: &str) -> Result<()> {
    for line in text.lines() {
        let remark = line.trim_start_matches(['<', '!', '-', '/', ' ']);
        let remark = remark.trim_end_matches(" -->");
        if let Some(remark) = remark.strip_prefix("drawn for ") {
            is_in_kernel(remark).context(remark.to_string())?;
        } else if let Some(remark) = remark.strip_prefix("drawn from ") {
            pages::claims::check(remark).context(remark.to_string())?;
        }
    }
    Ok(())
}

/// `FILE KERNEL: NAME=VALUE NAME=VALUE`, of the last macros of these names in the file, or
/// `FILE KERNEL: TEXT`, wherever its lines end.
fn is_in_kernel(remark: &str) -> Result<()> {
    let (kernel, shown) = remark.split_once(": ").context("nothing of a kernel")?;
    let (file, name) = kernel.split_once(' ').context("no kernel")?;
    let source = common::source::Source::of_course(file)?;
    let kernel = source.kernel(name).context("there is no such kernel")?;
    let constants: Option<Vec<_>> = shown.split(' ').map(|one| one.split_once('=')).collect();
    let Some(constants) = constants else {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_there = one_line(&kernel.code).contains(&one_line(shown));
        ensure!(is_there, "{name} does not say that now");
        return Ok(());
    };
    for (name, value) in constants {
        let now = diagnostics::directives::macros(&source.text).filter(|(known, _)| *known == name);
        let now = now.last().map_or("nothing", |(_, value)| value);
        let now = now.split_whitespace().next().unwrap_or_default();
        ensure!(now == value, "{name} is {now} now, not {value}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units from left to right of every figure, so that its letters can be read on a phone.
    const WIDTH: f64 = 480.0;

    /// Where words stand, as far as that can be known without their font.
    struct Words {
        /// From their left, top corner ...
        from: Point,
        /// ... to their right, bottom corner.
        to: Point,
    }

    impl Words {
        /// Words of this class that a chart would put here.
        fn placed(class: &str, (x, y): Point, words: &str) -> Words {
            let is = |name| class.split(' ').any(|one| one == name);
            // Of the wider fonts that a reader may have.
            let (size, letter) = match class {
                _ if is("tiny") => (12.0, 0.6),
                _ if is("small") && is("bold") => (13.0, 0.66),
                _ if is("small") => (13.0, 0.6),
                _ if is("code") => (13.0, 0.61),
                _ if is("bold") => (15.0, 0.66),
                _ => (15.0, 0.6),
            };
            let width = words.chars().count() as f64 * size * letter;
            let left = match class {
                _ if is("middle") => x - width / 2.0,
                _ if is("end") => x - width,
                _ => x,
            };
            Words { from: (left, y - 0.75 * size), to: (left + width, y + 0.2 * size) }
        }

        /// Whether two of them lie over each other.
        fn overlap(&self, other: &Words) -> bool {
            let apart = |a: (f64, f64), b: (f64, f64)| a.1 <= b.0 || b.1 <= a.0;
            !apart((self.from.0, self.to.0), (other.from.0, other.to.0))
                && !apart((self.from.1, self.to.1), (other.from.1, other.to.1))
        }
    }

    fn attribute<'t>(line: &'t str, name: &str) -> &'t str {
        let (_, rest) = line.split_once(&format!(" {name}=\"")).expect(name);
        rest.split('"').next().expect("its end")
    }

    /// The words of a file, with the place that they take.
    fn words(svg: &str) -> Vec<(&str, Words)> {
        let lines = svg.lines().filter(|line| line.starts_with("<text "));
        let of = |line| {
            let at = ["x", "y"].map(|name| attribute(line, name).parse().expect("a number"));
            let words = element(line, "text").expect("words");
            let shown = words.replace("&lt;", "<").replace("&gt;", ">");
            let has_class = line.contains(" class=\"");
            let class = if has_class { attribute(line, "class") } else { "" };
            (words, Words::placed(class, (at[0], at[1]), &shown))
        };
        lines.map(of).collect()
    }

    #[test]
    fn words_are_known_to_overlap() {
        let words = |class, at, words| Words::placed(class, at, words);
        let one = words("", (10.0, 20.0), "a < b & c");
        assert!(one.overlap(&words("end", (60.0, 25.0), "under it")));
        assert!(!one.overlap(&words("small", (10.0, 60.0), "far below")));
    }

    #[test]
    fn words_stay_on_the_sheet_and_off_each_other() {
        let mut wrong = Vec::new();
        for name in names().unwrap() {
            let svg = svg(&name).unwrap();
            let sheet = attribute(&svg, "viewBox").split(' ').next_back().expect("four");
            let height: f64 = sheet.parse().expect("a number");
            let words = words(&svg);
            for (i, (text, one)) in words.iter().enumerate() {
                let inside = one.from.0 >= 0.0
                    && one.from.1 >= 0.0
                    && one.to.0 <= WIDTH
                    && one.to.1 <= height;
                if !inside {
                    wrong.push(format!("{name}: \"{text}\" leaves the sheet"));
                }
                for (other, _) in words[i + 1..].iter().filter(|(_, o)| one.overlap(o)) {
                    wrong.push(format!("{name}: \"{text}\" over \"{other}\""));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_figure_says_in_words_what_it_shows() {
        for name in names().unwrap() {
            let description = description(&name).unwrap();
            assert!(element(&svg(&name).unwrap(), "title").unwrap().len() > 8, "{name}");
            let words = description.split_whitespace().count();
            assert!((15..130).contains(&words), "{name}: {words} words");
            // It stands between brackets in Markdown.
            assert!(!description.contains(['[', ']', '`', '\n', '"', '<', '&']), "{name}");
        }
    }

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

    #[test]
    fn a_figure_by_hand_is_of_the_kernels_and_the_recordings() {
        let is_current = |remark: &str| must_be_current(&format!("<svg>\n<!-- {remark} -->\n"));
        let tile = |value: u32| {
            is_current(&format!("drawn for 08-tiling.cl matmul_register_tile: TM=64 TN={value}"))
        };
        tile(128).unwrap();
        let error = tile(7).unwrap_err();
        assert!(format!("{error:#}").ends_with("TN is 128 now, not 7"));
        let rows = |of: &str| {
            must_be_current(&format!("// drawn for 04-coalescing.cl matmul_id0_rows: {of}"))
        };
        rows("row = get_global_id(0)").unwrap();
        rows("A[row * K + k]").unwrap();
        assert!(rows("A[row * K]").is_err());
        is_current("drawn from 1..9000 = h200-4096 lesson03 matmul_naive").unwrap();
        assert!(is_current("drawn from 1..2 = h200-4096 lesson03 matmul_naive").is_err());
        assert!(is_current("drawn for 08-tiling.cl: TM").is_err());
        assert!(is_current("drawn for 08-tiling.cl nothing: TM=64").is_err());
        assert!(is_current("drawn for 08-tiling.cl matmul_register_tile: REAL=1").is_err());
    }
}
