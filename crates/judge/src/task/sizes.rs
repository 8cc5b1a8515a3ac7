//! The sizes of a task, as text.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{self, Deserializer};

use super::or::Or;

/// Multiply-adds that the simulator does in a few seconds.
pub const FEW: usize = 50_000;

/// Sizes by their names.
pub type Sizes = BTreeMap<String, usize>;

/// About how much there is to do.
pub fn product(sizes: &Sizes) -> usize {
    sizes.values().fold(1, |a, b| a.saturating_mul(*b))
}

/// The names of a product's sizes.
pub const SIDES: [&str; 3] = ["M", "N", "K"];

/// What each of so many sides is called, where a size is written as "37x91x53".
fn sides(count: usize) -> &'static [&'static str] {
    match count {
        1 => &SIDES[1..2],
        _ => &SIDES[..count.min(3)],
    }
}

/// "rows=37,cols=513", or "37x91x53" of M, N and K.
pub fn in_words(sizes: &Sizes) -> String {
    let sides = sides(sizes.len()).iter().map(|name| sizes.get(*name));
    if let Some(sides) = sides
        .collect::<Option<Vec<_>>>()
        .filter(|all| all.len() == sizes.len())
    {
        let sides: Vec<String> = sides.iter().map(|side| side.to_string()).collect();
        return sides.join("x");
    }
    let words = sizes.iter().map(|(name, value)| format!("{name}={value}"));
    words.collect::<Vec<_>>().join(",")
}

/// Sizes by their names, or M, N and K, M and N, or N as "37x91x53" says them.
pub(super) fn of<'de, D: Deserializer<'de>>(from: D) -> Result<Sizes, D::Error> {
    of_form(Or::deserialize(from)?).map_err(de::Error::custom)
}

pub(super) fn several<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Sizes>, D::Error> {
    let all = Vec::deserialize(from)?.into_iter().map(of_form);
    all.collect::<Result<_, _>>().map_err(de::Error::custom)
}

fn of_form(form: Or<String, Sizes>) -> Result<Sizes, String> {
    match form {
        Or::Table(sizes) => Ok(sizes),
        Or::Plain(words) => of_words(&words),
    }
}

/// "37x91x53" are M, N and K, "37x91" M and N, and 37 is N.
pub fn of_words(words: &str) -> Result<Sizes, String> {
    let values: Option<Vec<usize>> = words.split('x').map(|side| side.parse().ok()).collect();
    let values = values.filter(|values| values.len() <= SIDES.len());
    let values = values.ok_or(format!("{words} is no size such as 64, 37x91 or 37x91x53"))?;
    let names = sides(values.len()).iter().map(|name| (*name).into());
    Ok(names.zip(values).collect())
}
