//! What a figure takes from a kernel's text: constants, and that something stands in it.

use anyhow::{Context, Result};
use common::source::Source;
use language::directives::macros;

/// A kernel of the course.
pub struct Kernel {
    name: String,
    code: String,
    file: Source,
}

impl Kernel {
    /// Reads it from a file of `kernels/`.
    pub fn read(file: &str, name: &str) -> Result<Kernel> {
        let file = Source::of_course(file)?;
        let text = file.kernel(name);
        let text = text.with_context(|| format!("there is no kernel {name}"))?;
        Ok(Kernel {
            name: name.into(),
            code: text.code,
            file,
        })
    }

    /// The value of a macro of its file: the last one, where it has several.
    pub fn constant(&self, name: &str) -> Result<usize> {
        let found = macros(&self.file.text).filter(|(macro_name, _)| *macro_name == name);
        let value = found.last().map(|(_, value)| value);
        let value = value.and_then(|value| value.split_whitespace().next()?.parse().ok());
        value.with_context(|| format!("{} is no number in the file of {}", name, self.name))
    }

    /// Whether this stands in it, wherever its lines end.
    pub fn has(&self, text: &str) -> bool {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        one_line(&self.code).contains(&one_line(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_come_from_the_text() {
        let tile = Kernel::read("08-tiling.cl", "matmul_register_tile").unwrap();
        assert!(tile.constant("TM").unwrap() > tile.constant("RM").unwrap());
        assert!(tile.constant("REAL").is_err());
        assert!(Kernel::read("08-tiling.cl", "nothing").is_err());
    }
}
