//! What a driver prints on standard error while it builds. Clang counts its errors there
//! ("1 error generated."), in the middle of a progress line, and the log says it better.

use std::fs::File;
use std::io::{Read, Seek};

use text::stream::Stream;

/// Names the file that takes it. Who sets it watches this process, and passes on what lies
/// there when this process dies.
pub const VARIABLE: &str = "OPENCL_COURSE_DRIVERS_WORDS";

/// Builds something, and then passes on what the driver said beside such counts.
pub fn sifted<T>(build: impl FnOnce() -> T) -> T {
    let Some((mut file, stderr)) = taken() else {
        return build();
    };
    let built = build();
    // It was possible before.
    let _ = Stream::Error.send_to(&stderr);
    let mut said = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut said));
    let said = String::from_utf8_lossy(&said);
    for line in said.lines().filter(|line| !is_count(line)) {
        text::aside!("{}", text::plain(line));
    }
    // What was passed on is not to be told again.
    let _ = read.and_then(|_| file.set_len(0));
    built
}

/// The file that standard error is now, and what it was.
fn taken() -> Option<(File, File)> {
    let path = std::env::var_os(VARIABLE)?;
    let stderr = Stream::Error.as_it_is().ok()?;
    let mut options = File::options();
    let options = options.read(true).append(true).create(true);
    let file = options.open(path).ok()?;
    Stream::Error.send_to(&file).ok()?;
    Some((file, stderr))
}

/// "1 warning and 2 errors generated.", as clang ends.
fn is_count(line: &str) -> bool {
    let known = ["error", "errors", "warning", "warnings", "and"];
    let counts = line.strip_suffix(" generated.");
    counts.is_some_and(|counts| {
        let mut words = counts.split(' ');
        words.all(|word| known.contains(&word) || word.parse::<u32>().is_ok())
    })
}

#[cfg(test)]
mod tests {
    use super::is_count;

    #[test]
    fn a_count_of_errors_is_told_from_all_else() {
        for count in ["1 error generated.", "1 warning and 20 errors generated."] {
            assert!(is_count(count));
        }
        for other in [
            "",
            "code generated.",
            "error: 1 error",
            "LLVM ERROR: no memory",
        ] {
            assert!(!is_count(other), "{other}");
        }
    }
}
