//! The variants: one to three kinds of damage, one after the other.

use std::ops::Range;

/// Numbers that are the last of their kind, or none.
#[rustfmt::skip]
const NUMBERS: [&str; 16] = [
    "0", "-1", "1", "65536", "2147483648", "4294967296", "-9223372036854775808",
    "18446744073709551615", "99999999999999999999", "0.0", "-0.5", "5e-324", "1e308", "1e999",
    "NaN", "",
];

/// Text that is not what most readers think of.
#[rustfmt::skip]
const PIECES: [&[u8]; 14] = [
    b"\0", b"\r\n", b"\n\n", b"\xff\xfe", b"\xc3", "\u{fc}".as_bytes(), "\u{1F600}".as_bytes(),
    "\u{202e}".as_bytes(), "\u{feff}".as_bytes(), b"\x1b[31m", b"\"", b"{", b"(((((((((", b"/*",
];

/// Endless variants of a file.
pub fn variants(file: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let file = file.to_vec();
    let mut random = Random(1);
    (0..).map(move |number: usize| {
        let mut variant = file.clone();
        for _ in 0..=number % 3 {
            damage(&mut variant, &mut random);
        }
        variant
    })
}

type Damage = fn(&mut Vec<u8>, &mut Random);

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    // Numbers are what readers count with.
    #[rustfmt::skip]
    const KINDS: [Damage; 9] = [
        flip_a_bit, cut_off, leave_out, double, change_a_number, change_a_number, insert,
        exchange_lines, repeat,
    ];
    KINDS[random.below(KINDS.len())](bytes, random);
}

/// A part of a file, a few letters or many.
fn part(bytes: &[u8], random: &mut Random) -> Range<usize> {
    let begin = random.below(bytes.len());
    let most = random.pick(&[&4, &40, &4000]);
    let length = random.below((bytes.len() - begin).min(*most) + 1);
    begin..begin + length
}

#[allow(clippy::ptr_arg, reason = "as all kinds of damage")]
fn flip_a_bit(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let bit = 1 << random.below(8);
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= bit;
    }
}

fn cut_off(bytes: &mut Vec<u8>, random: &mut Random) {
    bytes.truncate(random.below(bytes.len()));
}

fn leave_out(bytes: &mut Vec<u8>, random: &mut Random) {
    bytes.drain(part(bytes, random));
}

fn double(bytes: &mut Vec<u8>, random: &mut Random) {
    let part = part(bytes, random);
    let again = bytes[part.clone()].to_vec();
    bytes.splice(part.end..part.end, again);
}

fn change_a_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let places = places(bytes);
    if let Some(place) = places.get(random.below(places.len())) {
        let number = random.pick(&NUMBERS);
        bytes.splice(place.clone(), number.bytes());
    }
}

fn insert(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let piece = random.pick(&PIECES);
    bytes.splice(at..at, piece.iter().copied());
}

fn exchange_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if !lines.is_empty() {
        let (one, other) = (random.below(lines.len()), random.below(lines.len()));
        lines.swap(one, other);
        *bytes = lines.concat();
    }
}

/// One letter a thousand times.
fn repeat(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get(at).copied() {
        bytes.splice(at..at, std::iter::repeat_n(byte, 1000));
    }
}

/// The numbers in a text: digits with a point or an exponent.
fn places(bytes: &[u8]) -> Vec<Range<usize>> {
    let belongs = |byte: u8| byte.is_ascii_digit() || b".+-".contains(&byte);
    let mut places = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|byte| belongs(**byte));
        let end = at + digits.count();
        if bytes[at..end].iter().any(u8::is_ascii_digit) {
            places.push(at..end);
        }
        at = end + 1;
    }
    places
}

/// SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
/// generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to `end`, which it is not; 0 where there is no other.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// One of several.
    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_the_same_at_every_run_and_differ_from_each_other() {
        let file = b"{\"gflops\": 12.5, \"runs\": 3}\n# a line\n";
        let some = || variants(file).take(300).collect::<Vec<_>>();
        assert_eq!(some(), some());
        let mut different = some();
        different.sort();
        different.dedup();
        assert!(different.len() > 250, "{}", different.len());
        // An empty file has its variants, too.
        assert_eq!(variants(b"").take(300).count(), 300);
    }

    #[test]
    fn numbers_are_found_with_their_signs() {
        assert_eq!(places(b"a -1.5, 20\n-x"), [2..6, 8..10]);
        assert_eq!(places(b""), []);
    }
}
