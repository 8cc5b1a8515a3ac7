//! The pictures in the pages, drawn as SVG from what they show: the constants and index
//! expressions of the kernels, and the recorded runs. So a picture cannot say what the
//! code or a run does not. SVG, since GitHub shows that, and no other drawing that follows the
//! reader's light or dark.
//!
//! # Layout
//!
//! - [`drawing`] is the sheet that everything is drawn on; `style.css` beside it has the
//!   one meaning of each colour, which `docs/figures.md` explains.
//! - `kernel` reads constants and index expressions from a kernel, `runs` the best kernels of
//!   a recorded run, `listed` what lesson 1 printed of its device; [`counting`] says which
//!   sectors, banks and sets addresses come to; `axis` is a logarithmic axis.
//! - [`play`] makes what the things to play with in the book are fed and tested with.
//! - Every other module is a figure, or a few of one kind. [`FIGURES`] names them all.

mod anatomy;
mod axis;
mod banks;
mod barriers;
mod cache_sets;
mod chains;
mod coalescing;
pub mod counting;
pub mod drawing;
mod figure;
mod kernel;
mod ladder;
mod landscape;
mod layout;
mod legend;
mod listed;
mod machine;
mod ndrange;
mod panels;
pub mod play;
mod prefetch;
mod rates;
mod register_tile;
mod roofline;
mod runs;
mod sixteen;
mod sizes;
mod spill;
mod stride;
mod tile_walk;
mod timeline;
mod zooms;

use anyhow::{Context, Result};

pub use figure::Figure;

/// Draws a figure anew.
pub type Draw = fn() -> Result<Figure>;

/// Every figure: the name of its file without the end, and what draws it.
pub const FIGURES: &[(&str, Draw)] = &[
    ("ladder", ladder::draw),
    ("legend", legend::draw),
    ("platforms", anatomy::draw),
    ("timeline", timeline::draw),
    ("ndrange", ndrange::draw),
    ("row-major", layout::draw),
    ("machine", machine::draw),
    ("sixteen-items", sixteen::draw),
    ("coalescing", coalescing::draw),
    ("stride", stride::draw),
    ("spill", spill::draw),
    ("tile-walk", tile_walk::draw),
    ("banks", banks::draw),
    ("barriers", barriers::draw),
    ("chains", chains::draw),
    ("zooms", zooms::draw),
    ("roofline", roofline::draw),
    ("register-tile", register_tile::draw),
    ("panels", panels::draw),
    ("sizes", sizes::draw),
    ("cache-sets", cache_sets::draw),
    ("prefetch", prefetch::draw),
    ("rates", rates::draw),
    ("landscape", landscape::draw),
];

/// The figure of this name.
///
/// # Errors
/// When there is none, or what it is drawn from is missing.
pub fn draw(name: &str) -> Result<Figure> {
    let found = FIGURES.iter().find(|(known, _)| *known == name);
    let (_, draw) = found.with_context(|| {
        let names: Vec<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
        format!("there is no figure {name}; there are: {}", names.join(", "))
    })?;
    draw().with_context(|| format!("the figure {name} cannot be drawn"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_on_the_sheet_and_off_each_other() {
        let mut wrong = Vec::new();
        for (name, _) in FIGURES {
            let drawing = draw(name).unwrap().drawing;
            let words = drawing.words();
            for (i, one) in words.iter().enumerate() {
                let inside = one.from.0 >= 0.0
                    && one.from.1 >= 0.0
                    && one.to.0 <= drawing::WIDTH
                    && one.to.1 <= drawing.height();
                if !inside {
                    wrong.push(format!("{name}: \"{}\" leaves the sheet", one.text));
                }
                for other in words[i + 1..].iter().filter(|other| one.overlap(other)) {
                    wrong.push(format!("{name}: \"{}\" over \"{}\"", one.text, other.text));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_figure_says_in_words_what_it_shows() {
        for (name, _) in FIGURES {
            let Figure {
                title, description, ..
            } = draw(name).unwrap();
            assert!(title.len() > 8, "{name}");
            let words = description.split_whitespace().count();
            assert!((15..130).contains(&words), "{name}: {words} words");
            // It stands between brackets in Markdown.
            assert!(
                !description.contains(['[', ']', '`', '\n', '"', '<']),
                "{name}"
            );
        }
    }
}
