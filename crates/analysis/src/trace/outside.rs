//! Accesses that lie outside of the array that is meant.

use common::numbers::bytes;
use serde::Serialize;

/// Those of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Outside {
    /// How many.
    pub times: u64,
    /// Bytes before the array's beginning, of the one that lies farthest.
    pub before: u64,
    /// Bytes behind its end, of the one that lies farthest. Where both are 0 there is no array.
    pub behind: u64,
    /// The first item that made one, by its global id.
    pub first: [u64; 3],
}

impl Outside {
    /// Those of two places together.
    pub fn and(self, other: Outside) -> Outside {
        Outside {
            times: self.times + other.times,
            before: self.before.max(other.before),
            behind: self.behind.max(other.behind),
            first: self.first,
        }
    }

    /// "3 accesses lie outside of it, up to 8 B behind its end; the first is of ..."
    pub fn words(&self) -> String {
        let lie = match self.times {
            1 => "1 access lies outside of it".into(),
            times => format!("{times} accesses lie outside of it"),
        };
        let sides = [
            (self.behind, "behind its end"),
            (self.before, "before its beginning"),
        ];
        let sides = sides.into_iter().filter(|(far, _)| *far > 0);
        let far = sides.map(|(far, side)| format!("up to {} {side}", bytes(far)));
        let far = match far.collect::<Vec<_>>().join(" and ") {
            none if none.is_empty() => "where no array is".into(),
            far => far,
        };
        let [x, y, z] = self.first;
        format!("{lie}, {far}; the first is of the item with the global id ({x}, {y}, {z})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_how_far_away_and_whose_the_first_is() {
        let one = Outside {
            times: 1,
            before: 0,
            behind: 8,
            first: [5, 1, 0],
        };
        let other = Outside {
            before: 4,
            behind: 4,
            first: [0; 3],
            ..one
        };
        assert!(
            one.words()
                .starts_with("1 access lies outside of it, up to 8 B behind its end;")
        );
        let both = one.and(other).words();
        let says = "2 accesses lie outside of it, up to 8 B behind its end and up to 4 B before its \
                    beginning; the first is of the item with the global id (5, 1, 0)";
        assert_eq!(both, says);
        let nowhere = Outside { behind: 0, ..one };
        assert!(nowhere.words().contains("where no array is"));
    }
}
