//! The numbers in a text.

use std::ops::Range;

/// Where they stand, digits with a point or an exponent.
pub fn places(bytes: &[u8]) -> Vec<Range<usize>> {
    let belongs = |byte: u8| byte.is_ascii_digit() || b".+-".contains(&byte);
    let mut places = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..]
            .iter()
            .take_while(|byte| belongs(**byte))
            .count();
        let end = at + length;
        if bytes[at..end].iter().any(u8::is_ascii_digit) {
            places.push(at..end);
        }
        at = end + 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_with_their_signs() {
        assert_eq!(places(b"a -1.5, 20\n-x"), [2..6, 8..10]);
        assert_eq!(places(b""), []);
    }
}
