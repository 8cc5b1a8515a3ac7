//! The wrong kernels, and why they are wrong.
//!
//! ```text
//! // Cause: last terms missing, zero: K is rounded down to whole tiles of 16
//! ```
//!
//! Before the second colon stand the kinds that name the fault, any of them: at one size
//! it may look other than at the next. What no kind names is `unknown`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::kept;

/// A kernel whose fault is known.
pub struct WrongKernel {
    /// The file's name without its end.
    pub name: String,
    /// Where it is.
    pub file: PathBuf,
    /// The kinds that name its fault, the most fitting first.
    pub kinds: Vec<String>,
    /// The fault in words.
    pub cause: String,
}

/// The kernels of tests/wrong/ that have these names, or all.
pub fn read(names: &[String]) -> Result<Vec<WrongKernel>> {
    let files = kept::entries("tests/wrong")?.into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "cl"));
    let mut kernels = files.map(read_one).collect::<Result<Vec<_>>>()?;
    kernels.sort_by(|one, other| one.name.cmp(&other.name));
    let is_there = |name: &&String| kernels.iter().any(|kernel| kernel.name == **name);
    if let Some(name) = names.iter().find(|name| !is_there(name)) {
        bail!("there is no tests/wrong/{name}.cl");
    }
    kernels.retain(|kernel| names.is_empty() || names.contains(&kernel.name));
    Ok(kernels)
}

fn read_one(file: PathBuf) -> Result<WrongKernel> {
    let wrong = "the first line must be // Cause: KIND, KIND: words";
    let cause = cause(&kept::read(&file)?).context(wrong);
    let (kinds, cause) = cause.with_context(|| format!("{}", file.display()))?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    Ok(WrongKernel {
        name: name.into_owned(),
        kinds,
        cause,
        file,
    })
}

/// The kinds and the words of the first line.
fn cause(text: &str) -> Option<(Vec<String>, String)> {
    let line = text.lines().next()?.strip_prefix("// Cause: ")?;
    let (kinds, words) = line.split_once(": ")?;
    Some((kinds.split(", ").map(String::from).collect(), words.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_kinds_and_the_cause() {
        let (kinds, words) =
            cause("// Cause: zero, last rows: a guard: too strict\nkernel").unwrap();
        assert_eq!(kinds, ["zero", "last rows"]);
        assert_eq!(words, "a guard: too strict");
        assert!(cause("// Cause: no kind\n").is_none());
        assert!(cause("kernel void\n// Cause: zero: late").is_none());
    }
}
