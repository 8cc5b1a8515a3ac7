//! The name that a mistyped one was meant to be.

use std::collections::BTreeSet;

use super::page;

/// The name in the kernel file or in OpenCL C that `name` was most likely meant to be: so
/// few letters away that it can be a slip of the fingers, and alone in that.
pub fn nearest(name: &str, visible: &BTreeSet<&str>, is_function: bool) -> Option<String> {
    let kind = if is_function {
        "functions"
    } else {
        "other words"
    };
    let of_language = page::of_name("The language", kind).unwrap_or_default();
    let words: BTreeSet<&str> = visible
        .iter()
        .copied()
        .chain(of_language.split(' '))
        .collect();
    let slips = match name.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let near = words.into_iter().filter(|word| is_slip(name, word));
    let near = near.map(|word| (strsim::damerau_levenshtein(name, word), word));
    let near: Vec<(usize, &str)> = near.filter(|(distance, _)| *distance <= slips).collect();
    let (least, word) = near.iter().min()?;
    let as_near = near.iter().filter(|(distance, _)| distance == least);
    (as_near.count() == 1).then(|| word.to_string())
}

/// False where two names of one kind were given on purpose: `DIM_X` beside `DIM_Y`, `sum1`
/// beside `sum2`; and for short names of which one letter is another.
fn is_slip(name: &str, word: &str) -> bool {
    let without_digits = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
    let length = name.chars().count();
    let pairs = name.chars().zip(word.chars()).enumerate();
    let others: Vec<usize> = pairs.filter(|(_, (a, b))| a != b).map(|(i, _)| i).collect();
    let one_letter = length == word.chars().count() && others.len() == 1;
    let purpose = one_letter && (length < 5 || others == [length - 1]);
    !purpose && without_digits(name) != without_digits(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_told_from_another_name() {
        let seen = [
            "demo",
            "tile",
            "sum",
            "column",
            "_tile_1",
            "TRANSPOSEY",
            "acc1",
            "row_a",
            "row_b",
        ];
        let seen = BTreeSet::from(seen);
        for (typed, meant) in [
            ("CLK_LOCAL_MEMFENCE", Some("CLK_LOCAL_MEM_FENCE")),
            ("flaot", Some("float")),
            ("sume", Some("sum")),
            ("colunm", Some("column")),
            ("_tlie_1", Some("_tile_1")),
            ("flost", Some("float")),
            ("x", None),
            ("x16", None),
            ("su", None),
            ("sxmxe", None),
            ("cxlxmx", None),
            ("unknown_thing", None),
            // One letter of few is another; the last one; a digit; two that are as near.
            ("sun", None),
            ("title", Some("tile")),
            ("tine", None),
            ("TRANSPOSEX", None),
            ("acc2", None),
            ("row_", None),
            ("roww_ab", None),
            // A function's name, or a word of the language, for a variable.
            ("fam", None),
            ("four", None),
        ] {
            assert_eq!(nearest(typed, &seen, false).as_deref(), meant, "{typed}");
        }
        for (typed, meant) in [
            ("get_globl_id", Some("get_global_id")),
            ("get_locla_id", Some("get_local_id")),
            ("bariier", Some("barrier")),
            ("vlaod4", Some("vload4")),
            ("fam", Some("fma")),
            ("foo", None),
            ("flaot", None),
        ] {
            assert_eq!(nearest(typed, &seen, true).as_deref(), meant, "{typed}");
        }
    }
}
