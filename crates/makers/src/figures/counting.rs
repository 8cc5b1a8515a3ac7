//! What the figures count: which sectors and banks of local memory the addresses of
//! neighbouring items fall into. All addresses are in bytes.

use std::collections::BTreeSet;

/// Bytes of a float.
pub const FLOAT: usize = 4;
/// Items that run in lockstep on an NVIDIA GPU, and its banks of local memory.
pub const WARP: usize = 32;
/// Bytes that an NVIDIA GPU fetches at least.
pub const SECTOR: usize = 32;
/// Bytes of a CPU's cache line.
pub const LINE: usize = 64;

/// The pieces of memory, of `size` bytes, that accesses of `width` bytes at these addresses
/// touch: the sectors of a GPU.
pub fn pieces(
    addresses: impl IntoIterator<Item = usize>,
    width: usize,
    size: usize,
) -> BTreeSet<usize> {
    let touched = |at: usize| at / size..=(at + width - 1) / size;
    addresses.into_iter().flat_map(touched).collect()
}

/// The bank of local memory that holds the float with this number.
pub fn bank(float: usize) -> usize {
    float % WARP
}

/// How often the busiest bank must deliver a word so that all of these floats are read. A
/// word that several items want is delivered once.
pub fn turns(floats: impl IntoIterator<Item = usize>) -> usize {
    let floats: BTreeSet<usize> = floats.into_iter().collect();
    let mut asked = [0; WARP];
    for float in floats {
        asked[bank(float)] += 1;
    }
    asked.into_iter().max().unwrap_or(0)
}

/// The share of use in what a copy moves, where memory moves pieces of so many bytes: an
/// item reads `bytes`, with whatever else of a piece lies before the next item's, which
/// stand `apart` bytes from its own; it writes `bytes`.
pub fn share_of_use(bytes: usize, apart: usize, piece: usize) -> f64 {
    let read = apart.min(piece).max(bytes);
    2.0 * bytes as f64 / (read + bytes) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_ints_touch_as_many_sectors_as_the_memory_model_says() {
        let count = |start| pieces((0..16).map(|i| start + i * FLOAT), FLOAT, SECTOR).len();
        assert_eq!([0x1240, 0x1234, 0x1232].map(count), [2, 3, 3]);
        let alone =
            |start: usize| (0..16).map(move |i| pieces([start + i * FLOAT], FLOAT, SECTOR).len());
        assert_eq!(alone(0x1240).sum::<usize>(), 16);
        assert_eq!(alone(0x1232).sum::<usize>(), 18);
    }

    #[test]
    fn a_piece_that_nobody_else_wants_moves_whole() {
        let of_floats = [4, 8, 16, 32, 64].map(|apart| share_of_use(FLOAT, apart, SECTOR));
        let percents = of_floats.map(|share| (100.0 * share).round());
        assert_eq!(percents, [100.0, 67.0, 40.0, 22.0, 22.0]);
        assert_eq!((100.0 * share_of_use(FLOAT, 64, LINE)).round(), 12.0);
        assert_eq!(share_of_use(16, 16, SECTOR), 1.0);
        assert_eq!((100.0 * share_of_use(16, 32, SECTOR)).round(), 67.0);
    }

    #[test]
    fn padding_spreads_a_column_over_the_banks() {
        let banks = |row: usize| (0..WARP).map(|x| bank(x * row)).collect::<BTreeSet<_>>();
        assert_eq!((banks(32).len(), banks(33).len()), (1, 32));
        let column = |row: usize| turns((0..WARP).map(|x| x * row));
        assert_eq!([32, 33, 34, 0].map(column), [32, 1, 2, 1]);
    }
}
