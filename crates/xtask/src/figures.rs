//! The pictures in the pages as SVG, in `docs/figures/`. They are made by hand, and remarks in
//! them hold them against the kernels and the recordings that they show; only the curves, dots and
//! bars of a chart are drawn from recorded runs. So no picture can say what the code or a run does not.
//! SVG, since GitHub shows that, and no other drawing that follows the reader's light or dark.
//!
//! # Layout
//!
//! - `style.css` has the one meaning of each colour, which `docs/figures.md` explains.
//! - `chart` draws curves, dots and bars as `docs/data/charts/NAME.toml` says.
//! - `remarks` holds a file against what it was made from.

mod chart;
pub mod remarks;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use common::clone::workspace;

use crate::kept;

use chart::Charts;

/// What colour a shape of each class has, light and dark.
pub const STYLE: &str = include_str!("figures/style.css");

/// A place: units from the left and from the top.
type Point = (f64, f64);

/// Where the files lie, below the root of the workspace.
pub const FOLDER: &str = "docs/figures";

/// What is drawn stands between these.
const BEGIN: &str = "<!-- drawn -->\n";
const END: &str = "<!-- end -->\n";

/// What a figure shows of recordings; none where it is all by hand.
fn drawn(name: &str) -> Result<Option<String>> {
    let file = format!("docs/data/charts/{name}.toml");
    if !workspace().join(&file).exists() {
        return Ok(None);
    }
    let charts: Charts = toml::from_str(&kept::read(file)?)?;
    charts.draw().map(Some)
}

/// All figures by name.
pub fn names() -> Result<BTreeSet<String>> {
    let files = kept::entries(FOLDER)?;
    let stems = files.iter().filter_map(|path| path.file_stem());
    Ok(stems.map(|name| name.to_string_lossy().into()).collect())
}

/// The file of the figure of this name, as it must be: made by hand, with the style that all
/// have, and in a chart what is drawn of recordings.
pub fn svg(name: &str) -> Result<String> {
    let file = format!("{FOLDER}/{name}.svg");
    let text = kept::read(&file)?;
    remarks::must_be_current(&text).with_context(|| format!("{file} must be drawn anew"))?;
    let parts = text.split_once("<style>\n");
    let parts = parts.and_then(|(head, rest)| Some((head, rest.split_once("</style>\n")?.1)));
    let (head, body) = parts.with_context(|| format!("{file} has no style"))?;
    let styled = |body: &str| format!("{head}<style>\n{STYLE}</style>\n{body}");
    let drawn = drawn(name).with_context(|| format!("the chart {name} cannot be drawn"))?;
    let Some(drawn) = drawn else {
        return Ok(styled(body));
    };
    let parts = body.split_once(BEGIN);
    let parts = parts.and_then(|(above, rest)| Some((above, rest.split_once(END)?.1)));
    let (above, below) = parts.with_context(|| format!("{file} has no place for a chart"))?;
    Ok(styled(&[above, BEGIN, &drawn, END, below].concat()))
}

/// What one should see in a figure.
pub fn description(name: &str) -> Result<String> {
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
            Words {
                from: (left, y - 0.75 * size),
                to: (left + width, y + 0.2 * size),
            }
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
            let class = if has_class {
                attribute(line, "class")
            } else {
                ""
            };
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
            let sheet = attribute(&svg, "viewBox")
                .split(' ')
                .next_back()
                .expect("four");
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
            assert!(
                element(&svg(&name).unwrap(), "title").unwrap().len() > 8,
                "{name}"
            );
            let words = description.split_whitespace().count();
            assert!((15..130).contains(&words), "{name}: {words} words");
            // It stands between brackets in Markdown.
            assert!(
                !description.contains(['[', ']', '`', '\n', '"', '<', '&']),
                "{name}"
            );
        }
    }
}
