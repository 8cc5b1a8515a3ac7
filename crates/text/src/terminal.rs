//! What standard output is connected to, and which letters that shows.

use std::env;
use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::sync::LazyLock;

#[cfg(unix)]
use crate::stream::Stream;
use crate::wrap::stdout_columns;

/// One column each, as the letters that they stand for: what is laid out stays so.
#[rustfmt::skip]
const STAND_INS: [(&str, char); 12] = [
    ("✓↓", 'v'), ("↑", '^'), ("✗×┃", 'x'), ("±", '~'), ("–─", '-'), ("━", '='), ("·…", '.'), ("µ", 'u'),
    ("▇█▉▊▋▓", '#'), ("▌▍▎▏", '|'), ("▒", '+'), ("░", ':'),
];

/// Whether the locale is one of UTF-8, or none is set: then terminals of today show it.
/// Of these variables the first that is not empty counts (POSIX, "Environment Variables").
pub fn shows_utf8() -> bool {
    static SHOWS: LazyLock<bool> = LazyLock::new(|| {
        let settings = ["LC_ALL", "LC_CTYPE", "LANG"].map(env::var_os);
        let locale = settings.into_iter().flatten().find(|one| !one.is_empty());
        locale.is_none_or(|locale| is_utf8(&locale.to_string_lossy()))
    });
    *SHOWS
}

fn is_utf8(locale: &str) -> bool {
    locale.to_lowercase().replace('-', "").contains("utf8")
}

/// A text for standard output: in ASCII on a terminal that shows nothing else.
pub fn for_stdout(text: String) -> String {
    shown(text, || stdout_columns().is_some())
}

/// The same for standard error.
pub fn for_stderr(text: String) -> String {
    shown(text, || stderr().is_terminal())
}

fn shown(text: String, is_on_terminal: fn() -> bool) -> String {
    let as_it_is = text.is_ascii() || shows_utf8() || !is_on_terminal();
    if as_it_is { text } else { in_ascii(&text) }
}

/// Standard output, which writes what [`for_stdout`] makes of each text.
pub struct Out;

impl Write for Out {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        // What is formatted comes in whole letters.
        let shown = for_stdout(String::from_utf8_lossy(text).into_owned());
        stdout().write_all(shown.as_bytes())?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        stdout().flush()
    }
}

/// The same text in ASCII, a letter for each letter.
pub fn in_ascii(text: &str) -> String {
    let stand_in = |c: char| {
        let known = STAND_INS.iter().find(|(letters, _)| letters.contains(c));
        let other = known.map_or('?', |(_, stand_in)| *stand_in);
        if c.is_ascii() { c } else { other }
    };
    text.chars().map(stand_in).collect()
}

/// Whether another program reads what is printed, as in `| tee log`. Its words come to the
/// terminal whenever that likes.
pub fn stdout_is_piped() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = Stream::Output.as_it_is().and_then(|file| file.metadata());
        kind.is_ok_and(|kind| kind.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_ascii_has_a_stand_in_of_the_same_width() {
        assert_eq!(in_ascii("✓ ±0.7 % ▇▇ Größe"), "v ~0.7 % ## Gr??e");
        for (letters, stand_in) in STAND_INS {
            assert!(!letters.is_ascii() && stand_in.is_ascii());
        }
    }

    #[test]
    fn a_locale_is_one_of_utf8_if_it_says_so() {
        assert!(
            ["C.UTF-8", "de_DE.utf8", "UTF-8"]
                .iter()
                .all(|one| is_utf8(one))
        );
        assert!(!["C", "POSIX", "de_DE@euro"].iter().any(|one| is_utf8(one)));
    }
}
