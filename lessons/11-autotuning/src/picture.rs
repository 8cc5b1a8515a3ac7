//! The landscape as a picture (SVG): the map of each kernel.

use common::numbers::significant;
use maud::{Markup, html};

use crate::landscape::Landscape;
use crate::point::Family;
use crate::search::Trials;

const COLORS: [&str; 3] = ["#2563eb", "#ea580c", "#059669"];
/// Height of a map with all its rows.
const MAP: usize = 360;

/// The text of the picture, below this title.
pub fn svg(title: &str, trials: &Trials) -> String {
    let top = trials.best().map_or(1.0, |best| best.1);
    let maps = Family::ALL.map(|family| (family, Landscape::of(trials, family)));
    let maps = maps.iter().filter(|(_, map)| !map.best.is_empty());
    let maps: Vec<Markup> = maps
        .map(|(family, map)| heat_map(*family, map, top))
        .collect();
    let height = 60 + MAP * maps.len();
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" width="960" height=(height) font-family="sans-serif" {
            rect width="100%" height="100%" fill="white" {}
            text x="24" y="36" { (title) }
            @for (i, map) in maps.iter().enumerate() {
                svg y=(60 + MAP * i) { (map) }
            }
        }
    };
    picture.into_string()
}

/// Rates as cells, darker where they are higher.
fn heat_map(family: Family, map: &Landscape, top: f64) -> Markup {
    let wide = 880 / map.columns.len().max(11);
    let (x, y) = (|i: usize| 60 + wide * i, |i: usize| 54 + 30 * i);
    html! {
        text x="24" y="20" fill=(COLORS[family as usize]) {
            (family.kernel()) ": best GFLOP/s by rows (down) and columns of an item's tile"
        }
        @for (i, columns) in map.columns.iter().enumerate() {
            text x=(x(i) + 4) y="44" { (columns) }
        }
        @for (j, rows) in map.rows.iter().enumerate() {
            text x="24" y=(y(j) + 20) { (rows) }
        }
        @for ((rows, columns), gflops) in &map.best {
            @let i = map.columns.range(..columns).count();
            @let j = map.rows.range(..rows).count();
            rect x=(x(i)) y=(y(j)) width=(wide - 2) height="28"
                fill=(COLORS[family as usize]) fill-opacity=(0.7 * gflops / top) {}
            text x=(x(i) + 4) y=(y(j) + 20) { (significant(*gflops)) }
        }
    }
}
